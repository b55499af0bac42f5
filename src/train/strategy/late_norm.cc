#include "train/strategy/late_norm.h"

#include <utility>

namespace lockstep {
namespace {

constexpr std::int64_t kNumbers = 2;  // results of clip_factor()
constexpr std::size_t kBytes = kNumbers * sizeof(double);

}  // namespace

LateNorm::LateNorm(Backend& backend)
    : backend_(backend),
      device_memory_(backend.allocator().allocate(kBytes)),
      host_memory_(backend.host_allocator().allocate(kBytes)),
      on_device_(view(device_memory_, DType::float64, {kNumbers})),
      on_host_(view(host_memory_, DType::float64, {kNumbers})) {}

void LateNorm::start(std::int64_t step) {
  backend_.copy(on_device_, on_host_);
  copied_ = backend_.record();
  step_ = step;
  has_norm_ = true;
}

void LateNorm::start_without(std::int64_t step) {
  step_ = step;
  has_norm_ = false;
}

LateNorm::Result LateNorm::take() {
  Result result{.step = std::exchange(step_, 0)};
  if (result.step == 0 || !has_norm_) return result;
  backend_.wait_on_host(copied_);
  result.factor = on_host_.as<double>()[0];
  result.norm = on_host_.as<double>()[1];
  return result;
}

}  // namespace lockstep
