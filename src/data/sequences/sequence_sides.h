#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "data/problem.h"

namespace lockstep {

// The name of a problem of sequences, without the endings that each of them accepts, as in tensor2tensor
// (utils/registry.py, parse_problem_name): `_rev` exchanges inputs and targets, `_copy` then makes the inputs the
// targets as well. They may come in either order, and act in this one, as in T2T.
struct SequenceName {
  std::string_view base;  // a view of the parsed name
  bool reversed = false;
  bool copied = false;
};

// All combinations of endings, except none.
inline constexpr std::array<std::string_view, 4> kSideEndings{"_rev", "_copy", "_rev_copy", "_copy_rev"};

// Throws Error(usage) of every rank if an ending occurs twice.
SequenceName parse_sequence_name(std::string_view name);

// The problem with its sides as the name's endings say; the same problem if there are none.
// Throws Error(usage) of every rank if there are, and the samples are no pairs.
std::unique_ptr<Problem> arrange_sides(const SequenceName& name, std::unique_ptr<Problem> problem);

}  // namespace lockstep
