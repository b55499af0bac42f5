#include <dnnl.hpp>
#include <vector>

#include "tensor/cpu/kernels.h"
#include "tensor/cpu/onednn_call.h"

namespace lockstep::cpu {

void product(const float* a, Transpose a_op, const float* b, Transpose b_op, float* c, std::int64_t m, std::int64_t n,
             std::int64_t k, float beta) {
  const bool a_turned = a_op == Transpose::yes;
  const bool b_turned = b_op == Transpose::yes;
  const dnnl::status status = dnnl::sgemm(a_turned ? 'T' : 'N', b_turned ? 'T' : 'N', m, n, k, 1.0F, a,
                                          a_turned ? m : k, b, b_turned ? k : n, beta, c, n);
  check_status(static_cast<dnnl_status_t>(status), "oneDNN refused a matrix product");
}

void prepare_products() {
  constexpr std::int64_t kSide = 64;
  const std::vector<float> ones(kSide * kSide, 1);
  std::vector<float> sums(ones.size());
  product(ones.data(), Transpose::no, ones.data(), Transpose::no, sums.data(), kSide, kSide, kSide, 0);
}

void product(const double* a, Transpose a_op, const double* b, Transpose b_op, double* c, std::int64_t m,
             std::int64_t n, std::int64_t k, double beta) {
  const std::int64_t a_row = a_op == Transpose::yes ? 1 : k;
  const std::int64_t a_column = a_op == Transpose::yes ? m : 1;
  const std::int64_t b_row = b_op == Transpose::yes ? 1 : n;
  const std::int64_t b_column = b_op == Transpose::yes ? k : 1;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = beta == 0 ? 0 : beta * c[i * n + j];
      for (std::int64_t l = 0; l < k; ++l) sum += a[i * a_row + l * a_column] * b[l * b_row + j * b_column];
      c[i * n + j] = sum;
    }
  }
}

}  // namespace lockstep::cpu
