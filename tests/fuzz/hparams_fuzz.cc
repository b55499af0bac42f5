// Fuzzes both text forms of hparams, selected by the first byte: --hparams overrides for a set that has every type, and
// the JSON object of --hparams_base.
#include "base/hparams.h"

#include "base/hparams_json.h"
#include "fuzzing.h"

using namespace lockstep;  // NOLINT(google-build-using-namespace): a program of one function

namespace {

HParams every_type() {
  HParams hparams;
  hparams.set("i", std::int64_t{1})
      .set("f", 0.5)
      .set("b", false)
      .set("t", std::string("relu"))
      .set("is", std::vector<std::int64_t>{64, 32})
      .set("fs", std::vector<double>{0.1})
      .set("bs", std::vector<bool>{true})
      .set("ts", std::vector<std::string>{"a"});
  return hparams;
}

// Overrides change values, never types or names; and all are applied or none.
void overrides(const std::string& text) {
  const HParams before = every_type();
  HParams after = before;
  if (accepted({ExitCode::usage}, [&] { after.parse(text); })) {
    must(after.values().size() == before.values().size());
    for (const auto& [name, value] : before.values()) must(after.values().at(name).index() == value.index());
  } else {
    must(after.values() == before.values());
  }
}

// Values do not change when they are written and read again.
void json(const std::string& text) {
  OrderedHParams read;
  if (!accepted({ExitCode::usage}, [&] { read = hparams_from_json(text, "--flag"); })) return;
  const std::string written = hparams_to_json(read);
  const OrderedHParams again = hparams_from_json(written, "--flag");
  must(again.names == read.names);
  must(again.hparams.values() == read.hparams.values());
  must(hparams_to_json(again) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const bool as_json = input.byte() % 2 != 0;  // '0' or '1' in the corpus
  const std::string text = input.text(size);
  as_json ? json(text) : overrides(text);
  return 0;
}
