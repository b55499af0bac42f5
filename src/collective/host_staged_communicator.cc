#include "collective/host_staged_communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/error.h"
#include "collective/slices.h"
#include "tensor/dtype.h"

namespace lockstep {
namespace {

// Bytes of one copy: large enough that its latency, about ten microseconds, is small against the transfer, and small
// enough to cut a bucket into several, so that one is copied while another one is summed.
constexpr std::int64_t kPieceBytes = 1 << 20;

// Host memory in which a piece is summed, and the stream that copies it there and back. Used in turns: a stream ends
// its earlier work before it brings the next piece.
struct Stage {
  Buffer memory;
  std::unique_ptr<CopyStream> copies;  // after the memory, which it may be using
};

// The parts of a piece that are copied to the host before the operation on it, and back after it.
struct Copies {
  FlatRange down;
  std::array<FlatRange, 2> up;
};

class HostStagedCommunicator final : public Communicator {
 public:
  HostStagedCommunicator(std::unique_ptr<Communicator> inner, Backend& backend)
      : inner_(std::move(inner)),
        backend_(backend),
        name_(inner_->size() == 1 ? inner_->name() : fmt::format("{} through the host", inner_->name())) {}

  const char* name() const override { return name_.c_str(); }
  std::string summation() const override { return inner_->summation(); }
  bool scatters_alike() const override { return inner_->scatters_alike(); }
  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  Allocator& allocator() override { return backend_.allocator(); }
  Allocator* common_memory() override { return size() == 1 ? &allocator() : nullptr; }

  Ticket all_reduce(const Tensor& values, Event after) override {
    check_summable(values);
    return stage(
        values, after, [](FlatRange piece) { return Copies{.down = whole(piece), .up = {whole(piece)}}; },
        [this](const Tensor& host, FlatRange) { inner_->wait(inner_->all_reduce(host)); });
  }

  Ticket reduce_scatter(const Tensor& values, std::span<const FlatRange> slices, Event after) override {
    check_summable(values);
    check_slices(values.count(), slices, size());
    return stage(
        values, after,
        [&](FlatRange piece) { return Copies{.down = whole(piece), .up = {own(slices_within(piece, slices))}}; },
        [&](const Tensor& host, FlatRange piece) {
          inner_->wait(inner_->reduce_scatter(host, slices_within(piece, slices)));
        });
  }

  Ticket all_gather(const Tensor& values, std::span<const FlatRange> slices, Event after) override {
    check_home(values);
    check_slices(values.count(), slices, size());
    return stage(
        values, after,
        [&](FlatRange piece) {
          const FlatRange mine = own(slices_within(piece, slices));
          return Copies{.down = mine, .up = {FlatRange{0, mine.begin}, FlatRange{mine.end, piece.count()}}};
        },
        [&](const Tensor& host, FlatRange piece) {
          inner_->wait(inner_->all_gather(host, slices_within(piece, slices)));
        });
  }

  Ticket broadcast(const Tensor& values, int root, Event after) override {
    check_home(values);
    LS_CHECK(0 <= root && root < size(), fmt::format("root {} of {} ranks", root, size()));
    return stage(
        values, after,
        [&](FlatRange piece) {
          return root == rank() ? Copies{.down = whole(piece), .up = {}} : Copies{.down = {}, .up = {whole(piece)}};
        },
        [&](const Tensor& host, FlatRange) { inner_->wait(inner_->broadcast(host, root)); });
  }

  Ticket tree_all_reduce(const TreePlan& plan, std::span<const Tensor> parts, const Tensor& result) override {
    check_summable(result);
    for (const Tensor& part : parts) {
      check_home(part);
      LS_CHECK(part.dtype() == result.dtype() && part.count() == result.count(), "parts that are not like the result");
    }
    const std::int64_t piece = piece_elements(result);
    std::int64_t begin = 0;
    do {
      const FlatRange range{begin, std::min(begin + piece, result.count())};
      tree_all_reduce_piece(plan, parts, result, range);
      begin = range.end;
    } while (begin < result.count());
    return {};
  }

  void wait(Ticket ticket) override {
    LS_CHECK(ticket.number == 0, fmt::format("ticket {} is of another communicator", ticket.number));
  }

  void barrier() override { inner_->barrier(); }
  void broadcast(std::span<std::byte> bytes, int root) override { inner_->broadcast(bytes, root); }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override { inner_->all_gather(mine, all); }
  void exchange(std::span<const SendPiece> sends, std::span<const ReceivePiece> receives) override {
    inner_->exchange(sends, receives);
  }

  std::unique_ptr<Communicator> split(int color, int key) override {
    auto part = inner_->split(color, key);
    if (part == nullptr) return nullptr;
    return std::make_unique<HostStagedCommunicator>(std::move(part), backend_);
  }

  void close() override { inner_->close(); }
  void abandon() noexcept override { inner_->abandon(); }

 private:
  static FlatRange whole(FlatRange piece) { return {0, piece.count()}; }
  FlatRange own(const std::vector<FlatRange>& slices) const { return slices[static_cast<std::size_t>(rank())]; }
  static std::int64_t piece_elements(const Tensor& values) {
    return kPieceBytes / static_cast<std::int64_t>(size_of(values.dtype()));
  }

  void check_home(const Tensor& values) const {
    LS_CHECK(values.empty() || values.device() == backend_.device(),
             fmt::format("the values lie on {}, this communicator is of {}", values.device().text(),
                         backend_.device().text()));
  }
  void check_summable(const Tensor& values) const {
    LS_CHECK(summable(values.dtype()), fmt::format("there are no sums of {}", lockstep::name(values.dtype())));
    check_home(values);
  }

  // The stage of a turn, with room for `bytes`.
  Stage& prepare(std::size_t turn, std::size_t bytes) {
    Stage& stage = stages_[turn % stages_.size()];
    if (stage.copies == nullptr) stage.copies = backend_.make_copy_stream();
    if (stage.memory.bytes() < bytes) {
      stage.copies->synchronize();
      stage.memory = Buffer();  // never both at once
      stage.memory = backend_.host_allocator().allocate(bytes);
    }
    return stage;
  }

  // Calls operation(host, piece) for each piece of values, where `host` is a copy of it on the host.
  template <class CopiesOf, class Operation>
  Ticket stage(const Tensor& values, Event after, const CopiesOf& copies_of, const Operation& operation) {
    if (size() == 1 || values.empty()) {  // the inner one has to see this call all the same
      const Tensor none(nullptr, values.dtype(), {0});
      if (size() > 1) operation(none, {0, 0});
      return {};
    }
    const std::int64_t each = piece_elements(values);
    const std::int64_t count = values.count();
    const auto pieces = static_cast<std::size_t>((count + each - 1) / each);
    const auto range = [&](std::size_t piece) {
      const std::int64_t begin = static_cast<std::int64_t>(piece) * each;
      return FlatRange{begin, std::min(begin + each, count)};
    };
    const auto on_host = [&](std::size_t piece) {
      return Tensor(stages_[piece % stages_.size()].memory.data(), values.dtype(), {range(piece).count()});
    };
    const auto bring = [&](std::size_t piece) {
      Stage& stage = prepare(piece, static_cast<std::size_t>(std::min(each, count)) * size_of(values.dtype()));
      if (piece < stages_.size()) stage.copies->wait(after);
      const FlatRange down = copies_of(range(piece)).down;
      if (!down.empty()) stage.copies->copy(values.flat(range(piece)).flat(down), on_host(piece).flat(down));
    };
    bring(0);
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      if (piece + 1 < pieces) bring(piece + 1);
      CopyStream& copies = *stages_[piece % stages_.size()].copies;
      copies.synchronize();
      operation(on_host(piece), range(piece));
      for (const FlatRange& up : copies_of(range(piece)).up) {
        if (!up.empty()) copies.copy(on_host(piece).flat(up), values.flat(range(piece)).flat(up));
      }
    }
    for (const Stage& stage : stages_) {
      if (stage.copies != nullptr) stage.copies->synchronize();
    }
    return {};
  }

  void tree_all_reduce_piece(const TreePlan& plan, std::span<const Tensor> parts, const Tensor& result,
                             FlatRange range) {
    const std::size_t bytes = static_cast<std::size_t>(range.count()) * size_of(result.dtype());
    const std::size_t room = (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
    Stage& stage = prepare(0, room * (parts.size() + 1));
    const auto place = [&](std::size_t number) {
      auto* const data = static_cast<std::byte*>(stage.memory.data()) + number * room;
      return Tensor(data, result.dtype(), {range.count()});
    };
    std::vector<Tensor> host_parts;
    host_parts.reserve(parts.size());
    for (const Tensor& part : parts) {
      host_parts.push_back(place(host_parts.size()));
      if (!range.empty()) stage.copies->copy(part.flat(range), host_parts.back());
    }
    stage.copies->synchronize();
    const Tensor sum = place(parts.size());
    inner_->wait(inner_->tree_all_reduce(plan, host_parts, sum));
    if (!range.empty()) stage.copies->copy(sum, result.flat(range));
    stage.copies->synchronize();
  }

  std::unique_ptr<Communicator> inner_;
  Backend& backend_;
  std::string name_;
  std::array<Stage, 2> stages_{};  // made when first used
};

}  // namespace

std::unique_ptr<Communicator> make_host_staged_communicator(std::unique_ptr<Communicator> inner, Backend& backend) {
  return std::make_unique<HostStagedCommunicator>(std::move(inner), backend);
}

}  // namespace lockstep
