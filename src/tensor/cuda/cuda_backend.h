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

  // Host memory that is not pinned is copied through CUDA's own pinned buffers, a little slower.
  void copy(const Tensor& from, const Tensor& to) override;
  void fill(const Tensor& tensor, double value) override;
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
  void product(const Tensor& a, Transpose a_op, const Tensor& b, Transpose b_op, const Tensor& c, Write write,
               const Tensor& bias) override;
  void product_with_activation(Activation activation, const Tensor& a, const Tensor& b, const Tensor& bias,
                               const Tensor& x, const Tensor& y) override;
  DType activation_input_type(Activation activation, DType y) const override;

  // Element-wise (elementwise.cu, activations.cu, dropout.cu).
  void add(const Tensor& from, const Tensor& to) override;
  void add(const Tensor& a, const Tensor& b, const Tensor& sum) override;
  void scale(const Tensor& values, double factor) override;
  void blend(const Tensor& from, const Tensor& to, double weight) override;
  void convert(const Tensor& from, const Tensor& to) override;
  void copy_columns(const Tensor& from, std::int64_t from_column, const Tensor& to, std::int64_t to_column,
                    std::int64_t columns) override;
  void standardize(const Tensor& x, const Tensor& mean, const Tensor& stddev, const Tensor& y) override;
  void activate(Activation activation, const Tensor& x, const Tensor& y) override;
  void activate_backward(Activation activation, const Tensor& x, const Tensor& y, const Tensor& dy,
                         const Tensor& dx) override;
  void dropout(double rate, const RandomStream& stream, const Tensor& sample_ids, const Tensor& x,
               const Tensor& y) override;

  // Images (convolution.cu, library_convolution.cu, pooling.cu). Pooling is by our own kernels always: the first of
  // equal maxima gets the gradient, which cuDNN does not promise.
  void convolve(const Window& window, const Tensor& x, const Tensor& kernel, const Tensor& bias,
                const Tensor& y) override;
  void convolve_backward_input(const Window& window, const Tensor& dy, const Tensor& kernel, const Tensor& dx) override;
  void convolve_backward_kernel(const Window& window, const Tensor& x, const Tensor& dy, const Tensor& dkernel,
                                const Tensor& dbias) override;
  void pool(Pooling pooling, const Window& window, const Tensor& x, const Tensor& y) override;
  void pool_backward(Pooling pooling, const Window& window, const Tensor& x, const Tensor& y, const Tensor& dy,
                     const Tensor& dx) override;

  // Norms (norms.cc).
  void normalize(double epsilon, const Tensor& x, const Tensor& scale, const Tensor& shift, const Tensor& y,
                 const Tensor& mean, const Tensor& inverse_stddev) override;
  void normalize_backward(const Tensor& x, const Tensor& scale, const Tensor& mean, const Tensor& inverse_stddev,
                          const Tensor& dy, const Tensor& dx, const Tensor& dscale, const Tensor& dshift) override;

  // Embeddings (embedding.cu). An id outside the table gives a row of NaN, and no gradient: the host does not look.
  void embed(const EmbeddingForm& form, const Tensor& table, const Tensor& ids, const Tensor& y, Write write) override;
  void embed_backward(const EmbeddingForm& form, const Tensor& ids, const Tensor& dy, const Tensor& dtable,
                      Write write) override;

  // Attention (attention_forward.cu, attention_backward.cu).
  void attend(const AttentionShape& shape, const AttentionDropout& dropout,
              std::span<const AttentionSequence> sequences, const AttentionOperands& inputs, const Tensor& out,
              const Tensor& log_sums) override;
  void attend_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                       std::span<const AttentionSequence> sequences, const AttentionOperands& inputs, const Tensor& out,
                       const Tensor& log_sums, const Tensor& dout, const AttentionOperands& gradients) override;

  // Reductions (reductions.cu), losses (softmax_loss.cu, sigmoid_loss.cu, losses.cu), metrics (metrics.cu). If targets
  // of sigmoid_cross_entropy are not in [0, 1], which the CPU refuses, the sum of losses is NaN: numbers are not known
  // when an operation is submitted.
  void sum_rows(const Tensor& matrix, const Tensor& sums) override;
  void sum_squares(const Tensor& values, const Tensor& sums) override;
  void clip_factor(const Tensor& sums, const Tensor& order, double scale, double most, const Tensor& result) override;
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
  void sgd_update(const Tensor& values, const Tensor& gradients, const SgdStep& step) override;
  void momentum_update(const Tensor& values, const Tensor& gradients, const Tensor& velocity,
                       const MomentumStep& step) override;
  void adam_update(const Tensor& values, const Tensor& gradients, const Tensor& m, const Tensor& v,
                   const AdamStep& step) override;
  void rmsprop_update(const Tensor& values, const Tensor& gradients, const Tensor& mean_square,
                      const RmspropStep& step) override;
  void adagrad_update(const Tensor& values, const Tensor& gradients, const Tensor& sum,
                      const AdagradStep& step) override;
  void lamb_update(const Tensor& values, const Tensor& gradients, const Tensor& m, const Tensor& v,
                   const LambStep& step) override;
  void lars_update(const Tensor& values, const Tensor& gradients, const Tensor& velocity,
                   const LarsStep& step) override;
  void adafactor_update(const Tensor& values, const Tensor& gradients, const Tensor& v,
                        const AdafactorStep& step) override;

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

  // REQUIRES, for attention: factors that the GPU can multiply.
  void check_factors(const AttentionShape& shape) const;

  // Has the library compute a pass of a convolution. Returns false, with nothing done, if it does not: there is no
  // library, it lacks this pass, or the padding after the image differs from that before it.
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

// The GPUs that this process sees, or CUDA's reason why there are none.
VisibleDevices visible_cuda_devices();

}  // namespace lockstep
