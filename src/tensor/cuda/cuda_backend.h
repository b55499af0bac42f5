#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "tensor/backend.h"
#include "tensor/cuda/cuda_allocator.h"
#include "tensor/cuda/gpu_convolutions.h"
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
  std::string description() const override { return description_; }
  Allocator& allocator() override { return allocator_; }
  Allocator& host_allocator() override { return pinned_; }

  // Other streams wait on the handle. There are kEvents of them, used in turn: an event that is kept while kEvents more
  // are recorded then stands for a later moment, which is never too early. A graph takes at most an eighth of them,
  // else more are added: so the host can wait, while a graph is made, for an event of two steps before.
  Event record() override;
  void wait(Event event) override;
  void synchronize() override;
  void wait_on_host(Event event) override;

  std::unique_ptr<CopyStream> make_copy_stream() override;

  // Graphs (cuda_graph.cc). Memory that they refer to stays: the allocator keeps freed memory until they are launched.
  std::unique_ptr<OperationGraph> make_graph() override;
  bool drop_graph() noexcept override;
  void after_graph(std::function<void()> call) override;
  // The steps of making and running a graph.
  void begin_graph();
  GpuGraph captured_graph(GpuGraph last);  // as end_capture()
  void run_graph(GpuGraph graph);          // after captured_graph()

  // Products (products.cc).
  std::string bfloat16_products() const override;
  void set_float32_products(Float32Products products) override;
  std::string tf32_products() const override;
  void product_with_activation(Activation activation, const Tensor& a, const Tensor& b, const Tensor& bias,
                               const Tensor& x, const Tensor& y) override;
  DType activation_input_type(Activation activation, DType y) const override;

  std::int64_t first_not_finite(const Tensor& values) override;  // the host waits

  // The operations of tensor/operations.def. Host memory that is not pinned is copied through CUDA's own pinned
  // buffers, a little slower. Pooling is by our own kernels always: the first of equal maxima gets the gradient, which
  // cuDNN does not promise. An id outside an embedding's table gives a row of NaN, and no gradient: the host does not
  // look. If targets of sigmoid_cross_entropy are not in [0, 1], which the CPU refuses, the sum of losses is NaN:
  // numbers are not known when an operation is submitted.
#define LS_OPERATION(name, parameters, arguments) void name parameters override;
#include "tensor/operations.def"

 private:
  static constexpr std::size_t kEvents = 256;

  // Called at the start of every operation: selects the device; all tensors that are not empty must lie on it.
  void begin(std::initializer_list<Tensor> tensors) const;

  // Ends the graph that was begun: it is launched, or will never be.
  void end_graph(bool launched);
  void forget_graph() noexcept;

  // Memory for an operation's own use, shared by the operations of the stream one after the other; grows as needed,
  // never in a step after the first ones of a shape. Contents are undefined.
  void* scratch(std::size_t bytes);

  // Checks for attention that the GPU can multiply the factors.
  void check_factors(const AttentionShape& shape) const;

  // Has the library compute a pass of a convolution. Returns false, with no result written, if it does not: there is no
  // library, it lacks this pass, padding after the image differs from that before it, or a tensor is empty or huge.
  bool convolve_by_library(ConvolutionPass pass, const SlidingWindow& window, const Tensor& x, const Tensor& kernel,
                           const Tensor& y);
  // Each row of matrix (M, N) += row (N).
  void add_to_rows(const Tensor& row, const Tensor& matrix);

  // The bias in the form that a product into dtype takes: itself, or a copy in scratch().
  Tensor bias_as(DType dtype, const Tensor& bias);

  CudaAllocator allocator_;
  PinnedAllocator pinned_;
  std::string description_;
  bool has_bfloat16_ = false;  // and TF32
  GpuStream stream_;
  std::vector<Event> events_ = std::vector<Event>(kEvents);  // made when first used
  std::size_t next_event_ = 0;
  bool in_graph_ = false;               // a graph was begun
  std::vector<Event> in_graph_events_;  // events recorded in it
  std::vector<std::function<void()>> after_graph_;
  Buffer scratch_;
  UploadedLists lists_{allocator_, pinned_};
  Float32Products float32_products_ = Float32Products::exact;
  GpuProducts products_{allocator_.device().index};
  GpuConvolutions convolutions_;
};

// Makes a CudaBackend. If the GPU is not visible, throws Error(configuration): how many are, and what to do.
std::unique_ptr<Backend> open_cuda_backend(int index);

// The GPUs that this process sees, or CUDA's reason why there are none.
VisibleDevices visible_cuda_devices();

}  // namespace lockstep
