#include "model/transformer/symbol_output.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "model/class_predictions.h"
#include "model/product_operand.h"
#include "model/transformer/sequence_counts.h"

namespace lockstep {
namespace {

constexpr std::int64_t kSums = kLossSums + 1;  // and the count in the top 5

// Our operation has s / classes for every class and 1 - s on top for the target's: s = e V / (V - 1) gives
// tensor2tensor's e.
std::unique_ptr<Loss> smoothed_loss(double e, std::int64_t vocabulary) {
  const auto symbols = static_cast<double>(vocabulary);
  if (e > 0 && !(e < (symbols - 1) / symbols)) {
    throw Error(ExitCode::usage,
                fmt::format("hparam label_smoothing is {}; of {} symbols it has to be below {:.3f}, where all of them "
                            "would be as likely as the right one",
                            e, vocabulary, (symbols - 1) / symbols),
                Scope::every_rank);
  }
  const double smoothing = e > 0 ? e * symbols / (symbols - 1) : 0;
  return make_loss(HParams().set("label_smoothing", smoothing), ProblemShape::Target::class_label);
}

double entropy_of(double e, std::int64_t vocabulary) {
  if (e == 0) return 0;
  return -(1 - e) * std::log(1 - e) - e * std::log(e / static_cast<double>(vocabulary - 1));
}

}  // namespace

SymbolOutput::SymbolOutput(const TransformerOptions& options, std::int64_t vocabulary)
    : vocabulary_(vocabulary),
      width_(options.hidden_size),
      symbol_values_(symbol_values(options)),
      loss_(smoothed_loss(options.label_smoothing, vocabulary)),
      entropy_(entropy_of(options.label_smoothing, vocabulary)) {}

void SymbolOutput::declare(Declaration& declaration, std::optional<int> shared) {
  has_own_table_ = !shared.has_value();
  table_ = shared ? *shared : declaration.variable("softmax/table", {vocabulary_, width_}, symbol_values_, true);
}

Tensor SymbolOutput::start_forward(const Tensor& rows, const Batch& batch, Pass& pass) {
  const Tensor logits = logits_of(rows, pass);
  // The gradient takes the logits' memory, in the operand type of products.
  logits_gradient_ = Tensor(logits.data(), pass.parameters.product_dtype(), logits.shape(), logits.device());
  const Tensor sums = sums_memory_.get(pass.backend, DType::float64, {kSums}).flat({0, kLossSums});
  loss_->apply(pass.backend, logits, batch, logits_gradient_, sums);
  return sums;
}

MetricSums SymbolOutput::sums_of(std::span<const double> loss_sums) const {
  MetricSums result{.weight = loss_sums[1]};
  result["loss"] = loss_sums[0] - entropy_ * loss_sums[1];
  result["accuracy"] = loss_sums[2];
  return result;
}

MetricSums SymbolOutput::forward(const Tensor& rows, const Batch& batch, Pass& pass) {
  return pass.mode == Pass::Mode::train ? train(rows, batch, pass) : evaluate(rows, batch, pass);
}

MetricSums SymbolOutput::train(const Tensor& rows, const Batch& batch, Pass& pass) {
  std::array<double, kLossSums> host{};
  pass.backend.copy(start_forward(rows, batch, pass), Tensor(host.data(), DType::float64, {kLossSums}));
  pass.backend.synchronize();
  return sums_of(host);
}

MetricSums SymbolOutput::evaluate(const Tensor& rows, const Batch& batch, Pass& pass) {
  Backend& backend = pass.backend;
  const Tensor logits = logits_of(rows, pass);
  logits_gradient_ = {};
  const Tensor sums = sums_memory_.get(backend, DType::float64, {kSums});
  backend.count_in_top(5, logits, batch.targets, batch.weights, sums.flat({kLossSums, kSums}));
  const bool on_host = backend.device().kind == Device::Kind::cpu;
  const SequenceCounts counts =
      on_host ? count_sequences(logits, batch.targets, batch.weights, batch.sequences)
              : count_sequences_on(backend, counts_memory_, logits, batch.targets, batch.weights, batch.sequences);
  loss_->apply(backend, logits, batch, {}, sums.flat({0, kLossSums}));

  // One copy, so that the host waits for the device only once.
  std::array<double, kSums> host{};
  backend.copy(sums, Tensor(host.data(), DType::float64, {kSums}));
  backend.synchronize();
  MetricSums result{.weight = host[1], .sequences = counts.sequences};
  result["loss"] = host[0];
  result["accuracy"] = host[2];
  result["accuracy_per_sequence"] = counts.correct_sequences;
  result["top5_accuracy"] = host[3];
  return result;
}

void SymbolOutput::predict(const Tensor& rows, const Batch& batch, Pass& pass, std::span<float> values,
                           std::span<std::int32_t> classes, std::span<double> losses) {
  const Tensor logits = logits_of(rows, pass);
  pass.backend.copy(logits, Tensor(values.data(), DType::float32, logits.shape()));
  pass.backend.synchronize();
  predict_classes(*loss_, pass.backend, batch.targets, values, classes, losses);
}

Tensor SymbolOutput::backward(Pass& pass) {
  LS_CHECK(is_given(logits_gradient_), "backward() without a forward() in training mode before it");
  const ParameterStore& parameters = pass.parameters;
  const Tensor gradient = gradient_memory_.get(pass, parameters.dtype(), rows_.shape());
  // d table (V, d) = dlogits^T (V, B) * rows (B, d)
  pass.backend.product(logits_gradient_, Transpose::yes, rows_, Transpose::no, parameters.gradient(table_),
                       Write::replace, {});
  if (has_own_table_ && pass.on_gradient_ready) {
    pass.on_gradient_ready(parameters.table().padded(table_, table_ + 1));
  }
  // d rows (B, d) = dlogits (B, V) * table (V, d)
  pass.backend.product(logits_gradient_, Transpose::no, parameters.product_value(table_), Transpose::no, gradient,
                       Write::replace, {});
  logits_gradient_ = {};
  return gradient;
}

// logits (B, V) = rows (B, d) * table^T (d, V)
Tensor SymbolOutput::logits_of(const Tensor& rows, Pass& pass) {
  const Tensor logits = logits_memory_.get(pass.backend, pass.parameters.dtype(), {rows.shape()[0], vocabulary_});
  rows_ = product_operand(rows, rows_copy_, pass);
  pass.backend.product(rows_, Transpose::no, pass.parameters.product_value(table_), Transpose::yes, logits,
                       Write::replace, {});
  return logits;
}

}  // namespace lockstep
