#pragma once

#include "model/layer.h"

// y = x * sigmoid(beta * x), any shape, with a learned beta for each channel (the last axis), which starts at 1:
// Ramachandran, Zoph and Le 2017, "Searching for activation functions". On the CPU.
lockstep::LayerPointer make_swish();
