#include "collective/hierarchical_communicator.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "collective/host_layout.h"
#include "collective/slices.h"

namespace lockstep {
namespace {

class HierarchicalCommunicator final : public Communicator {
 public:
  explicit HierarchicalCommunicator(HierarchyLevels levels)
      : group_(std::move(levels.group)),
        local_(std::move(levels.local)),
        leaders_(std::move(levels.leaders)),
        layout_(find_host_of(*group_, *local_, leaders_.get())),
        local_rank_of_(all_gather_value(*group_, local_->rank())) {
    LS_CHECK((leaders_ != nullptr) == (local_->rank() == 0), "a host's leader is its rank 0");
    scatters_alike_ = leaders_ == nullptr || leaders_->scatters_alike();
    broadcast_value(*local_, scatters_alike_, 0);
    summation_ = fmt::format("{} of {}{}, {} on a host", name(), layout_.text(),
                             scatters_alike_ ? "" : " in any order of hosts", summation_on_hosts());
  }

  const char* name() const override { return "hierarchical"; }
  std::string summation() const override { return summation_; }
  bool scatters_alike() const override { return scatters_alike_; }
  std::string details() const override { return leaders_ == nullptr ? "" : leaders_->details(); }
  int rank() const override { return group_->rank(); }
  int size() const override { return group_->size(); }
  Allocator& allocator() override { return local_->allocator(); }

  Ticket all_reduce(const Tensor& values, Event after) override {
    local_->wait(local_->all_reduce(values, after));
    if (layout_.hosts() == 1) return {};
    if (leaders_ != nullptr) leaders_->wait(leaders_->all_reduce(values));
    local_->wait(local_->broadcast(values, 0));
    return {};
  }

  Ticket reduce_scatter(const Tensor& values, std::span<const FlatRange> slices, Event after) override {
    check_slices(slices);
    if (!layout_.in_blocks()) return all_reduce(values, after);
    local_->wait(local_->all_reduce(values, after));
    if (layout_.hosts() == 1) return {};
    cut_for_hosts(slices);
    if (leaders_ != nullptr) leaders_->wait(leaders_->reduce_scatter(values, parts_));
    local_->wait(local_->broadcast(values.flat(parts_[own_host()]), 0));
    return {};
  }

  Ticket all_gather(const Tensor& values, std::span<const FlatRange> slices, Event after) override {
    check_slices(slices);
    if (!layout_.in_blocks()) {
      for (int root = 0; root < size(); ++root) {
        broadcast(values.flat(slices[static_cast<std::size_t>(root)]), root, after);
      }
      return {};
    }
    cut_for_hosts(slices);
    const FlatRange own = parts_[own_host()];
    local_->wait(local_->all_gather(values.flat(own), slices_in(own, slices), after));
    if (layout_.hosts() == 1) return {};
    if (leaders_ != nullptr) leaders_->wait(leaders_->all_gather(values, parts_));
    local_->wait(local_->broadcast(values.flat({0, own.begin}), 0));
    local_->wait(local_->broadcast(values.flat({own.end, values.count()}), 0));
    return {};
  }

  Ticket broadcast(const Tensor& values, int root, Event after) override {
    broadcast_on_levels(
        root, [&](Communicator& level, int level_root) { level.wait(level.broadcast(values, level_root, after)); });
    return {};
  }

  Ticket tree_all_reduce(const TreePlan& plan, std::span<const Tensor> parts, const Tensor& result) override {
    return group_->tree_all_reduce(plan, parts, result);
  }

  void wait(Ticket ticket) override { group_->wait(ticket); }

  void barrier() override { group_->barrier(); }

  void broadcast(std::span<std::byte> bytes, int root) override {
    broadcast_on_levels(root, [&](Communicator& level, int level_root) { level.broadcast(bytes, level_root); });
  }

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override { group_->all_gather(mine, all); }
  void exchange(std::span<const SendPiece> sends, std::span<const ReceivePiece> receives) override {
    group_->exchange(sends, receives);
  }
  std::unique_ptr<Communicator> split(int color, int key) override { return group_->split(color, key); }

  void close() override {
    if (leaders_ != nullptr) leaders_->close();
    local_->close();
    group_->close();
  }

  void abandon() noexcept override {
    if (leaders_ != nullptr) leaders_->abandon();
    local_->abandon();
    group_->abandon();
  }

 private:
  static std::vector<int> find_host_of(Communicator& group, Communicator& local, const Communicator* leaders) {
    int host = leaders == nullptr ? 0 : leaders->rank();
    broadcast_value(local, host, 0);
    return all_gather_value(group, host);
  }

  // Broadcasts the same values on each level by broadcast(level, its root).
  template <class Broadcast>
  void broadcast_on_levels(int root, Broadcast broadcast) {
    LS_CHECK(0 <= root && root < size(), fmt::format("root {} of {} ranks", root, size()));
    const int host = layout_.host_of(root);
    const int local_root = local_rank_of_[static_cast<std::size_t>(root)];
    const bool on_roots_host = layout_.host_of(rank()) == host;
    // The first broadcast includes the leader of the root's host, which then sends to the other leaders.
    if (on_roots_host) broadcast(*local_, local_root);
    if (leaders_ != nullptr && layout_.hosts() > 1) broadcast(*leaders_, host);
    if (!on_roots_host) broadcast(*local_, 0);
  }

  void check_slices(std::span<const FlatRange> slices) const {
    LS_CHECK(std::ssize(slices) == size(), fmt::format("{} slices for {} ranks", slices.size(), size()));
  }

  // The summation of the largest host, the same text on every rank; hosts with a single rank sum nothing.
  std::string summation_on_hosts() {
    int root = 0;
    while (layout_.ranks_on(layout_.host_of(root)) < layout_.most_ranks()) ++root;
    std::string text = local_->summation();
    broadcast_text(*group_, text, root);
    return text;
  }

  std::size_t own_host() const { return static_cast<std::size_t>(layout_.host_of(rank())); }

  // Makes each host's part the range that its slices cover. REQUIRES: ranks of a host follow each other.
  void cut_for_hosts(std::span<const FlatRange> slices) {
    parts_.clear();
    std::size_t first = 0;
    for (int host = 0; host < layout_.hosts(); ++host) {
      const auto ranks = static_cast<std::size_t>(layout_.ranks_on(host));
      parts_.push_back({slices[first].begin, slices[first + ranks - 1].end});
      first += ranks;
    }
  }

  // The slices of this host's ranks, as ranges of its part.
  std::span<const FlatRange> slices_in(FlatRange part, std::span<const FlatRange> slices) {
    inside_.clear();
    for (int rank = 0; rank < size(); ++rank) {
      const FlatRange slice = slices[static_cast<std::size_t>(rank)];
      if (layout_.host_of(rank) == static_cast<int>(own_host())) {
        inside_.push_back({slice.begin - part.begin, slice.end - part.begin});
      }
    }
    return inside_;
  }

  std::unique_ptr<Communicator> group_;
  std::unique_ptr<Communicator> local_;
  std::unique_ptr<Communicator> leaders_;  // null on ranks that are not leaders
  HostLayout layout_;                      // its hosts are the leaders' ranks
  std::vector<int> local_rank_of_;         // for each rank of the group
  std::string summation_;
  bool scatters_alike_ = true;
  // Scratch of the call under way.
  std::vector<FlatRange> parts_;
  std::vector<FlatRange> inside_;
};

}  // namespace

std::unique_ptr<Communicator> make_hierarchical_communicator(HierarchyLevels levels) {
  return std::make_unique<HierarchicalCommunicator>(std::move(levels));
}

}  // namespace lockstep
