#include "collective/make_communicator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "collective/collective_table.h"
#include "collective/communication_thread.h"
#include "collective/hierarchical_communicator.h"
#include "collective/host_layout.h"
#include "collective/host_staged_communicator.h"
#include "collective/mpi/mpi_communicator.h"
#include "collective/mpi/mpi_messages.h"
#include "collective/mpi/mpi_session.h"
#include "collective/mpi/mpi_version.h"
#include "collective/mpi/tcp_connections.h"
#include "collective/nccl/nccl_choice.h"
#include "collective/nccl/nccl_module.h"
#include "collective/nccl/nccl_version.h"
#include "collective/self_communicator.h"
#include "collective/shm/shm_communicator.h"
#include "collective/wire/links.h"
#include "collective/wire/wire_communicator.h"
#if LOCKSTEP_HAS_NCCL
#include "tensor/cuda/load_module.h"
#endif

namespace lockstep {
namespace {

#if LOCKSTEP_HAS_NCCL
const NcclModule* find_nccl() { return static_cast<const NcclModule*>(find_in_cuda_module(kNcclModuleSymbol)); }
constexpr char kNcclFeature[] = "NCCL " LOCKSTEP_NCCL_VERSION;
#else
const NcclModule* find_nccl() { return nullptr; }
constexpr char kNcclFeature[] = "no nccl";
#endif

// Puts a text into an array of zeros that ranks exchange, cut to what fits.
void put(const std::string& text, std::span<char> into) {
  std::ranges::copy(text.substr(0, into.size() - 1), into.begin());
}

bool on_gpu(const CommunicatorParts& parts) { return parts.backend.device().kind != Device::Kind::cpu; }

// Adapts a communicator of the host to the Backend's tensors and the overlap.
std::unique_ptr<Communicator> fitted(std::unique_ptr<Communicator> host, const CommunicatorParts& parts) {
  if (on_gpu(parts)) host = make_host_staged_communicator(std::move(host), parts.backend);
  return overlapped(std::move(host), parts.overlap);
}

// A copy of the group, so that its operations and the group's own cannot be mixed up.
std::unique_ptr<Communicator> copy(const CommunicatorParts& parts) {
  return fitted(parts.group.split(0, parts.group.rank()), parts);
}

// The layout of the group's ranks on hosts. Ranks without MPI are threads of one process.
HostLayout hosts_of(const CommunicatorParts& parts) {
  return find_hosts(parts.group, parts.session == nullptr ? "" : parts.session->host());
}

ShmResult share_memory_of(Communicator& group, const CommunicatorParts& parts) {
  if (parts.session == nullptr) return make_shm_communicator(group, parts.trace, Sharing::in_process);
  return make_shm_communicator(group, parts.trace, Sharing::mapped, parts.session->driver());
}

ShmResult share_on_host(const CommunicatorParts& parts) { return share_memory_of(parts.group, parts); }

// The reason of the first rank that has one, with the name of its host; "" if none has.
std::string first_reason(const CommunicatorParts& parts, const std::string& mine) {
  const bool names_host = !mine.empty() && parts.session != nullptr;
  return first_text(parts.group, names_host ? fmt::format("on {}, {}", parts.session->host(), mine) : mine);
}

// The links between hosts on the way round the ranks of the group, as they were measured. COLLECTIVE over the group.
std::vector<Link> links_between_hosts(Communicator& group, const CommunicatorParts& parts, double gbit) {
  struct Wire {
    std::array<char, 256> host{};
    std::array<char, 64> interfaces{};
    double gbit = 0;
  };
  Wire mine{.gbit = gbit};
  put(parts.session->host(), mine.host);
  put(fmt::format("{}", fmt::join(connected_interfaces(), " + ")), mine.interfaces);
  const std::vector<Wire> wires = all_gather_value(group, mine);
  std::vector<Link> links;
  for (std::size_t to = 0; to < wires.size(); ++to) {
    const Wire& from = wires[(to + wires.size() - 1) % wires.size()];
    if (from.host == wires[to].host) continue;
    links.push_back({from.host.data(), wires[to].host.data(), wires[to].interfaces.data(), wires[to].gbit});
  }
  return links;
}

// Makes sums over the network for all ranks of a group, which they take over. number: among those that one rank is in.
// The links are measured for the start-up lines if wanted. COLLECTIVE over the group. REQUIRES: MPI.
enum class Links { measured, not_measured };
std::unique_ptr<Communicator> make_wire(std::unique_ptr<Communicator> group, const CommunicatorParts& parts,
                                        SumOrder order, int number, Links links) {
  auto messages = make_mpi_messages(*parts.session, all_gather_value(*group, parts.session->rank()));
  std::string details;
  if (links == Links::measured) {
    const double gbit = measure_link(*messages);
    details = describe_links(links_between_hosts(*group, parts, gbit));
  }
  return make_wire_communicator(std::move(group), std::move(messages), parts.trace, order, number, std::move(details));
}

std::unique_ptr<Communicator> make_ring(const CommunicatorParts& parts) {
  return make_wire(parts.group.split(0, parts.group.rank()), parts, SumOrder::any, 0, Links::measured);
}

// Makes the hierarchical communicator. A host with a single rank has nothing to share.
ShmResult share_on_hosts(const CommunicatorParts& parts) {
  Communicator& group = parts.group;
  auto local = group.split(hosts_of(parts).host_of(group.rank()), group.rank());
  ShmResult shared;
  if (local->size() > 1) shared = share_memory_of(*local, parts);
  if (std::string why = first_reason(parts, shared.why_not); !why.empty()) {
    if (shared.communicator != nullptr) shared.communicator->close();
    local->close();
    return {.communicator = nullptr, .why_not = std::move(why)};
  }
  auto leaders = group.split(local->rank() == 0 ? 0 : -1, group.rank());
  if (leaders != nullptr && parts.session != nullptr)
    leaders = make_wire(std::move(leaders), parts, SumOrder::ranks, 1, Links::measured);
  if (shared.communicator != nullptr) {
    local->close();
    local = std::move(shared.communicator);
  }
  auto all = group.split(0, group.rank());
  if (parts.session != nullptr) all = make_wire(std::move(all), parts, SumOrder::any, 0, Links::not_measured);
  return {.communicator = make_hierarchical_communicator(
              {.group = std::move(all), .local = std::move(local), .leaders = std::move(leaders)}),
          .why_not = ""};
}

std::unique_ptr<Communicator> required(std::string_view name, ShmResult result, const CommunicatorParts& parts) {
  if (result.communicator != nullptr) return fitted(std::move(result.communicator), parts);
  throw Error(ExitCode::configuration,
              fmt::format("--collective={}: {}; give --collective=mpi, or leave the flag out", name, result.why_not),
              Scope::every_rank);
}

// The reason why NCCL cannot sum for these ranks; "" if there is none. COLLECTIVE over the group.
std::string why_no_nccl(const CommunicatorParts& parts) {
  struct Wire {
    std::array<char, 256> host{};
    std::array<char, 64> gpu{};
    int nccl = 0;
  };
  Wire mine;
  if (parts.session != nullptr) put(parts.session->host(), mine.host);
  if (on_gpu(parts)) {
    put(parts.device_id.empty() ? parts.backend.device().text() : parts.device_id, mine.gpu);
    if (const NcclModule* const nccl = parts.nccl()) mine.nccl = nccl->loaded();
  }
  std::vector<GpuPlace> places;
  for (const Wire& wire : all_gather_value(parts.group, mine)) {
    places.push_back({.host = wire.host.data(), .gpu = wire.gpu.data(), .nccl = wire.nccl});
  }
  return why_not_nccl(places);
}

// Throws Error(configuration) of every rank with the bare reason if it cannot start. REQUIRES: why_no_nccl() == "".
std::unique_ptr<Communicator> start_nccl(const CommunicatorParts& parts, NcclAlgorithm algorithm) {
  const NcclModule& nccl = *parts.nccl();
  if (const int loaded = nccl.loaded(); loaded != nccl.compiled && parts.say) {
    parts.say(fmt::format("NCCL {} is loaded, and this program was compiled for NCCL {}", nccl_version_text(loaded),
                          nccl_version_text(nccl.compiled)));
  }
  return nccl.make({.group = parts.group,
                    .trace = parts.trace,
                    .backend = parts.backend,
                    .algorithm = algorithm,
                    .drive = parts.session == nullptr ? nullptr : parts.session->driver(),
                    .hosts = hosts_of(parts).text(),
                    .bytes = parts.bytes,
                    .dtype = parts.dtype});
}

std::unique_ptr<Communicator> require_nccl(std::string_view name, const CommunicatorParts& parts,
                                           NcclAlgorithm algorithm) {
  std::string why = why_no_nccl(parts);
  if (why.empty()) {
    try {
      return start_nccl(parts, algorithm);
    } catch (const Error& error) {
      if (error.code() != ExitCode::configuration) throw;
      why = error.what();
    }
  }
  throw Error(ExitCode::configuration,
              fmt::format("--collective={} takes NCCL, and a GPU for each rank: {}; leave the flag out", name, why),
              Scope::every_rank);
}

void require_mpi(std::string_view name, const CommunicatorParts& parts) {
  if (parts.session != nullptr) return;
  throw Error(
      ExitCode::configuration,
      fmt::format("--collective={}: this process was started alone, without MPI; start it with mpirun, or leave "
                  "the flag out",
                  name),
      Scope::every_rank);
}

// The table's choice for the ranks' hosts.
std::string choose_for_hosts(const CommunicatorParts& parts) {
  if (parts.session == nullptr) return parts.group.name();
  const HostLayout hosts = hosts_of(parts);
  const CollectiveTable table = parts.table == nullptr ? default_collective_table() : *parts.table;
  std::string backend = table.backend(parts.bytes, hosts.most_ranks(), hosts.hosts());
  return backend == "ring" && on_gpu(parts) ? "mpi" : backend;  // on GPUs the name is NCCL's
}

// NCCL's communicator, for several ranks on GPUs; null if they cannot have it, with the reason in `why`, or need none.
std::unique_ptr<Communicator> try_nccl(const CommunicatorParts& parts, std::string& why) {
  if (!on_gpu(parts) || parts.group.size() == 1) return nullptr;
  why = why_no_nccl(parts);
  if (!why.empty()) return nullptr;
  try {
    return start_nccl(parts, NcclAlgorithm::any);
  } catch (const Error& error) {
    if (error.code() != ExitCode::configuration) throw;
    why = error.what();
    return nullptr;
  }
}

}  // namespace

const NcclModule* nccl_of_this_build() { return find_nccl(); }

std::unique_ptr<Communicator> make_world(MpiSession* session, Trace& trace) {
  return session == nullptr ? make_self_communicator(trace) : make_mpi_communicator(*session, trace);
}

std::unique_ptr<Communicator> overlapped(std::unique_ptr<Communicator> communicator, Overlap overlap) {
  if (overlap == Overlap::inline_calls) return communicator;
  return make_communication_thread(std::move(communicator));
}

std::string choose_collective(const CommunicatorParts& parts) {
  if (on_gpu(parts) && parts.group.size() > 1 && why_no_nccl(parts).empty()) return "nccl";
  return choose_for_hosts(parts);
}

std::unique_ptr<Communicator> connect_auto(const CommunicatorParts& parts) {
  std::string why_no_nccl;
  if (auto nccl = try_nccl(parts, why_no_nccl)) return nccl;
  const std::string chosen = choose_for_hosts(parts);
  ShmResult made;
  if (chosen == "shm") made = share_on_host(parts);
  if (chosen == "hierarchical") made = share_on_hosts(parts);
  if (!made.why_not.empty() && parts.say) {
    parts.say(fmt::format("gradients go over mpi, not over {}: {}", chosen, made.why_not));
  }
  if (chosen == "ring") made.communicator = make_ring(parts);
  auto communicator = made.communicator == nullptr ? copy(parts) : fitted(std::move(made.communicator), parts);
  if (!why_no_nccl.empty() && parts.say) {
    parts.say(fmt::format("gradients go over {}, not over nccl: {}", communicator->name(), why_no_nccl));
  }
  return communicator;
}

std::unique_ptr<Communicator> connect_nccl(const CommunicatorParts& parts) {
  return require_nccl("nccl", parts, NcclAlgorithm::any);
}

std::unique_ptr<Communicator> connect_ring(const CommunicatorParts& parts) {
  if (on_gpu(parts)) return require_nccl("ring", parts, NcclAlgorithm::ring);
  require_mpi("ring", parts);
  return parts.group.size() == 1 ? copy(parts) : fitted(make_ring(parts), parts);
}

std::unique_ptr<Communicator> connect_mpi(const CommunicatorParts& parts) {
  require_mpi("mpi", parts);
  return copy(parts);
}

std::unique_ptr<Communicator> connect_shm(const CommunicatorParts& parts) {
  if (parts.group.size() == 1) return copy(parts);
  if (const int hosts = hosts_of(parts).hosts(); hosts > 1) {
    throw Error(ExitCode::configuration,
                fmt::format("--collective=shm sums in memory that all ranks share, and these are on {} hosts; give "
                            "--collective=hierarchical, which does so on each host, or leave the flag out",
                            hosts),
                Scope::every_rank);
  }
  return required("shm", share_on_host(parts), parts);
}

std::unique_ptr<Communicator> connect_hierarchical(const CommunicatorParts& parts) {
  if (parts.group.size() == 1) return copy(parts);
  return required("hierarchical", share_on_hosts(parts), parts);
}

std::unique_ptr<Communicator> connect_self(const CommunicatorParts& parts) {
  if (parts.group.size() == 1) return fitted(make_self_communicator(parts.trace), parts);
  throw Error(ExitCode::configuration,
              fmt::format("--collective=self sums over one rank, and there are {}; start one, or leave the flag out",
                          parts.group.size()),
              Scope::every_rank);
}

std::unique_ptr<Communicator> connect_with_common_memory(const CommunicatorParts& parts) {
  if (parts.group.size() == 1) return copy(parts);
  ShmResult made = share_on_host(parts);
  if (made.communicator == nullptr) throw Error(ExitCode::configuration, made.why_not, Scope::every_rank);
  return overlapped(std::move(made.communicator), parts.overlap);
}

std::string communicator_features() { return fmt::format("{}, {}", mpi_version(), kNcclFeature); }

}  // namespace lockstep
