#include "data/batch_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"

namespace lockstep {
namespace {

Buffer allocate(Allocator& allocator, std::int64_t elements, DType dtype) {
  return allocator.allocate(static_cast<std::size_t>(elements) * size_of(dtype));
}

bool labeled(const ProblemShape& shape) { return shape.target == ProblemShape::Target::class_label; }

}  // namespace

BatchBuffer::BatchBuffer(const ProblemShape& shape, std::int64_t capacity, Allocator& allocator)
    : shape_(shape),
      capacity_(capacity),
      inputs_(allocate(allocator, capacity * shape.input.elements(), shape.input_type)),
      targets_(labeled(shape) ? allocate(allocator, capacity, DType::int32)
                              : allocate(allocator, capacity * shape.outputs, DType::float32)),
      weights_(allocate(allocator, capacity, DType::float32)),
      sample_ids_(allocate(allocator, capacity, DType::int64)) {
  LS_CHECK(shape.input_type == DType::float32 || shape.input_type == DType::int32,
           fmt::format("a problem with inputs of {}", name(shape.input_type)));
  resize(0);
}

void BatchBuffer::resize(std::int64_t size) {
  LS_CHECK(size <= capacity_, "more samples than the batch buffer was made for");
  batch_.inputs = view(inputs_, shape_.input_type, shape_.input.with_front(size));
  batch_.targets =
      labeled(shape_) ? view(targets_, DType::int32, {size}) : view(targets_, DType::float32, {size, shape_.outputs});
  batch_.weights = view(weights_, DType::float32, {size});
  batch_.row_ids = view(sample_ids_, DType::int64, {size});
}

void BatchBuffer::fill(const Problem& problem, Split split, std::span<const std::int64_t> sample_ids) {
  resize(std::ssize(sample_ids));
  std::ranges::fill(batch_.weights.span<float>(), 1.0F);
  std::ranges::copy(sample_ids, batch_.row_ids.as<std::int64_t>());
  for (std::size_t row = 0; row < sample_ids.size(); ++row) {
    const SampleSlot slot = slot_of(row);
    problem.read(split, sample_ids[row], slot);
    check(slot, sample_ids[row], split);
  }
}

SampleSlot BatchBuffer::slot_of(std::size_t row) const {
  const auto inputs = static_cast<std::size_t>(shape_.input.elements());
  const auto outputs = static_cast<std::size_t>(shape_.outputs);
  SampleSlot slot{.input = {}, .label = nullptr, .target = {}};
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
