#include "model/transformer/sequence_input.h"

namespace lockstep {
namespace {

constexpr std::int64_t kTargetSpaces = 32;  // tensor2tensor's (models/transformer.py), for equal parameter counts
constexpr std::int64_t kPadding = 0;        // the symbol for no symbol

}  // namespace

SequenceInput::SequenceInput(const TransformerOptions& options, const std::string& name, std::int64_t vocabulary,
                             TargetSpace target_space)
    : name_(name),
      vocabulary_(vocabulary),
      width_(options.hidden_size),
      form_{.factor = options.embedding_factor, .zero_id = kPadding},
      symbol_values_(symbol_values(options)),
      space_values_(table_values(options, kTargetSpaces)),
      positions_(options, name + "/positions"),
      draws_{.rate = options.layer_dropout},
      has_target_space_(target_space == TargetSpace::yes) {}

void SequenceInput::declare(Declaration& declaration, std::optional<int> shared) {
  has_own_table_ = !shared.has_value();
  table_ =
      shared ? *shared : declaration.variable(name_ + "/symbols/table", {vocabulary_, width_}, symbol_values_, true);
  if (has_target_space_) {
    target_space_ = declaration.variable(name_ + "/target_space/table", {kTargetSpaces, width_}, space_values_, true);
  }
  positions_.declare(declaration);
  draws_.layer = declaration.next_layer();
}

Tensor SequenceInput::forward(const Tensor& symbols, std::span<const std::int32_t> positions, Pass& pass) {
  Backend& backend = pass.backend;
  const std::int64_t count = symbols.count();
  symbols_ = symbols;
  const Tensor rows = rows_memory_.get(backend, pass.parameters.dtype(), {count, width_});
  backend.embed(form_, pass.parameters.value(table_), symbols, rows, Write::replace);
  if (has_target_space_) {
    const Tensor number_0 = zeros_memory_.get(backend, DType::int32, {count});  // zeros, as it is never written
    backend.embed({}, pass.parameters.value(target_space_), number_0, rows, Write::add);
  }
  positions_.add_to(rows, positions, pass);
  if (draws_.drops(pass)) backend.dropout(draws_.rate, draws_.stream(pass), pass.row_ids, rows, rows);
  return rows;
}

void SequenceInput::backward(const Tensor& gradient, Pass& pass) {
  Backend& backend = pass.backend;
  if (draws_.drops(pass)) backend.dropout(draws_.rate, draws_.stream(pass), pass.row_ids, gradient, gradient);
  positions_.backward(gradient, pass);
  if (has_target_space_) target_space_backward(gradient, pass);
  backend.embed_backward(form_, symbols_, gradient, pass.parameters.gradient(table_),
                         has_own_table_ ? Write::replace : Write::add);
  if (has_own_table_ && pass.on_gradient_ready) {
    pass.on_gradient_ready(pass.parameters.table().padded(table_, table_ + 1));
  }
}

void SequenceInput::target_space_backward(const Tensor& gradient, Pass& pass) const {
  const Tensor of_all = pass.parameters.gradient(target_space_);
  pass.backend.fill(of_all, 0);
  pass.backend.sum_rows(gradient, of_all.rows(0, 1).reshaped({width_}));
  if (pass.on_gradient_ready) pass.on_gradient_ready(pass.parameters.table().padded(target_space_, target_space_ + 1));
}

}  // namespace lockstep
