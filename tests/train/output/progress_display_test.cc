#include "train/output/progress_display.h"

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "base/terminal.h"
#include "support/captured_stderr.h"
#include "support/pseudo_terminal.h"

namespace lockstep {
namespace {

// Returns the last drawing of a display of ten steps, with evaluations after the fifth and the last.
std::string shown_after(const std::function<void(ProgressDisplay&)>& work) {
  const PseudoTerminal window(100);
  const std::string text = stderr_of([&] {
    StatusLine line;
    const Trace trace(line, 0);
    Log log(0, 1, false);
    log.open_terminal(std::make_unique<Terminal>(window.open(), false));
    ProgressDisplay display(log, trace, {.steps = 10, .evaluate_every = 5});
    work(display);
  });
  const std::size_t end = text.rfind("\x1b[J");
  if (end == std::string::npos) return "";
  const std::size_t begin = text.rfind('\r', end) + 1;
  return text.substr(begin, end - begin);
}

bool has(const std::string& line, const std::string& part) { return line.find(part) != std::string::npos; }

void step_to(ProgressDisplay& display, std::int64_t last) {
  for (std::int64_t step = 1; step <= last; ++step) display.step({.number = step, .loss = 0.5, .has_line = true});
}

// Waits longer than the time between two drawings.
void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(120)); }

TEST_CASE("during an evaluation the bar says how far that is, and what is left") {
  const std::string line = shown_after([](ProgressDisplay& display) {
    step_to(display, 5);
    display.evaluating(0);
    wait();
    display.evaluating(0.25);
    wait();
    display.evaluating(0.5);
  });
  CHECK(has(line, "step  5/10   50 %"));
  CHECK(has(line, "evaluating  50 %"));
  // The second half takes the same time, and the evaluation at the end twice that: three times 0.24 s or more.
  CHECK(has(line, "left"));
  CHECK(!has(line, "0:00 left"));
}

TEST_CASE("after an evaluation the bar shows what it came to") {
  const std::string line = shown_after([](ProgressDisplay& display) {
    step_to(display, 5);
    display.evaluating(0);
    wait();
    display.evaluating(1);
    display.metric("accuracy 75.00 %");
  });
  CHECK(has(line, "accuracy 75.00 %"));
  CHECK(!has(line, "evaluating"));
  CHECK(has(line, "left"));
}

TEST_CASE("a wait for the disk is counted, and nobody knows how long the last one takes") {
  const auto saving_after = [](std::int64_t step) {
    return shown_after([step](ProgressDisplay& display) {
      step_to(display, step);
      display.saving();
      wait();
      display.saving();
    });
  };
  CHECK(has(saving_after(5), "saving 0:0"));
  CHECK(has(saving_after(5), " left"));
  CHECK(has(saving_after(10), "saving 0:0"));
  CHECK(!has(saving_after(10), " left"));
}

TEST_CASE("nothing is drawn before the first step") {
  CHECK(shown_after([](ProgressDisplay& display) {
          display.evaluating(0);
          wait();
          display.evaluating(0.5);
          display.metric("accuracy 75.00 %");
        }).empty());
}

}  // namespace
}  // namespace lockstep
