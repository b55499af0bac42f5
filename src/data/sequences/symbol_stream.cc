#include "data/sequences/symbol_stream.h"

#include <type_traits>

namespace lockstep {

SymbolStream::SymbolStream(std::int64_t vocabulary, std::size_t most) {
  if (vocabulary > (1 << 16)) symbols_.emplace<std::vector<std::int32_t>>();
  std::visit([most](auto& symbols) { symbols.reserve(most); }, symbols_);
}

void SymbolStream::push_back(std::int32_t symbol) {
  std::visit(
      [symbol](auto& symbols) {
        using Stored = typename std::remove_reference_t<decltype(symbols)>::value_type;
        symbols.push_back(static_cast<Stored>(symbol));
      },
      symbols_);
}

std::int64_t SymbolStream::size() const {
  return std::visit([](const auto& symbols) { return std::ssize(symbols); }, symbols_);
}

void SymbolStream::read(std::int64_t begin, std::int64_t count, std::vector<std::int32_t>& into) const {
  std::visit([&](const auto& symbols) { into.assign(symbols.begin() + begin, symbols.begin() + begin + count); },
             symbols_);
}

}  // namespace lockstep
