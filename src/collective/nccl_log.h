#pragma once

#include <string>

#include "base/memory_file.h"

namespace lockstep {

// NCCL's own log, which alone tells what it chooses, in memory while this exists; it costs a microsecond an operation
// then. Not where the user has asked for that log (a variable of NCCL_DEBUG, in the environment or in NCCL's
// configuration files), and only the first of a process: NCCL opens its log once. Changes the environment, where the
// variables stay, empty. Filled by NCCL (nccl_log.cc) and for tests by its fake.
class NcclLog {
 public:
  NcclLog();   // before the first call of NCCL
  ~NcclLog();  // what NCCL writes from here on is lost
  NcclLog(const NcclLog&) = delete;
  NcclLog& operator=(const NcclLog&) = delete;

  std::string text() const;  // so far; "" if it has none

 private:
  MemoryFile file_;
  bool kept_ = false;
};

}  // namespace lockstep
