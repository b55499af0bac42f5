#include "timed_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/median.h"
#include "clock.h"

namespace lockstep::bench {
namespace {

constexpr const char* kAttention = "attention";

// The row of an operation. Operations that layers call have one on the CPU, too.
struct RowOf {
  BackendOperation operation;
  const char* row;
  enum class On { all, gpu } on = On::all;
};
using enum RowOf::On;

RowOf row_of_operation(BackendOperation operation) {
  using enum BackendOperation;
  // Those that are not here have a row of their own name.
  static constexpr RowOf kRows[] = {
      {copy, "copies", gpu},
      {copy_columns, "copies", gpu},
      {fill, "fills", gpu},
      {convert, "conversions"},
      {add, "additions"},
      {scale, "scaling", gpu},
      {activate, "activation"},
      {activate_backward, "activation"},
      {pool, "pooling"},
      {pool_backward, "pooling"},
      {normalize, "norms"},
      {normalize_backward, "norms"},
      {standardize, "standardization", gpu},
      {embed, "embedding"},
      {embed_backward, "embedding"},
      {attend, kAttention},
      {attend_backward, kAttention},
      {sum_rows, "sums of rows"},
      {sum_squares, "gradient norm", gpu},
      {clip_factor, "gradient norm", gpu},
      {softmax_cross_entropy, "loss", gpu},
      {sigmoid_cross_entropy, "loss", gpu},
      {mean_squared_error, "loss", gpu},
      {count_in_top, "metrics", gpu},
      {regression_errors, "metrics", gpu},
      {blend, "optimizer", gpu},
      {update, "optimizer", gpu},
  };
  const auto* const found = std::ranges::find(kRows, operation, &RowOf::operation);
  return found == std::end(kRows) ? RowOf{operation, name(operation)} : *found;
}

// Names the row by the three numbers, which forward and backward products of one linear layer share.
std::string row_of_product(const Product& product) {
  std::array<std::int64_t, 3> extents{product.m, product.n, product.k};
  std::ranges::sort(extents, std::ranges::greater());
  return fmt::format("{}x{}x{}", extents[0], extents[1], extents[2]);
}

std::string row_of_image(const ImageProduct& image) {
  return fmt::format("conv {0}x{0} {1}-{2} {3}x{3}", image.kernel_side, image.channels, image.filters, image.side);
}

// REQUIRES: c is not empty.
Product product_of(const Tensor& a, Transpose a_op, Transpose b_op, const Tensor& c) {
  const std::int64_t m = c.shape()[0];
  const std::int64_t n = c.count() / m;  // a gradient may have the axes of images
  return {.form = a_op == Transpose::yes   ? Product::Form::a_transposed
                  : b_op == Transpose::yes ? Product::Form::b_transposed
                                           : Product::Form::plain,
          .m = m,
          .n = n,
          .k = a.count() / m,
          .dtype = a.dtype()};
}

std::vector<double>& times_of(LayerTimes& times, TimedBackend::Phase phase) {
  if (phase == TimedBackend::Phase::forward) return times.forward_us;
  return phase == TimedBackend::Phase::backward ? times.backward_us : times.update_us;
}

// x or its gradient: (B, H, W, C); y or its gradient: (B, OH, OW, F).
ImageProduct image_of(Direction direction, const WindowForm& window, const Shape& x, const Shape& y) {
  const std::int64_t covered = (y[1] - 1) * window.stride_y + window.height;  // rows, including padding
  return {.direction = direction,
          .batch = x[0],
          .side = x[1],
          .channels = x[3],
          .filters = y[3],
          .kernel_side = window.height,
          .stride = window.stride_y,
          .before = window.top,
          .after = std::max<std::int64_t>(0, covered - x[1] - window.top)};
}

}  // namespace

TimedBackend::TimedBackend(Backend& backend, std::vector<std::unique_ptr<LayerTimes>>& times)
    : ForwardingBackend(backend),
      times_(times),
      on_gpu_(backend.device().kind != Device::Kind::cpu),
      empty_us_(on_gpu_ ? measure_empty() : 0) {}

double TimedBackend::measure_empty() {
  constexpr int kCalls = 50;
  const Buffer memory = backend().allocator().allocate(sizeof(float));
  const Tensor element = view(memory, DType::float32, {1});
  std::vector<double> times;
  for (int i = 0; i < kCalls; ++i) {
    const double begin = now_us();
    backend().fill(element, 0);
    backend().synchronize();
    times.push_back(now_us() - begin);
  }
  return median(times);
}

TimedBackend::Row& TimedBackend::row_of(std::string_view name) {
  const auto [row, fresh] = rows_.try_emplace(std::string(name));
  if (fresh) {
    row->second.times = times_.emplace_back(std::make_unique<LayerTimes>()).get();
    row->second.times->name = name;
    if (phase_ != Phase::forward) row->second.times->forward_us.push_back(0);  // not used in this step's forward pass
    if (phase_ == Phase::update) row->second.times->backward_us.push_back(0);
  }
  return row->second;
}

void TimedBackend::around(BackendOperation operation, const std::function<void()>& run) {
  const RowOf row = row_of_operation(operation);
  if (row.on == gpu && !on_gpu_) return run();
  timed(row.row, run);
}

void TimedBackend::timed(std::string_view row, const std::function<void()>& run) {
  if (phase_ == Phase::none) return run();
  const double begin = now_us();
  run();
  backend().synchronize();
  row_of(row).us += std::max(0.0, now_us() - begin - empty_us_);
}

void TimedBackend::timed_product(const Product& shape, const std::function<void()>& run) {
  flop_ += bench::flop(shape);
  if (phase_ == Phase::none) return run();
  const std::string row = row_of_product(shape);
  count(row, &Counts::products, shape, 1);
  timed(row, run);
}

void TimedBackend::timed_image(const ImageProduct& image, const std::function<void()>& run) {
  flop_ += bench::flop(image);
  if (phase_ == Phase::none) return run();
  const std::string row = row_of_image(image);
  count(row, &Counts::images, image, 1);
  timed(row, run);
}

// REQUIRES: in a pass.
template <class Map, class Key>
void TimedBackend::count(std::string_view row, Map Counts::*counts, const Key& key, std::int64_t calls) {
  Row& counted = row_of(row);
  counted.times->multiplies = true;
  if (first_step_) ((phase_ == Phase::forward ? counted.forward : counted.backward).*counts)[key] += calls;
}

// Counts whole square matrices, as a library would multiply them that cannot skip what the causal mask hides.
void TimedBackend::count_attention(const AttentionShape& shape, std::span<const AttentionSequence> sequences,
                                   std::int64_t products) {
  for (const AttentionSequence& sequence : sequences) {
    const Product product{Product::Form::b_transposed, sequence.q_end - sequence.q_begin,
                          sequence.k_end - sequence.k_begin, shape.head_dim, shape.factors};
    const std::int64_t calls = products * shape.heads;
    flop_ += bench::flop(product) * static_cast<double>(calls);
    if (phase_ != Phase::none) count(kAttention, &Counts::products, product, calls);
  }
}

void TimedBackend::end_pass() {
  for (auto& [name, row] : rows_) {
    times_of(*row.times, phase_).push_back(row.us);
    row.us = 0;
  }
  if (phase_ == Phase::backward) first_step_ = false;
  phase_ = Phase::none;
}

void TimedBackend::add_floors() {
  const auto add = [](const Counts& counts, std::vector<FloorForms>& floors) {
    for (const auto& [product, calls] : counts.products) floors.emplace_back(product, calls);
    for (const auto& [image, calls] : counts.images) floors.emplace_back(image, calls);
  };
  for (auto& [name, row] : rows_) {
    add(row.forward, row.times->forward_floor);
    add(row.backward, row.times->backward_floor);
  }
}

void TimedBackend::product(const Tensor& a, Transpose a_op, const Tensor& b, Transpose b_op, const Tensor& c,
                           Write write, const Tensor& bias) {
  const auto run = [&] { backend().product(a, a_op, b, b_op, c, write, bias); };
  if (c.empty()) return run();
  timed_product(product_of(a, a_op, b_op, c), std::cref(run));
}

// On the CPU the two operations have rows of their own; on a GPU they may be one, counted as a product.
void TimedBackend::product_with_activation(Activation activation, const Tensor& a, const Tensor& b, const Tensor& bias,
                                           const Tensor& x, const Tensor& y) {
  if (!on_gpu_) return Backend::product_with_activation(activation, a, b, bias, x, y);
  const auto run = [&] { backend().product_with_activation(activation, a, b, bias, x, y); };
  timed_product(product_of(a, Transpose::no, Transpose::no, y), std::cref(run));
}

void TimedBackend::convolve(const WindowForm& window, const Tensor& x, const Tensor& kernel, const Tensor& bias,
                            const Tensor& y) {
  const auto run = [&] { backend().convolve(window, x, kernel, bias, y); };
  timed_image(image_of(Direction::forward, window, x.shape(), y.shape()), std::cref(run));
}

void TimedBackend::convolve_backward_input(const WindowForm& window, const Tensor& dy, const Tensor& kernel,
                                           const Tensor& dx) {
  const auto run = [&] { backend().convolve_backward_input(window, dy, kernel, dx); };
  timed_image(image_of(Direction::backward_input, window, dx.shape(), dy.shape()), std::cref(run));
}

void TimedBackend::convolve_backward_kernel(const WindowForm& window, const Tensor& x, const Tensor& dy,
                                            const Tensor& dkernel, const Tensor& dbias) {
  const auto run = [&] { backend().convolve_backward_kernel(window, x, dy, dkernel, dbias); };
  timed_image(image_of(Direction::backward_kernel, window, x.shape(), dy.shape()), std::cref(run));
}

void TimedBackend::attend(const AttentionShape& shape, const AttentionDropout& dropout,
                          std::span<const AttentionSequence> sequences, const AttentionOperands& inputs,
                          const Tensor& out, const Tensor& log_sums) {
  count_attention(shape, sequences, 2);
  ForwardingBackend::attend(shape, dropout, sequences, inputs, out, log_sums);
}

void TimedBackend::attend_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                                   std::span<const AttentionSequence> sequences, const AttentionOperands& inputs,
                                   const Tensor& out, const Tensor& log_sums, const Tensor& dout,
                                   const AttentionOperands& gradients) {
  count_attention(shape, sequences, 4);
  ForwardingBackend::attend_backward(shape, dropout, sequences, inputs, out, log_sums, dout, gradients);
}

}  // namespace lockstep::bench
