#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/role.h"
#include "base/trace.h"
#include "collective/communicator.h"
#include "tensor/backend.h"

namespace lockstep {

class MpiSession;

// Who asks this process to stop; launch/ fills it from signals.
struct StopSource {
  const std::atomic<bool>* requested = nullptr;              // null: no such requests
  std::function<std::string()> reason{};                     // "SIGUSR1 from process 4711"; once requested is true
  std::function<int()> signal{};                             // its number; likewise
  const std::atomic<std::int64_t>* save_requests = nullptr;  // to save, how many there were; null: no such requests
  Stopwatch since_start{};                                   // of the process: what a time limit counts from
  // Of the chief of an evaluator beside a training in one job: whether that has ended, however; null: not known.
  std::function<bool()> training_ended{};
  // Likewise whether the job was asked to stop after that, by a signal to a process of the training alone.
  std::function<bool()> training_asked_to_stop{};
};

// Where a rank trains, what for, and who may ask it to stop. Everything is the caller's.
struct TrainingRank {
  // All ranks of the job, rank 0 the chief: agreement, requests, waiting for the chief, the checkpoint's header.
  Communicator& world;
  // The ranks with a replica of the model, in the order of the world: gradients, shares of the data, evaluation,
  // restored parameters. Its rank 0 is the chief, which has a replica also where it has no shares: it saves that one.
  Communicator& compute;
  Backend& backend;
  Trace& trace;
  Log& log;
  Role role = Role::worker;       // as the job's plan has it; in a world of evaluators all are that
  MpiSession* session = nullptr;  // what a communicator for gradients may be made from; null without MPI
  bool has_shares = true;         // of the data; a rank without computes no gradient, and follows the others
  StopSource stop{};
  std::string device_id{};  // of the backend's device on its host: the PCI bus id; "" of the CPU
  std::string job_id{};     // the scheduler's, for the lease: "slurm 1234"; "" = none

  // The first of its world: it reports, writes and saves.
  bool is_chief() const { return world.rank() == 0; }
};

}  // namespace lockstep
