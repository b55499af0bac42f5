#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/initializer.h"
#include "model/parameter_store.h"
#include "tensor/backend.h"
#include "tensor/batch.h"
#include "tensor/parameter_table.h"
#include "tensor/shape.h"

namespace lockstep {

class WorkingMemory;

// What one pass over a share of the batch knows. Made by the caller for each pass; outlives it.
struct Pass {
  enum class Mode { train, evaluate };

  Backend& backend;
  const ParameterStore& parameters;
  Mode mode = Mode::train;
  std::uint64_t seed = 1;
  std::int64_t step = 0;
  Tensor row_ids{};                           // (B) int64, what dropout is keyed by
  std::span<const SequenceRows> sequences{};  // that the rows are of; for layers of models of sequences
  // Called by backward() as each range of the gradients is final: neighbours, from the end of the store to its start.
  std::function<void(FlatRange)> on_gradient_ready{};
  // For results that the caller of a layer needs no longer than the memory's frame lasts (LayerMemory takes them from
  // there); null: layers keep their results in memory of their own.
  WorkingMemory* memory = nullptr;

  // The same pass without on_gradient_ready, for containers that set one of their own.
  Pass without_listener() const {
    return {.backend = backend,
            .parameters = parameters,
            .mode = mode,
            .seed = seed,
            .step = step,
            .row_ids = row_ids,
            .sequences = sequences,
            .memory = memory};
  }
};

// Declares the variables of a model, one layer after the other.
class Declaration {
 public:
  Declaration(ParameterTable& table, std::vector<Initializer>& initializers)
      : table_(table), initializers_(initializers) {}

  // Numbers the layers of a network in the order of their declaration: names ("linear_2/kernel") and random streams.
  int next_layer() { return layers_++; }
  // Returns the variable's index in the table.
  int variable(const std::string& name, const Shape& shape, const Initializer& initializer, bool decay);
  // The same for a constant that belongs to the model: no optimizer touches it, its gradient stays zero. The layer has
  // to say its range ready like any other. Sign::positive: for what the layer divides by; a checkpoint that has 0 or
  // less there is refused.
  enum class Sign { any, positive };
  int constant(const std::string& name, const Shape& shape, const std::vector<double>& values, Sign sign = Sign::any);
  // Variables and constants so far: from it a container knows which are whose.
  int variables() const { return static_cast<int>(table_.variables().size()); }
  // Variables so far that an optimizer moves: from it a container knows which of its layers have something to learn.
  int trainable() const { return trainable_; }

 private:
  ParameterTable& table_;
  std::vector<Initializer>& initializers_;  // one a variable
  int layers_ = 0;
  int trainable_ = 0;
};

enum class InputGradient { needed, not_needed };  // not needed: nothing before the layer has anything to learn

// Whether there is a gradient at all. An empty batch's has no elements, but it has a shape.
inline bool is_given(const Tensor& gradient) { return gradient.shape().rank() > 0; }

// A layer's place in a network, for what it says of its memory: shapes are of one sample, as its declare() took
// and gave them.
struct LayerPlace {
  Shape input;
  Shape output;
  InputGradient input_gradient = InputGradient::needed;
  DType products = DType::float32;  // what products of matrices take
};

// One step of a model's computation with its own backward pass. Knows shapes and mathematics, nothing of ranks.
//
// declare() once, first; then forward() and backward() in turn, on one thread. What forward() returns, and what
// backward() needs of it, stays in memory that the layer owns and reuses, or in that of the pass (Pass::memory), so a
// layer has one pass under way at a time, and after the first pass of a shape nothing is allocated.
class Layer {
 public:
  virtual ~Layer() = default;

  // What containers may know of a layer, to compute the same with less work.
  enum class Known { other, relu, max_pooling };
  virtual Known known_as() const { return Known::other; }

  // Declares variables and learns its input's shape. Shapes are of one sample, without the batch axis.
  // Returns the output's shape; an input it cannot take is an Error(configuration).
  virtual Shape declare(const Shape& input, Declaration& declaration) = 0;

  // input (B, input shape), which the caller keeps unchanged until backward() -> output (B, output shape), in memory of
  // the layer's own or, where nothing is computed, the input itself: who gets it must not write into it.
  virtual Tensor forward(const Tensor& input, Pass& pass) = 0;

  // In place of forward(), where it has been called for this input before: what backward() needs of it is computed
  // again, and what only the output would need is left out.
  virtual void restore(const Tensor& input, Pass& pass) { forward(input, pass); }

  // output_gradient (B, output shape), which the layer may overwrite -> gradient of the input (B, input shape), nothing
  // if not needed; in memory of the layer's own or output_gradient's: who gets it may write into it, and who hands one
  // gradient to several layers gives each a copy. Writes (not adds) the gradients of its variables, then says so by
  // on_gradient_ready. A layer without anything to learn whose input_gradient is not needed may be given no
  // output_gradient at all.
  virtual Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) = 0;

  // Bytes that a training pass takes for each sample of its batch in memory of the layer's own: from it a run knows
  // what it will need before it takes any. A layer that does not say is taken to keep its output and, where that is
  // needed, the gradient of its input, in float32.
  virtual std::int64_t bytes_per_sample(const LayerPlace& place) const;
};

using LayerPointer = std::unique_ptr<Layer>;

}  // namespace lockstep
