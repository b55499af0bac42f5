#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace lockstep {

// best.json: {"metric": "accuracy", "value": 0.9643, "step": 800, "split": "dev"}.
struct BestNote {
  std::string metric;
  double value = 0;
  std::int64_t step = 0;
  std::string split;  // that was evaluated
};

// The folder best/ of an output_dir: the checkpoint with the best evaluation, and best.json, which names it. What is
// there stays until what replaces it is in place, and a file that best.json names is whole, whenever a run is killed.
// The chief's alone; one thread at a time. Throws Error(cannot_write) where it writes.
class BestFolder {
 public:
  explicit BestFolder(std::string folder) : folder_(std::move(folder)) {}

  // best.json; none if there is none. Throws Error(bad_data) if it is damaged.
  std::optional<BestNote> note() const;
  // The checkpoint that it names.
  std::string path_of(const BestNote& note) const;

  // Makes this checkpoint of step note.step, durable and replaced but never written into, the best one: gives it a
  // second name here, then replaces best.json, then removes the one before. before_rename: as in replace_file.
  void put(const std::string& checkpoint, const BestNote& note, const std::function<void()>& before_rename) const;

  // Sets aside a best checkpoint of a later step than the run resumes from: its file as ....h5.set_aside, and best.json
  // goes. Returns whether there was one.
  bool resume_at(std::int64_t step) const;

 private:
  std::string path_to(std::string_view name) const;

  std::string folder_;
};

}  // namespace lockstep
