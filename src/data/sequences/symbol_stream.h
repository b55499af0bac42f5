#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace lockstep {

// A long row of symbols in memory: two bytes each if the vocabulary has at most 2^16 of them, which holds for all
// characters and bytes that usually occur, else four. Const methods from any thread.
class SymbolStream {
 public:
  SymbolStream() : SymbolStream(0, 0) {}
  // most: number of symbols to reserve memory for, which is used only as they come. There may be more.
  SymbolStream(std::int64_t vocabulary, std::size_t most);

  // REQUIRES: 0 <= symbol < vocabulary.
  void push_back(std::int32_t symbol);

  std::int64_t size() const;
  // The symbols [begin, begin + count); overwrites `into`. REQUIRES: 0 <= begin, begin + count <= size().
  void read(std::int64_t begin, std::int64_t count, std::vector<std::int32_t>& into) const;

 private:
  std::variant<std::vector<std::uint16_t>, std::vector<std::int32_t>> symbols_;
};

}  // namespace lockstep
