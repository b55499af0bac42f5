#include "train/state/saver.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "collective/watch/wait_for_chief.h"

namespace lockstep {
namespace {

// Assumed until a first save has been measured: the speed of a slow network disk.
constexpr double kAssumedBytesPerSecond = 50e6;
// Seconds between the log's reports that all ranks wait for the disk.
constexpr double kPatience = 30;

}  // namespace

Saver::Saver(Parts parts, CheckpointHeader header) : parts_(std::move(parts)), header_(std::move(header)) {
  if (parts_.folder == nullptr) return;
  const auto check_lease = [lease = parts_.lease] { lease->check(); };
  writer_ = std::make_unique<BackgroundWriter>(*parts_.folder, layout_of(parts_.state), check_lease);
  expected_seconds_ = static_cast<double>(saved_bytes(parts_.state)) / kAssumedBytesPerSecond;
}

void Saver::save(const BatchCursor& cursor) {
  const auto phase = parts_.rank.trace.enter(Phase::write);
  const Stopwatch watch;
  wait_for_writer();
  if (writer_) collect();
  header_.step = cursor.step;
  header_.cursor = cursor;
  header_.optimizer_begun = parts_.state.replica.optimizer_begun();
  if (parts_.state.average != nullptr) header_.ema_updates = parts_.state.average->updates();
  StateArrays none;
  copy_state(parts_.state, writer_ ? writer_->arrays() : none);
  if (writer_) writer_->write(header_);
  waited_ = watch.seconds();
  since_save_.restart();
}

void Saver::keep_best(const BestNote& note) {
  LS_CHECK(note.step == header_.step, "a best step that was not saved");
  if (writer_) writer_->keep_best(note);
}

double Saver::expected_seconds() const {
  if (!writer_) return 0;
  const double under_way = writer_->idle({}) ? 0 : std::max(0.0, expected_seconds_ - since_save_.seconds());
  return under_way + expected_seconds_ + waited_;
}

void Saver::finish(bool finished) {
  const auto phase = parts_.rank.trace.enter(Phase::write);
  wait_for_writer();
  if (!writer_) return;
  collect();
  if (finished) parts_.folder->finish([lease = parts_.lease] { lease->check(); });
}

void Saver::wait_for_writer() {
  const Stopwatch watch;
  double reported = 0;
  wait_for_chief(parts_.rank.world, [&](std::chrono::milliseconds patience) {
    if (writer_->idle(patience)) return true;
    if (parts_.waiting) parts_.waiting();
    if (watch.seconds() >= reported + kPatience) {
      reported = watch.seconds();
      parts_.rank.log.warning(
          "all ranks have waited {:.0f} s for the disk: the checkpoint of step {} is not written yet", reported,
          header_.step);
    }
    return false;
  });
}

std::vector<Saver::Saved> Saver::check() {
  if (!writer_) return {};
  if (parts_.lease->lost()) parts_.lease->check();
  if (writer_->idle({})) collect();
  return std::exchange(saved_, {});
}

void Saver::collect() {
  const auto written = writer_->take_written();
  if (!written) return;
  saved_.push_back({.written = *written, .waited = waited_});
  expected_seconds_ = measured_ ? std::max(expected_seconds_, written->seconds) : written->seconds;
  measured_ = true;
}

}  // namespace lockstep
