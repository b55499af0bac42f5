#include "train/step/late_losses.h"

#include "base/error.h"

namespace lockstep {

LateLosses::LateLosses(Backend& backend, const Model& model, int shares)
    : backend_(backend),
      model_(model),
      shares_(2 * static_cast<std::size_t>(shares)),
      memory_(backend.host_allocator().allocate(shares_.size() * kLossSums * sizeof(double))) {}

void LateLosses::add(std::int64_t step, const Tensor& sums) {
  LS_CHECK(added_ - taken_ < std::ssize(shares_), "losses of more than two steps are under way");
  const std::size_t at = place(added_++);
  const Tensor all = view(memory_, DType::float64, {std::ssize(shares_), kLossSums});
  backend_.copy(sums, all.rows(static_cast<std::int64_t>(at), static_cast<std::int64_t>(at) + 1).reshaped({kLossSums}));
  shares_[at] = {.step = step, .copied = backend_.record()};
}

double LateLosses::take_before(std::int64_t step) {
  const bool is_there = taken_ < added_ && shares_[place(taken_)].step < step;
  return is_there ? take() : 0;
}

double LateLosses::take_all() {
  double loss = 0;
  while (taken_ < added_) loss += take();
  return loss;
}

double LateLosses::take() {
  const std::size_t at = place(taken_++);
  backend_.wait_on_host(shares_[at].copied);
  const auto* const sums = static_cast<const double*>(memory_.data()) + at * kLossSums;
  return model_.sums_of({sums, kLossSums})["loss"];
}

}  // namespace lockstep
