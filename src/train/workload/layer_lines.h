#pragma once

#include <string>
#include <vector>

#include "tensor/parameter_table.h"

namespace lockstep {

// The layers of a model, a line each: name, shapes of the variables, parameters. Layers that differ in the numbers of
// their names alone share a line: "decoder/layer_*/ffn x 12". At most a dozen lines: for a larger model each line
// stands for more layers, and the last one counts the rest. Pure.
std::vector<std::string> layer_lines(const ParameterTable& table);

}  // namespace lockstep
