#include "train/job_agreement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/sha256.h"

namespace lockstep {
namespace {

using Wire = std::array<char, 64>;  // of a value: all of a short one, else its beginning and digest

Wire to_wire(const std::string& value) {
  std::string text = value;
  if (text.size() >= std::tuple_size_v<Wire>) {
    Sha256 sha;
    sha.update(std::as_bytes(std::span(value)));
    text = value.substr(0, 40) + "... " + hex(sha.finish()).substr(0, 16);
  }
  Wire wire{};
  text.copy(wire.data(), wire.size() - 1);
  return wire;
}

// One item a hyperparameter. The names come first: ranks that differ in them stop before the lists do.
std::vector<AgreedItem> items_of(const HParams& hparams) {
  std::vector<AgreedItem> items{{"names of the hparams", ""}};
  for (const auto& item : hparams.values()) {
    items.front().value += item.first + " ";
    std::visit(
        [&](const auto& value) {
          items.push_back({"hparam " + item.first, fmt::format("{}", value)});
        },
        item.second);
  }
  return items;
}

std::string shapes_of(const ParameterTable& table) {
  std::string text;
  for (const Variable& variable : table.variables()) text += variable.name + " " + variable.shape.text() + "; ";
  return text;
}

}  // namespace

void check_agreement(Communicator& world, std::span<const AgreedItem> items) {
  for (const AgreedItem& item : items) {
    const std::vector<Wire> all = all_gather_value(world, to_wire(item.value));
    const auto other = std::ranges::find_if(all, [&](const Wire& wire) { return wire != all.front(); });
    if (other == all.end()) continue;
    throw Error(
        ExitCode::configuration,
        fmt::format("the ranks do not run the same job: {} is '{}' on rank 0 and '{}' on rank {}; start all ranks "
                    "with one command line, on hosts that see the same files",
                    item.name, all.front().data(), other->data(), other - all.begin()),
        Scope::every_rank);
  }
}

std::vector<AgreedItem> items_of(const TrainSettings& settings, const HParams& hparams, const RunPlan& plan,
                                 const Problem& problem) {
  constexpr std::chrono::seconds kNone{0};
  const ProblemShape shape = problem.shape();
  std::vector<AgreedItem> items{
      {"version", LOCKSTEP_VERSION},
      {"the SHA-256 of --usr_lib", settings.usr_lib_sha256},
      {"problem", settings.problem},
      {"a sample's shape", fmt::format("{} -> {} {}", shape.input.text(), shape.outputs,
                                       shape.target == ProblemShape::Target::class_label ? "classes" : "real targets")},
      {"blocks of the training samples",
       fmt::format("{} in windows of {}", plan.shards.options().block, plan.shards.options().window_blocks)},
      {"number of training samples", std::to_string(problem.count(Split::train))},
      {"number of dev samples", std::to_string(problem.count(Split::dev))},
      {"number of test samples", std::to_string(problem.count(Split::test))},
      {"--strategy", fmt::format("{} {}", settings.strategy, settings.sync_every)},
      {"--fusion_mb", std::to_string(settings.fusion_mb.value_or(kFusionMb))},
      {"--micro_shards", std::to_string(settings.micro_shards.value_or(0))},
      {"--global_batch_size", std::to_string(settings.global_batch_size.value_or(0))},
      {"--train_steps", std::to_string(plan.train_steps)},
      {"--ema", std::to_string(settings.ema.value_or(0))},
      {"--eval_steps", std::to_string(settings.eval_steps.value_or(0))},
      {"--local_eval_frequency", std::to_string(settings.eval_frequency)},
      {"--output_dir", settings.output_dir},
      {"--save_checkpoints_steps", std::to_string(settings.save_steps.value_or(0))},
      {"--save_checkpoints_secs", std::to_string(settings.save_time.value_or(kNone).count())},
      {"--resume", settings.resume_previous ? "previous" : "newest"},
      {"--allow_changes", fmt::format("{}", fmt::join(settings.allow_changes, ","))},
      {"--stop_after", std::to_string(settings.stop_after.value_or(kNone).count())},
      {"--random_seed", std::to_string(settings.seed)}};
  const std::vector<AgreedItem> chosen = items_of(hparams);
  items.insert(items.end(), chosen.begin(), chosen.end());
  return items;
}

std::vector<AgreedItem> items_of(const std::string& model, const ParameterTable& table) {
  return {{"model", model + ": " + shapes_of(table)}};
}

}  // namespace lockstep
