#include "train/exchange/connect_gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/input_file.h"
#include "base/json.h"
#include "base/printable.h"
#include "collective/collective_table.h"
#include "collective/make_communicator.h"

namespace lockstep {
namespace {

constexpr std::string_view kAuto = "auto";

// Parts of Communicator::summation(): "hierarchical" and "hierarchical of 2 + 2 ranks".
std::string_view name_of(std::string_view summation) { return summation.substr(0, summation.find_first_of(", ")); }
std::string_view place_of(std::string_view summation) { return summation.substr(0, summation.find(',')); }

// The summation of the checkpoint's run; "" if there is none to match: it had another number of ranks, or --exact,
// whose sums are the same over every communicator.
std::string saved_summation(const SavedConfig* saved, int ranks) {
  if (saved == nullptr || saved->ranks != ranks) return "";
  const auto item = std::ranges::find(saved->items, kSummationItem, &ConfigItem::name);
  return item == saved->items.end() ? "" : item->value;
}

// Reads the chief's file, and returns the table on all ranks.
CollectiveTable read_table(const std::string& file, const TrainingRank& rank) {
  std::string text;
  if (rank.is_chief()) text = read_file(file, {.max_bytes = 1 << 20});
  broadcast_text(rank.world, text, 0);
  try {
    return parse_collective_table(text);
  } catch (const JsonError& why) {
    throw Error(ExitCode::bad_data,
                fmt::format("--collective_table={}: {}; bench/collective --choose prints such a table", escaped(file),
                            why.what()),
                Scope::every_rank);
  }
}

// The checkpoint's communicator; null if these ranks cannot have it, or on their hosts it would sum in another order.
std::unique_ptr<Communicator> connect_as_saved(const CommunicatorFactory& factory, const CommunicatorParts& parts,
                                               std::string_view saved) {
  try {
    auto communicator = factory(parts);
    if (place_of(communicator->summation()) == place_of(saved)) return communicator;
    communicator->close();
  } catch (const Error& error) {
    if (error.code() != ExitCode::configuration) throw;
  }
  return nullptr;
}

constexpr std::string_view kShm = "shm";

// True if auto does not keep the communicator of the checkpoint's run, although these ranks could have it. A run that
// summed in the hosts' memory computed on CPUs, or on GPUs that its ranks shared, so with a GPU for each rank the bits
// differ in any case.
bool chooses_anew(std::string_view saved, std::string_view best) {
  const bool on_hosts = saved == "mpi" || saved == alternative_to_mpi(1, 2) || saved == alternative_to_mpi(2, 2);
  return best == "nccl" && on_hosts;
}

// Connects for a strategy whose ranks share one copy of the values.
std::unique_ptr<Communicator> connect_for_one_copy(const CommunicatorParts& parts, const TrainSettings& settings,
                                                   const Registry& registry) {
  const auto refuse = [&](const std::string& why) {
    throw Error(
        ExitCode::configuration,
        fmt::format("--strategy={} keeps one copy of the parameters in memory that all ranks share: {}; put all "
                    "ranks on one host and give --collective=shm or auto, or give --strategy=sync "
                    "--shard_optimizer",
                    settings.strategy, why),
        Scope::every_rank);
  };
  if (const Device device = parts.backend.device(); device.kind != Device::Kind::cpu) {
    throw Error(ExitCode::configuration,
                fmt::format("--strategy={} keeps the parameters in the host's memory, and this rank computes on {}; "
                            "give --device=cpu, or --strategy=sync",
                            settings.strategy, device.text()));
  }
  const bool takes_shm = settings.collective == kAuto && parts.group.common_memory() == nullptr;
  if (takes_shm || settings.collective == kShm) {
    try {
      return connect_with_common_memory(parts);
    } catch (const Error& error) {
      if (error.code() != ExitCode::configuration) throw;
      refuse(error.what());
    }
  }
  auto communicator = registry.communicators.find(settings.collective)(parts);
  if (communicator->common_memory() == nullptr) {
    communicator->close();
    refuse(fmt::format("--collective={} has none", settings.collective));
  }
  return communicator;
}

// Returns why the arrays do not fit side by side into the communicator's memory; "" if they do. may_be_mpi: a shortage
// of memory is returned as well, not thrown, because mpi maps only a rank's own arrays, and this communicator those of
// all ranks of a host.
std::string lacks_room(Communicator& communicator, const CommunicatorArrays& arrays, bool may_be_mpi) {
  try {
    std::vector<Buffer> room;
    room.reserve(arrays.of_each_rank.size() + 1);
    for (const std::size_t bytes : arrays.of_each_rank) room.push_back(communicator.allocator().allocate(bytes));
    if (arrays.of_all > 0) room.push_back(communicator.common_memory()->allocate(arrays.of_all));
    return "";
  } catch (const OutOfMemory& error) {
    if (!may_be_mpi) throw;
    return error.what();
  } catch (const Error& error) {
    if (error.code() != ExitCode::configuration) throw;  // a rank has ended, or calls something else
    return error.what();
  }
}

}  // namespace

std::unique_ptr<Communicator> connect_gradients(const TrainSettings& settings, const Registry& registry,
                                                const TrainingRank& rank, const SavedConfig* saved,
                                                const std::string& file) {
  const auto say = [&rank](const std::string& line) {
    if (rank.is_chief()) rank.log.warning("{}", line);  // every rank finds the same
  };
  const CollectiveTable table =
      settings.collective_table.empty() ? default_collective_table() : read_table(settings.collective_table, rank);
  const CommunicatorParts parts{
      .group = rank.compute,
      .session = rank.session,
      .trace = rank.trace,
      .backend = rank.backend,
      .overlap = overlap_of(settings),
      .bytes = bucket_elements(settings) * static_cast<std::int64_t>(size_of(wire_dtype_of(settings))),
      .dtype = wire_dtype_of(settings),
      .table = &table,
      .say = say,
      .device_id = rank.device_id};
  if (values_place(registry.strategies.find(settings.strategy), settings) == ValuesPlace::one_for_all) {
    return connect_for_one_copy(parts, settings, registry);
  }
  const auto& factories = registry.communicators;
  const std::string before = settings.collective == kAuto ? saved_summation(saved, rank.compute.size()) : "";
  if (const std::string_view name = name_of(before); name != kAuto && factories.has(name)) {
    const std::string now = choose_collective(parts);
    auto communicator = chooses_anew(name, now) ? nullptr : connect_as_saved(factories.find(name), parts, before);
    if (communicator != nullptr) {
      if (now != name) {
        rank.log.info(
            "gradients go over {} as in '{}'; the table has {} for these ranks: if they can have it, --collective={} "
            "--allow_changes={} takes it",
            name, escaped(file), now, now, kSummationItem);
      }
      return communicator;
    }
  }
  return factories.find(settings.collective)(parts);
}

void make_room(std::unique_ptr<Communicator>& gradients, const CommunicatorArrays& arrays,
               const TrainSettings& settings, const Registry& registry, const TrainingRank& rank) {
  if (std::string_view(gradients->name()) == rank.compute.name()) return;  // it takes heap memory
  if (rank.backend.device().kind != Device::Kind::cpu) return;             // GPU memory is not shared with other ranks
  const bool may_be_mpi = settings.collective == kAuto && arrays.of_all == 0;
  // Memory is shared by the ranks of a host: one host may have room where another has none.
  const std::string why = first_text(rank.compute, lacks_room(*gradients, arrays, may_be_mpi));
  if (why.empty()) return;
  if (arrays.of_all > 0) {
    throw Error(ExitCode::configuration, fmt::format("--strategy={}: {} with --strategy=sync", settings.strategy, why),
                Scope::every_rank);
  }
  const std::string name = gradients->name();
  if (settings.collective != kAuto) {
    throw Error(ExitCode::configuration,
                fmt::format("--collective={}: {}, or leave the flag out", settings.collective, why), Scope::every_rank);
  }
  gradients->close();
  gradients = registry.communicators.find("mpi")({.group = rank.compute,
                                                  .session = rank.session,
                                                  .trace = rank.trace,
                                                  .backend = rank.backend,
                                                  .overlap = overlap_of(settings)});
  if (rank.is_chief()) rank.log.warning("gradients go over mpi, not over {}: {}", name, why);
}

void accept_other_hosts(SavedConfig& saved, const std::string& file, const std::string& summation,
                        const TrainSettings& settings, const Registry& registry, const TrainingRank& rank) {
  const std::string before = settings.collective == kAuto ? saved_summation(&saved, rank.compute.size()) : "";
  if (summation.empty() || place_of(before) == place_of(summation)) return;
  if (!registry.communicators.has(name_of(before))) return;  // another program's: it is compared, and refused
  std::ranges::find(saved.items, kSummationItem, &ConfigItem::name)->value = summation;
  if (!rank.is_chief()) return;
  const bool one_copy = values_place(registry.strategies.find(settings.strategy), settings) == ValuesPlace::one_for_all;
  const std::string why = [&]() -> std::string {
    if (one_copy) return fmt::format("--strategy={} cannot use that", settings.strategy);
    if (chooses_anew(name_of(before), name_of(summation))) {
      return fmt::format("each rank has a GPU of its own now, and --collective={} keeps to the hosts' memory",
                         name_of(before));
    }
    return "this run cannot have that on its hosts";
  }();
  rank.log.warning(
      "gradients were summed over {} in '{}', and are over {} from here on, because {}: sums round differently, as on "
      "another number of ranks",
      escaped(place_of(before)), escaped(file), place_of(summation), why);
}

}  // namespace lockstep
