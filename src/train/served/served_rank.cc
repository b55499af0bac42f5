#include "train/served/served_rank.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/host_name.h"
#include "collective/watch/ranks_watch.h"
#include "ps/key_ranges.h"
#include "train/config/agreement.h"
#include "train/served/server_memory.h"

namespace lockstep {

namespace {

std::string describe_loss(const std::string& rank, const std::string& process, const std::vector<std::int64_t>& again) {
  const std::string batches =
      again.empty() ? ""
                    : fmt::format("; {} {}, which it had, {} handed out again", again.size() == 1 ? "batch" : "batches",
                                  fmt::join(again, " and "), again.size() == 1 ? "is" : "are");
  return fmt::format("{} ({}) has ended, and the others go on without it{}", rank, process, batches);
}

// Workers would compute with rounded constants, the chief evaluates and saves with the model's own.
void check_constants(const ParameterTable& table, DType wire_dtype) {
  if (wire_dtype == DType::float32) return;
  const auto constant = std::ranges::find(table.variables(), false, &Variable::trainable);
  if (constant == table.variables().end()) return;
  throw Error(ExitCode::configuration,
              fmt::format("--wire_dtype={} would round {}, which is a constant of the model, on its way to the ranks "
                          "that train; leave out --wire_dtype, or what makes it (hparam normalize_inputs)",
                          name(wire_dtype), constant->name),
              Scope::every_rank);
}

}  // namespace

ServedRank::ServedRank(const TrainSettings& settings, const Optimizer& optimizer, const TrainingRank& rank)
    : settings_(settings),
      optimizer_(optimizer),
      rank_(rank),
      patience_{
          .limit = settings.hang_timeout, .hosts = texts_of_ranks(job().ranks, host_name()), .trace = &rank.trace},
      choice_(choose_transport(settings.ps_transport, settings.ps_apply, job().windows, count_hosts())),
      messages_(job().make_messages()) {
  if (job().watch == nullptr) return;
  patience_.has_ended = [this](int client) { return job().watch->has_ended(client); };
  patience_.when_lost = [this](int client, const std::vector<std::int64_t>& again) {
    rank_.log.warning("{}", describe_loss(patience_.who(client), job().watch->text(client), again));
  };
}

int ServedRank::count_hosts() const {
  return static_cast<int>(std::set<std::string>(patience_.hosts.begin(), patience_.hosts.end()).size());
}

void ServedRank::connect(const ParameterTable& table) {
  const auto phase = rank_.trace.enter(Phase::communicate);
  group_ = {.clients = job().ranks.size() - job().servers,
            .ranges = key_ranges(table, optimizer_.sliceable(), job().servers),
            .wire_dtype = wire_dtype_of(settings_)};
  check_server_memory(rank_, group_, patience_.hosts,
                      {.copies = copies_of_values(group_),
                       .slots = std::ssize(optimizer_.slots()),
                       .averages = settings_.ema.has_value(),
                       .sums = settings_.sum_updates > 1,
                       .adds = choice_.adds});
  check_constants(table, group_.wire_dtype);
  transport_ = open_transport(job(), choice_, group_, rank_.trace);
  if (job().watch != nullptr) job().watch->go_apart();
}

ServedLink ServedRank::link() const {
  const auto stop_signal = [&stop = rank_.stop]() -> std::optional<int> {
    if (stop.requested == nullptr || !*stop.requested) return std::nullopt;
    return stop.signal ? stop.signal() : 0;
  };
  return {.messages = *messages_,
          .group = group_,
          .transport = transport_,
          .patience = patience_,
          .stop_signal = stop_signal};
}

void ServedRank::close() {
  if (transport_.window) transport_.window->close();
  messages_->close();
}

}  // namespace lockstep
