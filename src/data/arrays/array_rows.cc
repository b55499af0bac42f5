#include "data/arrays/array_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace lockstep {
namespace {

void check_finite(const ArrayForm& form, std::int64_t first, std::span<const std::byte> bytes) {
  const auto element = first_not_finite(form.type, bytes);
  if (!element) return;
  const std::size_t size = size_of(form.type);
  std::array<float, 1> value{};
  to_floats(form.type, bytes.subspan(*element * size, size), value);
  throw Error(ExitCode::bad_data,
              fmt::format("{}: sample {} (counted from 0) has the value {} at its element {}{}; fix the data or remove "
                          "the sample",
                          form.name, first + static_cast<std::int64_t>(*element) / form.row_elements(), value[0],
                          static_cast<std::int64_t>(*element) % form.row_elements(),
                          form.type == ElementType::float64 ? " (as float32, which is what is computed in)" : ""));
}

}  // namespace

ArrayRows::ArrayRows(std::unique_ptr<const ArraySource> source, std::int64_t block_rows, std::int64_t blocks_kept)
    : source_(std::move(source)),
      row_bytes_(form().row_bytes()),
      block_rows_(block_rows),
      cache_(blocks(), blocks_kept,
             [this](std::int64_t block, std::vector<std::byte>& bytes) { load_block(block, bytes); }) {}

void ArrayRows::read(std::int64_t row, std::span<float> into) const {
  const auto bytes = static_cast<std::size_t>(row_bytes_);
  const BlockCache::Pin block = cache_.get(row / block_rows_);
  to_floats(form().type, block.bytes().subspan(static_cast<std::size_t>(row % block_rows_) * bytes, bytes), into);
}

void ArrayRows::load_block(std::int64_t block, std::vector<std::byte>& bytes) const {
  const std::int64_t first = block * block_rows_;
  const std::int64_t count = std::min(block_rows_, form().rows() - first);
  bytes.resize(static_cast<std::size_t>(count * row_bytes_));
  source_->read(first, count, bytes);
  check_finite(form(), first, bytes);
}

}  // namespace lockstep
