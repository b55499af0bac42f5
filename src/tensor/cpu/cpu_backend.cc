#include "tensor/cpu/cpu_backend.h"

#include <omp.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "tensor/cpu/amx_tiles.h"
#include "tensor/cpu/attention_blocks.h"
#include "tensor/cpu/convolution.h"
#include "tensor/cpu/dispatch_dtype.h"
#include "tensor/cpu/kernels.h"
#include "tensor/cpu/matmul_products.h"
#include "tensor/cpu/tile_products.h"

namespace lockstep {
namespace {

void copy_at_once(const Tensor& from, const Tensor& to) {
  LS_CHECK(from.dtype() == to.dtype() && from.count() == to.count(), "a copy between unlike tensors");
  if (from.count() > 0 && from.data() != to.data()) std::memmove(to.data(), from.data(), from.bytes());
}

class HostCopies final : public CopyStream {
 public:
  void wait(Event /*event*/) override {}
  void copy(const Tensor& from, const Tensor& to) override { copy_at_once(from, to); }
  void synchronize() override {}
  Event record() override { return {}; }
};

}  // namespace

// oneDNN's products would otherwise start a thread per core and spin in barriers between ranks that share cores.
CpuBackend::CpuBackend()
    : attention_memory_(std::make_unique<cpu::AttentionMemory>()),
      convolutions_(std::make_unique<cpu::Convolutions>()),
      matmul_products_(std::make_unique<cpu::MatmulProducts>()),
      tile_products_(std::make_unique<cpu::TileProducts>()) {
  omp_set_num_threads(1);
  cpu::prepare_products();
}

CpuBackend::~CpuBackend() = default;

void CpuBackend::copy(const Tensor& from, const Tensor& to) { copy_at_once(from, to); }

std::unique_ptr<CopyStream> CpuBackend::make_copy_stream() { return std::make_unique<HostCopies>(); }

void CpuBackend::fill(const Tensor& tensor, double value) {
  on_type(tensor, [&]<class T>(T* data) { std::fill_n(data, tensor.count(), static_cast<T>(value)); });
}

void CpuBackend::convert(const Tensor& from, const Tensor& to) {
  const auto is = [&](DType from_dtype, DType to_dtype) {
    return from.dtype() == from_dtype && to.dtype() == to_dtype && from.count() == to.count();
  };
  if (is(DType::float32, DType::bfloat16)) return cpu::convert(from.as<float>(), to.as<BFloat16>(), to.count());
  if (is(DType::float32, DType::float16)) return cpu::convert(from.as<float>(), to.as<Float16>(), to.count());
  if (is(DType::bfloat16, DType::float32)) return cpu::convert(from.as<BFloat16>(), to.as<float>(), to.count());
  if (is(DType::float16, DType::float32)) return cpu::convert(from.as<Float16>(), to.as<float>(), to.count());
  fail(LS_HERE("convert"),
       fmt::format("a conversion of {} {} to {} {}", from.count(), name(from.dtype()), to.count(), name(to.dtype())));
}

std::string CpuBackend::bfloat16_products() const { return cpu::MatmulProducts::no_bfloat16(); }

void CpuBackend::product(const Tensor& a, Transpose a_op, const Tensor& b, Transpose b_op, const Tensor& c, Write write,
                         const Tensor& bias) {
  const std::int64_t m = c.shape()[0];
  const std::int64_t n = width_of(c);
  const std::int64_t k = a_op == Transpose::no ? width_of(a) : a.shape()[0];
  LS_CHECK(a.count() == m * k && b.count() == k * n && (bias.empty() || bias.count() == n),
           "a product of " + a.shape().text() + " and " + b.shape().text() + " into " + c.shape().text());
  LS_CHECK(bias.empty() || write == Write::replace, "a bias goes with Write::replace");
  if (m == 0 || n == 0) return;
  on_type(c, [&]<class T>(T* out) {
    if constexpr (std::is_same_v<T, float>) {
      const cpu::ProductForm form{m, n, k, a_op, b_op, write, !bias.empty(), a.dtype()};
      if (k > 0 && (a.dtype() == DType::bfloat16 || cpu::MatmulProducts::is_faster(form))) {
        LS_CHECK(a.dtype() == b.dtype(), "a product of matrices of two types");
        if (a.dtype() == DType::bfloat16 && cpu::has_bfloat16_tiles()) {
          return tile_products_->run(form, a.as<BFloat16>(), b.as<BFloat16>(), optional<T>(bias), out);
        }
        return matmul_products_->run(form, a.data(), b.data(), optional<T>(bias), out);
      }
    }
    if (!bias.empty()) cpu::repeat_row(bias.as<T>(), out, m, n);
    const bool keeps = write == Write::add || !bias.empty();
    if (k == 0) {
      if (!keeps) std::fill_n(out, m * n, T{0});
      return;
    }
    cpu::product(a.as<T>(), a_op, b.as<T>(), b_op, out, m, n, k, keeps ? T{1} : T{0});
  });
}

void CpuBackend::add(const Tensor& from, const Tensor& to) {
  LS_CHECK(from.count() == to.count(), "a sum of unlike tensors");
  on_type(to, [&]<class T>(T* data) { cpu::add(from.as<T>(), data, to.count()); });
}

void CpuBackend::add(const Tensor& a, const Tensor& b, const Tensor& sum) {
  LS_CHECK(a.count() == sum.count() && b.count() == sum.count(), "a sum of unlike tensors");
  on_type(sum, [&]<class T>(T* to) { cpu::add(a.as<T>(), b.as<T>(), to, sum.count()); });
}

void CpuBackend::scale(const Tensor& values, double factor) {
  on_type(values, [&]<class T>(T* data) { cpu::scale(data, factor, values.count()); });
}

void CpuBackend::activate(Activation activation, const Tensor& x, const Tensor& y) {
  LS_CHECK(x.count() == y.count(), "an activation of unlike tensors");
  if (y.dtype() == DType::bfloat16) return cpu::activate(activation, x.as<float>(), y.as<BFloat16>(), y.count());
  on_type(y, [&]<class T>(T* out) { cpu::activate(activation, x.as<T>(), out, y.count()); });
}

void CpuBackend::activate_backward(Activation activation, const Tensor& x, const Tensor& y, const Tensor& dy,
                                   const Tensor& dx) {
  LS_CHECK(x.count() == dx.count() && y.count() == dx.count() && dy.count() == dx.count(),
           "an activation's gradient of unlike tensors");
  const bool reads_y = activation == Activation::tanh || activation == Activation::sigmoid;
  on_type(x, [&]<class T>(T* in) {
    const T* const read = reads_y ? y.as<T>() : nullptr;
    if constexpr (std::is_same_v<T, float>) {
      if (dx.dtype() == DType::bfloat16) {
        cpu::activate_backward(activation, in, read, dy.as<T>(), dx.as<BFloat16>(), dx.count());
        return;
      }
    }
    cpu::activate_backward(activation, in, read, dy.as<T>(), dx.as<T>(), dx.count());
  });
}

void CpuBackend::dropout(double rate, const RandomStream& stream, const Tensor& sample_ids, const Tensor& x,
                         const Tensor& y) {
  LS_CHECK(rate >= 0 && rate < 1, "a dropout rate is in [0, 1)");
  LS_CHECK(x.count() == y.count() && x.shape()[0] == sample_ids.count(), "dropout of unlike tensors");
  const auto threshold = static_cast<std::uint32_t>(std::lround(std::min(rate * 0x1p32, 0x1p32 - 1)));
  const std::int64_t width = width_of(x);
  const auto ids = sample_ids.span<std::int64_t>();
  on_type(y, [&]<class T>(T* out) {
    for (std::int64_t i = 0; i < x.shape()[0]; ++i) {
      RandomStream row = stream;
      row.sample = static_cast<std::uint64_t>(ids[static_cast<std::size_t>(i)]);
      cpu::dropout_row(row, threshold, 1 / (1 - rate), x.as<T>() + i * width, out + i * width, width);
    }
  });
}

void CpuBackend::sum_rows(const Tensor& matrix, const Tensor& sums) {
  LS_CHECK(width_of(matrix) == sums.count(), "row sums of unlike tensors");
  if (matrix.dtype() == DType::bfloat16) {
    return cpu::sum_rows(matrix.as<BFloat16>(), sums.as<float>(), matrix.shape()[0], sums.count());
  }
  on_type(sums, [&]<class T>(T* out) { cpu::sum_rows(matrix.as<T>(), out, matrix.shape()[0], sums.count()); });
}

void CpuBackend::sum_squares(const Tensor& values, const Tensor& sums) {
  LS_CHECK(sums.count() == (values.count() + kSquaresChunk - 1) / kSquaresChunk,
           fmt::format("{} sums of squares for {} values", sums.count(), values.count()));
  if (values.empty()) return;
  on_type(values, [&]<class T>(T* data) { cpu::sum_squares(data, sums.as<double>(), values.count()); });
}

void CpuBackend::clip_factor(const Tensor& sums, const Tensor& order, double scale, double most, const Tensor& result) {
  double sum = 0;
  for (const std::int32_t chunk : order.span<std::int32_t>()) sum += sums.as<double>()[chunk];
  const double norm = scale * std::sqrt(sum);
  result.as<double>()[0] = !std::isfinite(norm) ? 0 : most > 0 && norm > most ? most / norm : 1;
  result.as<double>()[1] = norm;
}

std::int64_t CpuBackend::first_not_finite(const Tensor& values) {
  return on_type(values, [&]<class T>(T* data) -> std::int64_t {
    T* const end = data + values.count();
    T* const found = std::find_if(data, end, [](T value) { return !std::isfinite(value); });
    return found == end ? -1 : found - data;
  });
}

std::unique_ptr<Backend> make_cpu_backend() { return std::make_unique<CpuBackend>(); }

}  // namespace lockstep
