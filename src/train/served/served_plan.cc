#include "train/served/served_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "base/error.h"
#include "base/host_name.h"
#include "base/json.h"
#include "base/json_place.h"
#include "checkpoint/batch_legs_json.h"
#include "ps/rest.h"

namespace lockstep {
namespace {

constexpr int kPlan = 1;  // tag of the plan, which comes before all other messages

Json variables_json(const ParameterTable& table) {
  Json::Array variables;
  for (const Variable& variable : table.variables()) {
    Json::Array extents;
    for (const std::int64_t extent : variable.shape.extents()) extents.emplace_back(extent);
    variables.emplace_back(Json::Object{{"name", variable.name},
                                        {"shape", std::move(extents)},
                                        {"decay", variable.decay},
                                        {"trainable", variable.trainable},
                                        {"positive", variable.positive}});
  }
  return variables;
}

ParameterTable table_of(const JsonPlace& variables) {
  ParameterTable table;
  for (const JsonPlace& variable : variables.elements()) {
    std::vector<std::int64_t> extents;
    for (const JsonPlace& extent : variable.member("shape").elements()) extents.push_back(extent.integer());
    const std::string& name = variable.member("name").text();
    if (variable.member("trainable").truth()) {
      table.add(name, Shape(extents), variable.member("decay").truth());
    } else {
      table.add_constant(name, Shape(extents), variable.member("positive").truth());
    }
  }
  return table;
}

Json missed_json(const std::vector<std::vector<std::int64_t>>& missed) {
  Json::Array batches;
  for (const std::vector<std::int64_t>& batch : missed) batches.emplace_back(Json::Array(batch.begin(), batch.end()));
  return batches;
}

std::vector<std::vector<std::int64_t>> missed_of(const JsonPlace& batches) {
  std::vector<std::vector<std::int64_t>> missed;
  for (const JsonPlace& batch : batches.elements()) {
    std::vector<std::int64_t>& samples = missed.emplace_back();
    for (const JsonPlace& sample : batch.elements()) samples.push_back(sample.integer());
  }
  return missed;
}

}  // namespace

std::string to_text(const ServedPlan& plan) {
  Json::Object found;
  for (const AgreedItem& item : plan.found) found.emplace_back(item.name, item.value);
  return Json(Json::Object{{"variables", variables_json(plan.table)},
                           {"train_steps", plan.schedule.train_steps},
                           {"steps_per_epoch", plan.schedule.steps_per_epoch},
                           {"global_batch", plan.schedule.global_batch},
                           {"workers", plan.schedule.workers},
                           {"step", plan.from.step},
                           {"epoch", plan.from.epoch},
                           {"consumed", plan.from.consumed},
                           {"legs", legs_to_json(plan.from.legs)},
                           {"missed", missed_json(plan.from.missed)},
                           {"found", std::move(found)},
                           {"batches", plan.batches},
                           {"replayed", plan.replayed}})
      .text();
}

ServedPlan served_plan(std::string_view text) {
  const Json json = parse_json(text);
  const JsonPlace plan(json);
  std::vector<AgreedItem> found;
  for (const auto& [name, value] : plan.member("found").members()) found.push_back({name, value.text()});
  return {.table = table_of(plan.member("variables")),
          .schedule = {.train_steps = plan.member("train_steps").integer(),
                       .steps_per_epoch = plan.member("steps_per_epoch").integer(),
                       .global_batch = plan.member("global_batch").integer(),
                       .workers = plan.member("workers").integer()},
          .from = {.step = plan.member("step").integer(),
                   .epoch = plan.member("epoch").integer(),
                   .consumed = plan.member("consumed").integer(),
                   .legs = legs_from_json(plan.member("legs").text()),
                   .missed = missed_of(plan.member("missed"))},
          .found = std::move(found),
          .batches = plan.member("batches").text(),
          .replayed = plan.member("replayed").text()};
}

void give_plan(Messages& messages, const ServedPlan& plan) {
  const std::string text = to_text(plan);
  std::vector<Messages::Started> sends;
  for (int rank = 1; rank < messages.size(); ++rank) {
    sends.push_back(messages.send(rank, kPlan, std::as_bytes(std::span(text))));
  }
  RestBetweenPolls rest({});
  while (std::erase_if(sends, [&](Messages::Started one) { return messages.done(one); }), !sends.empty())
    rest.pause(true);
}

ServedPlan await_plan(Messages& messages, const std::function<void()>& while_waiting) {
  RestBetweenPolls rest(while_waiting);
  std::optional<Messages::Arrival> arrival;
  while (!(arrival = messages.arrived_from(0, kPlan))) rest.pause(false);
  std::string text(static_cast<std::size_t>(arrival->bytes), '\0');
  const Messages::Started receive = messages.receive(0, kPlan, std::as_writable_bytes(std::span(text)));
  while (!messages.done(receive)) rest.pause(true);
  return served_plan(text);
}

void check_found(const ServedPlan& plan, const std::vector<AgreedItem>& found) {
  for (const AgreedItem& item : found) {
    const auto chiefs = std::ranges::find(plan.found, item.name, &AgreedItem::name);
    if (chiefs != plan.found.end() && chiefs->value == item.value) continue;
    throw Error(
        ExitCode::configuration,
        fmt::format("the ranks do not run the same job: {} is '{}' on the chief and '{}' on {}; start all ranks "
                    "with one command line, on hosts that see the same files",
                    item.name, chiefs == plan.found.end() ? "(not there)" : chiefs->value, item.value, host_name()));
  }
}

}  // namespace lockstep
