#include "tensor/hidden_gpus.h"

namespace lockstep {

bool hides_gpus(const Environment& environment) { return environment("CUDA_VISIBLE_DEVICES") == ""; }

}  // namespace lockstep
