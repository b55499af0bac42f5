#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/hparams.h"
#include "base/json.h"

namespace lockstep {

// A set of hparams read from JSON, and the order its names came in.
struct OrderedHParams {
  HParams hparams;
  std::vector<std::string> names;  // those that were null, and so have no type, are not in hparams
};

// Reads one flat JSON object; each value's kind gives its hparam's type: 2 is an integer, 2.0 a number. Refuses what
// would be lost silently or has no type: a name twice, objects or lists in lists, an empty or mixed list, integers
// beyond 64 bits. source: where the text came from, "--hparams_base". Throws Error(usage) of every rank.
OrderedHParams hparams_from_json(std::string_view text, std::string_view source);

// The same of a value that was read, for HParams::override_with(), which knows the types: an empty list is one of
// integers then.
HParams hparam_values(const Json& object, std::string_view source);

// One line of JSON, in the order of names. Numbers keep their point (2.0); what JSON cannot write is a text: "nan",
// "inf", "-inf". Throws Error(usage) of every rank if a text is not UTF-8.
std::string hparams_to_json(const HParams& hparams);
std::string hparams_to_json(const OrderedHParams& ordered);

}  // namespace lockstep
