#pragma once

#include <exception>
#include <string>
#include <utility>

#include "base/json.h"

namespace lockstep {

// An exception that a Python program would raise: {"ValueError", "Task index must be non-negative number."}.
class PythonError : public std::exception {
 public:
  PythonError(std::string type, std::string message) : type_(std::move(type)), message_(std::move(message)) {}

  const std::string& type() const { return type_; }
  const std::string& message() const { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

  // {"error": {"type": ..., "message": ...}}, which stands for a value that cannot be had.
  Json json() const { return Json::Object{{"error", Json::Object{{"type", type_}, {"message", message_}}}}; }

 private:
  std::string type_;
  std::string message_;
};

[[noreturn]] inline void raise_value_error(std::string message) { throw PythonError("ValueError", std::move(message)); }

}  // namespace lockstep
