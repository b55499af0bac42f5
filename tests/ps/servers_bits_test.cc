// Servers that serve one client at a time compute what the optimizer computes alone, to the bit.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "optim/optimizer_run.h"
#include "optim/update_plan.h"
#include "ps/test_job.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

// The facts of a batch's gradient; one gradient of four is clipped to a half.
ParameterClient::PushInfo info_of(std::int64_t batch) {
  const auto weight = static_cast<double>(1 + batch % 3);
  const double clip = batch % 4 == 1 ? 0.5 : 1;
  return {.factor = clip / weight, .weight = weight, .loss = static_cast<double>(batch), .norm = 2};
}

// The gradient of weight / 2 * |values - target(batch)|^2.
void fill_quadratic(const ParameterTable& table, std::int64_t batch, const std::vector<float>& values,
                    std::vector<float>& gradients) {
  const auto weight = static_cast<float>(info_of(batch).weight);
  for (const Variable& variable : table.variables()) {
    for (std::int64_t i = variable.range.begin; i < variable.range.end; ++i) {
      const auto target = static_cast<float>((i * 7919 + batch * 31) % 101 - 50) / 64;
      gradients[static_cast<std::size_t>(i)] = weight * (values[static_cast<std::size_t>(i)] - target);
    }
  }
}

float rough_start(std::int64_t i) { return 1.0F / static_cast<float>(i % 53 + 2); }

float rounded_to(DType wire, float value) {
  if (wire == DType::bfloat16) return widened(narrowed<BFloat16>(value));
  if (wire == DType::float16) return widened(narrowed<Float16>(value));
  return value;
}

// The servers' state after all batches, one after the other, computed by the optimizer alone.
std::vector<std::vector<float>> expected_state(const TestJob& job) {
  const ParameterTable table = test_job_table();
  const auto backend = make_cpu_backend();
  const auto count = static_cast<std::size_t>(table.padded_count());
  std::vector<std::vector<float>> state = first_state_of(job);
  std::vector<Tensor> tensors;
  for (auto& numbers : state) tensors.emplace_back(numbers.data(), DType::float32, Shape{table.padded_count()});
  std::vector<float> seen(count);  // by the clients
  std::vector<float> gradients(count);
  std::vector<float> sum(count);
  double weight = 0;
  const auto travelled = [&](float value) { return rounded_to(job.wire_dtype, value); };
  for (std::int64_t batch = job.first_batch; batch < job.first_batch + job.batches; ++batch) {
    const ParameterClient::PushInfo info = info_of(batch);
    std::ranges::transform(state.front(), seen.begin(), travelled);
    fill_quadratic(table, batch, seen, gradients);
    std::ranges::transform(gradients, gradients.begin(), travelled);
    if (batch % job.sum == 0) std::ranges::fill(sum, 0.0F);
    const auto clip = job.sum == 1 ? 1.0F : static_cast<float>(info.factor * info.weight);
    for (std::size_t i = 0; i < count; ++i) sum[i] += clip * gradients[i];
    weight += info.weight;
    if ((batch + 1) % job.sum != 0) continue;
    const std::int64_t number = (batch + 1) / job.sum;
    for (const UpdateSpan& span : plan_updates(table, job.optimizer->sliceable())) {
      std::vector<Tensor> slots;
      for (std::size_t i = 1; i + 1 < tensors.size(); ++i) slots.push_back(tensors[i].flat(span.range));
      const Tensor gradient(sum.data() + span.range.begin, DType::float32, {span.range.count()});
      job.optimizer->apply(*backend, tensors.front().flat(span.range), gradient, slots,
                           {.learning_rate = job.learning_rate(number),
                            .gradient_factor = job.sum == 1 ? info.factor : 1 / weight,
                            .number = number - job.optimizer_begun,
                            .decay = span.decay,
                            .shape = span.shape});
    }
    const auto n = static_cast<double>(number - job.average_begun);
    backend->blend(tensors.front(), tensors.back(), 1 - std::min(job.ema_decay, (1 + n) / (10 + n)));
    weight = 0;
  }
  return state;
}

int differing(const std::vector<std::vector<float>>& a, const std::vector<std::vector<float>>& b) {
  int different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    different += std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(float)) == 0 ? 0 : 1;
  }
  return different;
}

TestJob one_at_a_time(TestJob job) {
  job.max_staleness = 0;
  job.start = rough_start;
  job.learning_rate = [](std::int64_t update) { return 1.0 / static_cast<double>(8 + update); };
  job.ema_decay = 0.75;
  job.batches = 9;
  return job;
}

void check_bits(RankContext& context, const TestJob& job) {
  run_test_job(context, job, [&](TestClient& test) {
    while (const auto assignment = test.begin()) {
      CHECK(assignment->number == assignment->batch / job.sum);
      test.client.wait_pushed();
      fill_quadratic(test.table, assignment->batch, test.values, test.gradients);
      test.push(info_of(assignment->batch));
    }
    if (context.communicator.rank() == 0) {
      const ParameterClient::Cut cut = test.cut();
      CHECK(cut.number == (job.first_batch + 9) / job.sum);
      CHECK(cut.next_batch == job.first_batch + 9);
      CHECK(cut.unapplied.empty());
      const auto expected = expected_state(job);
      REQUIRE(expected.size() == test.state.size());
      CHECK(differing(expected, test.state) == 0);
      std::int64_t bytes = 0;
      for (const PsAccount::Server& server : test.client.account().servers) bytes += server.bytes;
      CHECK(bytes == 2 * 9 * test.table.padded_count() * static_cast<std::int64_t>(size_of(job.wire_dtype)));
    }
    test.client.leave();
  });
}

}  // namespace

TEST_CASE("one at a time, any number of clients and servers gives the bits of the optimizer alone") {
  for_test_jobs([](RankContext& context, TestJob job) {
    for (const auto& [name, make] : all_optimizers()) {
      CAPTURE(name);
      job.optimizer = make(optimizer_hparams(0.125));
      check_bits(context, one_at_a_time(job));
    }
  });
}

TEST_CASE("one at a time, sums of three gradients give the bits of the sum") {
  for_test_jobs([](RankContext& context, TestJob job) {
    job.sum = 3;
    for (auto make : {make_momentum, make_lamb}) {
      job.optimizer = make(optimizer_hparams(0.125));
      check_bits(context, one_at_a_time(job));
    }
  });
}

TEST_CASE("in 16 bits values and gradients are rounded on their way, states are not, and half the bytes travel") {
  for_test_jobs([](RankContext& context, TestJob job) {
    for (const DType wire : {DType::bfloat16, DType::float16}) {
      for (const int sum : {1, 3}) {
        for (auto make : {make_momentum, make_adafactor}) {
          job.wire_dtype = wire;
          job.sum = sum;
          job.optimizer = make(optimizer_hparams(0.125));
          check_bits(context, one_at_a_time(job));
        }
      }
    }
  });
}

TEST_CASE("a job goes on from a state, with the optimizer's or with a new one") {
  for_test_jobs([](RankContext& context, TestJob job) {
    for (auto make : {make_adam, make_lamb}) {
      job.optimizer = make(optimizer_hparams(0.125));
      TestJob later = one_at_a_time(job);
      later.first_state = expected_state(later);
      later.first_batch = later.batches;
      check_bits(context, later);
      for (const std::size_t slot : {1U, 2U}) std::ranges::fill(later.first_state[slot], 0.0F);
      later.optimizer_begun = later.batches;
      later.average_begun = 4;
      check_bits(context, later);
    }
  });
}

}  // namespace lockstep
