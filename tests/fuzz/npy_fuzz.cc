// Fuzzes the reader of .npy headers.
#include "data/arrays/npy_header.h"

#include "fuzzing.h"

using namespace lockstep;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  accepted({ExitCode::bad_data}, [&] {
    const NpyHeader header = parse_npy_header("fuzzed.npy", bytes);
    must(header.bytes > 0 && header.bytes <= size && header.bytes <= kMaxNpyHeaderBytes);
    must(header.extents.size() <= 32);
    must(size_of(header.type) > 1 || !header.other_byte_order);
  });
  return 0;
}
