#include "train/output/events/event_file.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "support/check_error.h"
#include "support/temporary_folder.h"
#include "train/output/events/event.pb.h"
#include "train/output/events/event_file_name.h"
#include "train/output/events/record_framing.h"

namespace lockstep {
namespace {

using Events = std::vector<tensorboard::Event>;

// The events of a file, each of them framed as it has to be.
Events events_in(const std::string& path) {
  std::stringstream stream;
  stream << std::ifstream(path).rdbuf();
  const std::string text = stream.str();
  Events events;
  for (std::size_t at = 0; at < text.size();) {
    std::uint64_t length = 0;
    REQUIRE(text.size() - at >= sizeof length);
    std::memcpy(&length, text.data() + at, sizeof length);
    REQUIRE(text.size() - at >= length + 16);
    const std::string record = text.substr(at + 12, length);
    CHECK(text.substr(at, length + 16) == framed(record));
    CHECK(events.emplace_back().ParseFromString(record));
    at += length + 16;
  }
  return events;
}

std::vector<std::string> files_in(const TemporaryFolder& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

// "tag=value", in order.
std::vector<std::string> scalars_in(const tensorboard::Event& event) {
  std::vector<std::string> scalars;
  for (const auto& value : event.summary().value()) {
    std::ostringstream text;
    text.precision(9);
    text << value.tag() << "=" << value.simple_value();
    scalars.push_back(text.str());
  }
  return scalars;
}

const Json kTrainLine = Json::Object{{"kind", "train"}, {"step", 10},    {"wall_seconds", 1.5},
                                     {"loss", 0.1},     {"local", true}, {"grad_norm", 2}};
const Json kEvalLine = Json::Object{{"kind", "eval"},  {"step", 12},  {"wall_seconds", 2.5},
                                    {"split", "test"}, {"loss", 0.5}, {"samples", 8}};

}  // namespace

TEST_CASE("an event file has the version, the step it begins at, and the numbers of each line") {
  const TemporaryFolder folder;
  const double before = static_cast<double>(std::time(nullptr));
  {
    EventFile file(folder.path(), 7);
    file.write(Json::Object{{"kind", "event"}, {"step", 7}, {"event", "resumed"}, {"read_seconds", 0.5}});
    file.write(kTrainLine);
    file.write(kEvalLine);
    file.write(Json::Object{{"kind", "end"}, {"step", 12}, {"finished", true}});
  }
  REQUIRE(files_in(folder).size() == 1);
  const Events events = events_in(files_in(folder)[0]);
  REQUIRE(events.size() == 4);
  CHECK(events[0].file_version() == "brain.Event:2");
  CHECK(events[1].session_log().status() == tensorboard::SessionLog::START);
  CHECK(events[1].step() == 7);
  CHECK(events[2].step() == 10);
  CHECK(scalars_in(events[2]) == std::vector<std::string>{"loss=0.100000001", "grad_norm=2"});
  CHECK(events[3].step() == 12);
  CHECK(scalars_in(events[3]) == std::vector<std::string>{"test/loss=0.5", "test/samples=8"});
  for (const auto& event : events) {
    CHECK(event.wall_time() >= before);
    CHECK(event.wall_time() <= static_cast<double>(std::time(nullptr)) + 1);
  }
}

TEST_CASE("numbers that are not finite stay what they are") {
  const TemporaryFolder folder;
  EventFile(folder.path(), 0)
      .write(Json::Object{{"kind", "train"}, {"step", 1}, {"loss", NAN}, {"grad_norm", -INFINITY}, {"lr", 1e300}});
  const Events events = events_in(files_in(folder).at(0));
  REQUIRE(events.size() == 3);
  const auto& values = events[2].summary().value();
  REQUIRE(values.size() == 3);
  CHECK(std::isnan(values[0].simple_value()));
  CHECK(values[1].simple_value() == -INFINITY);
  CHECK(values[2].simple_value() == INFINITY);
}

TEST_CASE("a start is a text of its settings, one a line, in which no mark-up counts") {
  const TemporaryFolder folder;
  EventFile(folder.path(), 0)
      .write(Json::Object{{"kind", "start"},
                          {"step", 3},
                          {"model", "<b>*mlp*\n# x"},
                          {"hparams", Json::Object{{"learning_rate", 0.5}}}});
  const Events events = events_in(files_in(folder).at(0));
  REQUIRE(events.size() == 3);
  CHECK(events[2].step() == 3);
  const auto& value = events[2].summary().value(0);
  CHECK(value.tag() == "start");
  CHECK(value.metadata().plugin().name() == "text");
  CHECK(value.tensor().type() == tensorboard::Tensor::STRING);
  REQUIRE(value.tensor().string_value_size() == 1);
  CHECK(value.tensor().string_value(0) ==
        "    kind: \"start\"\n    step: 3\n    model: \"<b>*mlp*\\n# x\"\n"
        "    hparams.learning_rate: 0.5\n");
}

TEST_CASE("every start begins a file, whose name comes after those that are there") {
  const TemporaryFolder folder;
  for (int start = 0; start < 3; ++start) EventFile(folder.path(), start);
  const auto files = files_in(folder);
  REQUIRE(files.size() == 3);
  for (std::size_t at = 0; at < 3; ++at) {
    CHECK(events_in(files[at]).at(1).step() == static_cast<std::int64_t>(at));
  }
}

TEST_CASE("names of event files rise, whatever the clock says and whatever else lies there") {
  const auto name = [](std::int64_t seconds, std::vector<std::string> there) {
    return event_file_name(seconds, "node07", there);
  };
  CHECK(name(1700000000, {}) == "events.out.tfevents.1700000000.node07");
  CHECK(name(1700000000, {"events.out.tfevents.1700000000.node07"}) == "events.out.tfevents.1700000001.node07");
  CHECK(name(1700000000, {"events.out.tfevents.1800000000.a", "events.out.tfevents.1600000000.b"}) ==
        "events.out.tfevents.1800000001.node07");
  CHECK(name(5, {}) == "events.out.tfevents.0000000005.node07");
  CHECK(name(5, {"metrics.jsonl", "events.out.tfevents.", "events.out.tfevents.x.y", "events.out.tfevents.-9.y",
                 "events.out.tfevents.9999999999.y", "events.out.tfevents.99999999999999999999.y"}) ==
        "events.out.tfevents.0000000005.node07");
}

TEST_CASE("a folder that takes no event file is an error that names it") {
  check_error(ExitCode::cannot_write, {"/no/such/folder/events.out.tfevents.", "--output_dir"},
              [] { EventFile("/no/such/folder", 0); });
}

}  // namespace lockstep
