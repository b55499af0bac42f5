// Fuzzes the reader of idx files. The first byte gives the number of dimensions: labels have 1, images 3.
#include "data/idx.h"

#include "fuzzing.h"
#include "scratch_file.h"

using namespace lockstep;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static ScratchFile file;
  Input input(data, size);
  const int dimensions = 1 + input.byte() % 4;
  file.replace(std::as_bytes(input.rest()));
  accepted({ExitCode::bad_data}, [&] {
    const IdxArray array = read_idx(file.path(), dimensions);
    must(array.extents.rank() == dimensions);
    must(array.extents.elements() == static_cast<std::int64_t>(array.values.size()));
    must(!array.values.empty());
  });
  return 0;
}
