#include "model/transformer/transformer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <string_view>
#include <vector>

#include "naive_transformer.h"
#include "sequence_batch.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

constexpr std::int64_t kVocabulary = 11;
using Lengths = std::vector<SequenceBatch::Lengths>;

HParams changed(HParams hparams, std::string_view changes) {
  hparams.parse("num_hidden_layers=2,hidden_size=16,filter_size=8,num_heads=2");
  hparams.parse(changes);
  return hparams;
}

// A model with its initial values.
struct Trained {
  Trained(std::unique_ptr<Model> of, DType dtype)
      : model(std::move(of)), store(model->table(), allocator, allocator, dtype) {
    initialize(*backend, store, model->initializers(), 5);
  }

  Pass pass(Pass::Mode mode) { return {.backend = *backend, .parameters = store, .mode = mode, .seed = 3, .step = 2}; }
  double loss(const Batch& batch, Pass::Mode mode) {
    Pass one = pass(mode);
    return model->forward(batch, one)["loss"];
  }
  struct Predicted {
    std::vector<float> values;
    std::vector<std::int32_t> classes;
    std::vector<double> losses;
  };
  Predicted predict(const Batch& batch) {
    const auto rows = static_cast<std::size_t>(batch.size());
    Predicted to{std::vector<float>(rows * kVocabulary), std::vector<std::int32_t>(rows), std::vector<double>(rows)};
    Pass one = pass(Pass::Mode::evaluate);
    model->predict(batch, one, to.values, to.classes, to.losses);
    return to;
  }

  std::unique_ptr<Backend> backend = make_cpu_backend();
  HostAllocator allocator;
  std::unique_ptr<Model> model;
  ParameterStore store;
};

Trained transformer(std::string_view changes, DType dtype) {
  return {make_transformer(changed(transformer_hparams(), changes),
                           sequence_shape(ProblemShape::Sample::pair, kVocabulary)),
          dtype};
}
Trained language_model(std::string_view changes, DType dtype) {
  return {make_transformer_lm(changed(transformer_lm_hparams(), changes),
                              sequence_shape(ProblemShape::Sample::sequence, kVocabulary)),
          dtype};
}

template <class T>
std::vector<T> part(const std::vector<T>& all, std::int64_t begin, std::int64_t end) {
  return {all.begin() + begin, all.begin() + end};
}

const Lengths kThree{{.sample = 3, .rows = 7, .source_rows = 5},
                     {.sample = 8, .rows = 1, .source_rows = 9},
                     {.sample = 2, .rows = 13, .source_rows = 1}};

TEST_CASE("a transformer computes tensor2tensor's equations") {
  Trained trained = transformer("", DType::float32);
  const SequenceBatch packed(kThree, kVocabulary);
  const std::vector<double> losses = trained.predict(packed.batch).losses;
  const NaiveTransformer naive(trained.store, 2, 2);
  for (const SequenceRows& rows : packed.sequences) {
    const std::vector<double> expected =
        naive.losses(part(packed.source, rows.source_begin, rows.source_end), part(packed.inputs, rows.begin, rows.end),
                     part(packed.targets, rows.begin, rows.end));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(losses[static_cast<std::size_t>(rows.begin) + i] == doctest::Approx(expected[i]).epsilon(1e-5));
    }
  }
}

// Replaces some of the sources' symbols by 0, and makes the batch without them, as models get it.
struct Padded {
  Padded(SequenceBatch& packed, bool (*is_padding)(std::size_t place)) : all(packed.source), batch(packed.batch) {
    for (const SequenceRows& rows : packed.sequences) {
      sequences.push_back(rows);
      sequences.back().source_begin = std::ssize(source);
      for (auto i = static_cast<std::size_t>(rows.source_begin); i < static_cast<std::size_t>(rows.source_end); ++i) {
        const std::size_t place = i - static_cast<std::size_t>(rows.source_begin);
        if (is_padding(place)) {
          all[i] = 0;
          continue;
        }
        source.push_back(all[i]);
        source_ids.push_back(packed.source_ids[i]);
        positions.push_back(static_cast<std::int32_t>(place));
      }
      sequences.back().source_end = std::ssize(source);
    }
    batch.sequences = sequences;
    batch.source = Tensor(source.data(), DType::int32, {std::ssize(source)});
    batch.source_ids = Tensor(source_ids.data(), DType::int64, {std::ssize(source)});
    batch.source_positions = positions;
  }
  Padded(const Padded&) = delete;
  Padded& operator=(const Padded&) = delete;

  std::vector<std::int32_t> all, source, positions;
  std::vector<std::int64_t> source_ids;
  std::vector<SequenceRows> sequences;
  Batch batch;
};

TEST_CASE("nobody looks at padding within a source, and the others keep their positions") {
  Trained trained = transformer("", DType::float32);
  const NaiveTransformer naive(trained.store, 2, 2);
  SequenceBatch packed(kThree, kVocabulary);
  using IsPadding = bool (*)(std::size_t);
  for (const IsPadding is_padding : {IsPadding{[](std::size_t place) { return place % 3 == 1; }},
                                     IsPadding{[](std::size_t place) { return place < 2; }},
                                     IsPadding{[](std::size_t /*place*/) { return true; }}}) {
    const Padded padded(packed, is_padding);
    const std::vector<double> losses = trained.predict(padded.batch).losses;
    for (const SequenceRows& rows : packed.sequences) {
      const std::vector<double> expected =
          naive.losses(part(padded.all, rows.source_begin, rows.source_end), part(packed.inputs, rows.begin, rows.end),
                       part(packed.targets, rows.begin, rows.end));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(losses[static_cast<std::size_t>(rows.begin) + i] == doctest::Approx(expected[i]).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("an evaluation's loss is the weighted sum of the rows' losses, and whole sequences are counted") {
  Trained trained = transformer("", DType::float32);
  const SequenceBatch packed(kThree, kVocabulary);
  const Trained::Predicted predicted = trained.predict(packed.batch);
  double expected = 0;
  double correct = 0;
  for (std::size_t i = 0; i < packed.weights.size(); ++i) {
    expected += static_cast<double>(packed.weights[i]) * predicted.losses[i];
    correct += predicted.classes[i] == packed.targets[i] ? static_cast<double>(packed.weights[i]) : 0;
  }
  Pass pass = trained.pass(Pass::Mode::evaluate);
  const MetricSums sums = trained.model->forward(packed.batch, pass);
  CHECK(sums["loss"] == doctest::Approx(expected).epsilon(1e-5));
  CHECK(sums["accuracy"] == doctest::Approx(correct));
  double right_sequences = 0;
  for (const SequenceRows& rows : packed.sequences) {
    bool right = true;
    for (auto i = static_cast<std::size_t>(rows.begin); i < static_cast<std::size_t>(rows.end); ++i) {
      right = right && (packed.weights[i] == 0 || predicted.classes[i] == packed.targets[i]);
    }
    right_sequences += right ? 1 : 0;
  }
  CHECK(sums.sequences == 3);
  CHECK(sums["accuracy_per_sequence"] == right_sequences);
  CHECK(sums["top5_accuracy"] >= sums["accuracy"]);
}

// In float64, so that a difference of one draw shows.
TEST_CASE("what a sequence gives does not depend on the others of its batch, dropout included") {
  constexpr std::string_view kDropout =
      "layer_prepostprocess_dropout=0.3,attention_dropout=0.3,relu_dropout=0.3,max_length=20";
  for (const bool encodes : {false, true}) {
    CAPTURE(encodes);
    Trained trained = encodes ? transformer(kDropout, DType::float64) : language_model(kDropout, DType::float64);
    for (const Pass::Mode mode : {Pass::Mode::train, Pass::Mode::evaluate}) {
      double alone = 0;
      for (const SequenceBatch::Lengths& lengths : kThree) {
        const SequenceBatch one({lengths}, kVocabulary);
        alone += trained.loss(one.batch, mode);
      }
      const SequenceBatch packed(kThree, kVocabulary);
      CHECK(trained.loss(packed.batch, mode) == doctest::Approx(alone).epsilon(1e-12));
    }
  }
}

TEST_CASE("a language model's answer for a row does not look at the rows after it") {
  Trained trained = language_model("", DType::float32);
  const Lengths one{{.sample = 4, .rows = 9}};
  SequenceBatch batch(one, kVocabulary);
  const std::vector<float> before = trained.predict(batch.batch).values;
  batch.inputs[6] = 1 + batch.inputs[6] % 9;
  const std::vector<float> after = trained.predict(batch.batch).values;
  CHECK(part(before, 0, 6 * kVocabulary) == part(after, 0, 6 * kVocabulary));
  CHECK(part(before, 6 * kVocabulary, 9 * kVocabulary) != part(after, 6 * kVocabulary, 9 * kVocabulary));
}

TEST_CASE("a batch without rows is answered with nothing") {
  Trained trained = transformer("", DType::float32);
  const SequenceBatch none({}, kVocabulary);
  CHECK(trained.predict(none.batch).values.empty());
  for (const Pass::Mode mode : {Pass::Mode::train, Pass::Mode::evaluate}) {
    Pass pass = trained.pass(mode);
    const MetricSums sums = trained.model->forward(none.batch, pass);
    CHECK(sums.weight == 0);
    CHECK(sums["loss"] == 0);
  }
}

TEST_CASE("a sequence longer than the positions that are learned is refused") {
  Trained trained = language_model("max_length=8", DType::float32);
  const SequenceBatch longer({{.sample = 4, .rows = 9}}, kVocabulary);
  CHECK_THROWS_WITH_AS(trained.predict(longer.batch), doctest::Contains("a sequence of 9 symbols"), Error);
}

}  // namespace
}  // namespace lockstep
