#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "counted_allocator.h"
#include "network.h"
#include "tensor/backend.h"

namespace lockstep::bench {

// Forwards every operation to another backend and records in a pass how long each took: products and convolutions by
// shape, the others by kind, as rows of a network's times. Outside of passes it only forwards.
//
// On the CPU there are rows for the operations of layers only; callers measure loss, copies and updates as wholes. On a
// GPU every operation has a row, and the host waits for each; the time of an empty operation is subtracted.
//
// One thread. A new operation of Backend has to be forwarded here, too: tests/bench/handed_on_test checks it.
class TimedBackend final : public Backend {
 public:
  // times: those of the network that runs on it; backend and times outlive it. Rows are added when operations first
  // occur.
  TimedBackend(Backend& backend, std::vector<std::unique_ptr<LayerTimes>>& times);

  enum class Phase { none, forward, backward, update };
  void begin_pass(Phase phase) { phase_ = phase; }
  // Ends the pass; then every row has a time for it.
  void end_pass();

  // Adds the floors of the products of the first step. REQUIRES: a step was made in passes. Once.
  void add_floors();
  // Flop of all products and convolutions so far, in passes or not; attention counts as whole matrices.
  double flop() const { return flop_; }
  // Most bytes of its allocator() held at once.
  std::int64_t most_memory() const { return allocator_.most(); }

  Device device() const override { return backend_.device(); }
  std::string description() const override { return backend_.description(); }
  Allocator& allocator() override { return allocator_; }
  Allocator& host_allocator() override { return backend_.host_allocator(); }

  Event record() override { return backend_.record(); }
  void wait(Event event) override { backend_.wait(event); }
  void synchronize() override { backend_.synchronize(); }
  void wait_on_host(Event event) override { backend_.wait_on_host(event); }

  void copy(const Tensor& from, const Tensor& to) override;
  void fill(const Tensor& tensor, double value) override;
  std::unique_ptr<CopyStream> make_copy_stream() override { return backend_.make_copy_stream(); }
  std::unique_ptr<OperationGraph> make_graph() override { return backend_.make_graph(); }
  bool drop_graph() noexcept override { return backend_.drop_graph(); }
  void after_graph(std::function<void()> call) override { backend_.after_graph(std::move(call)); }
  void convert(const Tensor& from, const Tensor& to) override;

  std::string bfloat16_products() const override { return backend_.bfloat16_products(); }
  std::string tf32_products() const override { return backend_.tf32_products(); }
  void set_float32_products(Float32Products products) override { backend_.set_float32_products(products); }
  DType activation_input_type(Activation activation, DType y) const override {
    return backend_.activation_input_type(activation, y);
  }
  void product(const Tensor& a, Transpose a_op, const Tensor& b, Transpose b_op, const Tensor& c, Write write,
               const Tensor& bias) override;
  void product_with_activation(Activation activation, const Tensor& a, const Tensor& b, const Tensor& bias,
                               const Tensor& x, const Tensor& y) override;

  void add(const Tensor& from, const Tensor& to) override;
  void add(const Tensor& a, const Tensor& b, const Tensor& sum) override;
  void scale(const Tensor& values, double factor) override;
  void activate(Activation activation, const Tensor& x, const Tensor& y) override;
  void activate_backward(Activation activation, const Tensor& x, const Tensor& y, const Tensor& dy,
                         const Tensor& dx) override;
  void dropout(double rate, const RandomStream& stream, const Tensor& sample_ids, const Tensor& x,
               const Tensor& y) override;
  void copy_columns(const Tensor& from, std::int64_t from_column, const Tensor& to, std::int64_t to_column,
                    std::int64_t columns) override;

  void convolve(const Window& window, const Tensor& x, const Tensor& kernel, const Tensor& bias,
                const Tensor& y) override;
  void convolve_backward_input(const Window& window, const Tensor& dy, const Tensor& kernel, const Tensor& dx) override;
  void convolve_backward_kernel(const Window& window, const Tensor& x, const Tensor& dy, const Tensor& dkernel,
                                const Tensor& dbias) override;
  void pool(Pooling pooling, const Window& window, const Tensor& x, const Tensor& y) override;
  void pool_backward(Pooling pooling, const Window& window, const Tensor& x, const Tensor& y, const Tensor& dy,
                     const Tensor& dx) override;

  void normalize(double epsilon, const Tensor& x, const Tensor& scale, const Tensor& shift, const Tensor& y,
                 const Tensor& mean, const Tensor& inverse_stddev) override;
  void normalize_backward(const Tensor& x, const Tensor& scale, const Tensor& mean, const Tensor& inverse_stddev,
                          const Tensor& dy, const Tensor& dx, const Tensor& dscale, const Tensor& dshift) override;
  void standardize(const Tensor& x, const Tensor& mean, const Tensor& stddev, const Tensor& y) override;

  void embed(const EmbeddingForm& form, const Tensor& table, const Tensor& ids, const Tensor& y, Write write) override;
  void embed_backward(const EmbeddingForm& form, const Tensor& ids, const Tensor& dy, const Tensor& dtable,
                      Write write) override;

  void attend(const AttentionShape& shape, const AttentionDropout& dropout,
              std::span<const AttentionSequence> sequences, const AttentionOperands& inputs, const Tensor& out,
              const Tensor& log_sums) override;
  void attend_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                       std::span<const AttentionSequence> sequences, const AttentionOperands& inputs, const Tensor& out,
                       const Tensor& log_sums, const Tensor& dout, const AttentionOperands& gradients) override;

  void sum_rows(const Tensor& matrix, const Tensor& sums) override;
  void sum_squares(const Tensor& values, const Tensor& sums) override;
  void clip_factor(const Tensor& sums, const Tensor& order, double scale, double most, const Tensor& result) override;
  std::int64_t first_not_finite(const Tensor& values) override { return backend_.first_not_finite(values); }

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

  void blend(const Tensor& from, const Tensor& to, double weight) override;

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
  // The distinct products of a step, and how often each occurs.
  struct Counts {
    std::map<Product, std::int64_t> products{};
    std::map<ImageProduct, std::int64_t> images{};
  };
  struct Row {
    LayerTimes* times = nullptr;
    double us = 0;  // in this pass
    Counts forward{};
    Counts backward{};
  };

  template <class Operation>
  void timed(std::string_view row, const Operation& operation);
  template <class Operation>
  void timed_on_gpu(std::string_view row, const Operation& operation);
  template <class Operation>
  void timed_image(const ImageProduct& image, const Operation& operation);

  double measure_empty() const;
  Row& row_of(std::string_view name);
  template <class Map, class Key>
  void count(std::string_view row, Map Counts::*counts, const Key& key, std::int64_t calls);
  void count_attention(const AttentionShape& shape, std::span<const AttentionSequence> sequences,
                       std::int64_t products);

  Backend& backend_;
  std::vector<std::unique_ptr<LayerTimes>>& times_;
  CountedAllocator allocator_{backend_.allocator()};
  bool on_gpu_;
  double empty_us_;  // time of an empty operation and the wait for it
  std::map<std::string, Row, std::less<>> rows_;
  Phase phase_ = Phase::none;
  bool first_step_ = true;  // the step whose products are counted
  double flop_ = 0;
};

}  // namespace lockstep::bench
