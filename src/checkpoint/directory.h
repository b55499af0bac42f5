#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/best_folder.h"

namespace lockstep {

// checkpoint.json: {"newest": "model.ckpt-120.h5", "step": 120, "kept": ["model.ckpt-100.h5", "model.ckpt-120.h5"],
// "finished": false}.
struct CheckpointIndex {
  std::int64_t newest = 0;           // step
  std::vector<std::int64_t> kept{};  // steps, in order, newest last
  bool finished = false;
};

// What a folder offers to resume from.
struct ResumeCandidate {
  std::int64_t step = 0;
  bool named = false;  // checkpoint.json has pointed at it: if it is damaged, that is no interrupted save
};

// The number of the newest checkpoints that stay. A plain value.
struct KeepRule {
  std::int64_t most = 0;      // 0: all
  bool within_share = false;  // and no more than fit kKeptShare of the disk, and leave room for the next one
};
inline constexpr KeepRule kUsuallyKept{.most = 20, .within_share = true};
inline constexpr double kKeptShare = 0.5;

// A checkpoint's step and bytes on the disk.
struct CheckpointSize {
  std::int64_t step = 0;
  std::int64_t bytes = 0;
};
// The bytes of a disk, and those of them that are free.
struct DiskRoom {
  std::int64_t capacity = 0;
  std::int64_t free = 0;
};
// The number of these, the oldest first, that are to go by the rule: never the newest. disk: none where it does not
// tell. Pure.
std::size_t beyond(const KeepRule& rule, std::span<const CheckpointSize> files, std::optional<DiskRoom> disk);
// The largest --keep_checkpoint_max that leaves `needed` bytes free, and what it removes; nothing where none does, or
// none is needed. Pure.
struct KeepFewer {
  std::int64_t keep = 0;
  std::int64_t removed = 0;
  std::int64_t freed = 0;  // bytes
};
std::optional<KeepFewer> keep_fewer(std::span<const CheckpointSize> files, std::int64_t free, std::int64_t needed);

// The checkpoint files of an output_dir. The chief's alone; one thread at a time. Throws Error(cannot_write) where it
// writes, Error(bad_data) if checkpoint.json is damaged (then the cure is to remove it: the files themselves are
// enough).
class CheckpointDirectory {
 public:
  explicit CheckpointDirectory(std::string folder, const KeepRule& keep = {});

  std::string path_of(std::int64_t step) const;  // FOLDER/model.ckpt-120.h5
  BestFolder best() const;                       // FOLDER/best

  // Throws Error(cannot_write) if the disk has less room than a checkpoint of so many bytes takes: better said before
  // the training than after it. The message counts what --keep_checkpoint_max would free.
  void check_room(std::int64_t bytes) const;
  // Removes the files beyond the rule, as the next add() would: a full disk may have no room for that one. Returns how
  // many. before_rename: as in replace_file. REQUIRES: the newest is whole.
  std::int64_t remove_beyond(const std::function<void()>& before_rename) const;

  // Removes what a killed writer left: *.tmp of checkpoints and of checkpoint.json.
  void remove_leftovers() const;

  // checkpoint.json; none if there is none.
  std::optional<CheckpointIndex> index() const;
  // The steps of model.ckpt-*.h5, in order; of files, and of links to files.
  std::vector<std::int64_t> files() const;

  // Which files to try, in order. Files that are newer than checkpoint.json's newest come first (a save that was killed
  // between its two renames); then the newest, also if its file is gone; then those before it, which are tried only if
  // no file before them was named, or if the user says so (--resume=previous).
  // Throws Error(missing_input) if what would come first is no file: a link to a disk that is not mounted, say. A run
  // that took that for a folder without a checkpoint would begin anew, and replace what lies there. Likewise if there
  // is nothing to resume from but a name that begins like a checkpoint's: model.ckpt-020.h5.
  std::vector<ResumeCandidate> candidates() const;

  // Makes `step` the newest: what is newer is set aside as model.ckpt-<step>.h5.set_aside, and checkpoint.json says so.
  // Returns the names of what was set aside.
  // finished: nothing is left to do after it. before_rename: as in replace_file.
  std::vector<std::string> resume_at(std::int64_t step, bool finished = false,
                                     const std::function<void()>& before_rename = {}) const;

  // Puts a checkpoint in its place, then checkpoint.json, then removes files beyond the rule: what is kept are the
  // newest files there are. Durable when it returns. before_rename: as in replace_file, for both files.
  void add(std::int64_t step, std::span<const std::byte> image, const std::function<void()>& before_rename) const;
  // checkpoint.json alone: nothing is left to do, although the newest was saved when something was.
  void finish(const std::function<void()>& before_rename) const;

 private:
  std::string path_to(std::string_view name) const;
  void write_index(const CheckpointIndex& index, const std::function<void()>& before_rename) const;

  std::vector<CheckpointSize> sizes() const;  // of files(), in their order
  // Bytes that this process may still write; none where the file system does not tell.
  std::optional<DiskRoom> disk_room() const;
  // The end of a message, if there is a cure: "; --keep_checkpoint_max=2 frees 16.0 MB there (2 older checkpoints)".
  std::string cure_by_keeping_fewer(std::int64_t needed) const;

  std::string folder_;
  KeepRule keep_;
};

}  // namespace lockstep
