#include "checkpoint/directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <numeric>
#include <string_view>
#include <system_error>

#include "base/counted.h"
#include "base/descriptor.h"
#include "base/durable_file.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/json_place.h"
#include "base/resource_limits.h"
#include "base/whole_number.h"
#include "checkpoint/format.h"

namespace lockstep {
namespace {

constexpr std::int64_t kMaxIndexBytes = 16 << 20;  // half a million names
// Room for files that grow in an output_dir besides its checkpoints: logs and metrics.
constexpr std::int64_t kBesideCheckpoints = 1 << 20;

// The step in "model.ckpt-120.h5"; nothing for any other name, such as "model.ckpt-0120.h5".
std::optional<std::int64_t> step_of(std::string_view name) {
  if (!name.starts_with(kCheckpointPrefix)) return std::nullopt;
  std::string_view rest = name.substr(kCheckpointPrefix.size());
  const auto step = take_digits<std::int64_t>(rest);
  return step && name == checkpoint_name(*step) ? step : std::nullopt;
}

[[noreturn]] void cannot(const std::string& what, const std::error_code& failure) {
  const char* const cure = failure == std::errc::no_space_on_device
                               ? "make room and run again"
                               : "fix that and run again, or give another --output_dir";
  throw Error(code_of_failure(failure.value(), ExitCode::cannot_write),
              fmt::format("cannot {}: {}", what, failure_text(failure.value(), cure)));
}

void remove_file(const std::string& path) {
  std::error_code failure;
  std::filesystem::remove(path, failure);
  if (failure) cannot(fmt::format("remove '{}'", path), failure);
}

struct Entry {
  std::string name;
  bool is_file;  // a regular one, or a link to one
};

// The entries of a folder; none if there is no such folder.
std::vector<Entry> entries_of(const std::string& folder) {
  std::vector<Entry> entries;
  std::error_code failure;
  std::filesystem::directory_iterator at(folder, failure);
  if (failure == std::errc::no_such_file_or_directory) return entries;
  for (const std::filesystem::directory_iterator end; !failure && at != end; at.increment(failure)) {
    std::error_code unknown;
    entries.push_back({at->path().filename().string(), at->is_regular_file(unknown)});
  }
  if (failure) cannot(fmt::format("list the folder '{}'", folder), failure);
  return entries;
}

// The steps of the checkpoints among the entries, in order.
std::vector<std::int64_t> steps_of(std::span<const Entry> entries) {
  std::vector<std::int64_t> steps;
  for (const auto& [name, is_file] : entries) {
    if (const auto step = step_of(name); step && is_file) steps.push_back(*step);
  }
  std::ranges::sort(steps);
  return steps;
}

// Throws unless all names of checkpoints from this step on are names of files.
void check_no_others(const std::string& folder, std::span<const Entry> entries, std::int64_t from) {
  for (const auto& [name, is_file] : entries) {
    const std::optional<std::int64_t> step = step_of(name);
    if (is_file || !step || *step < from) continue;
    const std::string path = (std::filesystem::path(folder) / name).string();
    std::error_code unknown;
    const std::string what =
        std::filesystem::is_symlink(path, unknown)
            ? fmt::format("a link to '{}', which is no file", std::filesystem::read_symlink(path, unknown).string())
            : "no regular file";
    throw Error(ExitCode::missing_input,
                fmt::format("'{}' has the name of a checkpoint, and is {}; mount or bring back the disk that it lies "
                            "on, or move it away, or give another --output_dir",
                            path, what));
  }
}

// Throws if a name there was meant for a checkpoint: no run writes such names, but a tool or a person that copied one
// may.
void check_none_misnamed(const std::string& folder, std::span<const Entry> entries) {
  for (const auto& [name, is_file] : entries) {
    const bool leftover = name.ends_with(kTemporarySuffix) || name.ends_with(kSetAsideSuffix);
    if (leftover || !name.starts_with(kCheckpointPrefix)) continue;
    throw Error(
        ExitCode::missing_input,
        fmt::format("'{}' begins like the name of a checkpoint and is none, and nothing else here can be resumed from. "
                    "If it is one, rename it as it was saved, {}<step>{} with the step in plain digits; if not, move "
                    "it away, or give another --output_dir",
                    (std::filesystem::path(folder) / name).string(), kCheckpointPrefix, kCheckpointSuffix));
  }
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string text_of(const CheckpointIndex& index) {
  Json::Array kept;
  for (const std::int64_t step : index.kept) kept.emplace_back(checkpoint_name(step));
  return Json(Json::Object{{kIndexNewestKey, Json(checkpoint_name(index.newest))},
                           {kIndexStepKey, Json(index.newest)},
                           {kIndexKeptKey, Json(std::move(kept))},
                           {kIndexFinishedKey, Json(index.finished)}})
             .text() +
         "\n";
}

// Throws JsonError.
CheckpointIndex index_of(const std::string& text) {
  const Json json = parse_json(text);
  const JsonPlace root(json);
  const auto step_named = [](const JsonPlace& name) {
    const std::optional<std::int64_t> step = step_of(name.text());
    if (!step) name.refuse(fmt::format("{} is not the name of a checkpoint", name.json().text()));
    return *step;
  };
  CheckpointIndex index;
  index.newest = root.member(kIndexStepKey).integer();
  if (step_named(root.member(kIndexNewestKey)) != index.newest) {
    root.refuse(fmt::format("'{}' and '{}' name different checkpoints", kIndexNewestKey, kIndexStepKey));
  }
  for (const JsonPlace& name : root.member(kIndexKeptKey).elements()) index.kept.push_back(step_named(name));
  std::ranges::sort(index.kept);
  index.finished = root.member(kIndexFinishedKey).truth();
  return index;
}

}  // namespace

std::size_t beyond(const KeepRule& rule, std::span<const CheckpointSize> files, std::optional<DiskRoom> disk) {
  const auto bytes_of = [](std::int64_t sum, const CheckpointSize& file) { return sum + file.bytes; };
  const std::int64_t all = std::accumulate(files.begin(), files.end(), std::int64_t{0}, bytes_of);
  std::int64_t taken = all;
  std::size_t gone = 0;
  const auto too_many = [&] { return rule.most > 0 && std::ssize(files.subspan(gone)) > rule.most; };
  const auto too_large = [&] {
    if (!rule.within_share || !disk) return false;
    const std::int64_t next = files.back().bytes;  // assumed as large as the newest
    return static_cast<double>(taken) > kKeptShare * static_cast<double>(disk->capacity) ||
           disk->free + (all - taken) < next;
  };
  for (; gone + 1 < files.size() && (too_many() || too_large()); ++gone) taken -= files[gone].bytes;
  return gone;
}

std::optional<KeepFewer> keep_fewer(std::span<const CheckpointSize> files, std::int64_t free, std::int64_t needed) {
  KeepFewer fewer{.keep = std::ssize(files)};
  if (free >= needed) return {};
  for (const CheckpointSize& file : files) {
    if (--fewer.keep == 0) return {};
    ++fewer.removed;
    fewer.freed += file.bytes;
    if (free + fewer.freed >= needed) return fewer;
  }
  return {};
}

CheckpointDirectory::CheckpointDirectory(std::string folder, const KeepRule& keep)
    : folder_(std::move(folder)), keep_(keep) {}

std::string CheckpointDirectory::path_of(std::int64_t step) const { return path_to(checkpoint_name(step)); }

BestFolder CheckpointDirectory::best() const { return BestFolder(path_to(kBestFolder)); }

std::string CheckpointDirectory::path_to(std::string_view name) const {
  return (std::filesystem::path(folder_) / name).string();
}

void CheckpointDirectory::check_room(std::int64_t bytes) const {
  const std::optional<DiskRoom> disk = disk_room();
  if (!disk || disk->free >= bytes) return;
  throw Error(ExitCode::cannot_write,
              fmt::format("cannot write checkpoints of {:.1f} MB to '{}', whose disk has {:.1f} MB left; make room and "
                          "run again, or give another --output_dir{}",
                          static_cast<double>(bytes) / 1e6, folder_, static_cast<double>(disk->free) / 1e6,
                          cure_by_keeping_fewer(bytes)));
}

std::optional<DiskRoom> CheckpointDirectory::disk_room() const {
  std::error_code unknown;
  const std::filesystem::space_info space = std::filesystem::space(folder_, unknown);
  if (unknown || space.capacity == 0) return {};  // many user-space file systems have none
  constexpr auto kMost = static_cast<std::uintmax_t>(std::numeric_limits<std::int64_t>::max() / 2);
  return DiskRoom{.capacity = static_cast<std::int64_t>(std::min(space.capacity, kMost)),
                  .free = static_cast<std::int64_t>(std::min(space.available, kMost))};
}

std::vector<CheckpointSize> CheckpointDirectory::sizes() const {
  std::vector<CheckpointSize> sizes;
  for (const std::int64_t step : files()) {
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(path_of(step), unknown);
    sizes.push_back({.step = step, .bytes = unknown ? 0 : static_cast<std::int64_t>(bytes)});
  }
  return sizes;
}

std::string CheckpointDirectory::cure_by_keeping_fewer(std::int64_t needed) const {
  const std::optional<DiskRoom> disk = disk_room();
  const auto fewer = disk ? keep_fewer(sizes(), disk->free, needed + kBesideCheckpoints) : std::nullopt;
  if (!fewer) return "";
  return fmt::format("; or add --keep_checkpoint_max={}, which frees {:.1f} MB there ({})", fewer->keep,
                     static_cast<double>(fewer->freed) / 1e6, counted(fewer->removed, "older checkpoint"));
}

std::int64_t CheckpointDirectory::remove_beyond(const std::function<void()>& before_rename) const {
  const std::vector<CheckpointSize> files = sizes();
  const std::size_t gone = beyond(keep_, files, disk_room());
  if (gone == 0) return 0;
  // The files first, which makes room for checkpoint.json. Until it is written, it may name removed files, which does
  // no harm.
  if (before_rename) before_rename();
  for (const CheckpointSize& file : std::span(files).first(gone)) remove_file(path_of(file.step));
  std::optional<CheckpointIndex> now = index();
  LS_CHECK(now.has_value(), "a folder with checkpoints that nothing names");
  std::erase_if(now->kept, [&](std::int64_t step) { return step < files[gone].step; });
  write_index(*now, before_rename);
  return static_cast<std::int64_t>(gone);
}

void CheckpointDirectory::remove_leftovers() const {
  for (const auto& [name, is_file] : entries_of(folder_)) {
    if (!is_file || !name.ends_with(kTemporarySuffix)) continue;
    const std::string_view target = std::string_view(name).substr(0, name.size() - kTemporarySuffix.size());
    if (target == kIndexFile || step_of(target)) remove_file(path_to(name));
  }
}

std::optional<CheckpointIndex> CheckpointDirectory::index() const {
  const std::string path = path_to(kIndexFile);
  try {
    std::optional<InputFile> file = InputFile::if_there(path, {.max_bytes = kMaxIndexBytes});
    return file ? std::optional(index_of(file->read_all())) : std::nullopt;
  } catch (const JsonError& error) {
    throw Error(ExitCode::bad_data,
                fmt::format("'{}' is damaged: {}. Remove it: the run then resumes from the newest checkpoint there",
                            path, error.what()));
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{}; it says which checkpoint is the newest. Bring it back, or remove it: the run then "
                            "resumes from the newest checkpoint there",
                            error.what()));
  }
}

std::vector<std::int64_t> CheckpointDirectory::files() const { return steps_of(entries_of(folder_)); }

std::vector<ResumeCandidate> CheckpointDirectory::candidates() const {
  const std::optional<CheckpointIndex> index = this->index();
  const std::vector<Entry> entries = entries_of(folder_);
  const std::vector<std::int64_t> steps = steps_of(entries);
  const std::int64_t newest = index ? index->newest : steps.empty() ? 0 : steps.back();
  check_no_others(folder_, entries, newest);
  if (!index && steps.empty()) {
    check_none_misnamed(folder_, entries);
    return {};
  }

  std::vector<ResumeCandidate> found;
  for (const std::int64_t step : steps) {
    const bool named = index && (step == newest || std::ranges::binary_search(index->kept, step));
    found.push_back({.step = step, .named = named});
  }
  // The newest is listed even if its file is gone, so that the user gets to know.
  if (!std::ranges::binary_search(steps, newest)) {
    const auto after_it = std::ranges::find_if(found, [&](const auto& other) { return other.step > newest; });
    found.insert(after_it, {.step = newest, .named = true});
  }
  std::ranges::reverse(found);
  return found;
}

std::vector<std::string> CheckpointDirectory::resume_at(std::int64_t step, bool finished,
                                                        const std::function<void()>& before_rename) const {
  // The files first: if the run is killed in between, the next one finds checkpoint.json naming a file that does not
  // exist, and says so. In the other order it would resume from files that should be set aside.
  std::vector<std::int64_t> kept;
  std::vector<std::string> moved;
  for (const std::int64_t file : files()) {
    if (file <= step) {
      kept.push_back(file);
      continue;
    }
    const std::string path = path_of(file);
    const std::string aside = path + std::string(kSetAsideSuffix);
    std::error_code failure;
    if (before_rename) before_rename();
    std::filesystem::rename(path, aside, failure);
    if (failure) cannot(fmt::format("rename '{}' to '{}'", path, aside), failure);
    moved.push_back(checkpoint_name(file));
  }
  const std::optional<CheckpointIndex> old = index();
  if (!old || old->newest != step || (old->finished && !finished)) {
    write_index({.newest = step, .kept = std::move(kept), .finished = false}, before_rename);
  } else if (!moved.empty()) {
    sync_folder(folder_);
  }
  return moved;
}

void CheckpointDirectory::add(std::int64_t step, std::span<const std::byte> image,
                              const std::function<void()>& before_rename) const {
  try {
    replace_file(path_of(step), image, before_rename);
  } catch (const Error& error) {
    if (error.code() != ExitCode::cannot_write) throw;
    throw Error(error.code(), error.what() + cure_by_keeping_fewer(std::ssize(image)));
  }
  std::vector<CheckpointSize> files = sizes();
  std::erase_if(files, [step](const CheckpointSize& file) { return file.step > step; });
  const std::size_t gone = beyond(keep_, files, disk_room());
  std::vector<std::int64_t> kept;
  for (const CheckpointSize& file : std::span(files).subspan(gone)) kept.push_back(file.step);
  // checkpoint.json never names a file that is being removed.
  write_index({.newest = step, .kept = std::move(kept), .finished = false}, before_rename);
  for (const CheckpointSize& file : std::span(files).first(gone)) remove_file(path_of(file.step));
}

void CheckpointDirectory::finish(const std::function<void()>& before_rename) const {
  std::optional<CheckpointIndex> now = index();
  LS_CHECK(now.has_value(), "nothing was saved that could be finished");
  if (now->finished) return;
  now->finished = true;
  write_index(*now, before_rename);
}

void CheckpointDirectory::write_index(const CheckpointIndex& index, const std::function<void()>& before_rename) const {
  replace_file(path_to(kIndexFile), bytes_of(text_of(index)), before_rename);
}

}  // namespace lockstep
