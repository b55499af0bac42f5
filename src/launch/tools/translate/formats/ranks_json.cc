#include <cstdint>

#include "base/json.h"
#include "launch/tools/translate/formats/rank_formats.h"

namespace lockstep {
namespace {

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json json_of(const RankEntry& entry) {
  return Json::Object{{"rank", std::int64_t{entry.rank}},
                      {"role", std::string(name(entry.role))},
                      {"task", Json::Object{{"type", entry.task.job}, {"index", entry.task.index}}},
                      {"host", text_or_null(entry.host)},
                      {"address", text_or_null(entry.address)},
                      {"local_rank", std::int64_t{entry.local_rank}},
                      {"gpu", entry.gpu ? Json(std::int64_t{*entry.gpu}) : Json()}};
}

}  // namespace

std::string ranks_json(const RankList& list, std::span<const RankEntry> shown) {
  Json::Array ranks;
  Json::Array evaluators;
  for (const RankEntry& entry : shown) {
    (entry.role == Role::evaluator ? evaluators : ranks).push_back(json_of(entry));
  }
  const Json json = Json::Object{{"source", list.source},
                                 {"world_size", std::int64_t{list.world_size}},
                                 {"ranks", std::move(ranks)},
                                 {"evaluators", std::move(evaluators)},
                                 {"warnings", Json::Array(list.warnings.begin(), list.warnings.end())}};
  return json.text() + "\n";
}

}  // namespace lockstep
