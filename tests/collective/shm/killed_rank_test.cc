// For killed_rank_test.sh, which runs it under mpirun: it ends the job.
#include <doctest/doctest.h>

#include <csignal>

#include "support/shm_ranks.h"
#include "tensor/tensor.h"

namespace lockstep {

TEST_CASE("a rank killed inside an all_reduce" * doctest::skip()) {
  for_shm_ranks([](RankContext& context) {
    Communicator& communicator = context.communicator;
    constexpr std::int64_t kCount = 1'000'003;
    const Buffer buffer = communicator.allocator().allocate(kCount * sizeof(float));
    for (int step = 0;; ++step) {
      // Rank 1 has taken part before, and is missing in this operation.
      if (step == 20 && communicator.rank() == 1) raise(SIGKILL);
      communicator.all_reduce(view(buffer, DType::float32, {kCount}));
    }
  });
}

}  // namespace lockstep
