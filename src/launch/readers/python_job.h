#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace lockstep {

// One job of a tf.train.ClusterSpec: its tasks' addresses by index. Indices may have gaps, and be negative. A plain
// value; any thread.
class PythonJob {
 public:
  // Throws PythonError, TypeError or ValueError: neither a list nor an object, an index that is none.
  PythonJob(std::string name, const Json& tasks);

  // Throws PythonError, as the protocol buffer does to which they are copied: TypeError for an address that is no text,
  // ValueError for an index beyond 32 bits. REQUIRES of all that follows: it was called.
  void check() const;

  const std::string& name() const { return name_; }
  std::int64_t num_tasks() const { return std::ssize(tasks_); }
  const std::string* address(std::int64_t index) const;  // null if there is none

  // job_tasks() is a list from 0 to the greatest index, with None in the gaps; an index below zero counts from its end.
  // Its length, and one element (null: None). Both throw PythonError, as it does: of a job without tasks, and of an
  // index before its beginning. REQUIRES: 0 <= index < list_length().
  std::int64_t list_length() const;
  const std::string* listed(std::int64_t index) const;

  // As it stands in as_dict(): a list if there are no gaps, else an object; and repr() of that. They throw as
  // list_length() does.
  Json json() const;
  std::string repr() const;

 private:
  void add(std::int64_t index, const Json& address);
  const Json* element(std::int64_t index, std::int64_t length) const;
  bool is_dense() const;
  Json list() const;

  std::string name_;
  std::vector<std::pair<std::int64_t, Json>> tasks_;  // index and address, in the order of the text
  std::map<std::int64_t, std::size_t> positions_;     // in tasks_, by index
};

}  // namespace lockstep
