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

// A step that a folder offers to resume from.
struct ResumeCandidate {
  std::int64_t step = 0;
  bool named = false;  // checkpoint.json names it: then damage is not an interrupted save
};

// Number of the newest checkpoints to keep. A plain value.
struct KeepRule {
  std::int64_t most = 0;      // 0: all
  bool within_share = false;  // at most kKeptShare of the disk in all, and room left for the next one
};
inline constexpr KeepRule kUsuallyKept{.most = 20, .within_share = true};
inline constexpr double kKeptShare = 0.5;

// A checkpoint's step and bytes on the disk.
struct CheckpointSize {
  std::int64_t step = 0;
  std::int64_t bytes = 0;
};
// Total and free bytes of a disk.
struct DiskRoom {
  std::int64_t capacity = 0;
  std::int64_t free = 0;
};
// Returns how many of these files, oldest first, the rule removes: never the newest. disk: nothing if unknown. Pure.
std::size_t beyond(const KeepRule& rule, std::span<const CheckpointSize> files, std::optional<DiskRoom> disk);
// The largest --keep_checkpoint_max that leaves `needed` bytes free, and what it removes; nothing if none does, or if
// none is needed. Pure.
struct KeepFewer {
  std::int64_t keep = 0;
  std::int64_t removed = 0;
  std::int64_t freed = 0;  // bytes
};
std::optional<KeepFewer> keep_fewer(std::span<const CheckpointSize> files, std::int64_t free, std::int64_t needed);

// The checkpoint files of an output_dir. Used by the chief only; one thread at a time. Throws Error(cannot_write) if it
// cannot write or list, Error(bad_data) if checkpoint.json is damaged (cure: remove it, the files are enough).
class CheckpointDirectory {
 public:
  explicit CheckpointDirectory(std::string folder, const KeepRule& keep = {});

  std::string path_of(std::int64_t step) const;  // FOLDER/model.ckpt-120.h5
  BestFolder best() const;                       // FOLDER/best

  // Throws Error(cannot_write) if the disk has less room than a checkpoint of this size takes: better reported before
  // the training than after it. The message counts what --keep_checkpoint_max would free.
  void check_room(std::int64_t bytes) const;
  // Removes the files beyond the rule before the next add() would: a full disk may have no room for that one's file.
  // Returns their number. before_rename: see replace_file. REQUIRES: the newest is whole.
  std::int64_t remove_beyond(const std::function<void()>& before_rename) const;

  // Removes leftovers of a killed writer: *.tmp of checkpoints and of checkpoint.json.
  void remove_leftovers() const;

  // The contents of checkpoint.json; nothing if there is none.
  std::optional<CheckpointIndex> index() const;
  // The steps of model.ckpt-*.h5, in order: of files, and of links to files.
  std::vector<std::int64_t> files() const;

  // The files to try, in order. Files newer than checkpoint.json's newest come first (a save that was killed between
  // its two renames); then the newest, even if its file is gone; then older ones, which are tried only if no file
  // before them was named, or if the user says so (--resume=previous).
  // Throws Error(missing_input) if the newest or a newer name is not a file's, but e.g. that of a link to a disk that
  // is not mounted: a run that took that for a folder without a checkpoint would start over, and replace what lies
  // there. Also throws it if all there is to resume from is a name that begins like a checkpoint's: model.ckpt-020.h5.
  std::vector<ResumeCandidate> candidates() const;

  // Makes `step` the newest: newer files are set aside as model.ckpt-<step>.h5.set_aside, and checkpoint.json is
  // updated. Returns the names of the files set aside.
  // finished: nothing is left to do after it, so that of checkpoint.json may stay. before_rename: see replace_file.
  std::vector<std::string> resume_at(std::int64_t step, bool finished = false,
                                     const std::function<void()>& before_rename = {}) const;

  // Puts a checkpoint in its place, then checkpoint.json, then removes files beyond the rule, so that the newest files
  // are kept. Durable on return. before_rename: see replace_file, for both files.
  void add(std::int64_t step, std::span<const std::byte> image, const std::function<void()>& before_rename) const;
  // Marks the newest checkpoint as finished in checkpoint.json: nothing is left to do. REQUIRES: there is one.
  void finish(const std::function<void()>& before_rename) const;

 private:
  std::string path_to(std::string_view name) const;
  void write_index(const CheckpointIndex& index, const std::function<void()>& before_rename) const;

  std::vector<CheckpointSize> sizes() const;  // sizes of files(), in the same order
  // Capacity, and bytes free for this process; nothing if the file system does not tell.
  std::optional<DiskRoom> disk_room() const;
  // End of a message, "" without a cure: "; or add --keep_checkpoint_max=2, which frees 16.0 MB there (2 older
  // checkpoints)".
  std::string cure_by_keeping_fewer(std::int64_t needed) const;

  std::string folder_;
  KeepRule keep_;
};

}  // namespace lockstep
