#pragma once

#include <string>
#include <vector>

#include "base/capture_file.h"

namespace lockstep {

// The configuration files that NCCL reads, whether they exist or not:
// https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html
std::vector<std::string> nccl_configuration_files();

// NCCL's own log, the only place where it tells what it chooses: captured in memory while this object exists. Each
// operation writes a line, which costs rank 0 about a microsecond, also after that. Captures nothing where the user has
// asked for the log (any NCCL_DEBUG variable, in the environment or in NCCL's configuration files), and only once in a
// process, because NCCL opens its log once. Changes the environment: the variables remain set, but empty. Implemented
// in nccl_log.cc and, for tests, by the fake NCCL.
class NcclLog {
 public:
  // To be made before the first call of NCCL. files: where the user may have asked for the log.
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
