#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ps/client.h"
#include "ps/test_job.h"

namespace lockstep {

// Each batch has a trained element of its own, which it moves by -1 whatever the other batches do: its gradient is 1
// there and 0 elsewhere, and the rate is the number of gradients in an update. Elements of consecutive batches are a
// third of the store apart, so that all servers have some.
class Counted {
 public:
  static TestJob job(TestJob job) {
    job.optimizer = make_sgd(HParams());
    job.learning_rate = [sum = job.sum](std::int64_t) { return static_cast<double>(sum); };
    return job;
  }
  // Number of batches in `applied` that the values have not exactly once, or have and should not.
  static int wrong(const std::vector<float>& values, const std::vector<bool>& applied) {
    std::vector<float> expected(values.size());
    for (std::size_t batch = 0; batch < applied.size(); ++batch) {
      if (applied[batch]) expected[element_of(batch)] = -1;
    }
    int wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) wrong += values[i] == expected[i] ? 0 : 1;
    return wrong;
  }
  static int wrong(const std::vector<float>& values, const ParameterClient::Cut& cut) {
    std::vector<bool> applied(static_cast<std::size_t>(cut.next_batch), true);
    for (const std::int64_t batch : cut.unapplied) applied[static_cast<std::size_t>(batch)] = false;
    return wrong(values, applied);
  }
  static void fill(std::vector<float>& gradients, std::int64_t batch) {
    std::ranges::fill(gradients, 0.0F);
    gradients[element_of(static_cast<std::size_t>(batch))] = 1;
  }
  static constexpr ParameterClient::PushInfo kInfo{.factor = 1, .weight = 1, .loss = 3, .norm = 0.5};

 private:
  static std::size_t element_of(std::size_t batch) {
    static const std::vector<std::int64_t> kElements = trained_elements(test_job_table());
    return static_cast<std::size_t>(kElements[batch * 1709 % kElements.size()]);  // 1709 is prime to the 5097 elements
  }
};

}  // namespace lockstep
