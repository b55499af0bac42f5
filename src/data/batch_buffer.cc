#include "data/batch_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"

namespace lockstep {
namespace {

Buffer memory_for(Allocator& allocator, std::int64_t elements, DType dtype) {
  return allocator.allocate(static_cast<std::size_t>(elements) * size_of(dtype));
}

bool labeled(const ProblemShape& shape) { return shape.target == ProblemShape::Target::class_label; }

// Adds a quarter, so that slowly growing batches do not allocate each time.
std::int64_t with_room(std::int64_t rows) { return rows + rows / 4; }

}  // namespace

std::int64_t row_bytes(const ProblemShape& shape) {
  const std::int64_t targets = labeled(shape) ? 1 : shape.outputs;
  const std::int64_t source = shape.sample == ProblemShape::Sample::pair ? 4 + 8 : 0;  // the symbol, and the row id
  return 4 * (shape.input.elements() + targets + 1) + 8 + source;
}

BatchBuffer::BatchBuffer(const ProblemShape& shape, std::int64_t capacity, Allocator& allocator)
    : shape_(shape), allocator_(allocator) {
  LS_CHECK(shape.input_type == DType::float32 || shape.input_type == DType::int32,
           fmt::format("a problem with inputs of {}", name(shape.input_type)));
  allocate(capacity);
  resize(0);
  resize_source(0);
}

void BatchBuffer::allocate(std::int64_t rows) {
  memory_ = {.rows = rows,
             .inputs = memory_for(allocator_, rows * shape_.input.elements(), shape_.input_type),
             .targets = labeled(shape_) ? memory_for(allocator_, rows, DType::int32)
                                        : memory_for(allocator_, rows * shape_.outputs, DType::float32),
             .weights = memory_for(allocator_, rows, DType::float32),
             .row_ids = memory_for(allocator_, rows, DType::int64)};
}

void BatchBuffer::resize(std::int64_t rows) {
  if (rows > memory_.rows) allocate(with_room(rows));
  batch_.inputs = view(memory_.inputs, shape_.input_type, shape_.input.with_front(rows));
  batch_.targets = labeled(shape_) ? view(memory_.targets, DType::int32, {rows})
                                   : view(memory_.targets, DType::float32, {rows, shape_.outputs});
  batch_.weights = view(memory_.weights, DType::float32, {rows});
  batch_.row_ids = view(memory_.row_ids, DType::int64, {rows});
}

void BatchBuffer::resize_source(std::int64_t rows) {
  if (rows > source_memory_.rows) {
    const std::int64_t room = with_room(rows);
    source_memory_ = {.rows = room,
                      .inputs = memory_for(allocator_, room, DType::int32),
                      .row_ids = memory_for(allocator_, room, DType::int64)};
  }
  batch_.source = view(source_memory_.inputs, DType::int32, {rows});
  batch_.source_ids = view(source_memory_.row_ids, DType::int64, {rows});
}

void BatchBuffer::fill(const Problem& problem, Split split, std::span<const std::int64_t> sample_ids) {
  if (shape_.has_sequences()) return fill_sequences(problem, split, sample_ids);
  LS_CHECK(std::ssize(sample_ids) <= memory_.rows, "more samples than the batch buffer was made for");
  resize(std::ssize(sample_ids));
  std::ranges::fill(batch_.weights.span<float>(), 1.0F);
  std::ranges::copy(sample_ids, batch_.row_ids.as<std::int64_t>());
  for (std::size_t row = 0; row < sample_ids.size(); ++row) {
    const SampleSlot slot = slot_of(row);
    problem.read(split, sample_ids[row], slot);
    check(slot, sample_ids[row], split);
  }
}

void BatchBuffer::fill_sequences(const Problem& problem, Split split, std::span<const std::int64_t> sample_ids) {
  packing_.read(problem, shape_.vocabulary, split, sample_ids);
  resize(packing_.rows());
  resize_source(packing_.source_rows());
  batch_.sequences = packing_.sequences();
  batch_.source_positions = packing_.source_positions();
  packing_.write(batch_);
}

SampleSlot BatchBuffer::slot_of(std::size_t row) const {
  const auto inputs = static_cast<std::size_t>(shape_.input.elements());
  const auto outputs = static_cast<std::size_t>(shape_.outputs);
  SampleSlot slot;
  if (shape_.input_type == DType::int32) {
    slot.ids = batch_.inputs.span<std::int32_t>().subspan(row * inputs, inputs);
  } else {
    slot.input = batch_.inputs.span<float>().subspan(row * inputs, inputs);
  }
  if (labeled(shape_)) {
    slot.label = batch_.targets.as<std::int32_t>() + row;
  } else {
    slot.target = batch_.targets.span<float>().subspan(row * outputs, outputs);
  }
  return slot;
}

void BatchBuffer::check(const SampleSlot& slot, std::int64_t sample, Split split) const {
  if (slot.label != nullptr && (*slot.label < 0 || *slot.label >= shape_.outputs)) {
    throw Error(ExitCode::bad_data,
                fmt::format("sample {} of the {} split has label {}, outside the {} classes 0 to {}; fix the data or "
                            "the problem's reader",
                            sample, name(split), *slot.label, shape_.outputs, shape_.outputs - 1));
  }
  const auto outside =
      std::ranges::find_if(slot.ids, [&](std::int32_t id) { return id < 0 || id >= shape_.vocabulary; });
  if (outside == slot.ids.end()) return;
  throw Error(ExitCode::bad_data,
              fmt::format("sample {} of the {} split has {} at position {}, outside the vocabulary 0 to {}; fix the "
                          "data or the problem's reader",
                          sample, name(split), *outside, outside - slot.ids.begin(), shape_.vocabulary - 1));
}

}  // namespace lockstep
