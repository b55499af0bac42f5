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

// A value of a JSON text and where in the text it stands, for readers of a given form: each accessor returns what it
// is named for or throws a JsonError that begins with the place, "cluster.worker[2]: expected a text, found 5".
//
// Refers to the Json it was made of, which must outlive it. A plain value; any thread.
class JsonPlace {
 public:
  explicit JsonPlace(const Json& root) : json_(&root) {}
  JsonPlace(const Json& json, std::string path) : json_(&json), path_(std::move(path)) {}

  const Json& json() const { return *json_; }
  const std::string& path() const { return path_; }  // "cluster.worker[2]"; "" of the whole text

  const std::string& text() const;
  bool truth() const;
  std::int64_t integer() const;
  // Also of an integer, as the nearest float64.
  double number() const;

  // Of an object: the member of that name, which must be there; or nothing if it is not.
  JsonPlace member(std::string_view name) const;
  std::optional<JsonPlace> find(std::string_view name) const;
  // Of an object and of a list, in order.
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

// A value as messages show it: its JSON, or what it is ("a list") where that is long.
std::string shortened(const Json& json);

// The paths of what is in the value at `path`. A name that would be mistaken for more than one is quoted: ["a.b"], and
// what would steer a terminal in it is escaped.
std::string member_path(std::string_view path, std::string_view name);
std::string element_path(std::string_view path, std::size_t index);

}  // namespace lockstep
