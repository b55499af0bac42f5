#include "collective/node_page.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/clock.h"
#include "collective/mpi_call.h"
#include "collective/mpi_session.h"

namespace lockstep {
namespace {

static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free,
              "atomics in shared memory must not use a lock of one process");

struct Mapping {
  void* memory = nullptr;  // null: it could not be had
  int error = 0;
};

// A file descriptor that closes itself.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

Mapping map(const File& file, std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor(), 0);
  return memory == MAP_FAILED ? Mapping{nullptr, errno} : Mapping{memory, 0};
}

Mapping create(const char* name, std::size_t bytes) {
  const File file(shm_open(name, O_CREAT | O_EXCL | O_RDWR, S_IRUSR | S_IWUSR));
  if (file.descriptor() < 0) return {nullptr, errno};
  // Not ftruncate: on a full /dev/shm that would succeed, and the first store would end the process with SIGBUS.
  if (const int error = posix_fallocate(file.descriptor(), 0, static_cast<off_t>(bytes)); error != 0) {
    return {nullptr, error};
  }
  return map(file, bytes);
}

Mapping open_existing(const char* name, std::size_t bytes) {
  const File file(shm_open(name, O_RDWR, 0));
  return file.descriptor() < 0 ? Mapping{nullptr, errno} : map(file, bytes);
}

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

void NodePage::construct(void* memory, int ranks) {
  auto* header = new (memory) Header();
  auto* line = reinterpret_cast<StatusLine*>(header + 1);
  for (int rank = 0; rank < ranks; ++rank) new (line + rank) StatusLine();
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
  const bool first = session.local_rank() == 0;
  std::array<char, 64> name{};  // as long as any: process id and nanoseconds
  Mapping mapping;
  if (first) {
    fmt::format_to_n(name.data(), name.size() - 1, "/lockstep-{}-{}", getpid(), monotonic_ns());
    mapping = create(name.data(), bytes_for(ranks));
    if (mapping.memory != nullptr) construct(mapping.memory, ranks);
  }
  LS_MPI(MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, host), static_cast<int>(name.size()));
  if (!first) mapping = open_existing(name.data(), bytes_for(ranks));
  int worst = mapping.error;  // 0 only if every rank of the host has the page
  LS_MPI(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, host), 1);
  if (first) shm_unlink(name.data());
  if (worst == 0) return std::unique_ptr<NodePage>(new NodePage(mapping.memory, Memory::mapped, ranks));

  if (mapping.memory != nullptr) munmap(mapping.memory, bytes_for(ranks));
  std::unique_ptr<NodePage> page = in_process(ranks);
  page->warning_ = fmt::format(
      "no shared memory in /dev/shm on {}: {}. Training goes on, but if a collective hangs, each rank can only tell "
      "about itself. Make room in /dev/shm or, in a container, give it more (docker run --shm-size).",
      session.host(), std::strerror(worst));
  return page;
}

}  // namespace lockstep
