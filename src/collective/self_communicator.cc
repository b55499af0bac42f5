#include "collective/self_communicator.h"

#include <fmt/format.h>

#include <algorithm>

#include "collective/blocking_communicator.h"

namespace lockstep {
namespace {

class SelfCommunicator final : public BlockingCommunicator {
 public:
  SelfCommunicator(Trace& trace, std::uint32_t group) : BlockingCommunicator(0, 1, trace, group) {}

  const char* name() const override { return "self"; }
  void abandon() noexcept override {}

 private:
  void do_all_reduce(const Tensor& /*values*/) override {}
  void do_reduce_scatter(const Tensor& /*values*/, std::span<const FlatRange> /*slices*/) override {}
  void do_gather_slices(const Tensor& /*values*/, std::span<const FlatRange> /*slices*/) override {}
  void do_barrier() override {}
  void do_broadcast(std::span<std::byte> /*bytes*/, int /*root*/) override {}
  void do_all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    std::ranges::copy(mine, all.begin());
  }
  void do_exchange(std::span<const SendPiece> sends, std::span<const ReceivePiece> receives) override {
    LS_CHECK(sends.size() == receives.size(), fmt::format("{} pieces sent, {} awaited", sends.size(), receives.size()));
    for (std::size_t piece = 0; piece < sends.size(); ++piece) {
      LS_CHECK(sends[piece].bytes.size() == receives[piece].bytes.size(),
               fmt::format("a piece of {} bytes where {} are awaited", sends[piece].bytes.size(),
                           receives[piece].bytes.size()));
      std::ranges::copy(sends[piece].bytes, receives[piece].bytes.begin());
    }
  }
  std::unique_ptr<Communicator> do_split(int color, int /*key*/, std::uint32_t group) override {
    return color < 0 ? nullptr : std::make_unique<SelfCommunicator>(trace(), group);
  }
  void do_close() override {}
};

}  // namespace

std::unique_ptr<Communicator> make_self_communicator(Trace& trace) {
  return std::make_unique<SelfCommunicator>(trace, kWorldGroup);
}

}  // namespace lockstep
