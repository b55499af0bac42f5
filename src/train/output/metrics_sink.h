#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/json.h"

namespace lockstep {

// Takes the lines of metrics.jsonl, in order. One thread at a time.
class MetricsSink {
 public:
  virtual ~MetricsSink() = default;
  // Throws Error(cannot_write).
  virtual void write(const Json& line) = 0;
};

// Several sinks, each of which takes every line.
class MetricsSinks final : public MetricsSink {
 public:
  void add(std::unique_ptr<MetricsSink> sink) { sinks_.push_back(std::move(sink)); }
  void write(const Json& line) override {
    for (const auto& sink : sinks_) sink->write(line);
  }

 private:
  std::vector<std::unique_ptr<MetricsSink>> sinks_;
};

}  // namespace lockstep
