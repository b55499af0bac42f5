#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

// Runs one input: libFuzzer (llvm.org/docs/LibFuzzer.html) calls it again and again, replay.cc once per file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace lockstep {

// Checks a guarantee of a reader: if it does not hold, ends the process where the debugger and the fuzzer see it.
inline void must(bool holds) {
  if (!holds) __builtin_trap();
}

// Runs a reader on a bad or good input: returns true if it accepts the input, false if it refuses it with one of these
// codes. Any other exception is a finding, and so is a refusal without a message.
template <class Read>
bool accepted(std::initializer_list<ExitCode> codes, Read read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    must(std::find(codes.begin(), codes.end(), error.code()) != codes.end());
    must(!std::string_view(error.what()).empty());
    return false;
  }
}

// An input, consumed from the front.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}

  bool empty() const { return bytes_.empty(); }
  std::uint8_t byte() {  // 0 when nothing is left
    if (bytes_.empty()) return 0;
    const std::uint8_t first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first;
  }
  std::size_t number(int bytes) {  // most significant byte first
    std::size_t value = 0;
    for (int i = 0; i < bytes; ++i) value = value << 8 | byte();
    return value;
  }
  std::span<const std::uint8_t> take(std::size_t count) {
    const auto taken = bytes_.first(std::min(count, bytes_.size()));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }
  std::string text(std::size_t count) {
    const auto taken = take(count);
    return {taken.begin(), taken.end()};
  }
  std::span<const std::uint8_t> rest() { return take(bytes_.size()); }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace lockstep
