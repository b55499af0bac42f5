#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lockstep {

// A flag that people have in scripts for other programs (tensor2tensor, TensorFlow, Keras, PyTorch, nanoGPT, RETURNN),
// and its counterpart here: a flag, an hparam, or advice.
struct ForeignFlag {
  std::string_view name;       // with underscores
  std::string_view flag{};     // own flag: "train_epochs" takes the same value; "strategy=sync" states its value
  std::string_view hparam{};   // own hparam that takes the same value
  std::string_view instead{};  // a sentence that begins with "it" or "there"
};

std::span<const ForeignFlag> foreign_flags();

// The meaning here of a flag that train does not have: "it is an hparam: --hparams=batch_size=64", for the names of
// hparams and of foreign flags, and for names that are nearer to a built-in hparam than to any flag. "" if unknown.
// value: the value that it was given; nothing if there was none.
std::string meaning_here(std::string_view name, const std::optional<std::string>& value);

}  // namespace lockstep
