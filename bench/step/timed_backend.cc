#include "timed_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/median.h"
#include "clock.h"

namespace lockstep::bench {
namespace {

constexpr const char* kAdditions = "additions";
constexpr const char* kActivation = "activation";
constexpr const char* kAttention = "attention";
constexpr const char* kEmbedding = "embedding";
constexpr const char* kLoss = "loss";
constexpr const char* kMetrics = "metrics";
constexpr const char* kNorms = "norms";
constexpr const char* kPooling = "pooling";
constexpr const char* kGradientNorm = "gradient norm";
constexpr const char* kOptimizer = "optimizer";
constexpr const char* kCopies = "copies";

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
ImageProduct image_of(Direction direction, const Window& window, const Shape& x, const Shape& y) {
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
    : backend_(backend),
      times_(times),
      on_gpu_(backend.device().kind != Device::Kind::cpu),
      empty_us_(on_gpu_ ? measure_empty() : 0) {}

double TimedBackend::measure_empty() const {
  constexpr int kCalls = 50;
  const Buffer memory = backend_.allocator().allocate(sizeof(float));
  const Tensor element = view(memory, DType::float32, {1});
  std::vector<double> times;
  for (int i = 0; i < kCalls; ++i) {
    const double begin = now_us();
    backend_.fill(element, 0);
    backend_.synchronize();
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

template <class Operation>
void TimedBackend::timed(std::string_view row, const Operation& operation) {
  if (phase_ == Phase::none) return operation();
  const double begin = now_us();
  operation();
  backend_.synchronize();
  row_of(row).us += std::max(0.0, now_us() - begin - empty_us_);
}

template <class Operation>
void TimedBackend::timed_on_gpu(std::string_view row, const Operation& operation) {
  if (!on_gpu_) return operation();
  timed(row, operation);
}

template <class Operation>
void TimedBackend::timed_image(const ImageProduct& image, const Operation& operation) {
  flop_ += bench::flop(image);
  if (phase_ == Phase::none) return operation();
  const std::string row = row_of_image(image);
  count(row, &Counts::images, image, 1);
  timed(row, operation);
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

void TimedBackend::copy(const Tensor& from, const Tensor& to) {
  timed_on_gpu(kCopies, [&] { backend_.copy(from, to); });
}

void TimedBackend::fill(const Tensor& tensor, double value) {
  timed_on_gpu("fills", [&] { backend_.fill(tensor, value); });
}

void TimedBackend::convert(const Tensor& from, const Tensor& to) {
  timed("conversions", [&] { backend_.convert(from, to); });
}

void TimedBackend::product(const Tensor& a, Transpose a_op, const Tensor& b, Transpose b_op, const Tensor& c,
                           Write write, const Tensor& bias) {
  if (c.empty()) return backend_.product(a, a_op, b, b_op, c, write, bias);
  const Product shape = product_of(a, a_op, b_op, c);
  flop_ += bench::flop(shape);
  if (phase_ == Phase::none) return backend_.product(a, a_op, b, b_op, c, write, bias);
  const std::string row = row_of_product(shape);
  count(row, &Counts::products, shape, 1);
  timed(row, [&] { backend_.product(a, a_op, b, b_op, c, write, bias); });
}

// On the CPU the two operations have rows of their own; on a GPU they may be one, counted as a product.
void TimedBackend::product_with_activation(Activation activation, const Tensor& a, const Tensor& b, const Tensor& bias,
                                           const Tensor& x, const Tensor& y) {
  if (device().kind == Device::Kind::cpu) return Backend::product_with_activation(activation, a, b, bias, x, y);
  const Product shape = product_of(a, Transpose::no, Transpose::no, y);
  flop_ += bench::flop(shape);
  if (phase_ == Phase::none) return backend_.product_with_activation(activation, a, b, bias, x, y);
  const std::string row = row_of_product(shape);
  count(row, &Counts::products, shape, 1);
  timed(row, [&] { backend_.product_with_activation(activation, a, b, bias, x, y); });
}

void TimedBackend::add(const Tensor& from, const Tensor& to) {
  timed(kAdditions, [&] { backend_.add(from, to); });
}

void TimedBackend::add(const Tensor& a, const Tensor& b, const Tensor& sum) {
  timed(kAdditions, [&] { backend_.add(a, b, sum); });
}

void TimedBackend::scale(const Tensor& values, double factor) {
  timed_on_gpu("scaling", [&] { backend_.scale(values, factor); });
}

void TimedBackend::activate(Activation activation, const Tensor& x, const Tensor& y) {
  timed(kActivation, [&] { backend_.activate(activation, x, y); });
}

void TimedBackend::activate_backward(Activation activation, const Tensor& x, const Tensor& y, const Tensor& dy,
                                     const Tensor& dx) {
  timed(kActivation, [&] { backend_.activate_backward(activation, x, y, dy, dx); });
}

void TimedBackend::dropout(double rate, const RandomStream& stream, const Tensor& sample_ids, const Tensor& x,
                           const Tensor& y) {
  timed("dropout", [&] { backend_.dropout(rate, stream, sample_ids, x, y); });
}

void TimedBackend::copy_columns(const Tensor& from, std::int64_t from_column, const Tensor& to, std::int64_t to_column,
                                std::int64_t columns) {
  timed_on_gpu(kCopies, [&] { backend_.copy_columns(from, from_column, to, to_column, columns); });
}

void TimedBackend::convolve(const Window& window, const Tensor& x, const Tensor& kernel, const Tensor& bias,
                            const Tensor& y) {
  timed_image(image_of(Direction::forward, window, x.shape(), y.shape()),
              [&] { backend_.convolve(window, x, kernel, bias, y); });
}

void TimedBackend::convolve_backward_input(const Window& window, const Tensor& dy, const Tensor& kernel,
                                           const Tensor& dx) {
  timed_image(image_of(Direction::backward_input, window, dx.shape(), dy.shape()),
              [&] { backend_.convolve_backward_input(window, dy, kernel, dx); });
}

void TimedBackend::convolve_backward_kernel(const Window& window, const Tensor& x, const Tensor& dy,
                                            const Tensor& dkernel, const Tensor& dbias) {
  timed_image(image_of(Direction::backward_kernel, window, x.shape(), dy.shape()),
              [&] { backend_.convolve_backward_kernel(window, x, dy, dkernel, dbias); });
}

void TimedBackend::pool(Pooling pooling, const Window& window, const Tensor& x, const Tensor& y) {
  timed(kPooling, [&] { backend_.pool(pooling, window, x, y); });
}

void TimedBackend::pool_backward(Pooling pooling, const Window& window, const Tensor& x, const Tensor& y,
                                 const Tensor& dy, const Tensor& dx) {
  timed(kPooling, [&] { backend_.pool_backward(pooling, window, x, y, dy, dx); });
}

void TimedBackend::normalize(double epsilon, const Tensor& x, const Tensor& scale, const Tensor& shift, const Tensor& y,
                             const Tensor& mean, const Tensor& inverse_stddev) {
  timed(kNorms, [&] { backend_.normalize(epsilon, x, scale, shift, y, mean, inverse_stddev); });
}

void TimedBackend::normalize_backward(const Tensor& x, const Tensor& scale, const Tensor& mean,
                                      const Tensor& inverse_stddev, const Tensor& dy, const Tensor& dx,
                                      const Tensor& dscale, const Tensor& dshift) {
  timed(kNorms, [&] { backend_.normalize_backward(x, scale, mean, inverse_stddev, dy, dx, dscale, dshift); });
}

void TimedBackend::standardize(const Tensor& x, const Tensor& mean, const Tensor& stddev, const Tensor& y) {
  timed_on_gpu("standardization", [&] { backend_.standardize(x, mean, stddev, y); });
}

void TimedBackend::embed(const EmbeddingForm& form, const Tensor& table, const Tensor& ids, const Tensor& y,
                         Write write) {
  timed(kEmbedding, [&] { backend_.embed(form, table, ids, y, write); });
}

void TimedBackend::embed_backward(const EmbeddingForm& form, const Tensor& ids, const Tensor& dy, const Tensor& dtable,
                                  Write write) {
  timed(kEmbedding, [&] { backend_.embed_backward(form, ids, dy, dtable, write); });
}

void TimedBackend::attend(const AttentionShape& shape, const AttentionDropout& dropout,
                          std::span<const AttentionSequence> sequences, const AttentionOperands& inputs,
                          const Tensor& out, const Tensor& log_sums) {
  count_attention(shape, sequences, 2);
  timed(kAttention, [&] { backend_.attend(shape, dropout, sequences, inputs, out, log_sums); });
}

void TimedBackend::attend_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                                   std::span<const AttentionSequence> sequences, const AttentionOperands& inputs,
                                   const Tensor& out, const Tensor& log_sums, const Tensor& dout,
                                   const AttentionOperands& gradients) {
  count_attention(shape, sequences, 4);
  timed(kAttention,
        [&] { backend_.attend_backward(shape, dropout, sequences, inputs, out, log_sums, dout, gradients); });
}

void TimedBackend::sum_rows(const Tensor& matrix, const Tensor& sums) {
  timed("sums of rows", [&] { backend_.sum_rows(matrix, sums); });
}

void TimedBackend::sum_squares(const Tensor& values, const Tensor& sums) {
  timed_on_gpu(kGradientNorm, [&] { backend_.sum_squares(values, sums); });
}

void TimedBackend::clip_factor(const Tensor& sums, const Tensor& order, double scale, double most,
                               const Tensor& result) {
  timed_on_gpu(kGradientNorm, [&] { backend_.clip_factor(sums, order, scale, most, result); });
}

void TimedBackend::softmax_cross_entropy(double label_smoothing, const Tensor& logits, const Tensor& labels,
                                         const Tensor& weights, const Tensor& gradient, const Tensor& sums) {
  timed_on_gpu(kLoss,
               [&] { backend_.softmax_cross_entropy(label_smoothing, logits, labels, weights, gradient, sums); });
}

void TimedBackend::sigmoid_cross_entropy(double label_smoothing, const Tensor& logits, const Tensor& targets,
                                         const Tensor& weights, const Tensor& gradient, const Tensor& sums) {
  timed_on_gpu(kLoss,
               [&] { backend_.sigmoid_cross_entropy(label_smoothing, logits, targets, weights, gradient, sums); });
}

void TimedBackend::mean_squared_error(const Tensor& predictions, const Tensor& targets, const Tensor& weights,
                                      const Tensor& gradient, const Tensor& sums) {
  timed_on_gpu(kLoss, [&] { backend_.mean_squared_error(predictions, targets, weights, gradient, sums); });
}

void TimedBackend::count_in_top(std::int64_t k, const Tensor& logits, const Tensor& labels, const Tensor& weights,
                                const Tensor& sum) {
  timed_on_gpu(kMetrics, [&] { backend_.count_in_top(k, logits, labels, weights, sum); });
}

void TimedBackend::regression_errors(const Tensor& predictions, const Tensor& targets, const Tensor& weights,
                                     const Tensor& sums) {
  timed_on_gpu(kMetrics, [&] { backend_.regression_errors(predictions, targets, weights, sums); });
}

void TimedBackend::blend(const Tensor& from, const Tensor& to, double weight) {
  timed_on_gpu(kOptimizer, [&] { backend_.blend(from, to, weight); });
}

void TimedBackend::sgd_update(const Tensor& values, const Tensor& gradients, const SgdStep& step) {
  timed_on_gpu(kOptimizer, [&] { backend_.sgd_update(values, gradients, step); });
}

void TimedBackend::momentum_update(const Tensor& values, const Tensor& gradients, const Tensor& velocity,
                                   const MomentumStep& step) {
  timed_on_gpu(kOptimizer, [&] { backend_.momentum_update(values, gradients, velocity, step); });
}

void TimedBackend::adam_update(const Tensor& values, const Tensor& gradients, const Tensor& m, const Tensor& v,
                               const AdamStep& step) {
  timed_on_gpu(kOptimizer, [&] { backend_.adam_update(values, gradients, m, v, step); });
}

void TimedBackend::rmsprop_update(const Tensor& values, const Tensor& gradients, const Tensor& mean_square,
                                  const RmspropStep& step) {
  timed_on_gpu(kOptimizer, [&] { backend_.rmsprop_update(values, gradients, mean_square, step); });
}

void TimedBackend::adagrad_update(const Tensor& values, const Tensor& gradients, const Tensor& sum,
                                  const AdagradStep& step) {
  timed_on_gpu(kOptimizer, [&] { backend_.adagrad_update(values, gradients, sum, step); });
}

void TimedBackend::lamb_update(const Tensor& values, const Tensor& gradients, const Tensor& m, const Tensor& v,
                               const LambStep& step) {
  timed_on_gpu(kOptimizer, [&] { backend_.lamb_update(values, gradients, m, v, step); });
}

void TimedBackend::lars_update(const Tensor& values, const Tensor& gradients, const Tensor& velocity,
                               const LarsStep& step) {
  timed_on_gpu(kOptimizer, [&] { backend_.lars_update(values, gradients, velocity, step); });
}

void TimedBackend::adafactor_update(const Tensor& values, const Tensor& gradients, const Tensor& v,
                                    const AdafactorStep& step) {
  timed_on_gpu(kOptimizer, [&] { backend_.adafactor_update(values, gradients, v, step); });
}

}  // namespace lockstep::bench
