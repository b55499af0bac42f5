#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launch/report/run.h"

namespace lockstep {

// What is said of a run beside its curves, in words for people: how it ended, how long it took, its last and best
// values. Names are the same for every run that has the fact. Pure.
using Facts = std::vector<std::pair<std::string, std::string>>;
Facts facts_of(const Run& run);

double seconds_of(const Run& run);  // of training

// What could not be read, a line each: "2 lines, broken or cut off, the first of them line 7 of metrics.jsonl".
std::vector<std::string> remarks_of(const Run& run);

// Its flags and hparams, "hparams.learning_rate" -> "0.001"; empty without a config.json.
Facts config_of(const Run& run);

// What happened to it, in order: starts, resumes, saves, stops and ends.
struct Moment {
  std::int64_t step = 0;
  double seconds = 0;
  std::string kind{};  // "started", "finished", "stopped", or what an event line says: "resumed", "saved", "best", ...
  std::string text{};  // "resumed from model.ckpt-800.h5"
};
std::vector<Moment> moments_of(const Run& run);
// Of a kind that comes again and again: saves, and evaluations better than all before.
bool is_frequent(const Moment& moment);

// "learning_rate" -> "learning rate"; what it is called for people.
std::string title_of(const std::string& name);

}  // namespace lockstep
