#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ps/sequencer.h"
#include "ps/update_log.h"

namespace lockstep {

// Another Sequencer, whose commands are written into an update log, each before anybody obeys it.
class LoggedSequencer final : public Sequencer {
 public:
  // Both outlive it.
  LoggedSequencer(Sequencer& sequencer, UpdateLog& log) : sequencer_(sequencer), log_(log) {}

  void want(int client) override { sequencer_.want(client); }
  void arrived(const PsMessage& pushed) override { sequencer_.arrived(pushed); }
  void cut(int client) override { sequencer_.cut(client); }
  void stop() override { sequencer_.stop(); }
  void leave(int client) override { sequencer_.leave(client); }
  std::optional<std::vector<std::int64_t>> lose(int client) override { return sequencer_.lose(client); }

  std::optional<PsMessage> next() override {
    const std::optional<PsMessage> command = sequencer_.next();
    if (command) log_.record(*command);
    return command;
  }

  std::int64_t updates() const override { return sequencer_.updates(); }
  std::vector<std::int64_t> unapplied() const override { return sequencer_.unapplied(); }
  std::int64_t next_batch() const override { return sequencer_.next_batch(); }
  const std::vector<std::int64_t>& staleness() const override { return sequencer_.staleness(); }
  const std::vector<std::int64_t>& batches() const override { return sequencer_.batches(); }
  const std::vector<std::int64_t>& lost() const override { return sequencer_.lost(); }

 private:
  Sequencer& sequencer_;
  UpdateLog& log_;
};

}  // namespace lockstep
