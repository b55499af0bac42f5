#include <fmt/format.h>

#include <cstring>

#include "tensor/cpu/cpu_backend.h"
#include "tensor/cpu/dispatch_dtype.h"
#include "tensor/cpu/layer_kernels.h"

namespace lockstep {
namespace {

// x (M, P, C), statistics (M, G).
cpu::NormShape norm_shape(const Tensor& x, const Tensor& statistics) {
  LS_CHECK(x.shape().rank() == 3 && statistics.shape().rank() == 2 && x.shape()[0] == statistics.shape()[0],
           fmt::format("a norm of {} with statistics {}", x.shape().text(), statistics.shape().text()));
  const cpu::NormShape shape{
      .samples = x.shape()[0], .positions = x.shape()[1], .channels = x.shape()[2], .groups = statistics.shape()[1]};
  LS_CHECK(shape.groups > 0 && shape.channels > 0 && shape.channels % shape.groups == 0,
           fmt::format("{} channels in {} groups", shape.channels, shape.groups));
  return shape;
}

// Checks ids, which are used as places in memory from here on.
void check_ids(const Tensor& ids, std::int64_t rows) {
  for (const std::int32_t id : ids.span<std::int32_t>()) {
    LS_CHECK(0 <= id && id < rows, fmt::format("row {} of a table of {}", id, rows));
  }
}

}  // namespace

void CpuBackend::copy_columns(const Tensor& from, std::int64_t from_column, const Tensor& to, std::int64_t to_column,
                              std::int64_t columns) {
  const std::int64_t from_width = width_of(from);
  const std::int64_t to_width = width_of(to);
  LS_CHECK(from.dtype() == to.dtype() && from.shape()[0] == to.shape()[0], "columns between unlike tensors");
  LS_CHECK(0 <= from_column && from_column + columns <= from_width && 0 <= to_column && columns >= 0 &&
               to_column + columns <= to_width,
           fmt::format("{} columns from {} of {} to {} of {}", columns, from_column, from_width, to_column, to_width));
  if (columns == 0) return;
  on_type(to, [&]<class T>(T* out) {
    const T* in = from.as<T>() + from_column;
    for (std::int64_t row = 0; row < to.shape()[0]; ++row) {
      std::memcpy(out + row * to_width + to_column, in + row * from_width,
                  static_cast<std::size_t>(columns) * sizeof(T));
    }
  });
}

void CpuBackend::normalize(double epsilon, const Tensor& x, const Tensor& scale, const Tensor& shift, const Tensor& y,
                           const Tensor& mean, const Tensor& inverse_stddev) {
  const cpu::NormShape shape = norm_shape(x, mean);
  LS_CHECK(y.count() == x.count() && inverse_stddev.count() == mean.count() && scale.count() == shape.channels &&
               shift.count() == shape.channels,
           "a norm of unlike tensors");
  if (y.dtype() == DType::bfloat16) {
    cpu::normalize(shape, epsilon, x.as<float>(), scale.as<float>(), shift.as<float>(), y.as<BFloat16>(),
                   mean.as<float>(), inverse_stddev.as<float>());
    return;
  }
  on_type(y, [&]<class T>(T* out) {
    cpu::normalize(shape, epsilon, x.as<T>(), scale.as<T>(), shift.as<T>(), out, mean.as<T>(), inverse_stddev.as<T>());
  });
}

void CpuBackend::normalize_backward(const Tensor& x, const Tensor& scale, const Tensor& mean,
                                    const Tensor& inverse_stddev, const Tensor& dy, const Tensor& dx,
                                    const Tensor& dscale, const Tensor& dshift) {
  const cpu::NormShape shape = norm_shape(x, mean);
  LS_CHECK(dy.count() == x.count() && (dx.empty() || dx.count() == x.count()) &&
               inverse_stddev.count() == mean.count() && scale.count() == shape.channels &&
               dscale.count() == shape.channels && dshift.count() == shape.channels,
           "a norm's gradient of unlike tensors");
  on_type(dscale, [&]<class T>(T* out) {
    cpu::normalize_backward(shape, x.as<T>(), scale.as<T>(), mean.as<T>(), inverse_stddev.as<T>(), dy.as<T>(),
                            optional<T>(dx), out, dshift.as<T>());
  });
}

void CpuBackend::standardize(const Tensor& x, const Tensor& mean, const Tensor& stddev, const Tensor& y) {
  const std::int64_t channels = mean.count();
  LS_CHECK(channels > 0 && stddev.count() == channels && y.count() == x.count() && x.count() % channels == 0,
           "standardization of unlike tensors");
  on_type(y, [&]<class T>(T* out) {
    cpu::standardize(x.as<T>(), mean.as<T>(), stddev.as<T>(), out, x.count() / channels, channels);
  });
}

void CpuBackend::embed(const EmbeddingForm& form, const Tensor& table, const Tensor& ids, const Tensor& y,
                       Write write) {
  LS_CHECK(width_of(table) == width_of(y) && y.shape()[0] == ids.count(), "an embedding of unlike tensors");
  check_ids(ids, table.shape()[0]);
  on_type(y, [&]<class T>(T* out) {
    cpu::embed(form, table.as<T>(), ids.as<std::int32_t>(), out, ids.count(), width_of(table), write);
  });
}

void CpuBackend::embed_backward(const EmbeddingForm& form, const Tensor& ids, const Tensor& dy, const Tensor& dtable,
                                Write write) {
  LS_CHECK(width_of(dtable) == width_of(dy) && dy.shape()[0] == ids.count(),
           "an embedding's gradient of unlike tensors");
  check_ids(ids, dtable.shape()[0]);
  if (write == Write::replace) fill(dtable, 0);
  on_type(dtable, [&]<class T>(T* out) {
    cpu::embed_backward(form, ids.as<std::int32_t>(), dy.as<T>(), out, ids.count(), width_of(dtable));
  });
}

void CpuBackend::blend(const Tensor& from, const Tensor& to, double weight) {
  LS_CHECK(from.count() == to.count(), "a blend of unlike tensors");
  on_type(to, [&]<class T>(T* data) { cpu::blend(from.as<T>(), data, weight, to.count()); });
}

}  // namespace lockstep
