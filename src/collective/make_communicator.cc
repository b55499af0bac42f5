#include "collective/make_communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "collective/collective_table.h"
#include "collective/communication_thread.h"
#include "collective/hierarchical_communicator.h"
#include "collective/host_layout.h"
#include "collective/mpi_communicator.h"
#include "collective/mpi_session.h"
#include "collective/mpi_version.h"
#include "collective/self_communicator.h"
#include "collective/shm/shm_communicator.h"

namespace lockstep {
namespace {

// A copy of the group, so that its operations and the group's own cannot be mixed up.
std::unique_ptr<Communicator> copy(const CommunicatorParts& parts) {
  return overlapped(parts.group.split(0, parts.group.rank()), parts.overlap);
}

// Ranks without MPI are threads of one process.
HostLayout hosts_of(const CommunicatorParts& parts) {
  return find_hosts(parts.group, parts.session == nullptr ? "" : parts.session->host());
}

ShmResult share_memory_of(Communicator& group, const CommunicatorParts& parts) {
  return make_shm_communicator(group, parts.trace, parts.session == nullptr ? Sharing::in_process : Sharing::mapped);
}

ShmResult share_on_host(const CommunicatorParts& parts) { return share_memory_of(parts.group, parts); }

// The reason of the first rank that has one, with its host; "" if none has.
std::string first_reason(const CommunicatorParts& parts, const std::string& mine) {
  const bool names_host = !mine.empty() && parts.session != nullptr;
  return first_text(parts.group, names_host ? fmt::format("on {}, {}", parts.session->host(), mine) : mine);
}

// Hosts with a rank alone have nothing to share.
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
  if (shared.communicator != nullptr) {
    local->close();
    local = std::move(shared.communicator);
  }
  auto all = group.split(0, group.rank());
  return {.communicator = make_hierarchical_communicator(
              {.group = std::move(all), .local = std::move(local), .leaders = std::move(leaders)}),
          .why_not = ""};
}

std::unique_ptr<Communicator> required(std::string_view name, ShmResult result, Overlap overlap) {
  if (result.communicator != nullptr) return overlapped(std::move(result.communicator), overlap);
  throw Error(ExitCode::configuration,
              fmt::format("--collective={}: {}; give --collective=mpi, or leave the flag out", name, result.why_not),
              Scope::every_rank);
}

}  // namespace

std::unique_ptr<Communicator> make_world(MpiSession* session, Trace& trace) {
  return session == nullptr ? make_self_communicator(trace) : make_mpi_communicator(*session, trace);
}

std::unique_ptr<Communicator> overlapped(std::unique_ptr<Communicator> communicator, Overlap overlap) {
  if (overlap == Overlap::inline_calls) return communicator;
  return make_communication_thread(std::move(communicator));
}

std::string choose_collective(const CommunicatorParts& parts) {
  if (parts.session == nullptr) return parts.group.name();
  const HostLayout hosts = hosts_of(parts);
  const CollectiveTable table = parts.table == nullptr ? default_collective_table() : *parts.table;
  return table.backend(parts.bytes, hosts.most_ranks(), hosts.hosts());
}

std::unique_ptr<Communicator> connect_auto(const CommunicatorParts& parts) {
  const std::string chosen = choose_collective(parts);
  ShmResult made;
  if (chosen == "shm") made = share_on_host(parts);
  if (chosen == "hierarchical") made = share_on_hosts(parts);
  if (made.communicator != nullptr) return overlapped(std::move(made.communicator), parts.overlap);
  if (!made.why_not.empty() && parts.say) {
    parts.say(fmt::format("gradients go over mpi, not over {}: {}", chosen, made.why_not));
  }
  return copy(parts);
}

std::unique_ptr<Communicator> connect_mpi(const CommunicatorParts& parts) {
  if (parts.session != nullptr) return copy(parts);
  throw Error(ExitCode::configuration,
              "--collective=mpi: this process was started alone, without MPI; start it with mpirun, or leave the flag "
              "out",
              Scope::every_rank);
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
  return required("shm", share_on_host(parts), parts.overlap);
}

std::unique_ptr<Communicator> connect_hierarchical(const CommunicatorParts& parts) {
  if (parts.group.size() == 1) return copy(parts);
  return required("hierarchical", share_on_hosts(parts), parts.overlap);
}

std::unique_ptr<Communicator> connect_self(const CommunicatorParts& parts) {
  if (parts.group.size() == 1) return overlapped(make_self_communicator(parts.trace), parts.overlap);
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

std::string communicator_features() { return mpi_version(); }

}  // namespace lockstep
