#include "train/output/events/event_file.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/host_name.h"
#include "base/resource_limits.h"
#include "train/output/append_record.h"
#include "train/output/events/event.pb.h"
#include "train/output/events/event_file_name.h"
#include "train/output/events/record_framing.h"
#include "train/output/scalars.h"

namespace lockstep {
namespace {

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

tensorboard::Event event_at(std::int64_t step) {
  tensorboard::Event event;
  event.set_wall_time(unix_time());
  event.set_step(step);
  return event;
}

// The path of a new file.
std::string new_path(const std::string& folder) {
  std::vector<std::string> there;
  std::error_code ignored;  // a folder that cannot be read: opening the file says why
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    there.push_back(entry.path().filename().string());
  }
  const auto now = static_cast<std::int64_t>(unix_time());
  return (std::filesystem::path(folder) / event_file_name(now, host_name(), there)).string();
}

std::optional<tensorboard::Event> scalars_event(const Json& line) {
  const std::optional<Scalars> scalars = scalars_of(line);
  if (!scalars) return {};
  tensorboard::Event event = event_at(scalars->step);
  for (const auto& [name, value] : scalars->values) {
    tensorboard::Summary::Value& summary = *event.mutable_summary()->add_value();
    summary.set_tag(scalars->split.empty() ? name : scalars->split + "/" + name);
    summary.set_simple_value(static_cast<float>(value));
  }
  return event;
}

// One member per line, indented: Markdown shows such text as it is.
std::string markdown_of(const Json::Object& members, const std::string& before = "") {
  std::string text;
  for (const auto& [name, value] : members) {
    if (const auto* const object = value.as<Json::Object>()) {
      text += markdown_of(*object, before + name + ".");
    } else {
      text += fmt::format("    {}{}: {}\n", before, name, value.text(Json::Form::readable));
    }
  }
  return text;
}

std::optional<tensorboard::Event> start_event(const Json& line) {
  const Json* const kind = line.find("kind");
  const Json* const step = line.find("step");
  if (kind == nullptr || *kind != Json("start") || step == nullptr || step->as<std::int64_t>() == nullptr) return {};
  tensorboard::Event event = event_at(*step->as<std::int64_t>());
  tensorboard::Summary::Value& summary = *event.mutable_summary()->add_value();
  summary.set_tag("start");
  summary.mutable_metadata()->mutable_plugin()->set_name("text");
  summary.mutable_tensor()->set_type(tensorboard::Tensor::STRING);
  summary.mutable_tensor()->mutable_shape();
  summary.mutable_tensor()->add_string_value(markdown_of(*line.as<Json::Object>()));
  return event;
}

void set_tensor(tensorboard::Tensor& tensor, const Histogram& histogram) {
  tensor.set_type(tensorboard::Tensor::DOUBLE);
  for (const std::size_t size : {Histogram::kBuckets, std::size_t{3}}) {
    tensor.mutable_shape()->add_dimension()->set_size(static_cast<std::int64_t>(size));
  }
  for (std::size_t i = 0; i < Histogram::kBuckets; ++i) {
    tensor.add_double_value(histogram.edge(i));
    tensor.add_double_value(histogram.edge(i + 1));
    tensor.add_double_value(static_cast<double>(histogram.counts[i]));
  }
}

void append_event(const Descriptor& file, const std::string& path, const tensorboard::Event& event) {
  const std::string record = framed(event.SerializeAsString());
  append_record(file, path, std::as_bytes(std::span(record)));
}

}  // namespace

EventFile::EventFile(const std::string& folder, std::int64_t first_step) : path_(new_path(folder)) {
  file_ = open_descriptor(path_, O_WRONLY | O_APPEND | O_CREAT | O_EXCL, 0666);
  if (const int error = errno; !file_.is_open()) {
    throw Error(code_of_failure(error, ExitCode::cannot_write),
                fmt::format("cannot write {}: {}", path_, failure_text(error, "give another --output_dir")));
  }
  tensorboard::Event version = event_at(0);
  version.set_file_version("brain.Event:2");
  append_event(file_, path_, version);
  tensorboard::Event start = event_at(first_step);
  start.mutable_session_log()->set_status(tensorboard::SessionLog::START);
  append_event(file_, path_, start);
}

void EventFile::write(const Json& line) {
  for (const auto& event : {scalars_event(line), start_event(line)}) {
    if (event) append_event(file_, path_, *event);
  }
}

void EventFile::write(std::int64_t step, std::span<const TaggedHistogram> histograms) {
  tensorboard::Event event = event_at(step);
  for (const auto& [tag, histogram] : histograms) {
    tensorboard::Summary::Value& summary = *event.mutable_summary()->add_value();
    summary.set_tag(tag);
    summary.mutable_metadata()->mutable_plugin()->set_name("histograms");
    set_tensor(*summary.mutable_tensor(), histogram);
  }
  append_event(file_, path_, event);
}

}  // namespace lockstep
