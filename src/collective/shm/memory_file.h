#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/descriptor.h"

namespace lockstep {

// The place of a nameless file (memfd_create(2)) that a process of this host keeps for others to open.
struct FilePlace {
  pid_t process = 0;
  int descriptor = -1;
  std::int64_t cookie = 0;  // also in the file: in another pid namespace, this process id is a different process
};

// Memory, or the system's error if there is none.
struct MappedFile {
  std::shared_ptr<std::byte> memory;
  int error = 0;
};

// Zeroed memory of this process alone, aligned to a cache line.
std::shared_ptr<std::byte> heap_memory(std::size_t bytes);

// A file of `bytes` zeroed bytes, mapped; large ones on huge pages where the system has them. The file must stay open
// until the others have opened it. Local.
struct MemoryFile {
  Descriptor file;
  FilePlace place;
  MappedFile mapped;
};
MemoryFile make_memory_file(std::size_t bytes);

// Opens another process's file. ESRCH: there is no such file at that place, because this process does not see the other
// one; EACCES: it may not look into it. Local.
MappedFile open_memory_file(const FilePlace& place, std::size_t bytes);

}  // namespace lockstep
