#include "checkpoint/batch_legs_json.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "base/json.h"
#include "checkpoint/format.h"
#include "tensor/batch.h"

namespace lockstep {
namespace {

// Limits on what a run can ask for.
constexpr std::size_t kMostLegs = 1000;  // in one epoch: starts of the run with another batch
constexpr std::int64_t kMostCount = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostShards = 1 << 16;

std::int64_t whole(const Json& leg, const char* key, std::int64_t least, std::int64_t most = kMostCount) {
  const Json* const found = leg.find(key);
  const auto* const value = found == nullptr ? nullptr : found->as<std::int64_t>();
  if (value != nullptr && *value >= least && *value <= most) return *value;
  throw JsonError(fmt::format("an element has no '{}' that is a whole number from {} to {}", key, least, most));
}

double factor(const Json& leg) {
  const Json* const found = leg.find(kLegStepKey);
  const auto* const value = found == nullptr ? nullptr : found->as<double>();
  if (value != nullptr && std::isfinite(*value) && *value > 1) return *value;
  throw JsonError(fmt::format("an element has no '{}' that is a number above 1", kLegStepKey));
}

}  // namespace

std::string legs_to_json(std::span<const BatchLeg> legs) {
  Json::Array list;
  list.reserve(legs.size());
  for (const auto& [buckets, batches] : legs) {
    list.emplace_back(Json::Object{{kLegTokensKey, buckets.batch_tokens},
                                   {kLegMaxLengthKey, buckets.max_length},
                                   {kLegFirstBoundKey, buckets.first_bound},
                                   {kLegStepKey, buckets.step},
                                   {kLegShardsKey, buckets.shards},
                                   {kLegBatchesKey, batches}});
  }
  return Json(std::move(list)).text();
}

std::vector<BatchLeg> legs_from_json(std::string_view text) {
  const Json json = parse_json(text);
  const auto* const list = json.as<Json::Array>();
  if (list == nullptr) throw JsonError("it is no JSON list");
  if (list->size() > kMostLegs)
    throw JsonError(fmt::format("it has {} elements, more than there can be", list->size()));
  std::vector<BatchLeg> legs;
  legs.reserve(list->size());
  for (const Json& leg : *list) {
    legs.push_back({.buckets = {.batch_tokens = whole(leg, kLegTokensKey, 1),
                                .max_length = whole(leg, kLegMaxLengthKey, 0, kMostPositions),
                                .first_bound = whole(leg, kLegFirstBoundKey, 1),
                                .step = factor(leg),
                                .shards = whole(leg, kLegShardsKey, 1, kMostShards)},
                    .batches = whole(leg, kLegBatchesKey, 1)});
  }
  return legs;
}

}  // namespace lockstep
