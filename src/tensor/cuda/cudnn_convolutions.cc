#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <span>
#include <tuple>

#include "tensor/cuda/cudnn_library.h"
#include "tensor/cuda/gpu_convolutions.h"

namespace lockstep {
namespace {

// Enough for the fastest kernels for the shapes of usual networks, and a small part of a GPU's memory.
constexpr std::size_t kMostWorkspace = std::size_t{256} << 20;

using Kind = std::tuple<ConvolutionPass, Float32Products, std::int64_t, int, int, int, int, int, int, int, int, int,
                        int, int, int>;

Kind kind_of(const GpuConvolution& of) {
  const SlidingAxis& rows = of.window.rows;
  const SlidingAxis& columns = of.window.columns;
  return {of.pass,        of.products,     of.window.batch, of.window.channels, of.filters,
          rows.pixels,    rows.outputs,    rows.window,     rows.stride,        rows.before,
          columns.pixels, columns.outputs, columns.window,  columns.stride,     columns.before};
}

// A kernel of cuDNN's.
struct Choice {
  int algorithm = 0;
  cudnnMathType_t math = CUDNN_FMA_MATH;
};

// The first of cuDNN's proposals, in order of expected speed, that gives the same bits each time.
template <class Proposal>
std::optional<Choice> choose(std::span<const Proposal> proposals, Float32Products products) {
  for (const Proposal& one : proposals) {
    if (one.status != CUDNN_STATUS_SUCCESS || one.determinism != CUDNN_DETERMINISTIC) continue;
    if (one.memory > kMostWorkspace) continue;
    // cuDNN's default for float32 is TF32.
    if (products == Float32Products::tf32) return Choice{one.algo, one.mathType};
    if (one.mathType == CUDNN_FMA_MATH || one.mathType == CUDNN_DEFAULT_MATH) return Choice{one.algo, CUDNN_FMA_MATH};
  }
  return {};
}

// A convolution as described to cuDNN, with the kernel that was chosen for it.
class Operation {
 public:
  Operation(const GpuConvolution& convolution, const CudnnLibrary& cudnn, cudnnHandle_t handle)
      : pass_(convolution.pass), cudnn_(cudnn), handle_(handle) {
    describe(convolution);
    set_math(convolution.products == Float32Products::exact ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH);
    const std::optional<Choice> choice = propose(convolution.products);
    if (!choice) return;
    set_math(choice->math);
    algorithm_ = choice->algorithm;
    std::size_t bytes = 0;
    if (find_workspace(bytes) == CUDNN_STATUS_SUCCESS && bytes <= kMostWorkspace) workspace_ = bytes;
  }
  ~Operation() {
    if (images_ != nullptr) cudnn_.cudnnDestroyTensorDescriptor(images_);
    if (outputs_ != nullptr) cudnn_.cudnnDestroyTensorDescriptor(outputs_);
    if (filters_ != nullptr) cudnn_.cudnnDestroyFilterDescriptor(filters_);
    if (sliding_ != nullptr) cudnn_.cudnnDestroyConvolutionDescriptor(sliding_);
  }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  std::optional<std::size_t> workspace() const { return workspace_; }

  bool run(const ConvolutionOperands& operands) {
    const cudnnStatus_t status = submit(operands);
    if (CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED) {
      workspace_ = {};
      return false;
    }
    check(status, LS_HERE("a convolution by cuDNN"));
    return true;
  }

 private:
  void check(cudnnStatus_t status, Where where) const {
    if (status != CUDNN_STATUS_SUCCESS) fail(where, cudnn_.cudnnGetErrorString(status));
  }
#define LS_CUDNN(call) check(cudnn_.call, LS_HERE(#call))

  void describe(const GpuConvolution& of) {
    const SlidingAxis& rows = of.window.rows;
    const SlidingAxis& columns = of.window.columns;
    const int batch = static_cast<int>(of.window.batch);
    LS_CUDNN(cudnnCreateTensorDescriptor(&images_));
    LS_CUDNN(cudnnSetTensor4dDescriptor(images_, CUDNN_TENSOR_NHWC, CUDNN_DATA_FLOAT, batch, of.window.channels,
                                        rows.pixels, columns.pixels));
    LS_CUDNN(cudnnCreateTensorDescriptor(&outputs_));
    LS_CUDNN(cudnnSetTensor4dDescriptor(outputs_, CUDNN_TENSOR_NHWC, CUDNN_DATA_FLOAT, batch, of.filters, rows.outputs,
                                        columns.outputs));
    LS_CUDNN(cudnnCreateFilterDescriptor(&filters_));
    LS_CUDNN(cudnnSetFilter4dDescriptor(filters_, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NHWC, of.filters, of.window.channels,
                                        rows.window, columns.window));
    LS_CUDNN(cudnnCreateConvolutionDescriptor(&sliding_));
    constexpr int kDense = 1;  // no dilation
    LS_CUDNN(cudnnSetConvolution2dDescriptor(sliding_, rows.before, columns.before, rows.stride, columns.stride, kDense,
                                             kDense, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
  }
  void set_math(cudnnMathType_t math) { LS_CUDNN(cudnnSetConvolutionMathType(sliding_, math)); }

  std::optional<Choice> propose(Float32Products products) const {
    switch (pass_) {
      case ConvolutionPass::forward:
        return proposed<cudnnConvolutionFwdAlgoPerf_t, CUDNN_CONVOLUTION_FWD_ALGO_COUNT>(
            cudnn_.cudnnGetConvolutionForwardAlgorithm_v7, products, images_, filters_, sliding_, outputs_);
      case ConvolutionPass::backward_input:
        return proposed<cudnnConvolutionBwdDataAlgoPerf_t, CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT>(
            cudnn_.cudnnGetConvolutionBackwardDataAlgorithm_v7, products, filters_, outputs_, sliding_, images_);
      case ConvolutionPass::backward_kernel:
        return proposed<cudnnConvolutionBwdFilterAlgoPerf_t, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT>(
            cudnn_.cudnnGetConvolutionBackwardFilterAlgorithm_v7, products, images_, outputs_, sliding_, filters_);
    }
    return {};
  }
  template <class Proposal, int kMost, class Function, class... Descriptors>
  std::optional<Choice> proposed(Function function, Float32Products products, Descriptors... descriptors) const {
    std::array<Proposal, kMost> proposals{};
    int count = 0;
    if (function(handle_, descriptors..., kMost, &count, proposals.data()) != CUDNN_STATUS_SUCCESS) return {};
    return choose(std::span<const Proposal>(proposals.data(), static_cast<std::size_t>(count)), products);
  }

  cudnnStatus_t find_workspace(std::size_t& bytes) const {
    switch (pass_) {
      case ConvolutionPass::forward:
        return cudnn_.cudnnGetConvolutionForwardWorkspaceSize(
            handle_, images_, filters_, sliding_, outputs_, static_cast<cudnnConvolutionFwdAlgo_t>(algorithm_), &bytes);
      case ConvolutionPass::backward_input:
        return cudnn_.cudnnGetConvolutionBackwardDataWorkspaceSize(
            handle_, filters_, outputs_, sliding_, images_, static_cast<cudnnConvolutionBwdDataAlgo_t>(algorithm_),
            &bytes);
      case ConvolutionPass::backward_kernel:
        return cudnn_.cudnnGetConvolutionBackwardFilterWorkspaceSize(
            handle_, images_, outputs_, sliding_, filters_, static_cast<cudnnConvolutionBwdFilterAlgo_t>(algorithm_),
            &bytes);
    }
    return CUDNN_STATUS_NOT_SUPPORTED;
  }

  cudnnStatus_t submit(const ConvolutionOperands& of) const {
    const float one = 1;
    const float none = 0;  // factor of the result's old value
    const std::size_t workspace = workspace_.value_or(0);
    switch (pass_) {
      case ConvolutionPass::forward:
        return cudnn_.cudnnConvolutionForward(handle_, &one, images_, of.images, filters_, of.filters, sliding_,
                                              static_cast<cudnnConvolutionFwdAlgo_t>(algorithm_), of.workspace,
                                              workspace, &none, outputs_, of.outputs);
      case ConvolutionPass::backward_input:
        return cudnn_.cudnnConvolutionBackwardData(handle_, &one, filters_, of.filters, outputs_, of.outputs, sliding_,
                                                   static_cast<cudnnConvolutionBwdDataAlgo_t>(algorithm_), of.workspace,
                                                   workspace, &none, images_, of.images);
      case ConvolutionPass::backward_kernel:
        return cudnn_.cudnnConvolutionBackwardFilter(handle_, &one, images_, of.images, outputs_, of.outputs, sliding_,
                                                     static_cast<cudnnConvolutionBwdFilterAlgo_t>(algorithm_),
                                                     of.workspace, workspace, &none, filters_, of.filters);
    }
    return CUDNN_STATUS_NOT_SUPPORTED;
  }

  ConvolutionPass pass_;
  const CudnnLibrary& cudnn_;
  cudnnHandle_t handle_;
  cudnnTensorDescriptor_t images_ = nullptr;
  cudnnTensorDescriptor_t outputs_ = nullptr;
  cudnnFilterDescriptor_t filters_ = nullptr;
  cudnnConvolutionDescriptor_t sliding_ = nullptr;
  int algorithm_ = 0;                       // in the pass's own enumeration
  std::optional<std::size_t> workspace_{};  // nothing: cuDNN has no kernel for it
};

}  // namespace

struct GpuConvolutions::Parts {
  const CudnnLibrary* cudnn = nullptr;
  cudnnHandle_t handle = nullptr;        // made when first used: it takes memory of the GPU, and time
  std::map<Kind, Operation> operations;  // made when first used

  ~Parts() {
    operations.clear();
    if (handle != nullptr) cudnn->cudnnDestroy(handle);
  }

  void open() {
    if (handle != nullptr) return;
    const cudnnStatus_t status = cudnn->cudnnCreate(&handle);
    if (status != CUDNN_STATUS_SUCCESS) fail(LS_HERE("cudnnCreate"), cudnn->cudnnGetErrorString(status));
  }
  Operation& operation(const GpuConvolution& convolution) {
    const Kind kind = kind_of(convolution);
    const auto found = operations.find(kind);
    if (found != operations.end()) return found->second;
    open();
    return operations
        .emplace(std::piecewise_construct, std::forward_as_tuple(kind),
                 std::forward_as_tuple(convolution, *cudnn, handle))
        .first->second;
  }
};

GpuConvolutions::GpuConvolutions() : parts_(std::make_unique<Parts>()) { parts_->cudnn = CudnnLibrary::find(); }
GpuConvolutions::~GpuConvolutions() = default;

std::string GpuConvolutions::library() const {
  return parts_->cudnn == nullptr ? "" : fmt::format("cuDNN {}", parts_->cudnn->version());
}

std::optional<std::size_t> GpuConvolutions::workspace(const GpuConvolution& convolution) {
  if (parts_->cudnn == nullptr) return {};
  return parts_->operation(convolution).workspace();
}

bool GpuConvolutions::run(const GpuConvolution& convolution, const ConvolutionOperands& operands, GpuStream stream) {
  Operation& operation = parts_->operation(convolution);
  parts_->cudnn->cudnnSetStream(parts_->handle, static_cast<cudaStream_t>(stream.handle));
  return operation.run(operands);
}

}  // namespace lockstep
