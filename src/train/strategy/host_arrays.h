#pragma once

#include <vector>

#include "collective/communicator.h"
#include "tensor/backend.h"

namespace lockstep {

// A checkpoint's arrays, which lie on the host, and tensors of a backend. They return when the copy is made.
void copy_to_host(Backend& backend, const Tensor& from, std::vector<float>& into);  // into: as long as the tensor then
void copy_from_host(Backend& backend, std::vector<float>& from, const Tensor& into);

// An array of the chief's to a tensor of every rank; chiefs: the chief's, null on the others. COLLECTIVE.
void broadcast_array(Communicator& communicator, Backend& backend, std::vector<float>* chiefs, const Tensor& into);

}  // namespace lockstep
