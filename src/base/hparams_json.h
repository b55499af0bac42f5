#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/hparams.h"
#include "base/json.h"

namespace lockstep {

// Hparams read from JSON, with the order of their names.
struct OrderedHParams {
  HParams hparams;
  std::vector<std::string> names;  // in order of appearance; null ones have no type and are not in hparams
};

// Reads one flat JSON object; each value's kind gives its hparam's type: 2 is an integer, 2.0 a number. Refuses values
// that would be lost silently or have no type: duplicate names, nested objects, lists in lists, empty or mixed lists,
// integers beyond 64 bits. source: origin of the text, e.g. "--hparams_base". Throws Error(usage) of every rank.
OrderedHParams hparams_from_json(std::string_view text, std::string_view source);

// The same for parsed JSON, for HParams::override_with(), which knows the types: an empty list becomes a list of
// integers.
HParams hparam_values(const Json& object, std::string_view source);

// One line of JSON, ordered by name or as ordered.names. Numbers keep their point (2.0); numbers that JSON cannot write
// become texts: "nan", "inf", "-inf". Throws Error(usage) of every rank if a text is not UTF-8.
std::string hparams_to_json(const HParams& hparams);
std::string hparams_to_json(const OrderedHParams& ordered);

}  // namespace lockstep
