#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace lockstep {

// The contents of best.json: {"metric": "accuracy", "value": 0.9643, "step": 800, "split": "dev"}.
struct BestNote {
  std::string metric;
  double value = 0;
  std::int64_t step = 0;
  std::string split;  // the split that was evaluated
};

// The folder best/ of an output_dir: the checkpoint with the best evaluation, and best.json, which names it. At
// whatever moment a run is killed, an old file stays until its replacement is in place, and a file that best.json names
// is whole. Used by the chief only; one thread at a time. Throws Error(cannot_write) when a write fails.
class BestFolder {
 public:
  explicit BestFolder(std::string folder) : folder_(std::move(folder)) {}

  // The contents of best.json; nothing if there is none. Throws Error(bad_data) if it is damaged.
  std::optional<BestNote> note() const;
  // Path of the checkpoint that a note names.
  std::string path_of(const BestNote& note) const;

  // Makes this checkpoint of step note.step the best one: gives it a second name here, then replaces best.json, then
  // removes the previous best one. The checkpoint must be durable, and from then on may be replaced but not edited
  // in place, because both names may be links to one file. before_rename and errors: see duplicate_file().
  void put(const std::string& checkpoint, const BestNote& note, const std::function<void()>& before_rename) const;

  // Sets aside a best checkpoint of a later step than the run resumes from: removes best.json, then renames the
  // checkpoint to *.h5.set_aside. Returns whether there was one.
  bool resume_at(std::int64_t step) const;

 private:
  std::string path_to(std::string_view name) const;

  std::string folder_;
};

}  // namespace lockstep
