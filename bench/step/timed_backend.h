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

// Hands every operation on to another backend, and writes down in a pass what each took: products and convolutions by
// their shape, the others by their kind, as rows of a network's times. Outside of passes it only hands on.
//
// On the CPU rows are of what layers do; loss, copies and updates are measured as wholes by who calls. On a GPU every
// operation has a row, and the host waits for each: what an empty operation takes that way is no part of its time.
//
// One thread. An operation that is new in the contract has a row of its own name, until timed_backend.cc says another.
class TimedBackend final : public ForwardingBackend {
 public:
  // times: of the network that runs on it; backend and they outlive it. Rows are added as operations are met.
  TimedBackend(Backend& backend, std::vector<std::unique_ptr<LayerTimes>>& times);

  enum class Phase { none, forward, backward, update };
  void begin_pass(Phase phase) { phase_ = phase; }
  // Every row has a time of this pass then.
  void end_pass();

  // The products that the first step has had, for the floor. REQUIRES: a step was made in passes. Once.
  void add_floors();
  // Of all products and convolutions so far, in passes or not: attention's are those of whole matrices.
  double flop() const { return flop_; }
  // Held at once at most, of its allocator().
  std::int64_t most_memory() const { return allocator_.most(); }

  Allocator& allocator() override { return allocator_; }

  // Products and convolutions, whose rows go by their shapes.
  void product(const Tensor& a, Transpose a_op, const Tensor& b, Transpose b_op, const Tensor& c, Write write,
               const Tensor& bias) override;
  void product_with_activation(Activation activation, const Tensor& a, const Tensor& b, const Tensor& bias,
                               const Tensor& x, const Tensor& y) override;
  void convolve(const Window& window, const Tensor& x, const Tensor& kernel, const Tensor& bias,
                const Tensor& y) override;
  void convolve_backward_input(const Window& window, const Tensor& dy, const Tensor& kernel, const Tensor& dx) override;
  void convolve_backward_kernel(const Window& window, const Tensor& x, const Tensor& dy, const Tensor& dkernel,
                                const Tensor& dbias) override;
  // Attention, whose products are counted.
  void attend(const AttentionShape& shape, const AttentionDropout& dropout,
              std::span<const AttentionSequence> sequences, const AttentionOperands& inputs, const Tensor& out,
              const Tensor& log_sums) override;
  void attend_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                       std::span<const AttentionSequence> sequences, const AttentionOperands& inputs, const Tensor& out,
                       const Tensor& log_sums, const Tensor& dout, const AttentionOperands& gradients) override;

 private:
  // Products of a step, and how many of each.
  struct Counts {
    std::map<Product, std::int64_t> products{};
    std::map<ImageProduct, std::int64_t> images{};
  };
  struct Row {
    LayerTimes* times = nullptr;
    double us = 0;  // of this pass
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
  double empty_us_;  // of an operation that does nothing, and the wait for it
  std::map<std::string, Row, std::less<>> rows_;
  Phase phase_ = Phase::none;
  bool first_step_ = true;  // whose products are counted
  double flop_ = 0;
};

}  // namespace lockstep::bench
