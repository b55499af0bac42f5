#include "model/transformer/transformer_model.h"

#include <functional>

#include "model/gradient_order.h"
#include "model/transformer/pass_bytes.h"
#include "model/transformer/stack.h"

namespace lockstep {
namespace {

// A pass over rows of its own, without on_gradient_ready.
Pass pass_over(const Pass& pass, const Tensor& row_ids, std::span<const SequenceRows> sequences) {
  return {.backend = pass.backend,
          .parameters = pass.parameters,
          .mode = pass.mode,
          .seed = pass.seed,
          .step = pass.step,
          .row_ids = row_ids,
          .sequences = sequences};
}

}  // namespace

TransformerModel::TransformerModel(const TransformerOptions& options, const ProblemShape& shape)
    : options_(options),
      vocabulary_(shape.vocabulary),
      longest_(options.positions == TransformerOptions::Positions::learned ? options.max_length : 0),
      input_(options, "decoder", shape.vocabulary, SequenceInput::TargetSpace::no),
      output_(options, shape.vocabulary) {
  if (shape.sample == ProblemShape::Sample::pair) {
    encoder_ = std::make_unique<Encoder>(
        Encoder{.input = SequenceInput(options, "encoder", shape.vocabulary, SequenceInput::TargetSpace::yes),
                .stack = make_encoder_stack(options, recomputation_)});
  }
  decoder_ = make_decoder_stack(options, encoder_ == nullptr ? nullptr : &encoder_->rows, recomputation_);
  declare(options, shape);
}

// Declares in the order of the computation, so that gradients are ready from the end of the store to its start.
void TransformerModel::declare(const TransformerOptions& options, const ProblemShape& shape) {
  Declaration declaration(table_, initializers_);
  const Shape rows{options.hidden_size};
  if (options.shared_table) {
    shared_ =
        declaration.variable("symbols/table", {shape.vocabulary, options.hidden_size}, symbol_values(options), true);
  }
  if (encoder_ != nullptr) {
    encoder_->input.declare(declaration, shared_);
    encoder_->stack->declare(rows, declaration);
  }
  input_.declare(declaration, shared_);
  decoder_->declare(rows, declaration);
  output_.declare(declaration, shared_);
}

std::optional<PassBytes> TransformerModel::pass_bytes(std::int64_t rows, DType products) const {
  return transformer_pass_bytes(options_, {.vocabulary = vocabulary_,
                                           .rows = rows,
                                           .source_rows = encoder_ == nullptr ? 0 : rows,
                                           .recomputed = recomputation_.on,
                                           .products = products});
}

MetricSums TransformerModel::forward(const Batch& batch, Pass& pass) {
  const Tensor rows = decode(batch, pass);
  Pass decoding = decoder_pass(pass);
  return output_.forward(rows, batch_, decoding);
}

Tensor TransformerModel::start_forward(const Batch& batch, Pass& pass) {
  const Tensor rows = decode(batch, pass);
  Pass decoding = decoder_pass(pass);
  return output_.start_forward(rows, batch_, decoding);
}

void TransformerModel::predict(const Batch& batch, Pass& pass, std::span<float> values, std::span<std::int32_t> classes,
                               std::span<double> losses) {
  const Tensor rows = decode(batch, pass);
  Pass decoding = decoder_pass(pass);
  output_.predict(rows, batch_, decoding, values, classes, losses);
}

void TransformerModel::backward(Pass& pass) {
  GradientOrder order(table_);
  const auto report = [&](FlatRange range) {
    order.ready(range);
    if (pass.on_gradient_ready) pass.on_gradient_ready(range);
  };
  const WorkingMemory::Frame frame(&recomputation_.memory);
  Pass decoding = decoder_pass(pass);
  decoding.on_gradient_ready = std::ref(report);  // a reference allocates nothing
  decoding.memory = &recomputation_.memory;       // gradients of a layer are needed until the next one has its own
  const Tensor of_rows = output_.backward(decoding);
  input_.backward(decoder_->backward(of_rows, InputGradient::needed, decoding), decoding);
  if (encoder_ != nullptr) {
    Pass encoding = encoder_pass(pass);
    encoding.on_gradient_ready = std::ref(report);
    encoding.memory = &recomputation_.memory;
    const Tensor gradient = encoder_->stack->backward(encoder_->rows.gradient, InputGradient::needed, encoding);
    encoder_->input.backward(gradient, encoding);
  }
  if (shared_) report(table_.padded(*shared_, *shared_ + 1));
  order.finish();
}

void TransformerModel::encode(const Batch& batch, const Pass& pass) {
  LS_CHECK(is_given(batch.source), "a batch without sources for an encoder");
  encoder_->sequences.clear();
  for (const SequenceRows& sequence : batch.sequences) {
    encoder_->sequences.push_back({.begin = sequence.source_begin, .end = sequence.source_end});
  }
  Pass encoding = encoder_pass(pass);
  encoder_->rows.rows =
      encoder_->stack->forward(encoder_->input.forward(batch.source, batch.source_positions, encoding), encoding);
  encoder_->rows.gradient = {};
}

Tensor TransformerModel::decode(const Batch& batch, const Pass& pass) {
  batch_ = batch;
  if (encoder_ != nullptr) encode(batch, pass);
  Pass decoding = decoder_pass(pass);
  return decoder_->forward(input_.forward(batch.inputs, {}, decoding), decoding);
}

Pass TransformerModel::encoder_pass(const Pass& pass) const {
  return pass_over(pass, batch_.source_ids, encoder_->sequences);
}

Pass TransformerModel::decoder_pass(const Pass& pass) const {
  return pass_over(pass, batch_.row_ids, batch_.sequences);
}

}  // namespace lockstep
