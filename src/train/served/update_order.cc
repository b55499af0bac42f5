#include "train/served/update_order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/sha256.h"
#include "checkpoint/batch_legs_json.h"
#include "ps/coordinator.h"
#include "ps/read_update_log.h"
#include "ps/replay.h"

namespace lockstep {
namespace {

constexpr std::size_t kDigestDigits = 16;

UpdateLogHeader header_of_run(const TrainSettings& settings, const ServedPlan& plan, int clients, int servers) {
  return {.options = {.clients = clients,
                      .max_staleness = settings.max_staleness,
                      .sum = static_cast<int>(settings.sum_updates),
                      .first_update = plan.from.step,
                      .last_update = std::max(plan.from.step, plan.schedule.train_steps),
                      .quiet_cuts = settings.ps_apply == "accumulate"},
          .servers = servers,
          .seed = settings.seed,
          .batches = plan.batches};
}

BatchLedger batches_of_run(const SequencerOptions& options) {
  return {options.first_update + 1, options.sum * (options.last_update - options.first_update)};
}

// Makes something of a file that this rank alone reads.
template <class Make>
auto by_this_rank(const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    throw Error(error.code(), error.what());
  }
}

void check_another_file(const std::string& log, const std::string& replayed) {
  std::error_code failure;  // of a file that is not there
  if (!std::filesystem::equivalent(log, replayed, failure) || failure) return;
  throw Error(ExitCode::configuration,
              fmt::format("--ps_replay={} is the file that --ps_log writes; move it, or give another --output_dir",
                          escaped(replayed)));
}

}  // namespace

std::string batches_digest(const Workload& workload) {
  const TrainingData& data = workload.data;
  const BatchPlan& batches = *workload.plan.gradients;
  const BatchCursor& from = batches.from();
  const BlockLayout layout = batches.layout();
  const std::string text =
      fmt::format("{} samples {} {}, batches of {}, {} an epoch, blocks of {} x {}, from {} {} {} {}", data.samples,
                  data.digest, data.checksum, batches.global_batch(), batches.steps_per_epoch(), layout.block,
                  layout.window_blocks, from.epoch, from.consumed, legs_to_json(from.legs), from.missed);
  Sha256 sha;
  sha.update(std::as_bytes(std::span(text)));
  return hex(sha.finish()).substr(0, kDigestDigits);
}

std::string update_log_path(const std::string& output_dir, std::int64_t step) {
  return (std::filesystem::path(output_dir) / fmt::format("ps_log.{}.jsonl", step)).string();
}

std::string line_to_replay(const TrainSettings& settings) {
  if (settings.ps_replay.empty()) return "";
  return by_this_rank([&] {
    std::string line = first_line_of_update_log(settings.ps_replay);
    read_update_log(line, settings.ps_replay);
    return line;
  });
}

void check_replay(const TrainSettings& settings, const ServedPlan& plan, const ServedJob& job) {
  if (plan.replayed.empty()) return;
  const UpdateLogHeader run = header_of_run(settings, plan, job.ranks.size() - job.servers, job.servers);
  Replay::check(run, batches_of_run(run.options), read_update_log(plan.replayed, settings.ps_replay));
}

UpdateOrder::UpdateOrder(const TrainSettings& settings, const ServedPlan& plan, const PsGroup& group) {
  UpdateLogHeader header = header_of_run(settings, plan, group.clients, group.servers());
  const BatchLedger ledger = batches_of_run(header.options);
  if (settings.ps_replay.empty()) {
    decisions_ = std::make_unique<Coordinator>(header.options, ledger);
  } else {
    decisions_ = by_this_rank([&]() -> std::unique_ptr<Sequencer> {
      RecordedUpdates recorded = read_update_log(settings.ps_replay);
      header.options.max_staleness = recorded.header.options.max_staleness;  // the order keeps that bound
      return std::make_unique<Replay>(header, ledger, std::move(recorded));
    });
  }
  if (!settings.ps_log) return;
  const std::string path = update_log_path(settings.output_dir, header.options.first_update);
  if (!settings.ps_replay.empty()) check_another_file(path, settings.ps_replay);
  begin_log(header, path);
}

void UpdateOrder::begin_log(const UpdateLogHeader& header, const std::string& path) {
  file_.emplace(path);
  log_.emplace(header, [this](std::string_view line) { file_->add(line); });
  logged_.emplace(*decisions_, *log_);
}

}  // namespace lockstep
