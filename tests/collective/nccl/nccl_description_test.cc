#include "collective/nccl/nccl_description.h"

#include <doctest/doctest.h>

namespace lockstep {

TEST_CASE("nccl's line names version, ranks, memory and what the environment asks of it, and where to look for more") {
  NcclFacts facts{
      .name = "ring", .version = 22809, .hosts = "2 + 2 ranks", .windows = 2, .variables = {"NCCL_ALGO=Ring"}};
  CHECK(describe(facts) ==
        "ring: NCCL 2.28.9, 2 + 2 ranks, memory registered as windows, NCCL_ALGO=Ring; NCCL_DEBUG=INFO shows the "
        "channels "
        "and transports that it chooses");
  facts.windows = 0;
  facts.buffers = 1;
  facts.variables = {"NCCL_DEBUG=INFO", "NCCL_IB_HCA=mlx5\n"};
  CHECK(describe(facts) == "ring: NCCL 2.28.9, 2 + 2 ranks, registered memory, NCCL_DEBUG=INFO, NCCL_IB_HCA=mlx5\\n");
  facts.variables = {"NCCL_DEBUG=", "NCCL_IB_HCA=mlx5"};
  CHECK(describe(facts) ==
        "ring: NCCL 2.28.9, 2 + 2 ranks, registered memory, NCCL_IB_HCA=mlx5; NCCL_DEBUG=INFO shows the channels and "
        "transports that it chooses");
  facts.windows = 1;
  facts.variables = {"NCCL_DEBUG=WARN"};
  CHECK(describe(facts) ==
        "ring: NCCL 2.28.9, 2 + 2 ranks, memory registered as windows and plainly, NCCL_DEBUG=WARN; NCCL_DEBUG=INFO "
        "shows "
        "the channels and transports that it chooses");
}

}  // namespace lockstep
