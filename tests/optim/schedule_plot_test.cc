#include "optim/schedule_plot.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "optim/schedule_hparams.h"

namespace lockstep {
namespace {

std::string curve(const std::string& factors, std::int64_t train_steps, std::int64_t warmup = 0) {
  HParams hparams = schedule_hparams(0.5, factors, warmup);
  hparams.set("learning_rate_decay_steps", std::int64_t{20});
  hparams.set("learning_rate_decay_rate", 0.5);
  return schedule_plot(Schedule(hparams, {.train_steps = train_steps}), train_steps);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

constexpr const char* kWarmUpAndDescent = R"PIC(        step  learning rate
           1  0.0416667
          10  0.41091
          12  0.489705
          20  0.469704
          30  0.431344
          40  0.380625
          50  0.321004
          60  0.256544
          70  0.191639
          80  0.13071
          90  0.0779114
         100  0.03684
         110  0.0102951
         120  8.56688e-05

      0.4897 |     |'---..
             |     |      '--..
             |    |           ''-..
             |   .-               ''-.
             |   |                    '-..
             |  .-                       '-..
             |  |                           '--.
             | .-                               '-.
             | |                                   '-..
             |.-                                       '-..
             ||                                            '--..
   8.567e-05 |                                                  ''---.....
             +------------------------------------------------------------
              1                                                   step 120
)PIC";

constexpr const char* kStairs = R"PIC(
         0.5 |'''''''''''''''''''|
             |                   |
             |                   |
             |                   |
             |                   |
             |                   |
             |                   |
             |                   -....................
             |                                       |
             |                                       |
             |                                       |
       0.125 |                                       -....................
)PIC";

TEST_CASE("a warm-up and a descent, whole") { CHECK(curve("linear_warmup*cosine", 120, 12) == kWarmUpAndDescent); }

TEST_CASE("jumps are drawn as lines") { CHECK(curve("step_decay", 60).find(kStairs) != std::string::npos); }

TEST_CASE("a constant rate is one line in the middle") {
  const auto lines = lines_of(curve("constant", 1000));
  const auto line = std::find(lines.begin(), lines.end(), "         0.5 |" + std::string(60, '\''));
  REQUIRE(line != lines.end());
  CHECK(line[1] == "             |");
  CHECK(line[-1] == "             |");
}

TEST_CASE("the table has the first step, the last and the highest, and not too many between") {
  for (std::int64_t train_steps : {1, 2, 7, 12, 13, 59, 61, 999, 1000, 46900, 2147483647}) {
    CAPTURE(train_steps);
    const std::string text = curve("linear_warmup*rsqrt_decay", train_steps, (train_steps + 1) / 3);
    const auto lines = lines_of(text);
    const auto end_of_table = std::find(lines.begin(), lines.end(), "");
    const auto rows = end_of_table - lines.begin() - 1;
    CHECK(rows >= std::min<std::int64_t>(train_steps, 6));
    CHECK(rows <= 15);
    CHECK(lines[0] == "        step  learning rate");
    CHECK(lines[1].find("           1  ") == 0);
    CHECK(end_of_table[-1].find(std::to_string(train_steps) + "  ") != std::string::npos);
    CHECK(lines.end() - end_of_table == 15);  // an empty line, the plot, the axis, its labels
    for (const std::string& line : lines) CHECK(line.size() <= 74);
    CHECK(lines.back().find("step " + std::to_string(train_steps)) != std::string::npos);
    CHECK(text.back() == '\n');
  }
  CHECK(curve("linear_warmup*rsqrt_decay", 46900, 8123).find("\n        8123  ") != std::string::npos);
}

}  // namespace
}  // namespace lockstep
