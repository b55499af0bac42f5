#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/role.h"
#include "base/trace.h"
#include "collective/communicator.h"
#include "tensor/backend.h"

namespace lockstep {

class Messages;
class MpiSession;
class RanksWatch;
class Window;
struct WindowRoom;

// The source of requests to stop this process; launch/ fills it from signals.
struct StopSource {
  const std::atomic<bool>* requested = nullptr;              // set once a stop is requested; null: never
  std::function<std::string()> reason{};                     // text "SIGUSR1 from process 4711"; once requested is true
  std::function<int()> signal{};                             // the signal's number; once requested is true
  const std::atomic<std::int64_t>* save_requests = nullptr;  // number of requests to save; null: no such requests
  Stopwatch since_start{};                                   // time since the process started, for its time limit
  // For the chief of an evaluator that runs in one job with a training: returns whether the training has ended, in any
  // way; null: not known.
  std::function<bool()> training_ended{};
  // For the same chief: returns whether, after the training had ended, a signal to one of its processes has asked the
  // job to stop.
  std::function<bool()> training_asked_to_stop{};
};

// The windows that the ranks of a job with parameter servers can make between them.
struct ServedWindows {
  // Makes one in which this rank offers so many bytes; COLLECTIVE over the ranks. Null on all of them if they cannot.
  std::function<std::unique_ptr<Window>(std::int64_t bytes)> make{};
  // The room for all parts of a window whose ranks are on this one host; null, or nothing: no limit is known.
  std::function<std::optional<WindowRoom>()> room{};
  std::string why_none = "there are none between these ranks";  // if make is null
  std::string cure{};                                           // what would help then
  // A reason why they may not work here, for which --ps_transport=auto does without them; "" if there is none.
  std::string doubt{};
};

// A job with parameter servers, as one of its ranks has it.
struct ServedJob {
  Communicator& ranks;  // those that train, the chief first, then the servers; used at the start and at the end only
  int servers = 1;
  std::function<std::unique_ptr<Messages>()> make_messages;  // between these ranks; COLLECTIVE over them
  ServedWindows windows{};
  RanksWatch* watch = nullptr;  // of these ranks, if the job goes on without one that trains; null: it ends
};

// The context of a rank: its groups, its device, its role, and who may ask it to stop. The caller owns what it refers
// to.
struct TrainingRank {
  // All ranks of the job, rank 0 the chief; for agreement, requests, waiting for the chief, the checkpoint's header.
  Communicator& world;
  // The ranks with a replica of the model, in the order of the world; for gradients, shares of the data, evaluation,
  // restored parameters. Its rank 0 is the chief, which has a replica even without shares, as it saves that one.
  Communicator& compute;
  Backend& backend;
  Trace& trace;
  Log& log;
  Role role = Role::worker;       // its role in the job's plan; in a world of evaluators all are evaluators
  MpiSession* session = nullptr;  // source of communicators for gradients; null without MPI
  bool has_shares = true;         // false: it has no share of the data, computes no gradient, and follows the others
  StopSource stop{};
  std::string device_id{};  // PCI bus id of the backend's device on its host; "" for the CPU
  std::string job_id{};     // the scheduler's job, for the lease: "slurm 1234"; "" = none
  // Null in a job without parameter servers. With them every rank trains or serves by itself: world and compute are
  // this rank alone.
  const ServedJob* served = nullptr;

  Communicator& everyone() const { return served != nullptr ? served->ranks : world; }
  // True on the first rank of the job, which reports, writes and saves.
  bool is_chief() const { return everyone().rank() == 0; }
};

}  // namespace lockstep
