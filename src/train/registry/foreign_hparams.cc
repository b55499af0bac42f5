#include "train/registry/foreign_hparams.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/hparams_clause.h"
#include "base/printable.h"

namespace lockstep {
namespace {

constexpr ForeignHParam kForeignHParams[] = {
    {"n_layer", "num_hidden_layers"},
    {"n_layers", "num_hidden_layers"},
    {"num_layers", "num_hidden_layers"},
    {"n_head", "num_heads"},
    {"n_heads", "num_heads"},
    {"nhead", "num_heads"},
    {"num_attention_heads", "num_heads"},
    {"n_embd", "hidden_size"},
    {"d_model", "hidden_size"},
    {"dim_feedforward", "filter_size"},
    {"d_ff", "filter_size"},
    {"intermediate_size", "filter_size"},
    {"block_size", "max_length"},
    {"seq_len", "max_length"},
};

}  // namespace

std::span<const ForeignHParam> foreign_hparams() { return kForeignHParams; }

void check_foreign_names(std::string_view overrides, const HParams& hparams) {
  while (!overrides.empty()) {
    const auto clause = first_hparams_clause(overrides);
    if (!clause) return;  // HParams::parse() will report the mistake
    const auto* const foreign = std::ranges::find(kForeignHParams, clause->name, &ForeignHParam::name);
    if (foreign != std::end(kForeignHParams) && !hparams.has(clause->name) && hparams.has(foreign->here)) {
      throw Error(ExitCode::usage,
                  fmt::format("--hparams: {0} is {1} here: --hparams={1}={2}", foreign->name, foreign->here,
                              escaped(clause->value)),
                  Scope::every_rank);
    }
    overrides.remove_prefix(clause->characters);
  }
}

}  // namespace lockstep
