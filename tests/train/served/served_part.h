#pragma once

#include <fmt/format.h>

#include <atomic>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "collective/messages.h"
#include "collective/mpi/window_room.h"
#include "collective/self_communicator.h"
#include "collective/window.h"
#include "tensor/backend.h"
#include "train/served/served_run.h"
#include "train/train_rank.h"

namespace lockstep {

// The member of a text in the last line of a run's metrics; "" if it has none.
inline std::string text_at_end(const std::string& folder, const std::string& name) {
  std::ifstream stream(folder + "/metrics.jsonl");
  std::string last;
  for (std::string line; std::getline(stream, line);) last = line;
  const std::string before = fmt::format("\"{}\": \"", name);
  const std::size_t at = last.find(before);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + before.size();
  return last.substr(begin, last.find('"', begin) - begin);
}

// The windows of a context's ranks, for each of which there is as much room as `room` says.
inline ServedWindows windows_of(RankContext& context, std::optional<WindowRoom> room = {}) {
  return {.make = [&context](std::int64_t bytes) { return make_window(context, bytes); },
          .room = [room] { return room; }};
}

// Runs this rank's part of a job whose last `servers` ranks are servers. stop_requested: rank `asked`'s. room: for a
// window. COLLECTIVE.
inline ServedEnd run_part(RankContext& context, const TrainSettings& settings, int servers,
                          const Registry& registry = builtin_registry(),
                          const std::atomic<bool>* stop_requested = nullptr, std::optional<WindowRoom> room = {},
                          int asked = 0) {
  Communicator& ranks = context.communicator;
  const auto backend = make_backend({});
  const auto alone = make_self_communicator(context.trace);
  Log log(ranks.rank(), ranks.size(), true);
  const ServedJob job{.ranks = ranks,
                      .servers = servers,
                      .make_messages = [&] { return make_messages(context); },
                      .windows = windows_of(context, std::move(room))};
  const bool serves = ranks.rank() >= ranks.size() - servers;
  const Role worker = ranks.rank() == 0 ? Role::chief : Role::worker;
  return run_served(settings, resolve_hparams(settings, registry), registry,
                    {.world = *alone,
                     .compute = *alone,
                     .backend = *backend,
                     .trace = context.trace,
                     .log = log,
                     .role = serves ? Role::parameter_server : worker,
                     .has_shares = !serves,
                     .stop = {.requested = ranks.rank() == asked ? stop_requested : nullptr},
                     .served = &job});
}

inline TrainSettings served_settings(const std::string& folder) {
  TrainSettings settings = small_settings();
  settings.strategy = "parameter_server";
  settings.output_dir = folder;
  return settings;
}

}  // namespace lockstep
