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
struct WindowForm {
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t stride_y = 1;
  std::int64_t stride_x = 1;
  std::int64_t top = 0;
  std::int64_t left = 0;

  bool operator==(const WindowForm&) const = default;
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
// whichever rank has the chunks. Small enough that the parts of several owners, which end where chunks do, are about
// equally long, large enough that the sums are few (eight bytes for each 16 KB of values).
inline constexpr std::int64_t kSquaresChunk = 4096;

// The math contract: every operation of a training step, on memory of one device, in the order of the calls.
// tensor/operations.def lists the operations with their shapes and formulas; their common rules and the other duties of
// a backend are here.
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

  // The reason not to ask for products of bfloat16: they would fail on this processor, or be slower than float32's. ""
  // if they are fast.
  virtual std::string bfloat16_products() const;

  // Sets how products and convolutions of float32 are computed from now on; at first exactly. With TF32 sums are taken
  // in float32. REQUIRES: tf32_products() is empty, for TF32.
  virtual void set_float32_products(Float32Products products);
  // The reason not to ask for products by TF32. "" if they are fast.
  virtual std::string tf32_products() const;

  // y (M, N) = f(x), x (M, N) = a (M, K) * b (K, N), plus the row `bias` (N) unless it is empty: in one pass if the
  // device can, else product() and activate(). x is written for activate_backward(), in the type that
  // activation_input_type() gives; ReLU's, whose slope can be seen in y, may be y. REQUIRES: K > 0.
  virtual void product_with_activation(Activation activation, const Tensor& a, const Tensor& b, const Tensor& bias,
                                       const Tensor& x, const Tensor& y);
  // The type of x: y's own, but for y in bfloat16: float32, or bfloat16 if one pass writes both.
  virtual DType activation_input_type(Activation activation, DType y) const;

  // The first flat index that is infinite or NaN, or -1. For error messages, not for every step.
  virtual std::int64_t first_not_finite(const Tensor& values);

  // The operations of a step; tensor/operations.def has the contract of each.
#define LS_OPERATION(name, parameters, arguments) virtual void name parameters;
#include "tensor/operations.def"

 protected:
  // Throws the Error for an operation that this backend does not have.
  [[noreturn]] void lacks(const char* operation) const;
};

// The backend of a device. The one place that knows which backends this build has; loads liblockstep_cuda only when a
// GPU is asked for. Throws Error(configuration): no such device, or a build without it.
std::unique_ptr<Backend> make_backend(Device device);

// The GPUs that make_backend() can give. Loads liblockstep_cuda and its libraries; never throws for lack of them.
VisibleDevices visible_gpus();
// Returns whether it is worth asking for them: this build can use GPUs, and the host has a GPU driver. Loads nothing.
bool has_gpu_driver();

// The backends of this build besides the CPU's, for --version: "cuda 13.0" or "no cuda".
std::string backend_features();

}  // namespace lockstep
