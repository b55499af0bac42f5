#include "ps/stop_request.h"

#include <doctest/doctest.h>

#include "ps/test_job.h"

namespace lockstep {

TEST_CASE("the chief hears of a request to end the run that has reached another client or a server") {
  for_test_jobs([](RankContext& context, TestJob job) {
    const int size = context.communicator.size();
    job.optimizer = make_sgd(HParams());
    job.batches = 1'000'000'000;  // more than there is time for
    for (const int asked : {1, size - job.servers, size - 1}) {
      CAPTURE(asked);
      job.request = {.rank = asked, .signal = 10 + asked};
      const bool is_chief = context.communicator.rank() == 0;
      run_test_job(context, job, [&](TestClient& test) {
        while (test.begin()) {
          test.client.wait_pushed();
          test.push({.factor = 1, .weight = 1});
          if (test.client.asked()) test.client.stop();
        }
        CHECK(test.client.asked() == (is_chief ? job.request : std::nullopt));
        test.client.leave();
      });
    }
  });
}

}  // namespace lockstep
