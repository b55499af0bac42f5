// Tables of docs/from_tensorflow.md that are generated from the code's tables: other programs' flags, and the names of
// tf.distribute's strategies and of TensorFlow's collectives.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "base/error.h"
#include "launch/flags/collective_name.h"
#include "launch/flags/flags_from_settings.h"
#include "launch/flags/foreign_flags.h"
#include "launch/flags/t2t_flags.h"
#include "train/config/train_setting.h"
#include "train/registry/registry.h"
#include "train/strategy/strategy_name.h"

namespace lockstep {
namespace {

const std::filesystem::path kPage = LOCKSTEP_FROM_TENSORFLOW_PAGE;

constexpr std::string_view kFlagsHead = "| flag | T2T's default | fate | here |\n|---|---|---|---|\n";
constexpr std::string_view kCollectivesHead = "| TensorFlow's name | here |\n|---|---|\n";
constexpr std::string_view kStrategiesHead = "| tf.distribute | here |\n|---|---|\n";

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::string row(const std::string& flag, const std::string& t2t_default, const char* fate, std::string here) {
  for (std::size_t at = 0; (at = here.find('|', at)) != std::string::npos; at += 2) here.insert(at, "\\");
  const bool has_default = !t2t_default.empty() && t2t_default != "-";
  return fmt::format("| `--{}` | {} | {} | {} |\n", flag, has_default ? fmt::format("`{}`", t2t_default) : "", fate,
                     here);
}

std::string t2t_default_of(std::string_view flag) {
  const auto* const found = std::ranges::find(kT2tFlags, flag, &T2tFlag::flag);
  return found == std::end(kT2tFlags) ? "" : found->t2t_default;
}

// Converts "False" to this program's spelling.
std::string small_letters(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Row of a flag that this program has as well.
std::string own_row(const TrainSetting& setting, const std::string& flag) {
  const std::string t2t_default = t2t_default_of(flag);
  if (!setting.no_other.empty()) return row(flag, t2t_default, "default only", std::string(setting.no_other));
  const bool asks = setting.placeholder.empty();  // it requests output: --registry_help
  const std::string here = help_with_default(*find_flag(flags_from_settings(), setting.name));
  return row(flag, t2t_default, setting.field.index() != 0 || asks ? "works" : "not used", here);
}

bool is_of_t2t(std::string_view flag) {
  return std::ranges::find(kT2tFlags, flag, &T2tFlag::flag) != std::end(kT2tFlags);
}

// Returns the table in the order of train --help; flags that train refuses by name come last.
std::string flags_table() {
  std::string table(kFlagsHead);
  for (const TrainSetting& setting : train_settings()) {
    const std::string name(setting.name);
    const bool describes_a_cluster = setting.topic == train_setting("worker_hosts").topic;
    if (is_of_t2t(name) || describes_a_cluster) table += own_row(setting, name);
    if (!setting.alias.empty()) {
      const std::string alias(setting.alias);
      table += row(alias, t2t_default_of(alias), "works", fmt::format("the same as `--{}`", name));
    }
    if (!setting.prefix.empty()) {
      table += row(fmt::format("{}NAME", setting.prefix), "", "works", fmt::format("adds NAME=VALUE to `--{}`", name));
    }
  }
  for (const ForeignFlag& foreign : foreign_flags()) {
    const std::string name(foreign.name);
    table += row(name, t2t_default_of(name), "refused", meaning_here(name, {}));
  }
  return table;
}

std::string strategies_table() {
  const Registry registry = builtin_registry();
  std::string table(kStrategiesHead);
  for (const auto& [own, named] : registry.strategies.entries()) {
    for (const StrategyAlias& alias : named.entry.aliases) {
      const char* const reach = alias.reach == StrategyReach::one_host   ? ", on one host only"
                                : alias.reach == StrategyReach::one_rank ? ", of one rank only"
                                                                         : "";
      table += fmt::format("| `{}` | `--strategy={}`{} |\n", alias.name, own, reach);
    }
  }
  try {
    strategy_called("TPUStrategy", "", registry.strategies, {});
  } catch (const Error& error) {
    const std::string why = error.what();
    table += fmt::format("| `TPUStrategy` | refused: {} |\n", why.substr(why.find("there")));
  }
  return table;
}

std::string collectives_table() {
  std::string table(kCollectivesHead);
  for (const CollectiveAlias& alias : collective_aliases()) {
    table += fmt::format("| `{}` | `--collective={}` |\n", alias.name, alias.own);
  }
  return table;
}

// Replaces the table with this head in the page.
std::string with_table(std::string page, std::string_view head, const std::string& table) {
  const std::size_t begin = page.find(head);
  REQUIRE(begin != std::string::npos);
  std::size_t end = begin;
  while (end < page.size() && page[end] == '|') end = std::min(page.find('\n', end), page.size() - 1) + 1;
  return page.replace(begin, end - begin, table);
}

}  // namespace

TEST_CASE("docs/from_tensorflow.md has the flags, strategies and collectives that the program knows") {
  const std::string page = text_of(kPage);
  std::string right = with_table(page, kFlagsHead, flags_table());
  right = with_table(right, kStrategiesHead, strategies_table());
  right = with_table(right, kCollectivesHead, collectives_table());
  if (page == right) return;
  const std::filesystem::path file = std::filesystem::absolute("from_tensorflow.md");
  std::ofstream(file) << right;
  FAIL_CHECK("docs/from_tensorflow.md is out of date. With its tables made anew: cp ", file.string(), " ",
             kPage.string());
}

TEST_CASE("every flag that is here for t2t-trainer's scripts is one of t2t-trainer's") {
  for (const TrainSetting& setting : train_settings()) {
    if (setting.t2t_default.empty()) continue;
    CAPTURE(setting.name);
    const bool by_alias = !setting.alias.empty() && is_of_t2t(setting.alias);
    CHECK((is_of_t2t(setting.name) || by_alias));
    CHECK(is_t2t_default(setting, small_letters(t2t_default_of(by_alias ? setting.alias : setting.name))));
  }
}

}  // namespace lockstep
