#pragma once

#include <cstdint>
#include <memory>

#include "base/random.h"
#include "tensor/allocator.h"
#include "tensor/event.h"
#include "tensor/tensor.h"

namespace lockstep {

enum class Transpose { no, yes };
enum class Activation { relu, tanh, gelu };
enum class Write { replace, add };  // what a product does with what the result held before

// What a loss gives for a batch: sums, never means, so that ranks can add them up. Lies on the device as
// float64 (3): the sum of weight * loss, the sum of weights, the sum of weights of correct predictions.
inline constexpr std::int64_t kLossSums = 3;

// The math contract: every operation of a training step, on memory of one device, in the order of the calls.
//
// The CPU runs an operation before it returns. A GPU submits it to the backend's stream: the caller may reuse host
// memory only after synchronize(), and orders other streams by record() and wait(). Tensors are dense and row-major,
// of this backend's device; results are written into memory the caller gives, no operation allocates what it
// returns. float32 everywhere; the CPU also takes float64 (gradient checks). The CPU in float32 is the oracle for
// all others. An operation that a backend lacks is an Error that names both, never a detour over another device.
//
// One Backend per rank, used by one thread at a time; whoever makes it (make_backend) owns it.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual Device device() const = 0;
  virtual Allocator& allocator() = 0;

  // Streams and events.
  virtual Event record() = 0;
  virtual void wait(Event event) = 0;  // later operations start after event
  virtual void synchronize() = 0;      // the host waits for all operations

  // Copies between this device and the host, or within either. REQUIRES: same dtype, same count.
  virtual void copy(const Tensor& from, const Tensor& to) = 0;
  virtual void fill(const Tensor& tensor, double value) = 0;

  // c (M, N) = op(a) (M, K) * op(b) (K, N), plus the row `bias` (N) unless it is empty, plus c with Write::add.
  virtual void product(const Tensor& a, Transpose a_op, const Tensor& b, Transpose b_op, const Tensor& c, Write write,
                       const Tensor& bias);

  // Element-wise, all of one shape.
  virtual void add(const Tensor& from, const Tensor& to);  // to += from
  virtual void scale(const Tensor& values, double factor);
  virtual void activate(Activation activation, const Tensor& x, const Tensor& y);
  // dx = dy * f'(x), from x and y = f(x); dx may be dy.
  virtual void activate_backward(Activation activation, const Tensor& x, const Tensor& y, const Tensor& dy,
                                 const Tensor& dx);
  // y (B, ...) = x / (1 - rate) where a draw from (stream, sample_ids[b], element) is not below rate, else 0.
  // The same call on dy is the backward pass. y may be x.
  virtual void dropout(double rate, const RandomStream& stream, const Tensor& sample_ids, const Tensor& x,
                       const Tensor& y);

  // Reductions.
  virtual void sum_rows(const Tensor& matrix, const Tensor& sums);  // sums (N) = sum over the rows of (M, N)
  // Multiplies values by factor and returns the sum of the squares of the result, in double precision and in a fixed
  // order. Infinite or NaN exactly if one of the results is.
  virtual double scale_and_sum_squares(const Tensor& values, double factor);
  // The first flat index that is infinite or NaN, or -1. For the message; not for the step.
  virtual std::int64_t first_not_finite(const Tensor& values);

  // Losses. Gradients are of the sum (not the mean) of weight * loss; `gradient` may be empty (evaluation).
  // sums is float64 (kLossSums).
  // Soft-max cross-entropy of logits (B, C) and labels (B) int32; correct: the first largest logit is the label's.
  virtual void softmax_cross_entropy(const Tensor& logits, const Tensor& labels, const Tensor& weights,
                                     const Tensor& gradient, const Tensor& sums);
  // Mean over K of (prediction - target)^2, predictions and targets (B, K); nothing is ever correct.
  virtual void mean_squared_error(const Tensor& predictions, const Tensor& targets, const Tensor& weights,
                                  const Tensor& gradient, const Tensor& sums);

  // Optimizer updates over flat spans of equal length.
  // values -= rate * gradients
  virtual void sgd_update(const Tensor& values, const Tensor& gradients, double rate);
  // velocity = momentum * velocity + gradients; values -= rate * velocity
  virtual void momentum_update(const Tensor& values, const Tensor& gradients, const Tensor& velocity, double rate,
                               double momentum);
  // Adam, Kingma and Ba 2015, algorithm 1 with the efficient order of section 2: m and v are the biased moments,
  // values -= rate * sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + epsilon). t counts from 1.
  struct AdamStep {
    double rate;
    double beta1;
    double beta2;
    double epsilon;
    std::int64_t t;
  };
  virtual void adam_update(const Tensor& values, const Tensor& gradients, const Tensor& m, const Tensor& v,
                           const AdamStep& step);

 protected:
  // For the operations a backend does not have.
  [[noreturn]] void lacks(const char* operation) const;
};

// The backend of a device. The one place that knows which backends this build has; loads liblockstep_cuda only when a
// GPU is asked for. Throws Error(configuration): no such device, or a build without it (naming the option to set).
std::unique_ptr<Backend> make_backend(Device device);

// "cuda 13.0" or "no cuda": what make_backend can give in this build, for --version.
std::string backend_features();

}  // namespace lockstep
