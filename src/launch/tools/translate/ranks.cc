#include "launch/tools/translate/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/durable_file.h"
#include "base/input_file.h"
#include "base/printable.h"
#include "launch/tools/translate/formats/rank_formats.h"
#include "launch/tools/translate/sources/read_ranks.h"

namespace lockstep {
namespace {

// A format is of one of three kinds, and has the function of that kind.
struct RankFormat {
  const char* name;
  std::string (*of_shown)(const RankList& list, std::span<const RankEntry> shown) = nullptr;
  std::string (*of_all)(const RankList& list) = nullptr;
  std::string (*of_each)(const RankList& list, const RankEntry& entry) = nullptr;
  bool has_evaluators = true;  // for of_each: true if evaluators have a line
};

constexpr RankFormat kExplain = {.name = "explain", .of_shown = explain_ranks};
constexpr RankFormat kRankFormats[] = {{.name = "json", .of_shown = ranks_json},
                                       {.name = "hostfile", .of_all = hostfile_text},
                                       {.name = "rankfile", .of_all = rankfile_text},
                                       {.name = "appfile", .of_all = app_file_text},
                                       {.name = "mpirun", .of_all = mpirun_commands},
                                       {.name = "sbatch", .of_all = sbatch_script},
                                       {.name = "qsub", .of_all = qsub_script},
                                       {.name = "tf_config", .of_each = tf_config_line},
                                       {.name = "torchrun", .of_each = torchrun_line, .has_evaluators = false}};

const RankFormat& asked_format(const CommandLine& line) {
  if (!line.on("explain")) return kRankFormats[line.choice("format", rank_format_names())];
  if (line.given("format")) line.refuse("explain", "it is a format of its own; leave out --format");
  return kExplain;
}

// All ranks, trainers first, or within a job the one that asks.
std::vector<RankEntry> shown_ranks(const RankList& list) {
  std::vector<RankEntry> shown = list.ranks;
  shown.insert(shown.end(), list.evaluators.begin(), list.evaluators.end());
  if (!list.own_rank || !list.is_complete()) return shown;
  return {shown[static_cast<std::size_t>(*list.own_rank)]};
}

// A file of hosts may be replaced, by those of the next job; any other may be the only one of its kind.
void check_output(const std::string& path) {
  check_file_place(path, "--output=" + path);
  const std::optional<InputFile> there = InputFile::if_there(path);
  if (!there) return;
  std::string begin(64 << 10, '\0');
  begin.resize(there->read_at(0, std::as_writable_bytes(std::span(begin))));
  if (std::ssize(begin) < there->bytes()) begin.resize(begin.rfind('\n') + 1);  // npos + 1 is 0
  if (is_hostfile_text(begin)) return;
  throw Error(ExitCode::configuration,
              fmt::format("--output={}: there is a file of that name, and it is no file of hosts; give another name, "
                          "or remove it",
                          escaped(path)),
              Scope::every_rank);
}

// The line refers to a file, which is written here.
void print_mpirun_line(const RankList& list, const CommandLine& line, const Print& print) {
  const std::string path = line.text("output");
  const std::string text = mpirun_line(list, path);
  const std::string hosts = hostfile_text(list);
  check_output(path);
  replace_file(path, std::as_bytes(std::span(hosts)), {}, "--output");
  print(text);
}

void print_ranks(const RankFormat& format, const RankList& list, const CommandLine& line, const Print& print) {
  if (format.of_all == mpirun_commands && line.given("output")) return print_mpirun_line(list, line, print);
  if (format.of_all == mpirun_commands && !list.hostfile.empty()) return print(mpirun_line(list, list.hostfile));
  if (format.of_all != nullptr) return print(format.of_all(list));
  const std::vector<RankEntry> shown = shown_ranks(list);
  if (format.of_shown != nullptr) return print(format.of_shown(list, shown));
  LS_CHECK(format.of_each != nullptr, "a format without a function");
  for (const RankEntry& entry : shown) {
    if (entry.role != Role::evaluator || format.has_evaluators) print(format.of_each(list, entry));
  }
}

// Warnings of what the output leaves out.
std::vector<std::string> omissions(const RankFormat& format, const RankList& list) {
  std::vector<std::string> warnings;
  if (!format.has_evaluators && !list.evaluators.empty()) {
    warnings.push_back(describe(list.evaluators[0].task) + " is no rank, and has no line");
  }
  if (format.of_all == app_file_text) {
    for (const ClusterVariable& variable : list.variables) {
      if (!variable.value) continue;
      warnings.push_back(
          fmt::format("an app file sets no variables: before mpirun --app, export {} as "
                      "--format=mpirun sets it",
                      variable.name));
    }
  }
  return warnings;
}

}  // namespace

ExitCode translate_ranks(const CommandLine& line, const Environment& environment, const Print& print,
                         const Print& warn) {
  const RankFormat& format = asked_format(line);
  if (line.given("output") && format.of_all != mpirun_commands) {
    line.refuse("output", "only --format=mpirun writes a file beside what it prints");
  }
  RankList list{.source = "the cluster", .ranks = {}};
  try {
    list = read_ranks(line, environment);
    print_ranks(format, list, line, print);
  } catch (const std::invalid_argument&) {
    throw Error(ExitCode::configuration,
                fmt::format("{}: a name in it is not UTF-8, and so no name of a host", list.source), Scope::every_rank);
  }
  std::vector<std::string> warnings = list.warnings;
  std::ranges::move(omissions(format, list), std::back_inserter(warnings));
  for (const std::string& warning : warnings) warn(printable_message("warning: " + warning) + "\n");
  return ExitCode::done;
}

std::vector<std::string> rank_format_names() {
  std::vector<std::string> names;
  for (const RankFormat& format : kRankFormats) names.emplace_back(format.name);
  return names;
}

}  // namespace lockstep
