#include "train/schedule/evaluate/evaluation_details.h"

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "data/sample_picture.h"
#include "data/sequences/symbol_texts.h"
#include "train/config/pace.h"
#include "train/saved/saved_vocabulary.h"

namespace lockstep {
namespace {

constexpr std::size_t kWorst = 20;

EvaluationDetails nothing_yet(const ProblemShape& shape) {
  if (shape.target == ProblemShape::Target::class_label)
    return {
        .confusion = Confusion(shape.outputs), .worst = WorstSamples(kWorst, 3), .sequences = shape.has_sequences()};
  return {.worst = WorstSamples(kWorst, 2 * static_cast<std::size_t>(shape.outputs))};
}

// Collects the details of the chunks of a rank.
class DetailsOfRank {
 public:
  explicit DetailsOfRank(const ProblemShape& shape) : outputs_(shape.outputs), details_(nothing_yet(shape)) {}

  // on_host: the same batch in the host's memory.
  void add(const Batch& batch, const Batch& on_host, Model& model, Pass& pass);
  EvaluationDetails take() { return std::move(details_); }

 private:
  void add_classes(Confusion& confusion, const Batch& batch);
  void add_numbers(const Batch& batch);
  std::span<const float> predicted(std::size_t row) const {
    const auto outputs = static_cast<std::size_t>(outputs_);
    return std::span(values_).subspan(row * outputs, outputs);
  }

  std::int64_t outputs_;
  EvaluationDetails details_;
  // Predictions for a chunk.
  std::vector<float> values_{};
  std::vector<std::int32_t> classes_{};
  std::vector<double> losses_{};
};

void DetailsOfRank::add(const Batch& batch, const Batch& on_host, Model& model, Pass& pass) {
  const auto size = static_cast<std::size_t>(batch.size());
  values_.resize(size * static_cast<std::size_t>(outputs_));
  if (details_.confusion) {
    classes_.resize(size);
    losses_.resize(size);
  }
  model.predict(batch, pass, values_, classes_, losses_);
  if (details_.confusion) {
    add_classes(*details_.confusion, on_host);
  } else {
    add_numbers(on_host);
  }
}

void DetailsOfRank::add_classes(Confusion& confusion, const Batch& batch) {
  const auto labels = batch.targets.span<std::int32_t>();
  const auto weights = batch.weights.span<float>();
  const auto samples = batch.row_ids.span<std::int64_t>();
  for (std::size_t row = 0; row < samples.size(); ++row) {
    if (weights[row] == 0) continue;  // padding
    confusion.add(labels[row], classes_[row]);
    if (!details_.worst.takes(losses_[row], samples[row])) continue;
    const double probability = predicted(row)[static_cast<std::size_t>(labels[row])];
    details_.worst.add({.loss = losses_[row],
                        .sample = samples[row],
                        .values = {static_cast<double>(labels[row]), static_cast<double>(classes_[row]), probability}});
  }
}

void DetailsOfRank::add_numbers(const Batch& batch) {
  const auto samples = batch.row_ids.span<std::int64_t>();
  const std::span<const float> targets = batch.targets.span<float>();
  for (std::size_t row = 0; row < samples.size(); ++row) {
    const std::span<const float> predictions = predicted(row);
    const auto wanted = targets.subspan(row * predictions.size(), predictions.size());
    double sum = 0;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const double error = static_cast<double>(predictions[k]) - static_cast<double>(wanted[k]);
      sum += error * error;
    }
    const double loss = sum / static_cast<double>(outputs_);
    if (!details_.worst.takes(loss, samples[row])) continue;
    WorstSample one{.loss = loss, .sample = samples[row], .values = {wanted.begin(), wanted.end()}};
    one.values.insert(one.values.end(), predictions.begin(), predictions.end());
    details_.worst.add(std::move(one));
  }
}

// Gives the chief the data of the other ranks, one rank after the other, so that it needs memory for one of them.
// COLLECTIVE.
template <class T>
void gather_in_turn(Communicator& ranks, std::span<const T> mine, const std::function<void(std::span<const T>)>& take) {
  const std::vector<std::size_t> sizes = all_gather_value(ranks, mine.size());
  for (int from = 1; from < ranks.size(); ++from) {
    std::vector<T> theirs;
    std::vector<SendPiece> sends;
    std::vector<ReceivePiece> receives;
    if (ranks.rank() == from) sends.push_back({.to = 0, .bytes = std::as_bytes(mine)});
    if (ranks.rank() == 0) {
      theirs.resize(sizes[static_cast<std::size_t>(from)]);
      receives.push_back({.from = from, .bytes = std::as_writable_bytes(std::span(theirs))});
    }
    ranks.exchange(sends, receives);
    if (ranks.rank() == 0) take(theirs);
  }
}

}  // namespace

EvaluationDetails details_of(SavedModel& saved, const OpenedSplit& on, const TrainingRank& rank) {
  const auto phase = rank.trace.enter(Phase::evaluate);
  Pass pass{.backend = rank.backend, .parameters = saved.parameters(), .mode = Pass::Mode::evaluate};
  DetailsOfRank mine(saved.shape());
  for_each_chunk(rank.compute, rank.backend, *on.problem, on.split,
                 evaluated_samples(saved.settings(), saved.hparams(), *on.problem, on.split),
                 [&](const Batch& batch, const Batch& on_host) { mine.add(batch, on_host, saved.model(), pass); });
  EvaluationDetails details = mine.take();
  if (details.confusion) {
    gather_in_turn<std::int64_t>(rank.compute, details.confusion->counts(),
                                 [&](std::span<const std::int64_t> counts) { details.confusion->merge(counts); });
  }
  const std::vector<double> worst = details.worst.packed();
  gather_in_turn<double>(rank.compute, worst, [&](std::span<const double> packed) { details.worst.merge(packed); });
  details.texts = printable_texts(symbol_texts(saved.tokenizer().get()));
  if (rank.is_chief() && has_pictures(saved.shape())) {
    for (const WorstSample& one : details.worst.samples()) {
      details.pictures.push_back(sample_picture(*on.problem, on.split, one.sample));
    }
  }
  return details;
}

}  // namespace lockstep
