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

  // The handle is for other streams to wait on. There are kEvents of them, used in turn: an event that is kept while
  // kEvents more are recorded stands for a later moment then, which is never too early. A graph takes at most an eighth
  // of them, else there come to be more: so the host can wait, while a graph is made, for an event of two steps before.
  Event record() override;
  void wait(Event event) override;
  void synchronize() override;
  void wait_on_host(Event event) override;

  std::unique_ptr<CopyStream> make_copy_stream() override;

  // Graphs (cuda_graph.cc). What they refer to stays: freed memory of the allocator until they are launched.
  std::unique_ptr<OperationGraph> make_graph() override;
  bool drop_graph() noexcept override;
  void after_graph(std::function<void()> call) override;
  // What the graphs are made of.
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

  // The operations, as tensor/operations.def lists them. copy() takes host memory that is not pinned through CUDA's own
  // pinned buffers, a little slower. Pooling is by our own kernels always: of equal maxima the first gets the gradient,
  // which cuDNN does not promise. An embedding's number outside the table gives a row of NaN, and no gradient: the host
  // does not look. Where the CPU refuses targets of sigmoid_cross_entropy that are not in [0, 1], the sum of losses is
  // NaN: numbers are not known when an operation is submitted.
#define LS_OPERATION(name, parameters, arguments) void name parameters override;
#include "tensor/operations.def"

 private:
  static constexpr std::size_t kEvents = 256;

  // At the start of every operation: selects the device; all tensors that are not empty are to lie on it.
  void begin(std::initializer_list<Tensor> tensors) const;

  // The graph that was begun is launched, or will never be.
  void end_graph(bool launched);
  void forget_graph() noexcept;

  // Memory of an operation's own, which the operations of the stream use one after the other; grows as needed, never in
  // a step after the first ones of a shape. Contents are undefined.
  void* scratch(std::size_t bytes);

  // REQUIRES of attention: factors that the GPU multiplies.
  void check_factors(const AttentionShape& shape) const;

  // Has the library compute a pass of a convolution. False, with nothing done, where it does not: there is none, it
  // lacks this one, or the padding after the image is another than before it.
  bool convolve_by_library(ConvolutionPass pass, const SlidingWindow& window, const Tensor& x, const Tensor& kernel,
                           const Tensor& y);
  // Each row of matrix (M, N) += row (N).
  void add_to_rows(const Tensor& row, const Tensor& matrix);

  // The bias as a product into dtype takes it: itself, or a copy in scratch().
  Tensor bias_as(DType dtype, const Tensor& bias);

  CudaAllocator allocator_;
  PinnedAllocator pinned_;
  std::string description_;
  bool has_bfloat16_ = false;  // and TF32
  GpuStream stream_;
  std::vector<Event> events_ = std::vector<Event>(kEvents);  // made when first used
  std::size_t next_event_ = 0;
  bool in_graph_ = false;               // a graph was begun
  std::vector<Event> in_graph_events_;  // recorded in it
  std::vector<std::function<void()>> after_graph_;
  Buffer scratch_;
  UploadedLists lists_{allocator_, pinned_};
  Float32Products float32_products_ = Float32Products::exact;
  GpuProducts products_{allocator_.device().index};
  GpuConvolutions convolutions_;
};

// A CudaBackend if the GPU is visible, else an Error(configuration): how many are, and what to do.
std::unique_ptr<Backend> open_cuda_backend(int index);

// The GPUs that this process sees, or why there are none, as CUDA says it.
VisibleDevices visible_cuda_devices();

}  // namespace lockstep
