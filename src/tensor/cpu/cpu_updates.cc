#include "tensor/cpu/cpu_backend.h"
#include "tensor/cpu/dispatch_dtype.h"
#include "tensor/cpu/updates.h"
#include "tensor/update_checks.h"

namespace lockstep {

void CpuBackend::update(const UpdateStep& step, const Tensor& values, const Tensor& gradients,
                        std::span<const Tensor> slots) {
  check_update(step.formula, values, gradients, slots);
  const double device_factor = step.device_factor == nullptr ? 1 : *step.device_factor;
  if (device_factor == 0) return;
  on_type(values, [&]<class T>(T* data) {
    cpu::UpdateSpans<T> spans{.values = data, .gradients = gradients.as<T>(), .slots = {}, .count = values.count()};
    for (std::size_t i = 0; i < slots.size(); ++i) spans.slots[i] = slots[i].as<T>();
    cpu::update(step.formula, step.factor * device_factor, spans);
  });
}

}  // namespace lockstep
