#include "train/config/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "tensor/backend.h"

namespace lockstep {
namespace {

constexpr std::string_view kTf32 = "tf32";  // a value of --precision

}  // namespace

bool is_given(const TrainSettings& settings, std::string_view name) {
  return std::ranges::find(settings.given, name) != settings.given.end();
}

const std::string& hparams_set_name(const TrainSettings& settings) {
  return settings.hparams_set.empty() ? settings.model : settings.hparams_set;
}

std::optional<int> exact_shards(const TrainSettings& settings) {
  if (!settings.exact) return {};
  return static_cast<int>(settings.micro_shards);
}

Overlap overlap_of(const TrainSettings& settings) {
  return settings.overlap == "thread" ? Overlap::thread : Overlap::inline_calls;
}

std::int64_t bucket_elements(const TrainSettings& settings) {
  if (!settings.fusion_mb || settings.fusion_mb->tune) {
    fail(LS_HERE("bucket_elements"), "--fusion_mb has not been filled in");
  }
  return bucket_elements(settings.fusion_mb->value);
}

std::int64_t bucket_elements(double megabytes) {
  const double elements = megabytes * (1 << 20) / sizeof(float);
  return std::max<std::int64_t>(static_cast<std::int64_t>(elements), 1);
}

DType wire_dtype_of(const TrainSettings& settings) {
  for (const DType dtype : {DType::bfloat16, DType::float16}) {
    if (settings.wire_dtype == name(dtype)) return dtype;
  }
  return DType::float32;
}

DType product_dtype(const TrainSettings& settings, const Backend& backend) {
  const bool narrow = settings.precision == name(DType::bfloat16);
  std::string reason;
  if (narrow) reason = backend.bfloat16_products();
  if (settings.precision == kTf32) reason = backend.tf32_products();
  if (reason.empty()) return narrow ? DType::bfloat16 : DType::float32;
  throw Error(ExitCode::configuration,
              fmt::format("--precision={}: {}; run with --precision=float32, or on hosts that all have it",
                          settings.precision, reason));
}

DType choose_products(const TrainSettings& settings, Backend& backend) {
  const DType dtype = product_dtype(settings, backend);
  backend.set_float32_products(settings.precision == kTf32 ? Float32Products::tf32 : Float32Products::exact);
  return dtype;
}

SavePace save_pace(const TrainSettings& settings) {
  if (settings.save_steps) return {.steps = *settings.save_steps};
  if (settings.save_time) return {.time = settings.save_time};
  // With slow steps, a kill would cost hours if only steps counted.
  return {.steps = 1000, .time = std::chrono::minutes(10), .before_evaluation = std::chrono::seconds(30)};
}

}  // namespace lockstep
