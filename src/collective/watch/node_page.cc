#include "collective/watch/node_page.h"

#include <fmt/format.h>

#include <cstring>
#include <new>
#include <utility>

#include "collective/mpi/mpi_call.h"
#include "collective/mpi/mpi_session.h"
#include "collective/shm/memory_file.h"

namespace lockstep {
namespace {

static_assert(std::atomic<bool>::is_always_lock_free, "atomics in shared memory must not use a lock of one process");

}  // namespace

NodePage::NodePage(std::shared_ptr<std::byte> memory, int ranks)
    : memory_(std::move(memory)),
      header_(reinterpret_cast<Header*>(memory_.get())),
      lines_(reinterpret_cast<StatusLine*>(header_ + 1), static_cast<std::size_t>(ranks)) {}

void NodePage::construct(std::byte* memory, int ranks) {
  auto* header = new (memory) Header();
  auto* line = reinterpret_cast<StatusLine*>(header + 1);
  for (int rank = 0; rank < ranks; ++rank) new (line + rank) StatusLine();
}

std::unique_ptr<NodePage> NodePage::in_process(int ranks) {
  std::shared_ptr<std::byte> memory = heap_memory(bytes_for(ranks));
  construct(memory.get(), ranks);
  return std::unique_ptr<NodePage>(new NodePage(std::move(memory), ranks));
}

std::unique_ptr<NodePage> NodePage::shared(MpiSession& session) {
  const std::scoped_lock lock(session.mutex());
  const MPI_Comm host = session.handles().host;
  const int ranks = session.local_size();
  const bool first = session.local_rank() == 0;
  MemoryFile made;  // the file stays open until the others have opened it
  if (first) {
    made = make_memory_file(bytes_for(ranks));
    if (made.mapped.error == 0) construct(made.mapped.memory.get(), ranks);
  }
  LS_MPI(MPI_Bcast(&made.place, sizeof made.place, MPI_BYTE, 0, host), sizeof made.place);
  if (!first) made.mapped = open_memory_file(made.place, bytes_for(ranks));
  int worst = made.mapped.error;  // 0 only if every rank of the host has the page
  LS_MPI(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, host), 1);
  if (worst == 0) return std::unique_ptr<NodePage>(new NodePage(std::move(made.mapped.memory), ranks));

  std::unique_ptr<NodePage> page = in_process(ranks);
  page->warning_ = fmt::format(
      "the ranks on {} cannot share a page of memory: {}. Training goes on, but if a collective hangs, each rank can "
      "report only itself. Ranks of one host need one /proc: start them in one container, not each in its own.",
      session.host(), std::strerror(worst));
  return page;
}

}  // namespace lockstep
