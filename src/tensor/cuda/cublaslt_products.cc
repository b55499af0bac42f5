#include <cublasLt.h>
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "tensor/cuda/cuda_check.h"
#include "tensor/cuda/gpu_products.h"

namespace lockstep {
namespace {

void check_cublas(cublasStatus_t status, Where where) {
  if (status != CUBLAS_STATUS_SUCCESS) fail(where, cublasLtGetStatusString(status));
}
#define LS_CUBLAS(call) check_cublas((call), LS_HERE(#call))

// NVIDIA's advice for Hopper; older GPUs need less.
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

cudaDataType_t cuda_type(DType dtype) { return dtype == DType::bfloat16 ? CUDA_R_16BF : CUDA_R_32F; }

// cuBLASLt counts by columns: row-major (rows, columns) is its (columns, rows).
class Layout {
 public:
  Layout(cudaDataType_t type, std::int64_t rows, std::int64_t columns) {
    LS_CUBLAS(cublasLtMatrixLayoutCreate(&handle_, type, static_cast<std::uint64_t>(columns),
                                         static_cast<std::uint64_t>(rows), columns));
  }
  ~Layout() { cublasLtMatrixLayoutDestroy(handle_); }
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;
  cublasLtMatrixLayout_t handle() const { return handle_; }

 private:
  cublasLtMatrixLayout_t handle_ = nullptr;
};

// The alignment that all operands have, in bytes: a power of two, up to the 16 that the fastest kernels ask for.
std::uint32_t alignment_of(const GpuProduct& product) {
  constexpr std::uintptr_t kMost = 16;
  std::uintptr_t bits = kMost;
  for (const void* operand : {product.a, product.b, product.bias, static_cast<const void*>(product.c),
                              static_cast<const void*>(product.sum)}) {
    bits |= reinterpret_cast<std::uintptr_t>(operand);
  }
  return static_cast<std::uint32_t>(bits & -bits);  // the lowest bit
}

// The properties that decide which of cuBLASLt's kernels is the fastest.
using Kind = std::tuple<std::int64_t, std::int64_t, std::int64_t, Transpose, Transpose, DType, Float32Products, DType,
                        bool, std::optional<Activation>, std::uint32_t>;

Kind kind_of(const GpuProduct& product) {
  return {product.m,
          product.n,
          product.k,
          product.a_op,
          product.b_op,
          product.factors,
          product.float32_products,
          product.result,
          product.bias != nullptr,
          product.activation,
          alignment_of(product)};
}

cublasComputeType_t compute_type(const GpuProduct& product) {
  const bool by_tf32 = product.factors == DType::float32 && product.float32_products == Float32Products::tf32;
  return by_tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

cublasLtEpilogue_t epilogue_of(const GpuProduct& product) {
  const bool bias = product.bias != nullptr;
  if (!product.activation) return bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
  if (product.activation == Activation::relu) return bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
  return bias ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS : CUBLASLT_EPILOGUE_GELU_AUX;
}

// Returns whether there is an epilogue for it: cuBLASLt's GELU is the one by tanh, and its auxiliary matrix, the sum,
// has columns of a multiple of eight elements.
bool has_epilogue(const GpuProduct& product) {
  constexpr std::int64_t kColumn = 8;
  return !product.activation || product.activation == Activation::relu ||
         (product.activation == Activation::gelu_tanh && product.n % kColumn == 0);
}

// A product, by columns: c^T (n, m) = op(b)^T (n, k) * op(a)^T (k, m), so b comes first, and the bias, a value for each
// row of c^T, is the epilogue that cuBLASLt has. It takes a bias and an auxiliary matrix of the type of c only.
class Operation {
 public:
  Operation(const GpuProduct& product, cublasLtHandle_t library)
      : a_(cuda_type(product.factors), product.a_op == Transpose::no ? product.m : product.k,
           product.a_op == Transpose::no ? product.k : product.m),
        b_(cuda_type(product.factors), product.b_op == Transpose::no ? product.k : product.n,
           product.b_op == Transpose::no ? product.n : product.k),
        c_(cuda_type(product.result), product.m, product.n) {
    LS_CUBLAS(cublasLtMatmulDescCreate(&description_, compute_type(product), CUDA_R_32F));
    set(CUBLASLT_MATMUL_DESC_TRANSA, product.b_op == Transpose::no ? CUBLAS_OP_N : CUBLAS_OP_T);
    set(CUBLASLT_MATMUL_DESC_TRANSB, product.a_op == Transpose::no ? CUBLAS_OP_N : CUBLAS_OP_T);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(product));
    set_operands(product);
    choose_algorithm(library, alignment_of(product));
  }
  ~Operation() { cublasLtMatmulDescDestroy(description_); }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  // Returns whether cuBLASLt has a kernel for it.
  bool exists() const { return exists_; }

  void run(const GpuProduct& product, cublasLtHandle_t library, void* workspace, GpuStream stream) {
    LS_CHECK(exists_, "cuBLASLt has no kernel for this product");
    set_operands(product);
    const float one = 1;
    const float kept = product.write == Write::add ? 1 : 0;  // factor of c's old value
    LS_CUBLAS(cublasLtMatmul(library, description_, &one, product.b, b_.handle(), product.a, a_.handle(), &kept,
                             product.c, c_.handle(), product.c, c_.handle(), &algorithm_, workspace, kWorkspaceBytes,
                             static_cast<cudaStream_t>(stream.handle)));
  }

 private:
  template <class T>
  void set(cublasLtMatmulDescAttributes_t attribute, const T& value) {
    LS_CUBLAS(cublasLtMatmulDescSetAttribute(description_, attribute, &value, sizeof(value)));
  }
  void set_operands(const GpuProduct& product) {
    if (product.bias != nullptr) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, product.bias);
    if (product.sum == nullptr) return;
    set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, product.sum);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, product.n);
  }

  // Chooses the first algorithm that cuBLASLt proposes, which is the same each time. Schemes in which several blocks
  // add up a sum in the order in which they end are masked: it would differ from run to run.
  void choose_algorithm(cublasLtHandle_t library, std::uint32_t alignment) {
    cublasLtMatmulPreference_t preference = nullptr;
    LS_CUBLAS(cublasLtMatmulPreferenceCreate(&preference));
    const std::size_t workspace = kWorkspaceBytes;
    const std::uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_MASK & ~std::uint32_t{CUBLASLT_REDUCTION_SCHEME_INPLACE};
    cublasLtMatmulHeuristicResult_t result{};
    int found = 0;
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
      cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof(value));
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace);
    prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, schemes);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment);
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        library, description_, b_.handle(), a_.handle(), c_.handle(), c_.handle(), preference, 1, &result, &found);
    cublasLtMatmulPreferenceDestroy(preference);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE) return;  // run() reports it
    check_cublas(status, LS_HERE("cublasLtMatmulAlgoGetHeuristic"));
    exists_ = found > 0 && result.state == CUBLAS_STATUS_SUCCESS;
    algorithm_ = result.algo;
  }

  Layout a_;
  Layout b_;
  Layout c_;
  cublasLtMatmulDesc_t description_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
  bool exists_ = false;
};

}  // namespace

struct GpuProducts::Parts {
  cublasLtHandle_t library = nullptr;
  void* workspace = nullptr;
  std::map<Kind, Operation> operations;  // made when first used

  Operation& operation(const GpuProduct& product) {
    const Kind kind = kind_of(product);
    const auto found = operations.find(kind);
    if (found != operations.end()) return found->second;
    return operations
        .emplace(std::piecewise_construct, std::forward_as_tuple(kind), std::forward_as_tuple(product, library))
        .first->second;
  }

  ~Parts() {
    operations.clear();
    if (workspace != nullptr) free_on_gpu(workspace);
    if (library != nullptr) cublasLtDestroy(library);
  }
};

// cuBLASLt's handle is one of the GPU that is selected when it is made.
GpuProducts::GpuProducts(int gpu) : parts_(std::make_unique<Parts>()) {
  select_gpu(gpu);
  LS_CUBLAS(cublasLtCreate(&parts_->library));
  parts_->workspace = allocate_on_gpu(kWorkspaceBytes);
  if (parts_->workspace == nullptr) throw OutOfMemory("out of memory on the GPU: no 32 MiB left for matrix products");
}

GpuProducts::~GpuProducts() = default;

bool GpuProducts::has(const GpuProduct& product) {
  return has_epilogue(product) && parts_->operation(product).exists();
}

void GpuProducts::multiply(const GpuProduct& product, GpuStream stream) {
  parts_->operation(product).run(product, parts_->library, parts_->workspace, stream);
}

}  // namespace lockstep
