#pragma once

#include <array>
#include <cstdint>

#include "tensor/update_steps.h"

// The loops of the optimizers' updates, on raw pointers. Each exists for float (vectorised) and double (the reference).
namespace lockstep::cpu {

// Spans of `count` elements that do not overlap.
template <class T>
struct UpdateSpans {
  T* values;
  const T* gradients;
  std::array<T*, kMostSlots> slots;
  std::int64_t count;
};

// updates.cc: an update of any formula. It also has the element-wise formulas, which give a part of a span the same
// bits as the whole. factor: the factor of the gradients.
void update(const UpdateFormula& formula, double factor, const UpdateSpans<float>& spans);
void update(const UpdateFormula& formula, double factor, const UpdateSpans<double>& spans);

// layerwise_updates.cc: a span is one variable.
void update_by(const LambStep& step, double factor, const UpdateSpans<float>& spans);
void update_by(const LambStep& step, double factor, const UpdateSpans<double>& spans);
void update_by(const LarsStep& step, double factor, const UpdateSpans<float>& spans);
void update_by(const LarsStep& step, double factor, const UpdateSpans<double>& spans);

// adafactor.cc: a span is one variable.
void update_by(const AdafactorStep& step, double factor, const UpdateSpans<float>& spans);
void update_by(const AdafactorStep& step, double factor, const UpdateSpans<double>& spans);

}  // namespace lockstep::cpu
