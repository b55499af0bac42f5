#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "network.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep::bench {

// The CPU's backend, which writes down what its operations took in a pass: each product by its shape, the others by
// their kind, as rows of a network's times. For models whose layers cannot be timed one by one. One thread.
class TimedBackend final : public CpuBackend {
 public:
  // times: of the network that runs on it, and outlives it. Rows are added to them as operations are met.
  explicit TimedBackend(std::vector<std::unique_ptr<LayerTimes>>& times) : times_(times) {}

  enum class Phase { none, forward, backward };
  void begin_pass(Phase phase) { phase_ = phase; }
  // Every row has a time of this pass then.
  void end_pass();

  // The products that the first step has had, for the floor. REQUIRES: a step was made. Once.
  void add_floors();

  void product(const Tensor& a, Transpose a_op, const Tensor& b, Transpose b_op, const Tensor& c, Write write,
               const Tensor& bias) override;
  void add(const Tensor& from, const Tensor& to) override;
  void add(const Tensor& a, const Tensor& b, const Tensor& sum) override;
  void activate(Activation activation, const Tensor& x, const Tensor& y) override;
  void activate_backward(Activation activation, const Tensor& x, const Tensor& y, const Tensor& dy,
                         const Tensor& dx) override;
  void dropout(double rate, const RandomStream& stream, const Tensor& sample_ids, const Tensor& x,
               const Tensor& y) override;
  void normalize(double epsilon, const Tensor& x, const Tensor& scale, const Tensor& shift, const Tensor& y,
                 const Tensor& mean, const Tensor& inverse_stddev) override;
  void normalize_backward(const Tensor& x, const Tensor& scale, const Tensor& mean, const Tensor& inverse_stddev,
                          const Tensor& dy, const Tensor& dx, const Tensor& dscale, const Tensor& dshift) override;
  void embed(const EmbeddingForm& form, const Tensor& table, const Tensor& ids, const Tensor& y, Write write) override;
  void embed_backward(const EmbeddingForm& form, const Tensor& ids, const Tensor& dy, const Tensor& dtable,
                      Write write) override;
  void attend(const AttentionShape& shape, const AttentionDropout& dropout,
              std::span<const AttentionSequence> sequences, const AttentionOperands& inputs, const Tensor& out,
              const Tensor& log_sums) override;
  void attend_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                       std::span<const AttentionSequence> sequences, const AttentionOperands& inputs, const Tensor& out,
                       const Tensor& log_sums, const Tensor& dout, const AttentionOperands& gradients) override;
  void convert(const Tensor& from, const Tensor& to) override;
  void sum_rows(const Tensor& matrix, const Tensor& sums) override;

 private:
  struct Row {
    LayerTimes* times = nullptr;
    double us = 0;                              // of this pass
    std::map<Product, std::int64_t> forward{};  // products of a step, and how many
    std::map<Product, std::int64_t> backward{};
  };

  template <class Operation>
  void timed(const std::string& row, const Operation& operation);
  void count(const std::string& row, const Product& product, std::int64_t calls);
  void count_attention(const AttentionShape& shape, std::span<const AttentionSequence> sequences,
                       std::int64_t products);
  Row& row_of(const std::string& name);

  std::vector<std::unique_ptr<LayerTimes>>& times_;
  std::map<std::string, Row> rows_;
  Phase phase_ = Phase::none;
  bool first_step_ = true;  // whose products are counted
};

}  // namespace lockstep::bench
