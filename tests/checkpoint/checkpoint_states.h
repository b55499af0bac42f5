#pragma once

#include <cstdint>
#include <string>

#include "checkpoint/state.h"

// Training states for tests of checkpoints.
namespace lockstep {

// A model whose variables have all kinds of shapes: a scalar, none, and one that takes several chunks.
ParameterTable odd_table();
// Two variables, for files that are small.
ParameterTable small_table();

CheckpointHeader some_header();

// All elements differ, padding is zero.
StateArrays some_arrays(const StateLayout& layout);

bool equal(const CheckpointHeader& one, const CheckpointHeader& other);
bool equal(const StateArrays& one, const StateArrays& other);

// Writes a file as it is.
void put_file(const std::string& path, const std::string& bytes);
// Appends a seal to what a file holds.
void seal_file(const std::string& path);
// An image's file.
void put_checkpoint(const std::string& path, const CheckpointHeader& header, const StateLayout& layout,
                    const StateArrays& arrays);

}  // namespace lockstep
