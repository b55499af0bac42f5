#include "train/strategy/divided_optimizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "train/strategy/slot_copy.h"

namespace lockstep {
namespace {

// Number of later slices that are updated before a slice is gathered, so that a rank that is a little late is not
// waited for, and new values have left the private cache of the core that wrote them.
constexpr std::ptrdiff_t kAhead = 2;

std::vector<SlicedBucket> plan_slices(const Communicator& communicator, const Replica& replica,
                                      std::int64_t bucket_elements) {
  const ParameterTable& table = replica.parameters().table();
  if (replica.sliceable()) {
    return slice_buckets(table.padded_count(), bucket_elements, communicator.size(), kSquaresChunk);
  }
  std::vector<std::int64_t> starts;
  starts.reserve(table.variables().size());
  for (const Variable& variable : table.variables()) starts.push_back(variable.range.begin);
  return slice_buckets_at(starts, table.padded_count(), bucket_elements, communicator.size());
}

// Ranges that the backward pass never writes: padding and constants. Norms include their gradients, which must be zero.
std::vector<FlatRange> unwritten(const ParameterTable& table) {
  std::vector<FlatRange> gaps;
  std::int64_t end = 0;
  for (const Variable& variable : table.variables()) {
    if (!variable.trainable) continue;
    if (variable.range.begin > end) gaps.push_back({end, variable.range.begin});
    end = std::max(end, variable.range.end);
  }
  if (end < table.padded_count()) gaps.push_back({end, table.padded_count()});
  return gaps;
}

std::int64_t count_of(const std::vector<FlatRange>& ranges) {
  std::int64_t count = 0;
  for (const FlatRange range : ranges) count += range.count();
  return count;
}

}  // namespace

DividedOptimizer::DividedOptimizer(Communicator& communicator, Trace& trace, Replica& replica,
                                   std::int64_t bucket_elements)
    : communicator_(communicator),
      trace_(trace),
      replica_(replica),
      buckets_(plan_slices(communicator, replica, bucket_elements)),
      owned_(owned_by_rank(buckets_, communicator.size())),
      gaps_(unwritten(replica.parameters().table())) {
  replica.own_part(communicator, trace, owned_);
}

void DividedOptimizer::gather(const SlicedBucket& bucket) {
  const auto phase = trace_.enter(Phase::communicate);
  tickets_.push_back(communicator_.all_gather(replica_.parameters().values().flat(bucket.range), bucket.slices,
                                              replica_.backend().record()));
}

void DividedOptimizer::apply(std::int64_t step, double learning_rate, const Replica::Update& update) {
  const auto rank = static_cast<std::size_t>(communicator_.rank());
  const bool one_copy = replica_.parameters().common_values();
  auto gathered = buckets_.rbegin();  // next to gather; the last bucket first: the cache has its gradients
  for (auto bucket = buckets_.rbegin(); bucket != buckets_.rend(); ++bucket) {
    const FlatRange slice = bucket->slices[rank];
    replica_.apply(step, learning_rate, update, {bucket->range.begin + slice.begin, bucket->range.begin + slice.end});
    if (!one_copy && bucket - gathered == kAhead) gather(*gathered++);
  }
  while (!one_copy && gathered != buckets_.rend()) gather(*gathered++);
  const auto phase = trace_.enter(Phase::communicate);
  if (one_copy) communicator_.barrier();
  for (const Ticket ticket : tickets_) communicator_.wait(ticket);
  tickets_.clear();
  for (const FlatRange gap : gaps_) replica_.backend().fill(replica_.parameters().gradients().flat(gap), 0);
}

void DividedOptimizer::copy_state(StateArrays& arrays) const {
  copy_slot_parts(replica_, communicator_, owned_, arrays);
}

void DividedOptimizer::restore_state(StateArrays& arrays) const {
  restore_slot_parts(replica_, communicator_, owned_, arrays);
}

std::string DividedOptimizer::description() const {
  const ParameterStore& parameters = replica_.parameters();
  const std::string values = !parameters.common_values()
                                 ? ""
                                 : fmt::format("all ranks have one copy of the {:.1f} MB of parameters; ",
                                               static_cast<double>(parameters.values().bytes()) / 1e6);
  if (replica_.slots().empty()) return values + "each rank updates a part";
  std::int64_t most = 0;
  for (const std::vector<FlatRange>& ranges : owned_) most = std::max(most, count_of(ranges));
  const auto of_each = static_cast<double>(replica_.slots().size() * size_of(parameters.dtype()));
  return fmt::format("{}each rank updates a part, with at most {:.1f} of the optimizer's {:.1f} MB of state", values,
                     static_cast<double>(most) * of_each / 1e6,
                     static_cast<double>(parameters.table().padded_count()) * of_each / 1e6);
}

}  // namespace lockstep
