#pragma once

#include <memory>

#include "tensor/backend.h"

namespace lockstep {

// The math contract on the host's cores: float32 through oneDNN and vectorised loops, float64 through plain loops for
// gradient checks. Operations run at once, on one thread. To be used by the thread that made it.
//
// The methods check shapes and types and hand raw pointers to the loops of cpu/kernels.h; they lie in a file a topic:
// cpu_backend.cc (memory, products, element-wise), cpu_losses.cc, cpu_updates.cc.
class CpuBackend final : public Backend {
 public:
  CpuBackend();

  Device device() const override { return {}; }
  Allocator& allocator() override { return allocator_; }

  Event record() override { return {}; }
  void wait(Event /*event*/) override {}
  void synchronize() override {}
  void copy(const Tensor& from, const Tensor& to) override;
  void fill(const Tensor& tensor, double value) override;

  void product(const Tensor& a, Transpose a_op, const Tensor& b, Transpose b_op, const Tensor& c, Write write,
               const Tensor& bias) override;
  void add(const Tensor& from, const Tensor& to) override;
  void scale(const Tensor& values, double factor) override;
  void activate(Activation activation, const Tensor& x, const Tensor& y) override;
  void activate_backward(Activation activation, const Tensor& x, const Tensor& y, const Tensor& dy,
                         const Tensor& dx) override;
  void dropout(double rate, const RandomStream& stream, const Tensor& sample_ids, const Tensor& x,
               const Tensor& y) override;
  void sum_rows(const Tensor& matrix, const Tensor& sums) override;
  double scale_and_sum_squares(const Tensor& values, double factor) override;
  std::int64_t first_not_finite(const Tensor& values) override;

  void softmax_cross_entropy(double label_smoothing, const Tensor& logits, const Tensor& labels, const Tensor& weights,
                             const Tensor& gradient, const Tensor& sums) override;
  void mean_squared_error(const Tensor& predictions, const Tensor& targets, const Tensor& weights,
                          const Tensor& gradient, const Tensor& sums) override;

  void sgd_update(const Tensor& values, const Tensor& gradients, double rate) override;
  void momentum_update(const Tensor& values, const Tensor& gradients, const Tensor& velocity, double rate,
                       double momentum) override;
  void adam_update(const Tensor& values, const Tensor& gradients, const Tensor& m, const Tensor& v,
                   const AdamStep& step) override;

 private:
  HostAllocator allocator_;
};

std::unique_ptr<Backend> make_cpu_backend();

}  // namespace lockstep
