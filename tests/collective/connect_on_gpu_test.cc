// The communicators that --collective names, for ranks that compute on GPUs.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "collective/gpu_ranks.h"
#include "collective/make_communicator.h"

namespace lockstep {
namespace {

constexpr std::array<int, 4> kWorlds{1, 2, 3, 5};

const NcclModule* has_nccl() { return &gpu_stand_in::fake_nccl(); }
const NcclModule* has_no_nccl() { return nullptr; }
// A module compiled for an older NCCL than it finds.
const NcclModule* has_newer_nccl() {
  static constexpr NcclModule kModule{22703, [] { return gpu_stand_in::fake_nccl().loaded(); },
                                      [](const NcclParts& parts) { return gpu_stand_in::fake_nccl().make(parts); }};
  return &kModule;
}

struct Said {
  std::vector<std::string> lines;
  CommunicatorParts parts(RankContext& context, Backend& backend, const NcclModule* (*nccl)()) {
    return {.group = context.communicator,
            .session = nullptr,
            .trace = context.trace,
            .backend = backend,
            .overlap = Overlap::inline_calls,
            .say = [this](const std::string& line) { lines.push_back(line); },
            .device_id = describe_gpu(backend.device().index).bus_id,
            .nccl = nccl};
  }
};

void check_sum(Communicator& communicator, Backend& backend) {
  GpuValues<float> values(communicator.allocator(), backend, {static_cast<float>(communicator.rank() + 1)});
  communicator.wait(communicator.all_reduce(values.tensor(), backend.record()));
  CHECK(values.read() == std::vector<float>{static_cast<float>(communicator.size() * (communicator.size() + 1)) / 2});
}

std::string refusal(CommunicatorFactory connect, const CommunicatorParts& parts) {
  try {
    connect(parts)->close();
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::configuration);
    CHECK(error.scope() == Scope::every_rank);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("auto is NCCL where each rank has a GPU of its own") {
  for_gpu_ranks(
      kWorlds, [](int rank) { return rank; },
      [](RankContext& context, Backend& backend) {
        Said said;
        const CommunicatorParts parts = said.parts(context, backend, has_nccl);
        const auto communicator = connect_auto(parts);
        const bool alone = communicator->size() == 1;
        CHECK(communicator->name() == (alone ? std::string("thread") : std::string("nccl")));
        CHECK(choose_collective(parts) == communicator->name());
        CHECK(said.lines.empty());
        check_sum(*communicator, backend);
        communicator->close();

        const auto nccl = connect_nccl(parts);  // also if it has one rank
        CHECK(nccl->summation() == (alone ? "nccl of 1 rank, NCCL 2.28.9"
                                          : "nccl of " + std::to_string(nccl->size()) + " ranks, NCCL 2.28.9"));
        check_sum(*nccl, backend);
        nccl->close();
        const auto ring = connect_ring(parts);
        CHECK(ring->name() == std::string("ring"));
        check_sum(*ring, backend);
        ring->close();
      });
}

TEST_CASE("auto goes through the host where ranks share a GPU, and says so; nccl is refused there") {
  for_gpu_ranks(
      std::array{2, 3, 5}, [](int rank) { return rank / 2; },
      [](RankContext& context, Backend& backend) {
        Said said;
        const CommunicatorParts parts = said.parts(context, backend, has_nccl);
        const auto communicator = connect_auto(parts);
        CHECK(communicator->name() == std::string("thread through the host"));
        CHECK(
            said.lines ==
            std::vector<std::string>{
                "gradients go over thread through the host, not over nccl: ranks 0 and 1 share the GPU 0000:01:00.0"});
        CHECK(choose_collective(parts) == "thread");
        check_sum(*communicator, backend);
        communicator->close();
        CHECK(refusal(connect_nccl, parts) ==
              "--collective=nccl takes NCCL, and a GPU for each rank: ranks 0 and 1 share the GPU 0000:01:00.0; leave "
              "the "
              "flag out");
        CHECK(refusal(connect_ring, parts).starts_with("--collective=ring takes NCCL"));
      });
}

TEST_CASE("a build without NCCL, and an NCCL that does not start, leave the host's memory, too") {
  for_gpu_ranks(
      std::array{2, 3}, [](int rank) { return rank; },
      [](RankContext& context, Backend& backend) {
        for (const bool starts : {false, true}) {
          meet(context.communicator);
          gpu_stand_in::refuse_nccl(starts ? "" : "unhandled system error: no /dev/shm");
          meet(context.communicator);
          Said said;
          const CommunicatorParts parts = said.parts(context, backend, starts ? has_no_nccl : has_nccl);
          const std::string why = starts ? "this build has no NCCL" : "unhandled system error: no /dev/shm";
          const auto communicator = connect_auto(parts);
          CHECK(said.lines ==
                std::vector<std::string>{"gradients go over thread through the host, not over nccl: " + why});
          check_sum(*communicator, backend);
          communicator->close();
          CHECK(refusal(connect_nccl, parts).find(why) != std::string::npos);
          meet(context.communicator);
        }
        CHECK(gpu_stand_in::nccl_communicators() == 0);
      });
}

TEST_CASE("another NCCL than the one compiled for is said in a line") {
  for_gpu_ranks(
      std::array{2}, [](int rank) { return rank; },
      [](RankContext& context, Backend& backend) {
        Said said;
        const auto communicator = connect_auto(said.parts(context, backend, has_newer_nccl));
        CHECK(communicator->name() == std::string("nccl"));
        CHECK(said.lines ==
              std::vector<std::string>{"NCCL 2.28.9 is loaded, and this program was compiled for NCCL 2.27.3"});
        communicator->close();
      });
}

TEST_CASE("shm and self serve GPUs through the host; a rank on a CPU has no NCCL") {
  for_gpu_ranks(
      kWorlds, [](int /*rank*/) { return 0; },
      [](RankContext& context, Backend& backend) {
        Said said;
        CommunicatorParts parts = said.parts(context, backend, has_nccl);
        for (const Overlap overlap : {Overlap::inline_calls, Overlap::thread}) {
          parts.overlap = overlap;
          const auto communicator = connect_shm(parts);
          CHECK(communicator->allocator().device() == backend.device());
          check_sum(*communicator, backend);
          communicator->close();
        }
        if (context.communicator.size() == 1) {
          const auto communicator = connect_self(parts);
          CHECK(communicator->name() == std::string("self"));
          check_sum(*communicator, backend);
          communicator->close();
        }
        const auto cpu = make_backend({});
        CHECK(refusal(connect_nccl, {context.communicator, nullptr, context.trace, *cpu, Overlap::inline_calls})
                  .find("the ranks compute on CPUs") != std::string::npos);
      });
}

}  // namespace lockstep
