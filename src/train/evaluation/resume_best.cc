#include "train/evaluation/resume_best.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "train/evaluation/past_evaluations.h"
#include "train/output/metrics.h"

namespace lockstep {
namespace {

// The note of best/, if it is by these rules and of no later step, and its file is there.
std::optional<BestNote> valid_note(const BestRules& rules, const OutputFolder& output, std::int64_t resumed) {
  const BestFolder best = output.checkpoints->best();
  std::optional<BestNote> note = best.note();
  std::error_code unknown;
  const bool valid = note && note->metric == rules.metric->name && note->split == name(rules.split) &&
                     note->step <= resumed && std::filesystem::is_regular_file(best.path_of(*note), unknown);
  return valid ? note : std::nullopt;
}

// The best of the evaluations whose step has a checkpoint, and of the one in best.json.
BestSoFar best_of_kept(const BestRules& rules, const OutputFolder& output, std::vector<PastEvaluation> evaluations,
                       std::int64_t resumed) {
  const std::vector<std::int64_t> files = output.checkpoints->files();
  const std::optional<BestNote> note = valid_note(rules, output, resumed);
  std::erase_if(evaluations, [&](const PastEvaluation& evaluation) {
    return !std::ranges::binary_search(files, evaluation.step) || (note && evaluation.step == note->step);
  });
  if (note) evaluations.push_back({.step = note->step, .value = note->value});
  std::ranges::stable_sort(evaluations, {}, &PastEvaluation::step);
  BestSoFar best;
  for (const PastEvaluation& evaluation : evaluations)
    best.add(evaluation.step, evaluation.value, rules.metric->better);
  return best;
}

}  // namespace

PastChoice find_past_choice(const BestRules& rules, const OutputFolder& output, const TrainingRank& rank,
                            std::int64_t resumed) {
  PastChoice past;
  if (rules.metric == nullptr || resumed == 0) return past;
  if (rank.is_chief()) {
    const std::vector<PastEvaluation> evaluations =
        past_evaluations(read_metrics(output.path), rules.metric->name, name(rules.split), resumed);
    for (const PastEvaluation& evaluation : evaluations)
      past.all.add(evaluation.step, evaluation.value, rules.metric->better);
    if (rules.keeps_best) past.kept = best_of_kept(rules, output, evaluations, resumed);
  }
  broadcast_value(rank.world, past, 0);
  return past;
}

void resume_best(const BestRules& rules, const PastChoice& past, const OutputFolder& output, std::int64_t resumed) {
  const BestFolder best = output.checkpoints->best();
  const auto check_lease = output.lease_check();
  check_lease();
  best.resume_at(resumed);
  if (!rules.keeps_best || past.kept.step == 0) return;
  const std::optional<BestNote> there = valid_note(rules, output, resumed);
  if (there && there->step == past.kept.step) return;
  best.put(output.checkpoints->path_of(past.kept.step), BestChooser(rules, past).note(), check_lease);
}

}  // namespace lockstep
