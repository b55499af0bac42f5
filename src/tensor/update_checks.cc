#include "tensor/update_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "base/error.h"

namespace lockstep {
namespace {

template <class... Formula>
constexpr std::size_t most_slots(const std::variant<Formula...>* /*type*/) {
  return std::max({Formula::kSlots...});
}
static_assert(most_slots(static_cast<const UpdateFormula*>(nullptr)) == kMostSlots);

}  // namespace

void check_update(const UpdateFormula& formula, const Tensor& values, const Tensor& gradients,
                  std::span<const Tensor> slots) {
  const std::size_t expected = std::visit([](const auto& step) { return step.kSlots; }, formula);
  LS_CHECK(slots.size() == expected,
           fmt::format("an update with {} arrays of state by a formula that has {}", slots.size(), expected));
  const auto as_long = [&](const Tensor& other) { return other.count() == values.count(); };
  LS_CHECK(as_long(gradients) && std::ranges::all_of(slots, as_long), "an update of unlike spans");
  if (const auto* step = std::get_if<AdafactorStep>(&formula)) {
    LS_CHECK(step->rows > 0 && step->columns > 0 && values.count() % (step->rows * step->columns) == 0,
             "an update of a part of a matrix");
  }
}

}  // namespace lockstep
