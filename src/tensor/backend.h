#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/random.h"
#include "tensor/allocator.h"
#include "tensor/attention.h"
#include "tensor/copy_stream.h"
#include "tensor/event.h"
#include "tensor/operation_graph.h"
#include "tensor/tensor.h"
#include "tensor/update_steps.h"

namespace lockstep {

enum class Transpose { no, yes };
enum class Activation { relu, tanh, gelu, gelu_tanh, sigmoid };  // gelu: by erf
enum class Write { replace, add };                               // add: to the result's old value
enum class Float32Products { exact, tf32 };                      // tf32: factors are rounded to 10 bits of fraction
enum class Pooling { max, average };

// A window that slides over images (B, H, W, C), for convolution and pooling. `top` and `left` are rows and columns of
// padding before the image; after it there is as much as the output's extents require.
struct Window {
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t stride_y = 1;
  std::int64_t stride_x = 1;
  std::int64_t top = 0;
  std::int64_t left = 0;

  bool operator==(const Window&) const = default;
};

// Options for reading an embedding's table.
struct EmbeddingForm {
  double factor = 1;          // factor of the table's rows
  std::int64_t zero_id = -1;  // an id that stands for zeros, whatever the table has there; -1: none
};

// The results of a loss for a batch: sums, never means, so that ranks can add them up. They lie on the device as
// float64 (3): the sum of weight * loss, the sum of weights, the sum of weights of correct predictions.
inline constexpr std::int64_t kLossSums = 3;

// Number of values whose squares are summed together. Sums of chunks that begin at the same places have the same bits,
// whichever rank has the chunks: small enough that the parts of several owners, which end where chunks do, are of equal
// length, large enough that the sums are few (eight bytes for each 16 KB of values).
inline constexpr std::int64_t kSquaresChunk = 4096;

// The math contract: every operation of a training step, on memory of one device, in the order of the calls.
//
// The CPU runs an operation before it returns. A GPU submits it to the backend's stream: the caller may reuse host
// memory only after synchronize(), and orders other streams by record() and wait(). Tensors are dense and row-major,
// of this backend's device; results are written into memory the caller gives, no operation allocates what it
// returns. float32 everywhere but in products, which also take bfloat16, and in results said to be either; the CPU also
// takes float64 (gradient checks). The CPU in float32 is the oracle for all others. An operation that a backend lacks
// is an Error that names both, never a detour over another device.
//
// One Backend per rank, used by one thread at a time and owned by its maker (make_backend).
class Backend {
 public:
  virtual ~Backend() = default;
  virtual Device device() const = 0;
  // A description for people: "cuda:0 (NVIDIA H100 80GB HBM3)".
  virtual std::string description() const { return device().text(); }
  virtual Allocator& allocator() = 0;
  // Host memory that is copied to and from this device without a detour, while the host goes on.
  virtual Allocator& host_allocator() = 0;

  // Streams and events.
  virtual Event record() = 0;
  virtual void wait(Event event) = 0;  // later operations start after event
  virtual void synchronize() = 0;      // the host waits for all operations
  virtual void wait_on_host(Event event);

  // Copies between this device and the host, or within either. REQUIRES: same dtype, same count.
  virtual void copy(const Tensor& from, const Tensor& to) = 0;
  virtual void fill(const Tensor& tensor, double value) = 0;

  // A stream of copies that neither waits for the operations nor holds them up. Any thread may use it.
  virtual std::unique_ptr<CopyStream> make_copy_stream();

  // A recorder of operations as one piece of work; null: this device takes them one by one only.
  virtual std::unique_ptr<OperationGraph> make_graph() { return nullptr; }
  // Drops the operations since a graph was begun, which then never run; returns whether one was begun. For the failing
  // path, before the host waits for the device.
  virtual bool drop_graph() noexcept { return false; }
  // Calls `call` when the graph that was begun is launched or dropped; at once if none was begun. In it, record() gives
  // an event that passes when the graph has run.
  virtual void after_graph(std::function<void()> call);

  // to = from, of as many elements: float32 to bfloat16 or float16, rounded to nearest, ties to even, or from one of
  // these to float32.
  virtual void convert(const Tensor& from, const Tensor& to);

  // The reason not to ask for products of bfloat16: they would fail on this processor, or be slower than float32's. ""
  // if they are fast.
  virtual std::string bfloat16_products() const;

  // Sets how products and convolutions of float32 are computed from now on; at first exactly. With TF32 sums are taken
  // in float32. REQUIRES: tf32_products() is empty, for TF32.
  virtual void set_float32_products(Float32Products products);
  // The reason not to ask for products by TF32. "" if they are fast.
  virtual std::string tf32_products() const;

  // c (M, N) = op(a) (M, K) * op(b) (K, N), plus the row `bias` (N) unless it is empty, plus c with Write::add. a and b
  // may both be bfloat16 if bfloat16_products() is empty: c and bias are float32, and sums are taken in float32.
  virtual void product(const Tensor& a, Transpose a_op, const Tensor& b, Transpose b_op, const Tensor& c, Write write,
                       const Tensor& bias);

  // y (M, N) = f(x), x (M, N) = a (M, K) * b (K, N), plus the row `bias` (N) unless it is empty: in one pass if the
  // device can, else product() and activate(). x is written for activate_backward(), in the type that
  // activation_input_type() gives; ReLU's, whose slope can be seen in y, may be y. REQUIRES: K > 0.
  virtual void product_with_activation(Activation activation, const Tensor& a, const Tensor& b, const Tensor& bias,
                                       const Tensor& x, const Tensor& y);
  // The type of x: y's own, but for y in bfloat16: float32, or bfloat16 if one pass writes both.
  virtual DType activation_input_type(Activation activation, DType y) const;

  // Element-wise, all of one shape.
  virtual void add(const Tensor& from, const Tensor& to);                 // to += from
  virtual void add(const Tensor& a, const Tensor& b, const Tensor& sum);  // sum = a + b; may be either
  virtual void scale(const Tensor& values, double factor);
  virtual void activate(Activation activation, const Tensor& x, const Tensor& y);  // of float32, y may be bfloat16
  // dx = dy * f'(x), from x and y = f(x); dx may be dy. For float32, dx may be bfloat16, and so may y, except for tanh
  // and sigmoid, whose slopes are computed from it. x may have the type of activation_input_type().
  virtual void activate_backward(Activation activation, const Tensor& x, const Tensor& y, const Tensor& dy,
                                 const Tensor& dx);
  // y (B, ...) = x / (1 - rate) if a draw from (stream, sample_ids[b], element) is not below rate, else 0.
  // The same call on dy is the backward pass. y may be x.
  virtual void dropout(double rate, const RandomStream& stream, const Tensor& sample_ids, const Tensor& x,
                       const Tensor& y);

  // to (M, ...) columns [to_column, to_column + columns) = from's columns [from_column, ...), for each of the M rows.
  virtual void copy_columns(const Tensor& from, std::int64_t from_column, const Tensor& to, std::int64_t to_column,
                            std::int64_t columns);

  // Images: x (B, H, W, C), y (B, OH, OW, F), kernel (KH, KW, C, F), bias (F); padding counts as zeros. As usual in
  // deep learning, convolution means cross-correlation:
  // y[b, i, j, f] = bias[f] + sum over (p, q, c) of x[b, i * stride_y + p - top, j * stride_x + q - left, c] *
  // kernel[p, q, c, f]
  virtual void convolve(const Window& window, const Tensor& x, const Tensor& kernel, const Tensor& bias,
                        const Tensor& y);
  virtual void convolve_backward_input(const Window& window, const Tensor& dy, const Tensor& kernel, const Tensor& dx);
  virtual void convolve_backward_kernel(const Window& window, const Tensor& x, const Tensor& dy, const Tensor& dkernel,
                                        const Tensor& dbias);
  // Maximum or average over each window, channel by channel; padding takes no part. x (B, H, W, C), y (B, OH, OW, C).
  // The first of a window's equal maxima gets the gradient.
  virtual void pool(Pooling pooling, const Window& window, const Tensor& x, const Tensor& y);
  virtual void pool_backward(Pooling pooling, const Window& window, const Tensor& x, const Tensor& y, const Tensor& dy,
                             const Tensor& dx);

  // Normalisation without batch statistics. x, y (M, P, C) in G groups of C / G neighbouring channels; mean and
  // inverse_stddev (M, G) over the P * C / G elements of a group; scale, shift (C):
  // y = (x - mean) * inverse_stddev * scale + shift, inverse_stddev = 1 / sqrt(variance + epsilon).
  // Layer norm (Ba, Kiros, Hinton 2016) of rows is P = G = 1; group norm (Wu and He 2018) of images is P = H * W.
  // y may be bfloat16 with all else float32: rounded from what it would be. dx may be dy, or empty: not wanted.
  virtual void normalize(double epsilon, const Tensor& x, const Tensor& scale, const Tensor& shift, const Tensor& y,
                         const Tensor& mean, const Tensor& inverse_stddev);
  virtual void normalize_backward(const Tensor& x, const Tensor& scale, const Tensor& mean,
                                  const Tensor& inverse_stddev, const Tensor& dy, const Tensor& dx,
                                  const Tensor& dscale, const Tensor& dshift);
  // y (..., C) = (x - mean) / stddev, each with one value per channel (C). For inputs of a network; has no backward
  // pass.
  virtual void standardize(const Tensor& x, const Tensor& mean, const Tensor& stddev, const Tensor& y);

  // Rows of a table (V, C) by id: y (N, C), plus its old values with Write::add; ids (N) int32 in [0, V).
  virtual void embed(const EmbeddingForm& form, const Tensor& table, const Tensor& ids, const Tensor& y, Write write);
  virtual void embed_backward(const EmbeddingForm& form, const Tensor& ids, const Tensor& dy, const Tensor& dtable,
                              Write write);

  // Multi-head attention (Vaswani et al. 2017, "Attention is all you need", section 3.2) over packed sequences: rows
  // are symbols, no sequence is padded. out (query rows, heads * head_dim) = soft-max over the keys of (scale * q k^T),
  // after dropout, times v, head by head; zero where there are no keys. log_sums (query rows, heads): the logarithm of
  // the sum of exp(scale * q k^T), for the backward pass. Rows of no sequence are not written. out, and the gradients
  // of q, k and v, are of the type that AttentionShape::factors says. sequences: on the host.
  virtual void attend(const AttentionShape& shape, const AttentionDropout& dropout,
                      std::span<const AttentionSequence> sequences, const AttentionOperands& inputs, const Tensor& out,
                      const Tensor& log_sums);
  // Gradients from dout, replaced. REQUIRES: no two sequences have a row in common; gradients overlap neither each
  // other nor what is read.
  virtual void attend_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                               std::span<const AttentionSequence> sequences, const AttentionOperands& inputs,
                               const Tensor& out, const Tensor& log_sums, const Tensor& dout,
                               const AttentionOperands& gradients);

  // Reductions.
  // sums (N) = sum over the rows of (M, N), which may be bfloat16 for sums of float32
  virtual void sum_rows(const Tensor& matrix, const Tensor& sums);
  // sums (ceil(N / kSquaresChunk)) float64: for each chunk of kSquaresChunk neighbouring values (N), the last one
  // shorter, the sum of their squares, in a fixed order. Infinite or NaN exactly if one of the chunk's values is
  // (float32).
  virtual void sum_squares(const Tensor& values, const Tensor& sums);
  // The factor that clips an update by the norm of its gradients, without the host waiting for it. sums (N) float64:
  // sums of squares of chunks, added up in the order of `order` (N) int32; norm = scale * the root of their sum. result
  // (2) float64: the factor for the gradients, which is 1, or most / norm if the norm is larger than most > 0, or 0 if
  // it is infinite or NaN; and the norm.
  virtual void clip_factor(const Tensor& sums, const Tensor& order, double scale, double most, const Tensor& result);
  // The first flat index that is infinite or NaN, or -1. For error messages, not for every step.
  virtual std::int64_t first_not_finite(const Tensor& values);

  // Losses. Gradients are of the sum (not the mean) of weight * loss; `gradient` may be empty (evaluation).
  // sums is float64 (kLossSums). A sample with a NaN among its outputs is never correct.
  // Soft-max cross-entropy of logits (B, C) and labels (B) int32; correct: the first largest logit is the label's.
  // `gradient` may be `logits`, which it then replaces: with many classes half the memory. For float32 logits it may be
  // bfloat16, rounded, and then begin where they do.
  // label_smoothing s (Szegedy et al. 2016, section 7): the target is 1 - s + s / C for the label, s / C for the
  // others.
  virtual void softmax_cross_entropy(double label_smoothing, const Tensor& logits, const Tensor& labels,
                                     const Tensor& weights, const Tensor& gradient, const Tensor& sums);
  // Sigmoid cross-entropy, summed over the K outputs of a sample: logits (B, K); targets (B, K) float32 in [0, 1], or
  // labels (B) int32, which stand for their one-hot rows (smoothed as above) and count as correct as above. Numbers are
  // never smoothed (label_smoothing 0) and never correct.
  virtual void sigmoid_cross_entropy(double label_smoothing, const Tensor& logits, const Tensor& targets,
                                     const Tensor& weights, const Tensor& gradient, const Tensor& sums);
  // Mean over K of (prediction - target)^2, predictions and targets (B, K); nothing is ever correct.
  virtual void mean_squared_error(const Tensor& predictions, const Tensor& targets, const Tensor& weights,
                                  const Tensor& gradient, const Tensor& sums);

  // Metrics of evaluation, as sums like a loss's.
  // sum (1) float64 = sum of weights of samples whose label is among the k largest logits (of equals, the first win).
  virtual void count_in_top(std::int64_t k, const Tensor& logits, const Tensor& labels, const Tensor& weights,
                            const Tensor& sum);
  // sums (2) float64: over the samples, weight * mean over K of (prediction - target)^2, and of |prediction - target|.
  virtual void regression_errors(const Tensor& predictions, const Tensor& targets, const Tensor& weights,
                                 const Tensor& sums);

  // to += weight * (from - to): a moving average.
  virtual void blend(const Tensor& from, const Tensor& to, double weight);

  // Optimizer updates over flat spans of equal length that do not overlap; tensor/update_steps.h has the formulas. One
  // pass over memory, two for the layer-wise ones; norms in double precision and a fixed order.
  virtual void sgd_update(const Tensor& values, const Tensor& gradients, const SgdStep& step);
  virtual void momentum_update(const Tensor& values, const Tensor& gradients, const Tensor& velocity,
                               const MomentumStep& step);
  virtual void adam_update(const Tensor& values, const Tensor& gradients, const Tensor& m, const Tensor& v,
                           const AdamStep& step);
  virtual void rmsprop_update(const Tensor& values, const Tensor& gradients, const Tensor& mean_square,
                              const RmspropStep& step);
  virtual void adagrad_update(const Tensor& values, const Tensor& gradients, const Tensor& sum,
                              const AdagradStep& step);
  virtual void lamb_update(const Tensor& values, const Tensor& gradients, const Tensor& m, const Tensor& v,
                           const LambStep& step);
  virtual void lars_update(const Tensor& values, const Tensor& gradients, const Tensor& velocity, const LarsStep& step);
  virtual void adafactor_update(const Tensor& values, const Tensor& gradients, const Tensor& v,
                                const AdafactorStep& step);

 protected:
  // For the operations a backend does not have.
  [[noreturn]] void lacks(const char* operation) const;
};

// The backend of a device. The one place that knows which backends this build has; loads liblockstep_cuda only when a
// GPU is asked for. Throws Error(configuration): no such device, or a build without it.
std::unique_ptr<Backend> make_backend(Device device);

// The GPUs that make_backend() can give. Loads liblockstep_cuda and its libraries; never throws for lack of them.
VisibleDevices visible_gpus();
// Returns whether it is worth asking for them: this build can use GPUs, and the host has a GPU driver. Loads nothing.
bool has_gpu_driver();

// "cuda 13.0" or "no cuda": the backends of this build, for --version.
std::string backend_features();

}  // namespace lockstep
