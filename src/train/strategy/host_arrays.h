#pragma once

#include <vector>

#include "collective/communicator.h"
#include "tensor/backend.h"

namespace lockstep {

// Copies between a checkpoint's arrays, which are on the host, and tensors of a backend. They return when the copy is
// made.
void copy_to_host(Backend& backend, const Tensor& from, std::vector<float>& into);  // into: resized to the tensor
void copy_from_host(Backend& backend, std::vector<float>& from, const Tensor& into);

// Copies an array of the chief to a tensor of every rank. chiefs: the array; null on the other ranks. COLLECTIVE.
void broadcast_array(Communicator& communicator, Backend& backend, std::vector<float>* chiefs, const Tensor& into);

}  // namespace lockstep
