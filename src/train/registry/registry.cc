#include "train/registry/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/printable.h"
#include "train/config/settings.h"
#include "train/registry/check_problem_name.h"

namespace lockstep {
namespace {

template <class Entry>
void describe_table(const Table<Entry>& table, const std::string& flag, std::string& text) {
  std::size_t width = 0;
  for (const auto& [name, named] : table.entries()) {
    if (named.listed) width = std::max(width, name.size());
  }
  fmt::format_to(std::back_inserter(text), "{}{} ({})\n", text.empty() ? "" : "\n", table.plural(), flag);
  for (const auto& [name, named] : table.entries()) {
    if (named.listed)
      fmt::format_to(std::back_inserter(text), "  {:{}}  {}\n", escaped(name), width, printable_message(named.help));
  }
}

}  // namespace

std::string default_model(const Registry& registry, std::string_view problem) {
  check_problem_name(std::string(problem), registry.problems);
  const std::string& own = registry.problems.find(problem).model();
  return own.empty() ? TrainSettings{}.model : own;
}

std::string describe(const Registry& registry) {
  std::string text;
  describe_table(registry.problems, "--problem", text);
  describe_table(registry.tokenizers, "--hparams=text_unit=NAME", text);
  describe_table(registry.models, "--model", text);
  describe_table(registry.hparams_sets, "--hparams_set", text);
  describe_table(registry.optimizers, "--hparams=optimizer=NAME", text);
  describe_table(registry.strategies, "--strategy", text);
  describe_table(registry.communicators, "--collective", text);
  describe_table(registry.devices, "--device", text);
  return text;
}

}  // namespace lockstep
