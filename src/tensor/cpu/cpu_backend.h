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
// cpu_losses.cc, cpu_images.cc (convolution, pooling), cpu_updates.cc. A test may derive from it to count them.
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
  void copy(const Tensor& from, const Tensor& to) override;
  void fill(const Tensor& tensor, double value) override;
  std::unique_ptr<CopyStream> make_copy_stream() override;

  void convert(const Tensor& from, const Tensor& to) override;

  std::string bfloat16_products() const override;
  void product(const Tensor& a, Transpose a_op, const Tensor& b, Transpose b_op, const Tensor& c, Write write,
               const Tensor& bias) override;
  void add(const Tensor& from, const Tensor& to) override;
  void add(const Tensor& a, const Tensor& b, const Tensor& sum) override;
  void scale(const Tensor& values, double factor) override;
  void activate(Activation activation, const Tensor& x, const Tensor& y) override;
  void activate_backward(Activation activation, const Tensor& x, const Tensor& y, const Tensor& dy,
                         const Tensor& dx) override;
  void dropout(double rate, const RandomStream& stream, const Tensor& sample_ids, const Tensor& x,
               const Tensor& y) override;
  void sum_rows(const Tensor& matrix, const Tensor& sums) override;
  void sum_squares(const Tensor& values, const Tensor& sums) override;
  void clip_factor(const Tensor& sums, const Tensor& order, double scale, double most, const Tensor& result) override;
  std::int64_t first_not_finite(const Tensor& values) override;

  void copy_columns(const Tensor& from, std::int64_t from_column, const Tensor& to, std::int64_t to_column,
                    std::int64_t columns) override;
  void convolve(const Window& window, const Tensor& x, const Tensor& kernel, const Tensor& bias,
                const Tensor& y) override;
  void convolve_backward_input(const Window& window, const Tensor& dy, const Tensor& kernel, const Tensor& dx) override;
  void convolve_backward_kernel(const Window& window, const Tensor& x, const Tensor& dy, const Tensor& dkernel,
                                const Tensor& dbias) override;
  void pool(Pooling pooling, const Window& window, const Tensor& x, const Tensor& y) override;
  void pool_backward(Pooling pooling, const Window& window, const Tensor& x, const Tensor& y, const Tensor& dy,
                     const Tensor& dx) override;

  void normalize(double epsilon, const Tensor& x, const Tensor& scale, const Tensor& shift, const Tensor& y,
                 const Tensor& mean, const Tensor& inverse_stddev) override;
  void normalize_backward(const Tensor& x, const Tensor& scale, const Tensor& mean, const Tensor& inverse_stddev,
                          const Tensor& dy, const Tensor& dx, const Tensor& dscale, const Tensor& dshift) override;
  void standardize(const Tensor& x, const Tensor& mean, const Tensor& stddev, const Tensor& y) override;
  void embed(const EmbeddingForm& form, const Tensor& table, const Tensor& ids, const Tensor& y, Write write) override;
  void embed_backward(const EmbeddingForm& form, const Tensor& ids, const Tensor& dy, const Tensor& dtable,
                      Write write) override;
  void attend(const AttentionShape& shape, const AttentionDropout& dropout,
              std::span<const AttentionSequence> sequences, const AttentionOperands& inputs, const Tensor& out,
              const Tensor& log_sums) override;
  void attend_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                       std::span<const AttentionSequence> sequences, const AttentionOperands& inputs, const Tensor& out,
                       const Tensor& log_sums, const Tensor& dout, const AttentionOperands& gradients) override;
  void blend(const Tensor& from, const Tensor& to, double weight) override;

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

  void sgd_update(const Tensor& values, const Tensor& gradients, const SgdStep& given) override;
  void momentum_update(const Tensor& values, const Tensor& gradients, const Tensor& velocity,
                       const MomentumStep& given) override;
  void adam_update(const Tensor& values, const Tensor& gradients, const Tensor& m, const Tensor& v,
                   const AdamStep& given) override;
  void rmsprop_update(const Tensor& values, const Tensor& gradients, const Tensor& mean_square,
                      const RmspropStep& given) override;
  void adagrad_update(const Tensor& values, const Tensor& gradients, const Tensor& sum,
                      const AdagradStep& given) override;
  void lamb_update(const Tensor& values, const Tensor& gradients, const Tensor& m, const Tensor& v,
                   const LambStep& given) override;
  void lars_update(const Tensor& values, const Tensor& gradients, const Tensor& velocity,
                   const LarsStep& given) override;
  void adafactor_update(const Tensor& values, const Tensor& gradients, const Tensor& v,
                        const AdafactorStep& given) override;

 private:
  HostAllocator allocator_;
  std::unique_ptr<cpu::AttentionMemory> attention_memory_;
  std::unique_ptr<cpu::Convolutions> convolutions_;
  std::unique_ptr<cpu::MatmulProducts> matmul_products_;
  std::unique_ptr<cpu::TileProducts> tile_products_;
  std::vector<float> softmax_row_;  // of the loss's gradient, before it is rounded; kept from call to call
};

std::unique_ptr<Backend> make_cpu_backend();

}  // namespace lockstep
