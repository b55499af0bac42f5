#include "tensor/cpu/cpu_backend.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tensor/cpu/kernels.h"

namespace lockstep {
namespace {

std::int64_t width_of(const Tensor& matrix) {
  return matrix.shape().rank() == 0 ? 1 : matrix.shape().without_front().elements();
}

// Runs body with the host elements, as float or double.
template <class Body>
auto on_type(const Tensor& tensor, Body body) {
  if (tensor.dtype() == DType::float64) return body(tensor.as<double>());
  return body(tensor.as<float>());
}

template <class T>
T* optional(const Tensor& tensor) {
  return tensor.empty() ? nullptr : tensor.as<T>();
}

void check_spans(const Tensor& values, std::initializer_list<Tensor> others) {
  for (const Tensor& other : others) LS_CHECK(other.count() == values.count(), "an update of unlike spans");
}

class CpuBackend final : public Backend {
 public:
  // oneDNN's products would otherwise start a thread per core and spin in barriers between ranks that share cores.
  CpuBackend() { omp_set_num_threads(1); }

  Device device() const override { return {}; }
  Allocator& allocator() override { return allocator_; }

  Event record() override { return {}; }
  void wait(Event /*event*/) override {}
  void synchronize() override {}

  void copy(const Tensor& from, const Tensor& to) override {
    LS_CHECK(from.dtype() == to.dtype() && from.count() == to.count(), "a copy between unlike tensors");
    if (from.count() > 0 && from.data() != to.data()) std::memmove(to.data(), from.data(), from.bytes());
  }

  void fill(const Tensor& tensor, double value) override {
    on_type(tensor, [&]<class T>(T* data) { std::fill_n(data, tensor.count(), static_cast<T>(value)); });
  }

  void product(const Tensor& a, Transpose a_op, const Tensor& b, Transpose b_op, const Tensor& c, Write write,
               const Tensor& bias) override {
    const std::int64_t m = c.shape()[0];
    const std::int64_t n = width_of(c);
    const std::int64_t k = a_op == Transpose::no ? width_of(a) : a.shape()[0];
    LS_CHECK(a.count() == m * k && b.count() == k * n && (bias.empty() || bias.count() == n),
             "a product of " + a.shape().text() + " and " + b.shape().text() + " into " + c.shape().text());
    if (m == 0 || n == 0) return;
    on_type(c, [&]<class T>(T* out) {
      if (!bias.empty() && write == Write::replace) cpu::repeat_row(bias.as<T>(), out, m, n);
      LS_CHECK(bias.empty() || write == Write::replace, "a bias goes with Write::replace");
      const bool keeps = write == Write::add || !bias.empty();
      if (k == 0) {
        if (!keeps) std::fill_n(out, m * n, T{0});
        return;
      }
      cpu::product(a.as<T>(), a_op, b.as<T>(), b_op, out, m, n, k, keeps ? T{1} : T{0});
    });
  }

  void add(const Tensor& from, const Tensor& to) override {
    LS_CHECK(from.count() == to.count(), "a sum of unlike tensors");
    on_type(to, [&]<class T>(T* data) { cpu::add(from.as<T>(), data, to.count()); });
  }

  void scale(const Tensor& values, double factor) override {
    on_type(values, [&]<class T>(T* data) { cpu::scale(data, factor, values.count()); });
  }

  void activate(Activation activation, const Tensor& x, const Tensor& y) override {
    LS_CHECK(x.count() == y.count(), "an activation of unlike tensors");
    on_type(y, [&]<class T>(T* out) { cpu::activate(activation, x.as<T>(), out, y.count()); });
  }

  void activate_backward(Activation activation, const Tensor& x, const Tensor& y, const Tensor& dy,
                         const Tensor& dx) override {
    LS_CHECK(x.count() == dx.count() && y.count() == dx.count() && dy.count() == dx.count(),
             "an activation's gradient of unlike tensors");
    on_type(dx, [&]<class T>(T* out) {
      cpu::activate_backward(activation, x.as<T>(), y.as<T>(), dy.as<T>(), out, dx.count());
    });
  }

  void dropout(double rate, const RandomStream& stream, const Tensor& sample_ids, const Tensor& x,
               const Tensor& y) override {
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

  void sum_rows(const Tensor& matrix, const Tensor& sums) override {
    LS_CHECK(width_of(matrix) == sums.count(), "row sums of unlike tensors");
    on_type(sums, [&]<class T>(T* out) { cpu::sum_rows(matrix.as<T>(), out, matrix.shape()[0], sums.count()); });
  }

  double scale_and_sum_squares(const Tensor& values, double factor) override {
    return on_type(values, [&]<class T>(T* data) { return cpu::scale_and_sum_squares(data, factor, values.count()); });
  }

  std::int64_t first_not_finite(const Tensor& values) override {
    return on_type(values, [&]<class T>(T* data) -> std::int64_t {
      T* const end = data + values.count();
      T* const found = std::find_if(data, end, [](T value) { return !std::isfinite(value); });
      return found == end ? -1 : found - data;
    });
  }

  void softmax_cross_entropy(const Tensor& logits, const Tensor& labels, const Tensor& weights, const Tensor& gradient,
                             const Tensor& sums) override {
    on_type(logits, [&]<class T>(T* z) {
      cpu::softmax_cross_entropy(z, labels.as<std::int32_t>(), weights.as<float>(), optional<T>(gradient),
                                 sums.as<double>(), logits.shape()[0], width_of(logits));
    });
  }

  void mean_squared_error(const Tensor& predictions, const Tensor& targets, const Tensor& weights,
                          const Tensor& gradient, const Tensor& sums) override {
    on_type(predictions, [&]<class T>(T* y) {
      cpu::mean_squared_error(y, targets.as<float>(), weights.as<float>(), optional<T>(gradient), sums.as<double>(),
                              predictions.shape()[0], width_of(predictions));
    });
  }

  void sgd_update(const Tensor& values, const Tensor& gradients, double rate) override {
    check_spans(values, {gradients});
    on_type(values, [&]<class T>(T* data) { cpu::sgd_update(data, gradients.as<T>(), rate, values.count()); });
  }

  void momentum_update(const Tensor& values, const Tensor& gradients, const Tensor& velocity, double rate,
                       double momentum) override {
    check_spans(values, {gradients, velocity});
    on_type(values, [&]<class T>(T* data) {
      cpu::momentum_update(data, gradients.as<T>(), velocity.as<T>(), rate, momentum, values.count());
    });
  }

  void adam_update(const Tensor& values, const Tensor& gradients, const Tensor& m, const Tensor& v,
                   const AdamStep& step) override {
    check_spans(values, {gradients, m, v});
    on_type(values, [&]<class T>(T* data) {
      cpu::adam_update(data, gradients.as<T>(), m.as<T>(), v.as<T>(), step, values.count());
    });
  }

 private:
  HostAllocator allocator_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend() { return std::make_unique<CpuBackend>(); }

}  // namespace lockstep
