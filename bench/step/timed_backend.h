#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "counted_allocator.h"
#include "network.h"
#include "tensor/forwarding_backend.h"

namespace lockstep::bench {

// Forwards every operation to another backend and records in a pass how long each took: products and convolutions by
// shape, the others by kind, as rows of a network's times. Outside of passes it only forwards and counts flop.
//
// On the CPU there are rows for the operations of layers only; callers measure loss, copies and updates as wholes. On a
// GPU every operation has a row, and the host waits for each; the time of an empty operation is subtracted.
//
// One thread. A new operation of Backend has a row of its own name unless timed_backend.cc names another.
class TimedBackend final : public ForwardingBackend {
 public:
  // times: those of the network that runs on it; backend and times outlive it. Rows are added when operations first
  // occur.
  TimedBackend(Backend& backend, std::vector<std::unique_ptr<LayerTimes>>& times);

  enum class Phase { none, forward, backward, update };
  void begin_pass(Phase phase) { phase_ = phase; }
  // Ends the pass; then every row has a time for it.
  void end_pass();

  // Adds the floors of the products of the first step. At most once. REQUIRES: a step was made in passes.
  void add_floors();
  // Flop of all products, convolutions and attention so far, in passes or not; attention's are those of whole matrices.
  double flop() const { return flop_; }
  // Most bytes of its allocator() held at once.
  std::int64_t most_memory() const { return allocator_.most(); }

  Allocator& allocator() override { return allocator_; }

  // Products and convolutions; their rows are named by shape.
  void product(const Tensor& a, Transpose a_op, const Tensor& b, Transpose b_op, const Tensor& c, Write write,
               const Tensor& bias) override;
  void product_with_activation(Activation activation, const Tensor& a, const Tensor& b, const Tensor& bias,
                               const Tensor& x, const Tensor& y) override;
  void convolve(const WindowForm& window, const Tensor& x, const Tensor& kernel, const Tensor& bias,
                const Tensor& y) override;
  void convolve_backward_input(const WindowForm& window, const Tensor& dy, const Tensor& kernel,
                               const Tensor& dx) override;
  void convolve_backward_kernel(const WindowForm& window, const Tensor& x, const Tensor& dy, const Tensor& dkernel,
                                const Tensor& dbias) override;
  // Attention; its products are counted.
  void attend(const AttentionShape& shape, const AttentionDropout& dropout,
              std::span<const AttentionSequence> sequences, const AttentionOperands& inputs, const Tensor& out,
              const Tensor& log_sums) override;
  void attend_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                       std::span<const AttentionSequence> sequences, const AttentionOperands& inputs, const Tensor& out,
                       const Tensor& log_sums, const Tensor& dout, const AttentionOperands& gradients) override;

 private:
  // The distinct products of a step, and how often each occurs.
  struct Counts {
    std::map<Product, std::int64_t> products{};
    std::map<ImageProduct, std::int64_t> images{};
  };
  struct Row {
    LayerTimes* times = nullptr;
    double us = 0;  // time in this pass
    Counts forward{};
    Counts backward{};
  };

  void around(BackendOperation operation, const std::function<void()>& run) override;
  void timed(std::string_view row, const std::function<void()>& run);
  void timed_product(const Product& shape, const std::function<void()>& run);
  void timed_image(const ImageProduct& image, const std::function<void()>& run);

  double measure_empty();
  Row& row_of(std::string_view name);
  template <class Map, class Key>
  void count(std::string_view row, Map Counts::*counts, const Key& key, std::int64_t calls);
  void count_attention(const AttentionShape& shape, std::span<const AttentionSequence> sequences,
                       std::int64_t products);

  std::vector<std::unique_ptr<LayerTimes>>& times_;
  CountedAllocator allocator_{backend().allocator()};
  bool on_gpu_;
  double empty_us_;  // time of an empty operation and the wait for it
  std::map<std::string, Row, std::less<>> rows_;
  Phase phase_ = Phase::none;
  bool first_step_ = true;  // true in the step whose products get floors
  double flop_ = 0;
};

}  // namespace lockstep::bench
