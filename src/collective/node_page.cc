#include "collective/node_page.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "base/clock.h"
#include "base/descriptor.h"
#include "collective/mpi_call.h"
#include "collective/mpi_session.h"

namespace lockstep {
namespace {

static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free,
              "atomics in shared memory must not use a lock of one process");

struct Mapping {
  void* memory = nullptr;
  int error = 0;  // 0: memory is there
};

// REQUIRES: a call has just failed.
Mapping no_mapping() { return {nullptr, errno}; }

Mapping map(const Descriptor& file, std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  return memory == MAP_FAILED ? no_mapping() : Mapping{memory, 0};
}

Mapping reserve_and_map(const Descriptor& file, std::size_t bytes) {
  // Not ftruncate: without memory that would succeed, and the first store would end the process with SIGBUS.
  int error = EINTR;  // a signal ends the call in its middle
  while (error == EINTR) error = posix_fallocate(file.number(), 0, static_cast<off_t>(bytes));
  return error == 0 ? map(file, bytes) : Mapping{nullptr, error};
}

// Where the first rank of the host keeps the page: an open file without a name, which the kernel removes with the last
// process that has it, whatever ends them.
struct Place {
  pid_t process = 0;
  int descriptor = -1;
  std::int64_t cookie = 0;  // also on the page: in another pid namespace, this process id is a different process
};

std::string path_of(const Place& place) { return fmt::format("/proc/{}/fd/{}", place.process, place.descriptor); }

}  // namespace

NodePage::NodePage(void* memory, Memory kind, int ranks)
    : memory_(memory),
      kind_(kind),
      header_(static_cast<Header*>(memory)),
      lines_(reinterpret_cast<StatusLine*>(header_ + 1), static_cast<std::size_t>(ranks)) {}

NodePage::~NodePage() {
  if (kind_ == Memory::mapped) {
    munmap(memory_, bytes_for(static_cast<int>(lines_.size())));
  } else {
    ::operator delete(memory_, std::align_val_t{alignof(Header)});
  }
}

NodePage::Header* NodePage::construct(void* memory, int ranks) {
  auto* header = new (memory) Header();
  auto* line = reinterpret_cast<StatusLine*>(header + 1);
  for (int rank = 0; rank < ranks; ++rank) new (line + rank) StatusLine();
  return header;
}

std::unique_ptr<NodePage> NodePage::in_process(int ranks) {
  void* memory = ::operator new(bytes_for(ranks), std::align_val_t{alignof(Header)});
  construct(memory, ranks);
  return std::unique_ptr<NodePage>(new NodePage(memory, Memory::heap, ranks));
}

std::unique_ptr<NodePage> NodePage::shared(MpiSession& session) {
  const std::scoped_lock lock(session.mutex());
  const MPI_Comm host = session.handles().host;
  const int ranks = session.local_size();
  const std::size_t bytes = bytes_for(ranks);
  const bool first = session.local_rank() == 0;
  const Descriptor file(first ? memfd_create("lockstep-page", MFD_CLOEXEC) : -1);  // open until the others have it
  Place place;
  Mapping mapping;
  if (first) {
    mapping = file.is_open() ? reserve_and_map(file, bytes) : no_mapping();
    place = {getpid(), file.number(), monotonic_ns()};
    if (mapping.memory != nullptr) construct(mapping.memory, ranks)->cookie = place.cookie;
  }
  LS_MPI(MPI_Bcast(&place, sizeof place, MPI_BYTE, 0, host), sizeof place);
  if (!first) {
    const Descriptor opened = open_descriptor(path_of(place), O_RDWR);
    mapping = opened.is_open() ? map(opened, bytes) : no_mapping();
    const auto* header = static_cast<const Header*>(mapping.memory);
    if (header != nullptr && header->cookie != place.cookie) mapping.error = ESRCH;
  }
  int worst = mapping.error;  // 0 only if every rank of the host has the page
  LS_MPI(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, host), 1);
  if (worst == 0) return std::unique_ptr<NodePage>(new NodePage(mapping.memory, Memory::mapped, ranks));

  if (mapping.memory != nullptr) munmap(mapping.memory, bytes);
  std::unique_ptr<NodePage> page = in_process(ranks);
  page->warning_ = fmt::format(
      "the ranks on {} cannot share a page of memory: {}. Training goes on, but if a collective hangs, each rank can "
      "report only itself. Ranks of one host need one /proc: start them in one container, not each in its own.",
      session.host(), std::strerror(worst));
  return page;
}

}  // namespace lockstep
