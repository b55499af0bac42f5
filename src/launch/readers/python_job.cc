#include "launch/readers/python_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "launch/readers/python_error.h"
#include "launch/readers/python_value.h"

namespace lockstep {
namespace {

std::int64_t task_index(const std::string& text) {
  const Json index = python_int(text);
  if (const auto* const value = index.as<std::int64_t>()) return *value;
  raise_value_error(fmt::format("Value out of range: {}", python_repr(index)));
}

}  // namespace

PythonJob::PythonJob(std::string name, const Json& tasks) : name_(std::move(name)) {
  if (const auto* const list = tasks.as<Json::Array>()) {
    for (const Json& address : *list) add(num_tasks(), address);
  } else if (const auto* const object = tasks.as<Json::Object>()) {
    for (const auto& [index, address] : *object) add(task_index(index), address);
  } else {
    throw PythonError("TypeError",
                      fmt::format("The tasks for job {} must be a list or a dictionary from integers to strings.",
                                  python_quoted(name_)));
  }
}

void PythonJob::add(std::int64_t index, const Json& address) {
  const auto [position, is_new] = positions_.emplace(index, tasks_.size());
  if (is_new) {
    tasks_.emplace_back(index, address);
  } else {  // "1" and "01"
    tasks_[position->second].second = address;
  }
}

void PythonJob::check() const {
  for (const auto& [index, position] : positions_) {
    const Json& address = tasks_[position].second;
    if (address.as<std::string>() == nullptr) {
      throw PythonError("TypeError", fmt::format("Task address {} must be bytes or unicode", python_repr(address)));
    }
    using Index = std::numeric_limits<std::int32_t>;
    if (index < Index::min() || index > Index::max()) raise_value_error(fmt::format("Value out of range: {}", index));
  }
}

const std::string* PythonJob::address(std::int64_t index) const {
  const auto position = positions_.find(index);
  return position == positions_.end() ? nullptr : tasks_[position->second].second.as<std::string>();
}

std::int64_t PythonJob::list_length() const {
  if (tasks_.empty()) raise_value_error("max() arg is an empty sequence");
  const std::int64_t length = std::max<std::int64_t>(positions_.rbegin()->first + 1, 0);
  if (positions_.begin()->first < -length) throw PythonError("IndexError", "list assignment index out of range");
  return length;
}

const std::string* PythonJob::listed(std::int64_t index) const {
  const Json* const address = element(index, list_length());
  return address == nullptr ? nullptr : address->as<std::string>();
}

// Of an index from the front and one from the end that mean the same place, the one that came later.
const Json* PythonJob::element(std::int64_t index, std::int64_t length) const {
  const Json* address = nullptr;
  std::size_t latest = 0;
  for (const std::int64_t each : {index, index - length}) {
    const auto found = positions_.find(each);
    if (found == positions_.end() || (address != nullptr && found->second < latest)) continue;
    latest = found->second;
    address = &tasks_[latest].second;
  }
  return address;
}

bool PythonJob::is_dense() const { return !tasks_.empty() && positions_.rbegin()->first + 1 == num_tasks(); }

Json PythonJob::list() const {
  Json::Array list;
  const std::int64_t length = list_length();
  for (std::int64_t i = 0; i < length; ++i) {
    const Json* const address = element(i, length);
    list.push_back(address == nullptr ? Json() : *address);
  }
  return list;
}

Json PythonJob::json() const {
  if (is_dense()) return list();
  Json::Object tasks;
  for (const auto& [index, position] : positions_) {
    tasks.emplace_back(std::to_string(index), tasks_[position].second);
  }
  return tasks;
}

std::string PythonJob::repr() const {
  if (is_dense()) return python_repr(list());
  std::string tasks;
  for (const auto& [index, position] : positions_) {
    tasks += fmt::format("{}{}: {}", tasks.empty() ? "" : ", ", index, python_repr(tasks_[position].second));
  }
  return "{" + tasks + "}";
}

}  // namespace lockstep
