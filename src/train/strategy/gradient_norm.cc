#include "train/strategy/gradient_norm.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace lockstep {
namespace {

std::int64_t chunks_of(FlatRange range) { return (range.count() + kSquaresChunk - 1) / kSquaresChunk; }

bool contains(FlatRange outer, FlatRange inner) { return outer.begin <= inner.begin && inner.end <= outer.end; }

// What of the owned ranges is cut into chunks, each from its start on.
std::vector<FlatRange> plan_ranges(const ParameterTable& table, bool sliceable, const std::vector<FlatRange>& owned) {
  if (sliceable) return owned;
  std::vector<FlatRange> ranges;
  for (const Variable& variable : table.variables()) {
    if (!variable.trainable || variable.range.empty()) continue;
    const auto has_it = [&](FlatRange range) { return contains(range, variable.range); };
    if (std::ranges::any_of(owned, has_it)) ranges.push_back(variable.range);
  }
  return ranges;
}

}  // namespace

GradientNorm::GradientNorm(Backend& backend, const ParameterStore& parameters, bool sliceable)
    : backend_(backend), parameters_(parameters) {
  const ParameterTable& table = parameters.table();
  ranges_ = plan_ranges(table, sliceable, {{0, table.padded_count()}});
  add_rank(ranges_);
  allocate(backend.allocator());
}

GradientNorm::GradientNorm(Backend& backend, const ParameterStore& parameters, bool sliceable,
                           Communicator& communicator, std::span<const std::vector<FlatRange>> owned)
    : backend_(backend), parameters_(parameters), communicator_(&communicator) {
  for (std::size_t rank = 0; rank < owned.size(); ++rank) {
    std::vector<FlatRange> ranges = plan_ranges(parameters.table(), sliceable, owned[rank]);
    add_rank(ranges);
    if (static_cast<int>(rank) == communicator.rank()) ranges_ = std::move(ranges);
  }
  allocate(communicator.allocator());
}

void GradientNorm::add_rank(const std::vector<FlatRange>& ranges) {
  const std::int64_t first = std::ssize(starts_);
  for (const FlatRange range : ranges) {
    for (std::int64_t start = range.begin; start < range.end; start += kSquaresChunk) starts_.push_back(start);
  }
  slices_.push_back({first, std::ssize(starts_)});
}

void GradientNorm::allocate(Allocator& allocator) {
  order_.resize(starts_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::sort(order_, {}, [this](std::size_t chunk) { return starts_[chunk]; });
  host_.resize(starts_.size());
  memory_ = allocator.allocate(host_.size() * sizeof(double));
  sums_ = view(memory_, DType::float64, {std::ssize(starts_)});
}

double GradientNorm::norm() {
  std::int64_t at = communicator_ == nullptr ? 0 : slices_[static_cast<std::size_t>(communicator_->rank())].begin;
  for (const FlatRange range : ranges_) {
    const std::int64_t chunks = chunks_of(range);
    backend_.sum_squares(parameters_.gradients().flat(range), sums_.flat({at, at + chunks}));
    at += chunks;
  }
  if (communicator_ != nullptr) {
    communicator_->wait(communicator_->all_gather(sums_, slices_, backend_.record()));
  }
  backend_.copy(sums_, Tensor(host_.data(), DType::float64, sums_.shape()));
  backend_.synchronize();
  double sum = 0;
  for (const std::size_t chunk : order_) sum += host_[chunk];
  return std::sqrt(sum);
}

std::string GradientNorm::not_finite() const {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const FlatRange range : ranges_) {
    const std::int64_t at = backend_.first_not_finite(parameters_.gradients().flat(range));
    if (at >= 0) first = std::min(first, range.begin + at);
  }
  if (communicator_ != nullptr) first = std::ranges::min(all_gather_value(*communicator_, first));
  return parameters_.table().owner_of(first).name;
}

}  // namespace lockstep
