// Runs with parameter servers whose values and gradients travel in 16 bits.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/decoder.h"
#include "data/forwarding_problem.h"
#include "data/problems.h"
#include "served_part.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

TrainSettings narrow_settings(const std::string& wire, std::int64_t sum) {
  TrainSettings settings = served_settings("");
  settings.hparams =
      "hidden_size=24,dropout=0.1,clip_grad_norm=0.5,optimizer=momentum,learning_rate=0.01,"
      "learning_rate_schedule=constant";
  settings.max_staleness = 0;
  settings.sum_updates = sum;
  settings.wire_dtype = wire;
  return settings;
}

void run_narrow(TrainSettings settings, const std::string& folder, int ranks, int servers) {
  settings.output_dir = folder;
  for_thread_ranks(ranks, [&](RankContext& context) { run_part(context, settings, servers); });
}

std::vector<float> parameters_after_20(const std::string& folder) {
  const CheckpointDecoder reader(folder + "/model.ckpt-20.h5");
  ParameterTable table;
  for (const auto& [name, extents] : reader.variables()) table.add(name, Shape(extents), true);
  return reader.read_parameters(table);
}

double norm_of_difference(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += std::pow(static_cast<double>(a[i]) - b[i], 2);
  return std::sqrt(squares);
}

// image_shapes with pixels so large that gradients are beyond float16.
class LargePixels final : public ForwardingProblem {
 public:
  explicit LargePixels(std::unique_ptr<Problem> images) : ForwardingProblem(std::move(images)) {}
  void read(Split split, std::int64_t sample, const SampleSlot& slot) const override {
    inner().read(split, sample, slot);
    for (float& pixel : slot.input) pixel *= 1e5F;
  }
};

}  // namespace

TEST_CASE("a model with constants is not trained by rounded ones") {
  for_thread_ranks(3, [](RankContext& context) {
    TrainSettings settings = served_settings("");
    settings.wire_dtype = "bfloat16";
    settings.hparams = "normalize_inputs=True";
    check_error(ExitCode::configuration,
                {"--wire_dtype=bfloat16 would round standardization_0/mean, which is a constant of the model"},
                [&] { run_part(context, settings, 1); });
  });
}

TEST_CASE(
    "in 16 bits results depend neither on ranks and servers nor on the transport, and are near those in float32") {
  for (const std::int64_t sum : {1, 2}) {
    const TemporaryFolder wide;
    run_narrow(narrow_settings("", sum), wide.path(), 2, 1);
    const std::vector<float> expected = parameters_after_20(wide.path());
    for (const std::string wire : {"bfloat16", "float16"}) {
      CAPTURE(sum);
      CAPTURE(wire);
      TrainSettings settings = narrow_settings(wire, sum);
      const TemporaryFolder first;
      run_narrow(settings, first.path(), 2, 1);
      const std::string digest = text_at_end(first.path(), "parameters_sha256");
      CHECK(digest.size() == 64);
      CHECK(digest != text_at_end(wide.path(), "parameters_sha256"));
      const std::vector<float> parameters = parameters_after_20(first.path());
      const std::vector<float> none(parameters.size());
      CHECK(norm_of_difference(parameters, expected) < 0.003 * norm_of_difference(expected, none));
      for (const auto& [ranks, servers] : {std::pair(3, 2), std::pair(5, 2), std::pair(6, 3)}) {
        for (const std::string transport : {"rma", "p2p"}) {
          CAPTURE(ranks);
          CAPTURE(transport);
          const TemporaryFolder folder;
          settings.ps_transport = transport;
          run_narrow(settings, folder.path(), ranks, servers);
          CHECK(text_at_end(folder.path(), "parameters_sha256") == digest);
        }
      }
    }
  }
}

TEST_CASE("in 16 bits a run that was interrupted ends with the bits of one that was not: its state is in float32") {
  TrainSettings settings = narrow_settings("bfloat16", 1);
  settings.ema = 0.9;
  const TemporaryFolder whole;
  const TemporaryFolder turns;
  run_narrow(settings, whole.path(), 3, 1);
  settings.train_steps = 7;
  run_narrow(settings, turns.path(), 3, 1);
  settings.train_steps = 20;
  run_narrow(settings, turns.path(), 4, 2);
  CHECK(text_at_end(turns.path(), "parameters_sha256") == text_at_end(whole.path(), "parameters_sha256"));
}

TEST_CASE("a gradient beyond float16 ends the run before a server has it, and bfloat16 is the cure") {
  Registry registry = builtin_registry();
  registry.problems.add("large_pixels", "image_shapes with large pixels", [](const ProblemOptions& options) {
    return std::make_unique<LargePixels>(make_image_shapes(options));
  });
  TrainSettings settings = narrow_settings("float16", 1);
  settings.problem = "large_pixels";
  const auto run = [&] {
    for_thread_ranks(2, [&](RankContext& context) { run_part(context, settings, 1, registry); });
  };
  check_error(ExitCode::internal, {"the gradient of ", " at step 1 is not finite", "give --wire_dtype=bfloat16"}, run);
  settings.wire_dtype = "bfloat16";
  CHECK_NOTHROW(run());
}

}  // namespace lockstep
