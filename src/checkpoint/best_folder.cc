#include "checkpoint/best_folder.h"

#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/durable_file.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/json_place.h"
#include "base/resource_limits.h"
#include "checkpoint/format.h"

namespace lockstep {
namespace {

constexpr std::int64_t kMaxNoteBytes = 1 << 16;

std::string text_of(const BestNote& note) {
  return Json(Json::Object{{kBestMetricKey, Json(note.metric)},
                           {kBestValueKey, Json(note.value)},
                           {kBestStepKey, Json(note.step)},
                           {kBestSplitKey, Json(note.split)}})
             .text(Json::Form::readable) +
         "\n";
}

// Throws JsonError.
BestNote note_of(const std::string& text) {
  const Json json = parse_json(text);
  const JsonPlace root(json);
  return {.metric = root.member(kBestMetricKey).text(),
          .value = root.member(kBestValueKey).number(),
          .step = root.member(kBestStepKey).integer(),
          .split = root.member(kBestSplitKey).text()};
}

// True for another checkpoint than `now`, also for one that was not finished, but not for one that was set aside.
bool is_former(std::string_view name, std::string_view now) {
  return name != now && name.starts_with(kCheckpointPrefix) && !name.ends_with(kSetAsideSuffix);
}

void make_folder(const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (!failure) return;
  throw Error(code_of_failure(failure.value(), ExitCode::cannot_write),
              fmt::format("cannot make the folder '{}': {}", folder,
                          failure_text(failure.value(), "fix that and run again, or leave --keep_best out")));
}

// Ignores failures: a file that cannot be removed only takes room, as best.json names the one that counts.
void remove_former(const std::string& folder, std::string_view now) {
  std::error_code ignored;
  std::vector<std::filesystem::path> former;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (is_former(entry.path().filename().string(), now)) former.push_back(entry.path());
  }
  for (const std::filesystem::path& path : former) std::filesystem::remove(path, ignored);
}

}  // namespace

std::string BestFolder::path_to(std::string_view name) const {
  return (std::filesystem::path(folder_) / name).string();
}

std::string BestFolder::path_of(const BestNote& note) const { return path_to(checkpoint_name(note.step)); }

std::optional<BestNote> BestFolder::note() const {
  const std::string path = path_to(kBestFile);
  std::optional<InputFile> file = InputFile::if_there(path, {.max_bytes = kMaxNoteBytes});
  if (!file) return {};
  try {
    return note_of(file->read_all());
  } catch (const JsonError& error) {
    throw Error(ExitCode::bad_data,
                fmt::format("'{}' is damaged: {}. It says what the best checkpoint is: move the folder '{}' away, and "
                            "the best one from then on is kept",
                            path, error.what(), folder_));
  }
}

void BestFolder::put(const std::string& checkpoint, const BestNote& note,
                     const std::function<void()>& before_rename) const {
  make_folder(folder_);
  duplicate_file(checkpoint, path_of(note), before_rename);
  const std::string text = text_of(note);
  replace_file(path_to(kBestFile), std::as_bytes(std::span(text)), before_rename);
  remove_former(folder_, checkpoint_name(note.step));
}

bool BestFolder::resume_at(std::int64_t step) const {
  const std::optional<BestNote> later = note();
  if (!later || later->step <= step) return false;
  // best.json first: it must never name a file that does not exist.
  std::error_code failure;
  std::filesystem::remove(path_to(kBestFile), failure);
  if (!failure) std::filesystem::rename(path_of(*later), path_of(*later) + std::string(kSetAsideSuffix), failure);
  if (failure && failure != std::errc::no_such_file_or_directory) {
    throw Error(code_of_failure(failure.value(), ExitCode::cannot_write),
                fmt::format("cannot set aside '{}': {}", path_of(*later),
                            failure_text(failure.value(), "move it away, or give another --output_dir")));
  }
  sync_folder(folder_);
  return true;
}

}  // namespace lockstep
