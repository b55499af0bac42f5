// After the first step of a shape, a training step allocates nothing on the heap: layers, losses, strategy and
// optimizer keep their memory. oneDNN 2.6 itself allocates at every call, for the map of a primitive's arguments and
// for the packed operands of an sgemm; these allocations are counted separately, and have to be the same in every step.
#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "counted_allocations.h"
#include "model/transformer/sequence_batch.h"
#include "support/ranks.h"
#include "tensor/cpu/cpu_backend.h"
#include "train/registry/hparams_sets.h"
#include "train/strategy/sync.h"

namespace lockstep {
namespace {

const ProblemShape kImages{.input = {28, 28, 1}, .target = ProblemShape::Target::class_label, .outputs = 10};

// A batch of `size` samples.
struct Samples {
  explicit Samples(std::int64_t size) : count(size) {
    const auto n = static_cast<std::size_t>(size);
    inputs.resize(n * static_cast<std::size_t>(kImages.input.elements()));
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = static_cast<float>(i * 2654435761U % 256) / 255;
    labels.resize(n);
    ids.resize(n);
    weights.assign(n, 1.0F);
    for (std::size_t i = 0; i < n; ++i) {
      labels[i] = static_cast<std::int32_t>(i % 10);
      ids[i] = static_cast<std::int64_t>(i);
    }
  }

  Batch batch() {
    return {.inputs = Tensor(inputs.data(), DType::float32, kImages.input.with_front(count)),
            .targets = Tensor(labels.data(), DType::int32, {count}),
            .weights = Tensor(weights.data(), DType::float32, {count}),
            .row_ids = Tensor(ids.data(), DType::int64, {count})};
  }

  std::int64_t count;
  std::vector<float> inputs;
  std::vector<std::int32_t> labels;
  std::vector<float> weights;
  std::vector<std::int64_t> ids;
};

// Description of a training.
struct Trained {
  std::string model;
  std::string hparams_set;
  ProblemShape shape{};
  bool recompute = false;
  DType products = DType::float32;
};

// One rank's training of a built-in model.
class Training {
 public:
  Training(const RankContext& rank, const Trained& trained, const Registry& registry, bool shard_optimizer)
      : hparams_(hparams_set(registry, trained.hparams_set)),
        model_(registry.models.find(trained.model)(hparams_, trained.shape)),
        optimizer_(registry.optimizers.find(hparams_.text("optimizer")).make(hparams_)),
        parameters_(model_->table(), backend_->allocator(), rank.communicator.allocator(), DType::float32),
        replica_(*backend_, parameters_, *optimizer_, 1.0),
        strategy_(make_sync_strategy(rank.communicator, rank.trace, replica_,
                                     {.bucket_elements = 100000, .shard_optimizer = shard_optimizer})) {
    if (trained.recompute) model_->recompute();
    parameters_.set_product_dtype(*backend_, trained.products);
    if (rank.communicator.rank() == 0) initialize(*backend_, parameters_, model_->initializers(), 1);
    strategy_->start();
  }

  void step(const Batch& batch) {
    ++step_;
    Pass pass{.backend = *backend_,
              .parameters = parameters_,
              .mode = Pass::Mode::train,
              .step = step_,
              .row_ids = batch.row_ids,
              .on_gradient_ready = [this](FlatRange range) { strategy_->on_gradient_ready(range); }};
    parameters_.update_copy(*backend_);
    strategy_->begin_step(step_, 0);
    const MetricSums sums = model_->forward(batch, pass);
    strategy_->add_share({.loss = sums["loss"], .weight = sums.weight});
    model_->backward(pass);
    strategy_->finish_step(0.001);
  }

 private:
  std::unique_ptr<Backend> backend_ = make_backend({});
  HParams hparams_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Optimizer> optimizer_;
  ParameterStore parameters_;
  Replica replica_;
  std::unique_ptr<Strategy> strategy_;
  std::int64_t step_ = 0;
};

// full: a batch; last: the smaller one at the end of an epoch.
void check_steps(const RankContext& rank, const Trained& trained, bool shard_optimizer, const Batch& full,
                 const Batch& last) {
  const Registry registry = builtin_registry();
  Training training(rank, trained, registry, shard_optimizer);
  for (const Batch* batch : {&full, &last, &full, &last}) training.step(*batch);

  std::vector<AllocationCounts> counts;
  counts.reserve(10);
  for (int i = 0; i < 5; ++i) {
    for (const Batch* batch : {&full, &last}) {
      start_counting();
      training.step(*batch);
      counts.push_back(stop_counting());
    }
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    CAPTURE(trained.model);
    CAPTURE(trained.recompute);
    CAPTURE(name(trained.products));
    CAPTURE(i);
    CHECK(counts[i].ours == 0);
    CHECK(counts[i].onednn == counts[i % 2].onednn);
    if (rank.communicator.size() == 1) CHECK(counts[i].mpi == 0);
  }
  if (rank.communicator.size() == 1) {
    MESSAGE(trained.model << " in " << name(trained.products) << ": oneDNN allocates " << counts[0].onednn
                          << " times per step by itself");
  }
}

TEST_CASE("training steps take nothing from the heap after the first ones of a shape") {
  Samples full(16);
  Samples last(5);
  for_rank_contexts([&](RankContext& rank) {
    for (const char* model : {"mlp", "convnet"}) {
      for (const bool shard_optimizer : {false, true}) {
        check_steps(rank, {model, model, kImages}, shard_optimizer, full.batch(), last.batch());
      }
    }
  });
}

TEST_CASE("nor do those of sequences, whose lengths differ") {
  constexpr std::int64_t kVocabulary = 11;
  const SequenceBatch full({{.sample = 3, .rows = 7, .source_rows = 70}, {.sample = 8, .rows = 66, .source_rows = 9}},
                           kVocabulary);
  const SequenceBatch last({{.sample = 2, .rows = 13, .source_rows = 1}}, kVocabulary);
  const ProblemShape pairs = sequence_shape(ProblemShape::Sample::pair, kVocabulary);
  const ProblemShape texts = sequence_shape(ProblemShape::Sample::sequence, kVocabulary);
  std::vector<DType> types{DType::float32};
  if (make_cpu_backend()->bfloat16_products().empty()) types.push_back(DType::bfloat16);
  for_rank_contexts([&](RankContext& rank) {
    for (const DType products : types) {
      for (const bool recompute : {false, true}) {
        check_steps(rank, {"transformer", "transformer_test", pairs, recompute, products}, false, full.batch,
                    last.batch);
        check_steps(rank, {"transformer_lm", "transformer_test", texts, recompute, products}, false, full.batch,
                    last.batch);
      }
    }
  });
}

TEST_CASE("the counter counts") {
  start_counting();
  void* volatile plain = std::malloc(10);       // NOLINT(cppcoreguidelines-no-malloc)
  auto* volatile number = new std::int64_t(3);  // NOLINT(cppcoreguidelines-owning-memory)
  const AllocationCounts counts = stop_counting();
  std::free(plain);  // NOLINT(cppcoreguidelines-no-malloc)
  delete number;     // NOLINT(cppcoreguidelines-owning-memory)
  CHECK(counts == AllocationCounts{.ours = 2});
}

}  // namespace
}  // namespace lockstep
