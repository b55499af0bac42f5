#include "launch/tools/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "base/durable_file.h"
#include "base/input_file.h"
#include "base/printable.h"
#include "launch/flags/command_line.h"
#include "launch/flags/exit_code_help.h"
#include "launch/report/facts.h"
#include "launch/report/page.h"
#include "launch/report/read_run.h"
#include "launch/report/run_json.h"
#include "launch/report/run_names.h"
#include "launch/report/run_text.h"
#include "train/output/metrics.h"

namespace lockstep {
namespace {

constexpr std::size_t kMaxRuns = 100;

constexpr Flag kReportFlags[] = {
    {"What is made", "format", "FORMAT", "html", "html: one page; text: curves for a terminal; json: for programs"},
    {"What is made", "output", "FILE", "",
     "Write the output to FILE (default: html to report.html in the first DIR, text and json to the standard output)"},
    {"What is made", "help", "", "", "Show this text, and end"},
};

struct ReportFormat {
  const char* name;
  std::string (*make)(std::span<const Run> runs);
};
constexpr ReportFormat kReportFormats[] = {{"html", report_page}, {"text", runs_text}, {"json", runs_json}};

// A former report may be replaced; any other file that has the name may be the only one of its kind, such as a
// checkpoint.
void check_replaceable(const std::string& output) {
  check_file_place(output, "--output=" + output);
  constexpr std::string_view kBeginnings[] = {"<!doctype html>", "{\"runs\":"};
  const std::optional<InputFile> there = InputFile::if_there(output);
  if (!there) return;
  std::array<char, 16> begin{};
  const std::size_t bytes = there->read_at(0, std::as_writable_bytes(std::span(begin)));
  const auto begins = [&](std::string_view text) { return std::string_view(begin.data(), bytes).starts_with(text); };
  if (std::ranges::any_of(kBeginnings, begins)) return;
  throw Error(ExitCode::configuration,
              fmt::format("--output={}: there is a file of that name, and it is no report; give another name, "
                          "or remove it",
                          escaped(output)),
              Scope::every_rank);
}

// The folder of a run, also if the operand is the file in it that has the curves.
std::string folder_of(const std::string& operand) {
  const std::filesystem::path path(operand);
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return operand;
  std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  if (path.filename() == kMetricsFile) return folder;
  throw Error(ExitCode::missing_input, fmt::format("{} is a file; give the --output_dir of a run, perhaps {}",
                                                   in_quotes(operand), in_quotes(folder)));
}

ExitCode print_report_help(const Print& print) {
  print(
      "lockstep report: shows the curves of one or more runs, from the metrics.jsonl in their output_dirs.\n"
      "\n"
      "  lockstep report RUN                           # writes RUN/report.html\n"
      "  lockstep report RUN1 RUN2 --output=both.html  # two runs, overlaid\n"
      "  lockstep report RUN --format=text             # in the terminal\n"
      "\n"
      "The page needs nothing else: no network, no other file. What separate evaluators wrote into\n"
      "RUN/eval and RUN/eval_train is shown with it, and so are the confusion matrix and the worst samples of\n"
      "--schedule=evaluate --eval_details and the first predictions of --schedule=predict. The run may go on\n"
      "meanwhile.\n"
      "\n" +
      flags_help(kReportFlags) + "\n" + exit_code_help());
  return ExitCode::done;
}

}  // namespace

ExitCode report(std::span<const std::string> args, const Print& print) {
  if (asks_for_help(args)) return print_report_help(print);
  const CommandLine line("lockstep report", kReportFlags, args, {},
                         {.placeholder = "DIR", .least = 1, .most = kMaxRuns});
  std::vector<std::string> names;
  for (const ReportFormat& format : kReportFormats) names.emplace_back(format.name);
  const ReportFormat& format = kReportFormats[line.choice("format", names)];
  const bool page = format.make == report_page;
  std::vector<std::string> folders;
  folders.reserve(line.operands().size());
  for (const std::string& operand : line.operands()) folders.push_back(folder_of(operand));
  std::vector<Run> runs;
  runs.reserve(folders.size());
  for (const std::string& folder : folders) runs.push_back(read_run(folder));
  const std::vector<std::string> called = run_names(folders);
  for (std::size_t at = 0; at < runs.size(); ++at) runs[at].name = called[at];

  const std::string text = format.make(runs);
  if (!page && !line.given("output")) {
    print(text);
    return ExitCode::done;
  }
  const std::string output =
      line.given("output") ? line.text("output") : (std::filesystem::path(folders.front()) / "report.html").string();
  check_replaceable(output);
  replace_file(output, std::as_bytes(std::span(text)), {}, "--output");
  print(fmt::format("wrote {}\n", escaped(output)));
  for (const Run& run : runs) {
    for (const std::string& remark : remarks_of(run)) print(fmt::format("left out of {}: {}\n", run.folder, remark));
  }
  return ExitCode::done;
}

}  // namespace lockstep
