#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "collective/communicator.h"
#include "collective/control_values.h"
#include "model/parameter_store.h"
#include "optim/optimizer.h"
#include "optim/update_plan.h"
#include "tensor/backend.h"
#include "train/strategy/gradient_norm.h"
#include "train/strategy/late_norm.h"

namespace lockstep {

// One rank's copy of a model and of its optimizer's state. The values may be one copy of all ranks
// (ParameterStore::common_values()); then each updates a part. Everything it refers to is the caller's and outlives it.
class Replica {
 public:
  // clip_norm: a mean gradient of a larger norm is scaled down to it (Pascanu, Mikolov and Bengio 2013, algorithm 1);
  // 0: never. The norm is that of all gradients (train/strategy/gradient_norm.h), so it is the same on every replica.
  Replica(Backend& backend, const ParameterStore& parameters, const Optimizer& optimizer, double clip_norm = 0);

  Backend& backend() const { return backend_; }
  const ParameterStore& parameters() const { return parameters_; }
  // Returns whether parts of a variable can be updated by themselves; if not, owned ranges cut no variable.
  bool sliceable() const { return optimizer_.sliceable(); }

  // Sets the part of the store that this rank updates and keeps the optimizer's state of, which begins with zeros:
  // everything, or owned[rank], where the ranks of the communicator own all of it together; then update() is
  // COLLECTIVE, and the new values of the others are left to the caller. A strategy calls one of the three once, before
  // the first update. Ranges begin at multiples of kSquaresChunk, or where variables do if the optimizer is not
  // sliceable. own_part() is COLLECTIVE.
  void own_all();
  void own_part(Communicator& communicator, Trace& trace, std::span<const std::vector<FlatRange>> owned);
  // The same for a rank that updates nothing: it has gradients, and their norm.
  void own_nothing();
  const std::vector<FlatRange>& owned() const { return owned_; }
  // To be called after own_all(), if each rank has all gradients: the ranks compute the norm together, rank r that of
  // parts[r], which begin at multiples of kSquaresChunk. update() is COLLECTIVE then. REQUIRES: sliceable().
  // COLLECTIVE.
  void share_norm(Communicator& communicator, Trace& trace, std::span<const std::vector<FlatRange>> parts);

  // The optimizer's state: flat arrays over owned(), one range after the other, and what they are.
  const std::vector<Tensor>& slots() const { return slots_; }
  const std::vector<Optimizer::Slot>& slot_kinds() const { return optimizer_.slots(); }

  // Takes the chief's values, or waits for them if all ranks share one copy. COLLECTIVE.
  void start_from_chief(Communicator& communicator) const;

  // Step after which the optimizer state was reset to zero: its own count of updates, by which moments correct their
  // bias (Kingma and Ba 2015, algorithm 1), begins there. 0 unless the optimizer was changed in the middle of a run.
  void begin_optimizer(std::int64_t step) { optimizer_begun_ = step; }
  std::int64_t optimizer_begun() const { return optimizer_begun_; }

  struct Update {
    double gradient_norm = 0;       // norm of the mean gradient, before it is clipped
    double gradient_factor = 0;     // factor of the gradients
    const double* device_factor{};  // further factor on the device, if the norm is not known on the host yet
  };
  // Applies the optimizer to the gradients, which are sums: one factor divides them by the weight they were summed over
  // and clips them, on their way into the update. Throws Error(internal) naming step and tensor if loss or gradient is
  // not finite; scope: every_rank if the sums are those of all ranks; cure: the first proposal of the message for a
  // gradient, with "or " at its end.
  Update update(std::int64_t step, double learning_rate, const ControlValues& sums, Scope scope,
                std::string_view cure = {});

  // update() in parts, for a strategy that has work to do between them.
  // To be called when the gradients of owned() from `begin` to the end of the store hold their sums: computes this
  // rank's part of their norm, which begin_update() does not repeat. In a step, `begin` goes from the end of the store
  // to its start; the call may be left out.
  void add_to_norm(std::int64_t begin) { norm_->add_from(begin); }
  // Returns and throws what update() does, before any value has changed. A factor of 0: there is nothing to apply.
  Update begin_update(std::int64_t step, const ControlValues& sums, Scope scope, std::string_view cure = {});
  // The same if the host does not wait for the device, which computes the norm, clips, and finds values that are not
  // finite; if there are any, no value changes. After that, late_result() returns or throws, once, what begin_update()
  // would have: at the latest before the next begin_late_update(). made: the step that the gradients are of by then,
  // whose variables a message may name; that step or the next one. step 0: nothing was begun.
  struct LateResult {
    std::int64_t step = 0;
    double gradient_norm = 0;
    double gradient_factor = 0;
  };
  Update begin_late_update(std::int64_t step, double weight);
  LateResult late_result(std::int64_t made, const ControlValues& sums, Scope scope, std::string_view cure = {});
  // Updates the part of owned() in `part`, which cuts no variable unless sliceable().
  void apply(std::int64_t step, double learning_rate, const Update& update, FlatRange part);

 private:
  void allocate_slots();
  [[noreturn]] void late_gradient_not_finite(std::int64_t step, std::int64_t made, Scope scope, std::string_view cure);
  void apply_span(std::size_t number, FlatRange part, const Optimizer::Step& step);

  Backend& backend_;
  const ParameterStore& parameters_;
  const Optimizer& optimizer_;
  double clip_norm_;
  std::unique_ptr<GradientNorm> norm_;  // null until a strategy says what is owned
  std::unique_ptr<LateNorm> late_;      // null until the first late update
  double late_factor_ = 0;              // factor of its gradients, before they are clipped
  std::int64_t optimizer_begun_ = 0;
  std::vector<FlatRange> owned_;
  std::vector<UpdateSpan> spans_;          // ranges that the optimizer updates, and how, in the order of the store
  std::vector<std::int64_t> slot_begins_;  // begin of each span in the slots
  std::vector<Buffer> slot_memory_;
  std::vector<Tensor> slots_;
  std::vector<Tensor> span_slots_;  // slots of the span that is being updated
};

}  // namespace lockstep
