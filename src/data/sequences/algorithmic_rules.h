#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/sequences/algorithmic_problems.h"

namespace lockstep {

// Overwrites `targets` with what the problem's rule makes of the inputs, both as symbols from 0 on. Pure.
// REQUIRES: the inputs of a sum or a product are two numbers without leading zeros and the separator,
// problem.symbols, between them.
void apply_rule(const AlgorithmicProblem& problem, std::span<const std::int32_t> inputs,
                std::vector<std::int32_t>& targets);

}  // namespace lockstep
