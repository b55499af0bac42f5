#pragma once

#include <string>
#include <vector>

#include "base/capture_file.h"

namespace lockstep {

// Which of its files NCCL reads, there or not: https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html
std::vector<std::string> nccl_configuration_files();

// NCCL's own log, which alone tells what it chooses, in memory while this exists; it costs a microsecond an operation
// then. Not where the user has asked for that log (a variable of NCCL_DEBUG, in the environment or in NCCL's
// configuration files), and only the first of a process: NCCL opens its log once. Changes the environment, where the
// variables stay, empty. Filled by NCCL (nccl_log.cc) and for tests by its fake.
class NcclLog {
 public:
  // Before the first call of NCCL. files: in which the user may have asked for it.
  explicit NcclLog(const std::vector<std::string>& files = nccl_configuration_files());
  ~NcclLog();  // what NCCL writes from here on is lost
  NcclLog(const NcclLog&) = delete;
  NcclLog& operator=(const NcclLog&) = delete;

  std::string text() const;  // so far; "" if it has none

 private:
  CaptureFile file_;
  bool kept_ = false;
};

}  // namespace lockstep
