#include "tensor/cuda/gpu_convolutions.h"

namespace lockstep {

struct GpuConvolutions::Parts {};

GpuConvolutions::GpuConvolutions() = default;
GpuConvolutions::~GpuConvolutions() = default;

std::string GpuConvolutions::library() const { return ""; }

std::optional<std::size_t> GpuConvolutions::workspace(const GpuConvolution& /*convolution*/) { return {}; }

bool GpuConvolutions::run(const GpuConvolution& /*convolution*/, const ConvolutionOperands& /*operands*/,
                          GpuStream /*stream*/) {
  return false;
}

}  // namespace lockstep
