#include "train/strategy/gradient_norm.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace lockstep {
namespace {

bool contains(FlatRange outer, FlatRange inner) { return outer.begin <= inner.begin && inner.end <= outer.end; }

// The parts of the owned ranges that are cut into chunks, each from its start on.
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
  add_rank(plan_ranges(table, sliceable, {{0, table.padded_count()}}), true);
  allocate(backend.allocator());
}

GradientNorm::GradientNorm(Backend& backend, const ParameterStore& parameters, bool sliceable,
                           Communicator& communicator, Trace& trace, std::span<const std::vector<FlatRange>> owned)
    : backend_(backend), parameters_(parameters), communicator_(&communicator), trace_(&trace) {
  for (int rank = 0; rank < communicator.size(); ++rank) {
    add_rank(plan_ranges(parameters.table(), sliceable, owned[static_cast<std::size_t>(rank)]),
             rank == communicator.rank());
  }
  allocate(communicator.allocator());
}

void GradientNorm::add_rank(const std::vector<FlatRange>& ranges, bool own) {
  const std::int64_t first = std::ssize(starts_);
  for (const FlatRange range : ranges) {
    for (std::int64_t start = range.begin; start < range.end; start += kSquaresChunk) {
      starts_.push_back(start);
      if (own) chunks_.push_back({start, std::min(start + kSquaresChunk, range.end)});
    }
  }
  slices_.push_back({first, std::ssize(starts_)});
  if (own) first_ = first;
}

void GradientNorm::allocate(Allocator& allocator) {
  order_.resize(starts_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::sort(order_, {}, [this](std::size_t chunk) { return starts_[chunk]; });
  host_.resize(starts_.size());
  memory_ = allocator.allocate(host_.size() * sizeof(double));
  sums_ = view(memory_, DType::float64, {std::ssize(starts_)});
  if (backend_.device().kind != Device::Kind::cpu) put_order_on_device();
  restart();
}

void GradientNorm::put_order_on_device() {
  std::vector<std::int32_t> order(order_.begin(), order_.end());
  order_memory_ = backend_.allocator().allocate(order.size() * sizeof(std::int32_t));
  order_on_device_ = view(order_memory_, DType::int32, sums_.shape());
  backend_.copy(Tensor(order.data(), DType::int32, sums_.shape()), order_on_device_);
  backend_.synchronize();  // before `order` is freed
}

void GradientNorm::add_from(std::int64_t begin) {
  const auto chunk = [this](std::int64_t number) { return chunks_[static_cast<std::size_t>(number)]; };
  while (left_ > 0 && chunk(left_ - 1).begin >= begin) {
    const std::int64_t last = left_;  // end of a run of neighbours, all of full length but the last: one call
    --left_;
    while (left_ > 0 && chunk(left_ - 1).begin >= begin && chunk(left_ - 1).end == chunk(left_).begin &&
           chunk(left_ - 1).count() == kSquaresChunk) {
      --left_;
    }
    backend_.sum_squares(parameters_.gradients().flat({chunk(left_).begin, chunk(last - 1).end}),
                         sums_.flat({first_ + left_, first_ + last}));
  }
}

void GradientNorm::exchange() {
  if (communicator_ == nullptr) return;
  const auto phase = trace_->enter(Phase::communicate);
  communicator_->wait(communicator_->all_gather(sums_, slices_, backend_.record()));
}

double GradientNorm::norm() {
  add_from(0);
  restart();
  exchange();
  backend_.copy(sums_, Tensor(host_.data(), DType::float64, sums_.shape()));
  backend_.synchronize();
  double sum = 0;
  for (const std::size_t chunk : order_) sum += host_[chunk];
  return std::sqrt(sum);
}

void GradientNorm::start(double scale, double most, const Tensor& result) {
  add_from(0);
  restart();
  exchange();
  backend_.clip_factor(sums_, order_on_device_, scale, most, result);
}

std::string GradientNorm::not_finite() const {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  const auto sums = host_.begin() + first_;
  const auto bad = std::find_if_not(sums, sums + std::ssize(chunks_), [](double sum) { return std::isfinite(sum); });
  if (bad != sums + std::ssize(chunks_)) {
    const FlatRange chunk = chunks_[static_cast<std::size_t>(bad - sums)];
    first = chunk.begin + backend_.first_not_finite(parameters_.gradients().flat(chunk));
  }
  if (communicator_ != nullptr) first = std::ranges::min(all_gather_value(*communicator_, first));
  return parameters_.table().owner_of(first).name;
}

}  // namespace lockstep
