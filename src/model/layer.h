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

// Inputs of one pass over a share of the batch. Made by the caller for each pass; outlives it.
struct Pass {
  enum class Mode { train, evaluate };

  Backend& backend;
  const ParameterStore& parameters;
  Mode mode = Mode::train;
  std::uint64_t seed = 1;
  std::int64_t step = 0;
  Tensor row_ids{};                           // (B) int64, the keys of dropout
  std::span<const SequenceRows> sequences{};  // sequences of the rows; for layers of sequence models
  // Called by backward() when a range of the gradients is final: neighbours, from the end of the store to its start.
  std::function<void(FlatRange)> on_gradient_ready{};
  // Memory for results that the caller of a layer needs no longer than the memory's frame lasts (LayerMemory takes them
  // from it); null: layers keep their results in memory of their own.
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

// Declares the variables of a model, layer by layer.
class Declaration {
 public:
  Declaration(ParameterTable& table, std::vector<Initializer>& initializers)
      : table_(table), initializers_(initializers) {}

  // Returns the number of the next layer, in the order of declaration, for names ("linear_2/kernel") and random
  // streams.
  int next_layer() { return layers_++; }
  // Declares a trainable variable and returns its index in the table. decay: weight decay applies to it.
  int variable(const std::string& name, const Shape& shape, const Initializer& initializer, bool decay);
  // variable() for a constant of the model: no optimizer touches it, and its gradient stays zero. The layer has to
  // report its range as ready like any other. Sign::positive: for divisors; a checkpoint that has 0 or less there is
  // refused.
  enum class Sign { any, positive };
  int constant(const std::string& name, const Shape& shape, const std::vector<double>& values, Sign sign = Sign::any);
  // Variables and constants so far, by which a container knows the owner of each.
  int variables() const { return static_cast<int>(table_.variables().size()); }
  // Trainable variables so far, by which a container knows which of its layers have something to learn.
  int trainable() const { return trainable_; }

 private:
  ParameterTable& table_;
  std::vector<Initializer>& initializers_;  // one per variable
  int layers_ = 0;
  int trainable_ = 0;
};

enum class InputGradient { needed, not_needed };  // not needed: no layer before this one has anything to learn

// Returns whether there is a gradient at all. An empty batch's has no elements, but it has a shape.
inline bool is_given(const Tensor& gradient) { return gradient.shape().rank() > 0; }

// A layer's place in a network, for its memory estimate: shapes are of one sample, as its declare() took and returned
// them.
struct LayerPlace {
  Shape input;
  Shape output;
  InputGradient input_gradient = InputGradient::needed;
  DType products = DType::float32;  // operand type of matrix products
};

// One step of a model's computation with its own backward pass. It knows shapes and mathematics, but no ranks.
//
// declare() once, first; then forward() and backward() in turn, on one thread. The result of forward(), and what
// backward() needs of it, stay in memory that the layer owns and reuses, or in that of the pass (Pass::memory), so a
// layer has one pass under way at a time, and after the first pass of a shape nothing is allocated.
class Layer {
 public:
  virtual ~Layer() = default;

  // Kinds of layers that containers may know, to compute the same with less work.
  enum class Known { other, relu, max_pooling };
  virtual Known known_as() const { return Known::other; }

  // Declares variables and learns its input's shape. Shapes are of one sample, without the batch axis.
  // Returns the output's shape; an input it cannot take is an Error(configuration).
  virtual Shape declare(const Shape& input, Declaration& declaration) = 0;

  // input (B, input shape), which the caller keeps unchanged until backward() -> output (B, output shape), in memory of
  // the layer's own or, if nothing is computed, the input itself: the receiver must not write into it.
  virtual Tensor forward(const Tensor& input, Pass& pass) = 0;

  // Replaces forward() if it has been called for this input before: computes again what backward() needs, and leaves
  // out what only the output would need.
  virtual void restore(const Tensor& input, Pass& pass) { forward(input, pass); }

  // output_gradient (B, output shape), which the layer may overwrite -> gradient of the input (B, input shape), nothing
  // if not needed; in memory of the layer's own or output_gradient's: the receiver may write into it, and a caller that
  // passes one gradient to several layers gives each a copy. Writes (not adds) the gradients of its variables, then
  // reports them by on_gradient_ready. A layer without anything to learn whose input_gradient is not needed may be
  // given no output_gradient at all.
  virtual Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) = 0;

  // Bytes of the layer's own memory that a training pass takes for each sample of its batch, so that a run knows its
  // needs before it takes any memory. The default counts the output and, if needed, the gradient of the input, in
  // float32.
  virtual std::int64_t bytes_per_sample(const LayerPlace& place) const;
};

using LayerPointer = std::unique_ptr<Layer>;

}  // namespace lockstep
