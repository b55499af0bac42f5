#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launch/report/run.h"

namespace lockstep {

// Facts about a run besides its curves, in words for people: how it ended, how long it took, its last and best values.
// Names are the same for every run that has the fact. Pure.
using Facts = std::vector<std::pair<std::string, std::string>>;
Facts facts_of(const Run& run);

double seconds_of(const Run& run);  // time in training

// Remarks on files that could not be read, a line each: "2 lines, broken or cut off, the first of them line 7 of
// metrics.jsonl".
std::vector<std::string> remarks_of(const Run& run);

// A run's flags and hparams, "hparams.learning_rate" -> "0.001"; empty without a config.json.
Facts config_of(const Run& run);

// An event of a run; moments_of() returns them in order of time: starts, resumes, saves, stops and ends.
struct Moment {
  std::int64_t step = 0;
  double seconds = 0;
  std::string kind{};  // "started", "finished", "stopped", or what an event line says: "resumed", "saved", "best", ...
  std::string text{};  // "resumed from model.ckpt-800.h5"
};
std::vector<Moment> moments_of(const Run& run);
// Returns whether the event is of a frequent kind: saves, and evaluations better than all before.
bool is_frequent(const Moment& moment);

// The name of a column for people: "learning_rate" -> "learning rate".
std::string title_of(const std::string& name);

}  // namespace lockstep
