#include "data/arrays/array_blocks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace lockstep {

std::int64_t rows_of_chunk(const ChunkForm& chunk, std::int64_t row_bytes) {
  constexpr std::int64_t kChunkCache = 1 << 20;  // bytes
  constexpr std::int64_t kLargePlainUnit = 4 << 20;
  const std::int64_t bytes = chunk.rows * row_bytes;
  const bool cached = chunk.bytes <= kChunkCache && bytes <= kWindowBytes;
  return chunk.packed || cached || bytes <= kLargePlainUnit ? chunk.rows : 1;
}

std::int64_t block_rows(const ArrayForm& form) {
  const std::int64_t unit_bytes = form.unit_rows * form.row_bytes();
  const std::int64_t units = std::max<std::int64_t>(1, (kBlockBytes - 1) / unit_bytes + 1);
  return std::min(units * form.unit_rows, form.rows());
}

BlockLayout training_layout(const ArrayForm& form) {
  if (form.rows() * form.row_bytes() <= kInMemoryBytes) return {};
  const std::int64_t rows = block_rows(form);
  if (form.unit_rows > 1 && form.unit_rows * form.row_bytes() > kWindowBytes) {
    throw Error(ExitCode::bad_data,
                fmt::format("{}: is packed in chunks of {} samples, {} MiB, which have to be unpacked as a whole; at "
                            "most {} MiB are possible. Save it again with smaller chunks, in h5py chunks=({}, ...)",
                            form.name, form.unit_rows, (form.unit_rows * form.row_bytes()) >> 20, kWindowBytes >> 20,
                            std::max<std::int64_t>(1, kBlockBytes / form.row_bytes())));
  }
  return {.block = rows, .window_blocks = std::max<std::int64_t>(1, kWindowBytes / (rows * form.row_bytes()))};
}

std::int64_t blocks_to_keep(const BlockLayout& layout) {
  constexpr std::int64_t kManyBlocks = 16;  // then a few more cost little memory
  return 2 * layout.window_blocks + (layout.window_blocks >= kManyBlocks ? 4 : 1);
}

}  // namespace lockstep
