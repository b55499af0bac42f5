// A JSON text, and the two of our own that are read without a file: a checkpoint's config and a lease.
#include "base/json.h"

#include <stdexcept>

#include "fuzzing.h"
#include "train/lease_record.h"
#include "train/run_config.h"

using namespace lockstep;  // NOLINT(google-build-using-namespace): a program of one function

namespace {

// True if the text was taken; refusals are JsonError and, by what looks at the meaning, std::invalid_argument.
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

// What was read is the same after it was written and read again.
void any_json(const std::string& text) {
  Json read;
  if (!taken([&] { read = parse_json(text); })) return;
  const std::string written = read.text();
  must(parse_json(written).text() == written);
}

void config(const std::string& text) {
  SavedConfig read;
  if (!taken([&] { read = saved_config(text); })) return;
  const SavedConfig again = saved_config(to_json(read.items, read.ranks));
  must(again.ranks == read.ranks && again.items.size() == read.items.size());
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
  lease(text);
  return 0;
}
