// Fuzzes JSON texts, and two kinds of our own that are read without a file: a checkpoint's config and a lease.
#include "base/json_place.h"

#include <stdexcept>

#include "checkpoint/shape_json.h"
#include "fuzzing.h"
#include "lease/record.h"
#include "train/config/result_config.h"

using namespace lockstep;  // NOLINT(google-build-using-namespace): a program of one function

namespace {

// Returns whether the text was accepted; refusals are JsonError or, for a wrong meaning, std::invalid_argument.
template <class Read>
bool taken(Read read) {
  try {
    read();
    return true;
  } catch (const JsonError& error) {
    must(!std::string_view(error.what()).empty());
  } catch (const std::invalid_argument& error) {
    must(!std::string_view(error.what()).empty());
  }
  return false;
}

// A value does not change when it is written and read again.
bool any_json(const std::string& text, JsonMode mode, Json& read) {
  if (!taken([&] { read = parse_json(text, mode); })) return false;
  const std::string written = read.text();
  must(parse_json(written, mode).text() == written);
  return true;
}

// Every value has a place of its own.
void places(const JsonPlace& place) {
  if (place.json().as<Json::Object>() != nullptr) {
    for (const auto& [name, member] : place.members()) {
      must(member.path().size() > place.path().size());
      must(&place.member(name).json() == &member.json());
      places(member);
    }
  } else if (place.json().as<Json::Array>() != nullptr) {
    for (const JsonPlace& element : place.elements()) places(element);
  } else {
    must(!taken([&] { place.members(); }));
    must(!taken([&] { place.elements(); }));
    taken([&] { place.number(); });
  }
}

// A text that the strict mode accepts gives the same value in the tolerant mode.
void any_json(const std::string& text) {
  Json strict;
  Json tolerant;
  const bool taken_strictly = any_json(text, JsonMode::strict, strict);
  const bool taken_tolerantly = any_json(text, JsonMode::tolerant, tolerant);
  must(taken_tolerantly || !taken_strictly);
  if (taken_strictly) must(strict.text() == tolerant.text());
  if (taken_tolerantly) places(JsonPlace(tolerant));
}

void config(const std::string& text) {
  SavedConfig read;
  if (!taken([&] { read = saved_config(text); })) return;
  const SavedConfig again = saved_config(to_json(read.items, read.ranks, read.batches, read.measured));
  must(again.ranks == read.ranks && again.items == read.items && again.batches == read.batches);
}

void shape(const std::string& text) {
  ProblemShape read;
  if (!taken([&] { read = shape_from_json(text); })) return;
  must(shape_from_json(shape_to_json(read)) == read);
}

void lease(const std::string& text) {
  LeaseRecord read;
  if (!taken([&] { read = lease_from_text(text); })) return;
  must(!read.token.empty());
  must(lease_from_text(to_text(read)) == read);
  must(!describe(read).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = Input(data, size).text(size);
  any_json(text);
  config(text);
  shape(text);
  lease(text);
  return 0;
}
