#include "collective/nccl/nccl_choice.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collective/nccl/nccl_version.h"

namespace lockstep {
namespace {

constexpr int kVersion = 22809;

// Ranks in blocks on hosts, GPU by GPU, `per_gpu` ranks on each GPU.
std::vector<GpuPlace> places(int hosts, int gpus, int per_gpu) {
  std::vector<GpuPlace> places;
  for (int host = 0; host < hosts; ++host) {
    for (int gpu = 0; gpu < gpus; ++gpu) {
      for (int i = 0; i < per_gpu; ++i) {
        places.push_back({.host = "node" + std::to_string(host),
                          .gpu = "0000:" + std::to_string(10 + gpu) + ":00.0",
                          .nccl = kVersion});
      }
    }
  }
  return places;
}

}  // namespace

TEST_CASE("NCCL sums wherever each rank has a GPU of its own") {
  for (const int hosts : {1, 2, 3, 8}) {
    for (const int gpus : {1, 2, 3, 5, 8}) {
      CAPTURE(hosts);
      CAPTURE(gpus);
      CHECK(why_not_nccl(places(hosts, gpus, 1)).empty());
      const std::string shared = why_not_nccl(places(hosts, gpus, 2));
      CHECK(shared == "ranks 0 and 1 share the GPU 0000:10:00.0 of node0");
    }
  }
  CHECK(why_not_nccl({}).empty());
}

TEST_CASE("the first pair that shares a GPU is named, wherever its ranks are") {
  // Four ranks per host, each with a GPU of its own, and one more rank.
  std::vector<GpuPlace> ranks = places(3, 4, 1);
  ranks.push_back({.host = "node2", .gpu = "0000:11:00.0", .nccl = kVersion});
  CHECK(why_not_nccl(ranks) == "ranks 9 and 12 share the GPU 0000:11:00.0 of node2");
  ranks.back().host = "node3";  // the same PCI slot on another host
  CHECK(why_not_nccl(ranks).empty());
  for (GpuPlace& rank : ranks) rank.host = "";
  CHECK(why_not_nccl(ranks) == "ranks 0 and 4 share the GPU 0000:10:00.0");
}

TEST_CASE("without GPUs, without NCCL, or with several versions, there is a reason") {
  std::vector<GpuPlace> ranks = places(2, 2, 1);
  ranks[2].nccl = 0;
  CHECK(why_not_nccl(ranks) == "the build of rank 2 has no NCCL");
  ranks[2].nccl = 22703;
  CHECK(why_not_nccl(ranks) == "rank 0 has NCCL 2.28.9, and rank 2 has NCCL 2.27.3");
  for (GpuPlace& rank : ranks) rank.nccl = 0;
  CHECK(why_not_nccl(ranks) == "this build has no NCCL");
  ranks[3].gpu = "";
  CHECK(why_not_nccl(ranks) == "rank 3 computes on the CPU");
  for (GpuPlace& rank : ranks) rank.gpu = "";
  CHECK(why_not_nccl(ranks) == "the ranks compute on CPUs");
}

TEST_CASE("NCCL's number of its version") {
  CHECK(nccl_version_text(22809) == "2.28.9");
  CHECK(nccl_version_text(22703) == "2.27.3");
  CHECK(nccl_version_text(20908) == "2.9.8");
  CHECK(nccl_version_text(2708) == "2.7.8");
}

}  // namespace lockstep
