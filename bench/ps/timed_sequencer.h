#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "ps/sequencer.h"

namespace lockstep::bench {

// A Sequencer that notes when another one, which decides, makes updates. One thread.
class TimedSequencer final : public Sequencer {
 public:
  // decider outlives it.
  explicit TimedSequencer(Sequencer& decider) : decider_(decider) {}

  // Updates per second from the first update until the last batch was handed out; later some clients have nothing to
  // do. 0 if there was no second update by then.
  double updates_per_second() const {
    return made_ > 1 ? static_cast<double>(made_ - 1) / (static_cast<double>(last_deliver_ - first_update_) * 1e-9) : 0;
  }

  void want(int client) override { decider_.want(client); }
  void arrived(const PsMessage& pushed) override { decider_.arrived(pushed); }
  void cut(int client) override { decider_.cut(client); }
  void stop() override { decider_.stop(); }
  void leave(int client) override { decider_.leave(client); }
  std::optional<std::vector<std::int64_t>> lose(int client) override { return decider_.lose(client); }

  std::optional<PsMessage> next() override {
    const std::optional<PsMessage> command = decider_.next();
    if (!command) return command;
    if (command->kind == PsMessage::Kind::update && command->number == 1) first_update_ = monotonic_ns();
    if (command->kind == PsMessage::Kind::deliver) {
      last_deliver_ = monotonic_ns();
      made_ = command->number;
    }
    return command;
  }

  std::int64_t updates() const override { return decider_.updates(); }
  std::vector<std::int64_t> unapplied() const override { return decider_.unapplied(); }
  std::int64_t next_batch() const override { return decider_.next_batch(); }
  const std::vector<std::int64_t>& staleness() const override { return decider_.staleness(); }
  const std::vector<std::int64_t>& batches() const override { return decider_.batches(); }
  const std::vector<std::int64_t>& lost() const override { return decider_.lost(); }

 private:
  Sequencer& decider_;
  std::int64_t first_update_ = 0;  // ns
  std::int64_t last_deliver_ = 0;  // ns
  std::int64_t made_ = 0;          // updates before the last deliver
};

}  // namespace lockstep::bench
