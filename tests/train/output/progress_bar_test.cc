#include "train/output/progress_bar.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/fake_environment.h"

namespace lockstep {
namespace {

const Progress kHalfway{.step = 500,
                        .steps = 1000,
                        .epochs = 6.333,
                        .loss = 0.123456,
                        .metric = "accuracy 96.43 %",
                        .rate = 84512.3,
                        .seconds_left = 6.2};

// A very long run.
const Progress kLong{.step = 1'234'567,
                     .steps = 100'000'000,
                     .epochs = 12345.678,
                     .loss = 2.5e11,
                     .metric = "mean squared error 123456.78901",
                     .rate = 123'456'789,
                     .seconds_left = 12'345'678};

std::string bar(const Progress& progress, int columns) { return progress_bar(progress, {.columns = columns}); }

bool has(const std::string& line, const std::string& part) { return line.find(part) != std::string::npos; }

std::ptrdiff_t columns_of(const std::string& utf8) {
  return std::ranges::count_if(utf8, [](char c) { return (c & 0xc0) != 0x80; });
}

}  // namespace

TEST_CASE("a wide line says everything in words") {
  CHECK(
      bar(kHalfway, 120) ==
      "step  500/1000   50 %  [###########...........]  epoch 6.33  loss 0.12346  accuracy 96.43 %  84,512 samples/s  "
      "0:07 left");
  CHECK(
      bar(kHalfway, 200) ==
      "step  500/1000   50 %  [####################....................]  epoch 6.33  loss 0.12346  accuracy 96.43 %  "
      "84,512 samples/s  0:07 left");
}

TEST_CASE("80 columns have room for step, loss, metric, rate and time left") {
  for (const int columns : {79, 80}) {
    const std::string line = bar(kHalfway, columns);
    for (const char* part : {"500/1000", "50 %", "loss 0.123", "accuracy 96.43 %", "84,512/s", "0:07 left", "[##"}) {
      CHECK(has(line, part));
    }
  }
}

TEST_CASE("in a narrow line the less important is left out") {
  CHECK(bar(kHalfway, 40) == " 500/1000   50 %  loss 0.1235  0:07 left");
  CHECK(bar(kHalfway, 20) == " 500/1000   50 %");
  CHECK(bar(kHalfway, 9) == " 500/1000");
  CHECK(bar(kHalfway, 4).empty());
}

TEST_CASE("no line is longer than its terminal") {
  for (const Progress& progress : {kHalfway, kLong, Progress{}, Progress{.step = 1, .steps = 1}}) {
    for (int columns = 0; columns <= 200; ++columns) {
      CHECK(bar(progress, columns).size() <= static_cast<std::size_t>(columns));
      CHECK(columns_of(progress_bar(progress, {.columns = columns, .blocks = true})) <= columns);
    }
  }
}

TEST_CASE("what keeps a run from going on stands in the place of its rate, and outlasts it in a narrow line") {
  Progress progress = kHalfway;
  progress.activity = Progress::Activity{.brief = "eval  40 %", .full = "evaluating  40 %"};
  CHECK(
      bar(progress, 120) ==
      "step  500/1000   50 %  [###########...........]  epoch 6.33  loss 0.12346  accuracy 96.43 %  evaluating  40 %  "
      "0:07 left");
  CHECK(has(bar(progress, 80), "eval  40 %  0:07 left"));
  CHECK(bar(progress, 40) == " 500/1000   50 %  eval  40 %  0:07 left");
}

TEST_CASE("what is not known yet is not shown") {
  CHECK(bar({.step = 1, .steps = 1000, .loss = 2.5}, 60) ==
        "step    1/1000    0 %  [.........]  epoch 0.00  loss 2.50000");
}

TEST_CASE("blocks fill in eighths of a column, and only a finished run is full") {
  const auto line = [](std::int64_t step) {
    return progress_bar({.step = step, .steps = 800}, {.columns = 43, .blocks = true});
  };
  CHECK(line(0) == "step   0/800    0 %  [        ]  epoch 0.00");
  CHECK(line(799) == "step 799/800   99 %  [\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2589]  epoch 0.00");
  CHECK(line(800) == "step 800/800  100 %  [\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588]  epoch 0.00");
}

TEST_CASE("colours change nothing but colours") {
  std::string line = progress_bar(kHalfway, {.columns = 100, .colours = true});
  CHECK(has(line, "\x1b[32m#"));
  for (const std::string code : {"\x1b[32m", "\x1b[0m"}) line.erase(line.find(code), code.size());
  CHECK(line == bar(kHalfway, 100));
}

TEST_CASE("a length of time reads as on a clock") {
  CHECK(clock_text(0) == "0:00");
  CHECK(clock_text(6.2) == "0:07");
  CHECK(clock_text(60) == "1:00");
  CHECK(clock_text(3599.5) == "1:00:00");
  CHECK(clock_text(86400 + 3 * 3600 + 4 * 60 + 5) == "1d 03:04:05");
  CHECK(clock_text(-1) == "0:00");
}

TEST_CASE("the first variable of the locale that is set says whether text is UTF-8") {
  CHECK(!encodes_utf8(fake_environment({})));
  CHECK(!encodes_utf8(fake_environment({{"LANG", "C"}})));
  CHECK(encodes_utf8(fake_environment({{"LANG", "de_DE.UTF-8"}})));
  CHECK(encodes_utf8(fake_environment({{"LANG", "C"}, {"LC_CTYPE", "en_US.utf8"}})));
  CHECK(!encodes_utf8(fake_environment({{"LANG", "C.UTF-8"}, {"LC_ALL", "C"}})));
  CHECK(encodes_utf8(fake_environment({{"LANG", "C.UTF-8"}, {"LC_ALL", ""}})));
}

}  // namespace lockstep
