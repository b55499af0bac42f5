#pragma once

#include <memory>
#include <vector>

#include "tensor/backend.h"

namespace lockstep {

namespace cpu {
class AttentionMemory;
class Convolutions;
class MatmulProducts;
class TileProducts;
}  // namespace cpu

// The math contract on the host's cores: float32 through oneDNN and vectorised loops, float64 through plain loops for
// gradient checks. Operations run at once, on one thread. To be used by the thread that made it.
//
// The methods check shapes and types and hand raw pointers to the loops of cpu/*kernels.h; there is a file for each
// topic: cpu_backend.cc (memory, products, element-wise), cpu_layers.cc (norms, embeddings), cpu_attention.cc,
// cpu_losses.cc, cpu_images.cc (convolution, pooling), cpu_updates.cc. A test may derive from it to count operations.
class CpuBackend : public Backend {
 public:
  CpuBackend();
  ~CpuBackend() override;
  CpuBackend(const CpuBackend&) = delete;
  CpuBackend& operator=(const CpuBackend&) = delete;

  Device device() const override { return {}; }
  Allocator& allocator() override { return allocator_; }
  Allocator& host_allocator() override { return allocator_; }

  Event record() override { return {}; }
  void wait(Event /*event*/) override {}
  void synchronize() override {}
  void wait_on_host(Event /*event*/) override {}
  std::unique_ptr<CopyStream> make_copy_stream() override;

  std::string bfloat16_products() const override;
  std::int64_t first_not_finite(const Tensor& values) override;

#define LS_OPERATION(name, parameters, arguments) void name parameters override;
#include "tensor/operations.def"

 private:
  HostAllocator allocator_;
  std::unique_ptr<cpu::AttentionMemory> attention_memory_;
  std::unique_ptr<cpu::Convolutions> convolutions_;
  std::unique_ptr<cpu::MatmulProducts> matmul_products_;
  std::unique_ptr<cpu::TileProducts> tile_products_;
  std::vector<float> softmax_row_;  // a row of the loss's gradient before it is rounded; kept from call to call
};

std::unique_ptr<Backend> make_cpu_backend();

}  // namespace lockstep
