#include "collective/shm/tree_in_place.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "collective/slices.h"
#include "collective/sum_kernels.h"

namespace lockstep {
namespace {

// Bytes of each node at a time: a tree's worth of them stays in a core's cache.
constexpr std::int64_t kPieceBytes = 32 << 10;

}  // namespace

TreeInPlace::TreeInPlace(Meeting& meeting, std::vector<int> members, std::shared_ptr<SharedRegions> regions)
    : meeting_(meeting),
      members_(std::move(members)),
      regions_(std::move(regions)),
      results_(members_.size()),
      destinations_(members_.size()) {}

bool TreeInPlace::run(const TreePlan& plan, std::span<const Tensor> parts, const Tensor& result) {
  put_places(parts, result);
  meeting_.meet({.what = {.operation = Operation::tree_all_reduce, .dtype = result.dtype(), .count = result.count()}});
  const bool sees_all = take_places(plan);
  *meeting_.next_area() = std::byte{sees_all};
  meeting_.meet();
  for (int peer = 0; peer < meeting_.size(); ++peer) {
    if (*meeting_.area(peer) == std::byte{0}) return false;
  }
  const std::size_t element = size_of(result.dtype());
  const FlatRange mine = cache_line_slice(result.count(), result.dtype(), meeting_.size(), meeting_.rank());
  const std::int64_t piece = kPieceBytes / static_cast<std::int64_t>(element);
  for (std::int64_t begin = mine.begin; begin < mine.end; begin += piece) {
    sum(plan, result.dtype(), static_cast<std::size_t>(begin) * element, std::min(piece, mine.end - begin));
  }
  meeting_.meet();
  return true;
}

void TreeInPlace::put_places(std::span<const Tensor> parts, const Tensor& result) {
  LS_CHECK((parts.size() + 1) * sizeof(SharedRegions::Place) <= RankBlock::kAreaBytes,
           "more parts than an area has room for");
  std::byte* to = meeting_.next_area();
  const auto put = [&](const Tensor& values) {
    const SharedRegions::Place place = regions_->place_of(values.data(), values.bytes());
    std::memcpy(to, &place, sizeof place);
    to += sizeof place;
  };
  put(result);
  for (const Tensor& part : parts) put(part);
}

bool TreeInPlace::take_places(const TreePlan& plan) {
  nodes_.clear();
  for (int peer = 0; peer < meeting_.size(); ++peer) {
    const std::byte* from = meeting_.area(peer);
    for (std::size_t index = 0; index <= plan.parts(peer).size(); ++index) {
      SharedRegions::Place place;
      std::memcpy(&place, from, sizeof place);
      from += sizeof place;
      std::byte* const values = regions_->at(place, members_[static_cast<std::size_t>(peer)]);
      if (values == nullptr) return false;
      if (index == 0) {
        results_[static_cast<std::size_t>(peer)] = values;
      } else {
        nodes_.push_back(values);
      }
    }
  }
  return true;
}

void TreeInPlace::sum(const TreePlan& plan, DType dtype, std::size_t begin, std::int64_t count) {
  for (std::size_t peer = 0; peer < results_.size(); ++peer) destinations_[peer] = results_[peer] + begin;
  stack_.clear();
  auto node = nodes_.begin();
  for (int rank = 0; rank < plan.world_size(); ++rank) {
    for (int part = 0; part < static_cast<int>(plan.parts(rank).size()); ++part) {
      stack_.push_back(*node++ + begin);
      for (int merges = plan.merges_after_part(rank, part); merges > 0; --merges) {
        const std::byte* const right = stack_.back();
        stack_.pop_back();
        void* const left = stack_.back();
        const bool is_root = node == nodes_.end() && stack_.size() == 1;
        sum_into(dtype, std::array<const void*, 2>{left, right},
                 is_root ? std::span<void* const>(destinations_) : std::span<void* const>(&left, 1), count);
      }
    }
  }
  if (nodes_.size() > 1) return;
  const void* const only = stack_.front();
  sum_into(dtype, {&only, 1}, destinations_, count);
}

}  // namespace lockstep
