#include "data/device_batch.h"

namespace lockstep {
namespace {

constexpr std::size_t kAlignment = 256;  // that of a device's allocations

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

const Batch& DeviceBatch::take(const Batch& host) {
  if (backend_.device().kind == Device::Kind::cpu) return host;
  place(host);
  const Parts from = parts_of(host);
  const Parts to = parts_of(batch_);
  for (std::size_t i = 0; i < kParts; ++i) backend_.copy(from[i], to[i]);
  return batch_;
}

void DeviceBatch::start(const Batch& host, CopyStream& stream) {
  place(host);
  const Parts from = parts_of(host);
  const Parts to = parts_of(batch_);
  for (std::size_t i = 0; i < kParts; ++i) stream.copy(from[i], to[i]);
}

DeviceBatch::Parts DeviceBatch::parts_of(const Batch& batch) {
  return {batch.inputs, batch.targets, batch.weights, batch.row_ids, batch.source, batch.source_ids};
}

void DeviceBatch::place(const Batch& host) {
  const Parts parts = parts_of(host);
  std::size_t bytes = 0;
  for (const Tensor& part : parts) bytes += aligned(part.bytes());
  if (bytes > memory_.bytes()) {
    memory_ = {};                                                         // freed before the new one is allocated
    memory_ = backend_.allocator().allocate(aligned(bytes + bytes / 4));  // batches of sequences differ in size
  }
  std::size_t begin = 0;
  const auto next = [&](const Tensor& part) -> Tensor {
    if (part.data() == nullptr) return part;  // a part that the problem does not have
    void* const data = static_cast<std::byte*>(memory_.data()) + begin;
    begin += aligned(part.bytes());
    return {data, part.dtype(), part.shape(), backend_.device()};
  };
  batch_ = {.inputs = next(host.inputs),
            .targets = next(host.targets),
            .weights = next(host.weights),
            .row_ids = next(host.row_ids),
            .sequences = host.sequences,
            .source = next(host.source),
            .source_ids = next(host.source_ids),
            .source_positions = host.source_positions,
            .weight = 0};
  for (const float weight : host.weights.span<float>()) batch_.weight += static_cast<double>(weight);
}

}  // namespace lockstep
