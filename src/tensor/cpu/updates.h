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

// updates.cc, which also has the element-wise formulas: a part of a span gets the same bits as the whole there. factor:
// that of the gradients.
void update(const UpdateFormula& formula, double factor, const UpdateSpans<float>& spans);
void update(const UpdateFormula& formula, double factor, const UpdateSpans<double>& spans);

// layerwise_updates.cc: a span is one variable.
void update_by(const LambStep& step, double factor, const UpdateSpans<float>& spans);
void update_by(const LambStep& step, double factor, const UpdateSpans<double>& spans);
void update_by(const LarsStep& step, double factor, const UpdateSpans<float>& spans);
void update_by(const LarsStep& step, double factor, const UpdateSpans<double>& spans);

// adafactor.cc: likewise.
void update_by(const AdafactorStep& step, double factor, const UpdateSpans<float>& spans);
void update_by(const AdafactorStep& step, double factor, const UpdateSpans<double>& spans);

}  // namespace lockstep::cpu
