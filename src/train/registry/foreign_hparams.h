#pragma once

#include <span>
#include <string_view>

#include "base/hparams.h"

namespace lockstep {

// A hyperparameter that nanoGPT, Hugging Face's models or PyTorch's layers have under another name.
struct ForeignHParam {
  std::string_view name;
  std::string_view here;
};

std::span<const ForeignHParam> foreign_hparams();

// Throws Error(usage) of every rank if an override uses such a name, and hparams have only our name for it.
void check_foreign_names(std::string_view overrides, const HParams& hparams);

}  // namespace lockstep
