#include "train/output/events/event_file.h"

#include <doctest/doctest.h>

#include <cmath>
#include <sstream>
#include <vector>

#include "support/check_error.h"
#include "support/temporary_folder.h"
#include "train/output/events/event_file_name.h"
#include "train/output/events/read_events.h"

namespace lockstep {
namespace {

// Returns "tag=value" texts, in order.
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
  REQUIRE(files_in(folder.path()).size() == 1);
  const Events events = events_in(files_in(folder.path())[0]);
  REQUIRE(events.size() == 4);
  CHECK(events[0].file_version() == "brain.Event:2");
  CHECK(events[1].session_log().status() == tensorboard::SessionLog::START);
  CHECK(events[1].step() == 7);
  CHECK(events[2].step() == 10);
  CHECK(scalars_in(events[2]) == std::vector<std::string>{"loss=0.100000001", "grad_norm=2"});
  CHECK(events[3].step() == 12);
  CHECK(scalars_in(events[3]) == std::vector<std::string>{"test/loss=0.5", "test/samples=8"});
  // Seconds since 1970, within an hour: the clock of a virtual machine may be set while it runs.
  for (const auto& event : events) CHECK(std::abs(event.wall_time() - before) < 3600);
}

TEST_CASE("numbers that are not finite stay what they are") {
  const TemporaryFolder folder;
  EventFile(folder.path(), 0)
      .write(Json::Object{{"kind", "train"}, {"step", 1}, {"loss", NAN}, {"grad_norm", -INFINITY}, {"lr", 1e300}});
  const Events events = events_in(files_in(folder.path()).at(0));
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
  const Events events = events_in(files_in(folder.path()).at(0));
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

TEST_CASE("a histogram is a table with a row for each bucket: left edge, right edge, count") {
  const TemporaryFolder folder;
  const std::vector<TaggedHistogram> histograms{
      {"gradients/linear_0/bias", {.lowest = -1, .highest = 2, .counts = {7, 0, 5}}}, {"empty", {}}};
  EventFile(folder.path(), 0).write(40, histograms);
  const Events events = events_in(files_in(folder.path()).at(0));
  REQUIRE(events.size() == 3);
  CHECK(events[2].step() == 40);
  REQUIRE(events[2].summary().value_size() == 2);
  const auto& value = events[2].summary().value(0);
  CHECK(value.tag() == "gradients/linear_0/bias");
  CHECK(value.metadata().plugin().name() == "histograms");
  CHECK(value.tensor().type() == tensorboard::Tensor::DOUBLE);
  REQUIRE(value.tensor().shape().dimension_size() == 2);
  CHECK(value.tensor().shape().dimension(0).size() == 30);
  CHECK(value.tensor().shape().dimension(1).size() == 3);
  const auto& numbers = value.tensor().double_value();
  REQUIRE(numbers.size() == 90);
  const std::vector<double> first(numbers.begin(), numbers.begin() + 9);
  const std::vector<double> expected{-1, -0.9, 7, -0.9, -0.8, 0, -0.8, -0.7, 5};
  for (std::size_t i = 0; i < 9; ++i) CHECK(first[i] == doctest::Approx(expected[i]));
  CHECK(numbers[88] == 2);
  CHECK(events[2].summary().value(1).tag() == "empty");
  const auto& zeros = events[2].summary().value(1).tensor().double_value();
  CHECK(std::vector<double>(zeros.begin(), zeros.end()) == std::vector<double>(90, 0.0));
}

TEST_CASE("every start begins a file, whose name comes after those that are there") {
  const TemporaryFolder folder;
  for (int start = 0; start < 3; ++start) EventFile(folder.path(), start);
  const auto files = files_in(folder.path());
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
