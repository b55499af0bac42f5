#include "train/evaluation.h"

#include <doctest/doctest.h>

#include "collective/self_communicator.h"
#include "data/image_shapes_problem.h"
#include "model/hparams_sets.h"
#include "model/picture_models.h"
#include "support/ranks.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

EvaluationResult evaluate_fresh_model(Communicator& world, Split split) {
  const auto problem = make_image_shapes({});
  const auto model = make_linear_model(linear_hparams(), problem->shape());
  const auto backend = make_cpu_backend();
  HostAllocator allocator;
  const ParameterStore parameters(model->table(), allocator, DType::float32, 0);
  initialize(*backend, parameters, model->initializers(), 1);
  return Evaluation(world, *backend, *problem, *model, parameters).run(split);
}

TEST_CASE("an evaluation gives the same counts and the same loss, to the last bit, for any number of ranks") {
  const auto page = NodePage::in_process(1);
  Trace trace(page->line(0), 0);
  const auto self = make_self_communicator(trace);
  for (Split split : {Split::dev, Split::test}) {
    const EvaluationResult alone = evaluate_fresh_model(*self, split);
    CHECK(alone.samples == make_image_shapes({})->count(split));
    for_ranks([&](Communicator& world) {
      const EvaluationResult shared = evaluate_fresh_model(world, split);
      CHECK(shared.samples == alone.samples);
      CHECK(shared.correct == alone.correct);
      CHECK(shared.loss == alone.loss);
    });
  }
}

}  // namespace
}  // namespace lockstep
