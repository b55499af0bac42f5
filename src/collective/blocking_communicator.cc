#include "collective/blocking_communicator.h"

#include <fmt/format.h>

#include <algorithm>

#include "collective/host_values.h"
#include "collective/slices.h"
#include "collective/tree_sum.h"

namespace lockstep {
namespace {

std::int64_t bytes_of(std::span<const SendPiece> sends, std::span<const ReceivePiece> receives) {
  std::size_t bytes = 0;
  for (const SendPiece& piece : sends) bytes += piece.bytes.size();
  for (const ReceivePiece& piece : receives) bytes += piece.bytes.size();
  return static_cast<std::int64_t>(bytes);
}

std::int64_t bytes_of(const Tensor& values) { return static_cast<std::int64_t>(values.bytes()); }

CollectiveCall call_of(Operation operation, const Tensor& values, std::span<const FlatRange> slices = {}) {
  return {.operation = operation,
          .dtype = values.dtype(),
          .count = values.count(),
          .slices = slices.empty() ? 0 : hash_of(slices)};
}

}  // namespace

std::string BlockingCommunicator::who() const { return fmt::format("rank {} of {} ({})", rank_, size_, name()); }

void BlockingCommunicator::check_open() const { LS_CHECK(open_, fmt::format("{} has closed its communicator", who())); }

Trace::OperationScope BlockingCommunicator::begin(const CollectiveCall& call, std::int64_t bytes) {
  auto scope = trace_.begin(call.operation, bytes, membership_.group());
  check_call(call);
  return scope;
}

Ticket BlockingCommunicator::all_reduce(const Tensor& values, Event after) {
  check_open();
  check_summable(values, after);
  const auto scope = begin(call_of(Operation::all_reduce, values), bytes_of(values));
  if (!values.empty()) do_all_reduce(values);
  return {};
}

Ticket BlockingCommunicator::reduce_scatter(const Tensor& values, std::span<const FlatRange> slices, Event after) {
  check_open();
  check_summable(values, after);
  check_slices(values.count(), slices, size_);
  const auto scope = begin(call_of(Operation::reduce_scatter, values, slices), bytes_of(values));
  if (!values.empty()) do_reduce_scatter(values, slices);
  return {};
}

Ticket BlockingCommunicator::all_gather(const Tensor& values, std::span<const FlatRange> slices, Event after) {
  check_open();
  check_home(values, after);
  check_slices(values.count(), slices, size_);
  const auto scope = begin(call_of(Operation::all_gather, values, slices), bytes_of(values));
  if (!values.empty()) do_gather_slices(values, slices);
  return {};
}

Ticket BlockingCommunicator::broadcast(const Tensor& values, int root, Event after) {
  check_home(values, after);
  broadcast(std::span(static_cast<std::byte*>(values.data()), values.bytes()), values.dtype(), root);
  return {};
}

void BlockingCommunicator::barrier() {
  check_open();
  const auto scope = begin({.operation = Operation::barrier}, 0);
  do_barrier();
}

Ticket BlockingCommunicator::tree_all_reduce(const TreePlan& plan, std::span<const Tensor> parts,
                                             const Tensor& result) {
  check_open();
  check_summable(result);
  check_tree(plan, parts, result, rank_, size_, who());
  for (const Tensor& part : parts) check_summable(part);
  const auto scope = begin(call_of(Operation::tree_all_reduce, result), bytes_of(result));
  if (!result.empty() && !do_tree_all_reduce(plan, parts, result)) {
    tree_all_reduce_.run(rank_, plan, parts, result,
                         [this](auto sends, auto receives) { do_exchange(sends, receives); });
  }
  return {};
}

void BlockingCommunicator::wait(Ticket ticket) {
  LS_CHECK(ticket.number == 0, fmt::format("ticket {} is of another communicator", ticket.number));
}

void BlockingCommunicator::broadcast(std::span<std::byte> bytes, int root) { broadcast(bytes, DType::uint8, root); }

void BlockingCommunicator::broadcast(std::span<std::byte> bytes, DType dtype, int root) {
  check_open();
  LS_CHECK(0 <= root && root < size_, fmt::format("root {} on {}", root, who()));
  const auto scope = begin({.operation = Operation::broadcast,
                            .dtype = dtype,
                            .root = root,
                            .count = static_cast<std::int64_t>(bytes.size() / size_of(dtype))},
                           static_cast<std::int64_t>(bytes.size()));
  if (!bytes.empty()) do_broadcast(bytes, root);
}

void BlockingCommunicator::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  check_open();
  LS_CHECK(all.size() == mine.size() * static_cast<std::size_t>(size_),
           fmt::format("{} bytes of each rank into {} bytes on {}", mine.size(), all.size(), who()));
  const auto scope = begin({.operation = Operation::all_gather, .count = static_cast<std::int64_t>(mine.size())},
                           static_cast<std::int64_t>(all.size()));
  if (!mine.empty()) do_all_gather(mine, all);
}

void BlockingCommunicator::exchange(std::span<const SendPiece> sends, std::span<const ReceivePiece> receives) {
  check_open();
  const auto in_group = [this](int peer) { return 0 <= peer && peer < size_; };
  LS_CHECK(std::ranges::all_of(sends, in_group, &SendPiece::to), fmt::format("a piece for nobody on {}", who()));
  LS_CHECK(std::ranges::all_of(receives, in_group, &ReceivePiece::from), fmt::format("a piece of nobody on {}", who()));
  const auto scope = begin({.operation = Operation::exchange}, bytes_of(sends, receives));
  do_exchange(sends, receives);
}

std::unique_ptr<Communicator> BlockingCommunicator::split(int color, int key) {
  check_open();
  const auto scope = begin({.operation = Operation::split}, 0);
  return do_split(color, key, split_group(membership_.group(), ++splits_, color));
}

void BlockingCommunicator::close() {
  check_open();
  open_ = false;
  do_close();
}

}  // namespace lockstep
