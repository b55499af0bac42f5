#pragma once

#include <memory>

#include "collective/messages.h"
#include "optim/optimizer.h"
#include "ps/group.h"
#include "ps/patience.h"
#include "tensor/parameter_table.h"
#include "train/config/settings.h"
#include "train/config/training_rank.h"
#include "train/served/served_link.h"
#include "train/served/served_transport.h"
#include "train/served/transport_choice.h"

namespace lockstep {

// A rank of a job with parameter servers: its messages, and what connects it with the others once all of them know the
// variables.
class ServedRank {
 public:
  // All outlive it. COLLECTIVE over the ranks of the job. Throws as choose_transport().
  ServedRank(const TrainSettings& settings, const Optimizer& optimizer, const TrainingRank& rank);

  Messages& messages() { return *messages_; }

  // Divides the store among the servers, checks their memory, and opens the way of values and gradients. COLLECTIVE.
  // Throws Error of every rank, also for a --wire_dtype that would round constants.
  void connect(const ParameterTable& table);

  // REQUIRES: after connect(). This outlives the link.
  ServedLink link() const;

  // Normal shutdown. COLLECTIVE.
  void close();

 private:
  const ServedJob& job() const { return *rank_.served; }
  int count_hosts() const;

  const TrainSettings& settings_;
  const Optimizer& optimizer_;
  const TrainingRank& rank_;
  PsPatience patience_;
  TransportChoice choice_;
  std::unique_ptr<Messages> messages_;
  PsGroup group_;
  ServedTransport transport_;
};

}  // namespace lockstep
