#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>

#include "tensor/backend.h"
#include "tensor/cuda/cuda_allocator.h"
#include "tensor/cuda/gpu_products.h"
#include "tensor/cuda/gpu_runtime.h"
#include "tensor/cuda/uploaded_lists.h"

namespace lockstep {

// One GPU: its memory, and one stream that takes the operations in the order of the calls. An operation is checked and
// submitted by a method of the file that has its kernel (*.cu).
//
// One thread at a time, any thread: every call selects the device, which CUDA remembers per thread. The destructor is
// local: it waits for this GPU only.
class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(int index);  // REQUIRES: the GPU is visible
  ~CudaBackend() override;
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;

  Device device() const override { return allocator_.device(); }
  Allocator& allocator() override { return allocator_; }

  // The handle is for other streams to wait on. There are kEvents of them, used in turn: an event that is kept while
  // kEvents more are recorded stands for a later moment then, which is never too early.
  Event record() override;
  void wait(Event event) override;
  void synchronize() override;

  // Host memory that is not pinned is copied through CUDA's own pinned buffers, a little slower.
  void copy(const Tensor& from, const Tensor& to) override;
  void fill(const Tensor& tensor, double value) override;

  // Products (products.cc).
  std::string bfloat16_products() const override;
  void product(const Tensor& a, Transpose a_op, const Tensor& b, Transpose b_op, const Tensor& c, Write write,
               const Tensor& bias) override;

  // Element-wise (elementwise.cu, activations.cu, dropout.cu).

  // Images (convolution.cu, pooling.cu).
  void convolve(const Window& window, const Tensor& x, const Tensor& kernel, const Tensor& bias,
                const Tensor& y) override;
  void convolve_backward_input(const Window& window, const Tensor& dy, const Tensor& kernel, const Tensor& dx) override;
  void convolve_backward_kernel(const Window& window, const Tensor& x, const Tensor& dy, const Tensor& dkernel,
                                const Tensor& dbias) override;
  void pool(Pooling pooling, const Window& window, const Tensor& x, const Tensor& y) override;
  void pool_backward(Pooling pooling, const Window& window, const Tensor& x, const Tensor& y, const Tensor& dy,
                     const Tensor& dx) override;

  // Norms (norms.cc) and embeddings (embedding.cu).
  void normalize(double epsilon, const Tensor& x, const Tensor& scale, const Tensor& shift, const Tensor& y,
                 const Tensor& mean, const Tensor& inverse_stddev) override;
  void normalize_backward(const Tensor& x, const Tensor& scale, const Tensor& mean, const Tensor& inverse_stddev,
                          const Tensor& dy, const Tensor& dx, const Tensor& dscale, const Tensor& dshift) override;

  // Attention (attention_forward.cu, attention_backward.cu).
  void attend(const AttentionShape& shape, const AttentionDropout& dropout,
              std::span<const AttentionSequence> sequences, const AttentionOperands& inputs, const Tensor& out,
              const Tensor& log_sums) override;
  void attend_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                       std::span<const AttentionSequence> sequences, const AttentionOperands& inputs, const Tensor& out,
                       const Tensor& log_sums, const Tensor& dout, const AttentionOperands& gradients) override;

  // Reductions (reductions.cu), losses (softmax_loss.cu, sigmoid_loss.cu, losses.cu), metrics (metrics.cu). Where the
  // CPU refuses targets of sigmoid_cross_entropy that are not in [0, 1], the sum of losses is NaN: numbers are not
  // known when an operation is submitted.
  void sum_rows(const Tensor& matrix, const Tensor& sums) override;
  void sum_squares(const Tensor& values, const Tensor& sums) override;
  std::int64_t first_not_finite(const Tensor& values) override;  // the host waits
  void softmax_cross_entropy(double label_smoothing, const Tensor& logits, const Tensor& labels, const Tensor& weights,
                             const Tensor& gradient, const Tensor& sums) override;
  void sigmoid_cross_entropy(double label_smoothing, const Tensor& logits, const Tensor& targets, const Tensor& weights,
                             const Tensor& gradient, const Tensor& sums) override;
  void mean_squared_error(const Tensor& predictions, const Tensor& targets, const Tensor& weights,
                          const Tensor& gradient, const Tensor& sums) override;
  void count_in_top(std::int64_t k, const Tensor& logits, const Tensor& labels, const Tensor& weights,
                    const Tensor& sum) override;
  void regression_errors(const Tensor& predictions, const Tensor& targets, const Tensor& weights,
                         const Tensor& sums) override;

  // Updates (updates.cu, layerwise_updates.cu, adafactor.cu).

 private:
  static constexpr std::size_t kEvents = 256;

  // At the start of every operation: selects the device; all tensors that are not empty are to lie on it.
  void begin(std::initializer_list<Tensor> tensors) const;

  // Memory of an operation's own, which the operations of the stream use one after the other; grows as needed, never in
  // a step after the first ones of a shape. Contents are undefined.
  void* scratch(std::size_t bytes);

  CudaAllocator allocator_;
  GpuStream stream_;
  std::array<Event, kEvents> events_{};  // made when first used
  std::size_t next_event_ = 0;
  Buffer scratch_;
  UploadedLists lists_{allocator_};
  GpuProducts products_;
};

// A CudaBackend if the GPU is visible, else an Error(configuration): how many are, and what to do.
std::unique_ptr<Backend> open_cuda_backend(int index);

}  // namespace lockstep
