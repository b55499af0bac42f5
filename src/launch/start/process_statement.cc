#include "launch/start/process_statement.h"

#include "base/error.h"
#include "base/whole_number.h"

namespace lockstep {
namespace {

constexpr const char* kWindows = "windows";

std::string take(std::string_view& text) {
  const std::size_t end = text.find('\0');
  LS_CHECK(end != std::string_view::npos, "a statement of a process that ends in the middle");
  std::string part(text.substr(0, end));
  text.remove_prefix(end + 1);
  return part;
}

}  // namespace

// Parts that end with NUL: the refusal, the task's job and index, its source, a word about windows or none, the
// warnings and an empty one; then the flags.
std::string to_text(const ProcessStatement& statement) {
  const TaskName task = statement.task.value_or(TaskName{});
  std::string text =
      statement.refusal + '\0' + task.job + '\0' + std::to_string(task.index) + '\0' + statement.told_by + '\0';
  text += std::string(statement.has_windows ? kWindows : "") + '\0';
  for (const std::string& warning : statement.warnings) text += warning + '\0';
  return text + '\0' + to_text(statement.given);
}

ProcessStatement process_statement(std::string_view text) {
  ProcessStatement statement;
  statement.refusal = take(text);
  TaskName task{.job = take(text)};
  task.index = parse_whole<std::int64_t>(take(text)).value_or(0);
  if (!task.job.empty()) statement.task = task;
  statement.told_by = take(text);
  statement.has_windows = take(text) == kWindows;
  for (std::string warning = take(text); !warning.empty(); warning = take(text)) statement.warnings.push_back(warning);
  statement.given = given_flags(text);
  return statement;
}

}  // namespace lockstep
