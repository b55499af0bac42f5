#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "tensor/backend.h"
#include "tensor/cuda/gpu_runtime.h"
#include "tensor/cuda/sliding_window.h"

namespace lockstep {

enum class ConvolutionPass { forward, backward_input, backward_kernel };

// A pass of a convolution of float32: images (B, H, W, C), filters (F, KH, KW, C), outputs (B, OH, OW, F), all dense.
// REQUIRES: window.pads_evenly(), tensors of fewer than 2^31 elements, none of them empty.
struct GpuConvolution {
  ConvolutionPass pass = ConvolutionPass::forward;
  SlidingWindow window{};
  int filters = 0;
  Float32Products products = Float32Products::exact;
};

// Operands on the GPU. The pass writes one of the first three, which is a gradient except for `forward`, from the
// others.
struct ConvolutionOperands {
  float* images = nullptr;
  float* filters = nullptr;
  float* outputs = nullptr;
  void* workspace = nullptr;
};

// Convolutions by a library that a host may have or not, of one GPU, submitted to a stream: the same call gives the
// same bits. Implemented by cuDNN, which is looked for when first asked (cudnn_convolutions.cc), in builds without it
// by nothing (no_convolutions.cc), and for tests without a GPU by the processor
// (tests/support/gpu/fake_convolutions.cc). Belongs to a backend, and is used by its thread; its device is selected.
class GpuConvolutions {
 public:
  GpuConvolutions();
  ~GpuConvolutions();
  GpuConvolutions(const GpuConvolutions&) = delete;
  GpuConvolutions& operator=(const GpuConvolutions&) = delete;

  // "cuDNN 9.19.0", or "" if there is none.
  std::string library() const;

  // Bytes of workspace that a convolution takes; nothing if there is no library, or it cannot compute the convolution
  // with the same bits each time.
  std::optional<std::size_t> workspace(const GpuConvolution& convolution);
  // Returns false, with nothing done, if the library turns out not to compute it; then it is not asked again. REQUIRES:
  // workspace() is given.
  bool run(const GpuConvolution& convolution, const ConvolutionOperands& operands, GpuStream stream);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace lockstep
