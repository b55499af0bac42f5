#pragma once

#include <cstdint>
#include <string>

#include "checkpoint/state.h"

// Training states for tests of checkpoints.
namespace lockstep {

// A model with variables of all kinds of shapes: a scalar, an empty one, and one that takes several chunks.
ParameterTable odd_table();
// Two variables, for small files.
ParameterTable small_table();

CheckpointHeader some_header();

// Returns arrays whose elements all differ, with padding of zero.
StateArrays some_arrays(const StateLayout& layout);

bool equal(const CheckpointHeader& one, const CheckpointHeader& other);
bool equal(const StateArrays& one, const StateArrays& other);

// Writes these bytes as the file's content.
void put_file(const std::string& path, const std::string& bytes);
// Appends a seal to the file.
void seal_file(const std::string& path);
// Writes a complete checkpoint file.
void put_checkpoint(const std::string& path, const CheckpointHeader& header, const StateLayout& layout,
                    const StateArrays& arrays);

}  // namespace lockstep
