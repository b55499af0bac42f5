#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace lockstep {

// A value of a JSON text and its place in the text, for readers of a given form: each accessor returns what it is named
// for or throws a JsonError that begins with the place, "cluster.worker[2]: expected a text, found 5".
//
// Refers to its Json, which must outlive it. A plain value; any thread.
class JsonPlace {
 public:
  explicit JsonPlace(const Json& root) : json_(&root) {}
  JsonPlace(const Json& json, std::string path) : json_(&json), path_(std::move(path)) {}

  const Json& json() const { return *json_; }
  const std::string& path() const { return path_; }  // "cluster.worker[2]"; "" for the whole text

  const std::string& text() const;
  bool truth() const;
  std::int64_t integer() const;
  // Accepts an integer too, as the nearest float64.
  double number() const;

  // A member of an object: member() requires it, find() returns nothing if there is none.
  JsonPlace member(std::string_view name) const;
  std::optional<JsonPlace> find(std::string_view name) const;
  // The members of an object and the elements of a list, in order.
  std::vector<std::pair<std::string, JsonPlace>> members() const;
  std::vector<JsonPlace> elements() const;

  // Throws JsonError("PATH: why").
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  template <class T>
  const T& expect(const char* what) const;

  const Json* json_;
  std::string path_;
};

// A value as messages show it: its JSON or, if that is long, its kind ("a list").
std::string shortened(const Json& json);

// Paths of a member and an element of the value at `path`. A name that is long or has other characters than letters,
// digits, _, - and / is quoted, ["a.b"], and characters in it that would steer a terminal are escaped.
std::string member_path(std::string_view path, std::string_view name);
std::string element_path(std::string_view path, std::size_t index);

}  // namespace lockstep
