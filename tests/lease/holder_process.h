#pragma once

#include <sys/types.h>

#include <string>

namespace lockstep {

// One running lease_holder (lease_holder.cc lists its orders). The destructor kills it and waits for it.
class HolderProcess {
 public:
  enum class Links { yes, no };
  explicit HolderProcess(Links links = Links::yes);
  ~HolderProcess();
  HolderProcess(const HolderProcess&) = delete;
  HolderProcess& operator=(const HolderProcess&) = delete;

  pid_t pid() const { return pid_; }
  void order(const std::string& line);
  std::string answer();
  std::string ask(const std::string& line) {
    order(line);
    return answer();
  }
  void kill();  // SIGKILL; returns when it is dead, as a zombie
  void reap();

 private:
  pid_t pid_ = 0;
  int socket_ = -1;
};

}  // namespace lockstep
