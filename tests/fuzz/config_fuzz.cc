// Fuzzes `train` reading a --config file. The first line of an input is the rest of the command line, with its words
// separated by blanks; the other lines are the file.
#include <vector>

#include "fuzzing.h"
#include "launch/flags/train_command.h"
#include "scratch_file.h"

using namespace lockstep;  // NOLINT(google-build-using-namespace): a program of one function

namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.emplace_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

// Values of the file, then overrides of both, change values of a set, never its names or types.
void apply(const TrainSettings& settings) {
  HParams set;
  set.set("hidden_size", std::int64_t{512})
      .set("dropout", 0.1)
      .set("nesterov", true)
      .set("activation", std::string("relu"))
      .set("filters", std::vector<std::int64_t>{32, 64})
      .set("rates", std::vector<double>{0.1})
      .set("flags", std::vector<bool>{true})
      .set("words", std::vector<std::string>{"a"});
  const HParams before = set;
  accepted({ExitCode::usage}, [&] {
    set.override_with(settings.config_hparams, "--config");
    set.parse(settings.hparams);
  });
  must(set.values().size() == before.values().size());
  for (const auto& [name, value] : before.values()) must(set.values().at(name).index() == value.index());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static ScratchFile file;
  const std::string text = Input(data, size).text(size);
  const std::size_t line_end = std::min(text.find('\n'), text.size());
  const std::string_view config = std::string_view(text).substr(std::min(line_end + 1, text.size()));
  file.replace(std::as_bytes(std::span(config)));
  std::vector<std::string> words = words_of(std::string_view(text).substr(0, line_end));
  words.push_back("--config=" + file.path());
  accepted({ExitCode::usage, ExitCode::configuration}, [&] {
    const TrainCommand command = read_train_command(words);
    if (command.request != TrainCommand::Request::help && command.request != TrainCommand::Request::version) {
      apply(settings_of(command, builtin_registry()));
    }
  });
  return 0;
}
