// A process that holds leases, for tests of interactions between processes. Takes orders on its standard input, one per
// line, and answers each with a line:
//
//   acquire FOLDER SLEEPS   "held TOKEN"; or "waits" if it would sleep more than SLEEPS times; or "refused CODE"
//   release                 "released"
//
// With --no_links it behaves as on a file system without hard links.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include "base/error.h"
#include "lease/lease.h"

namespace {

bool has_links = true;

// Thrown out of acquire() by its clock.
struct Waits {};

class ImpatientClock final : public lockstep::LeaseClock {
 public:
  explicit ImpatientClock(int sleeps) : left_(sleeps) {}
  std::chrono::milliseconds now() override { return real_->now(); }
  void sleep(std::chrono::milliseconds time, const std::stop_token& stop) override {
    if (stop.stop_possible()) return real_->sleep(time, stop);  // a heartbeat
    if (left_-- == 0) throw Waits();
    real_->sleep(time / 10, stop);
  }

 private:
  std::unique_ptr<lockstep::LeaseClock> real_ = lockstep::make_lease_clock();
  int left_;
};

}  // namespace

// Replaces the C library's link(), for liblockstep, too.
extern "C" int link(const char* from, const char* to) noexcept {
  if (has_links) return ::linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
  errno = EPERM;
  return -1;
}

int main(int argc, char** argv) {
  has_links = argc < 2 || std::string_view(argv[1]) != "--no_links";
  ::alarm(240);
  std::unique_ptr<ImpatientClock> clock;
  std::unique_ptr<lockstep::Lease> lease;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string order;
    std::string folder;
    int sleeps = 0;
    words >> order >> folder >> sleeps;
    lease.reset();
    if (order == "release") {
      std::cout << "released" << std::endl;
      continue;
    }
    clock = std::make_unique<ImpatientClock>(sleeps);
    const lockstep::LeaseRecord mine = lockstep::this_process("");
    try {
      lease = lockstep::Lease::acquire({.folder = folder, .mine = mine}, *clock);
      std::cout << "held " << mine.token << std::endl;
    } catch (const Waits&) {
      std::cout << "waits" << std::endl;
    } catch (const lockstep::Error& error) {
      std::cout << "refused " << static_cast<int>(error.code()) << std::endl;
    }
  }
  return 0;
}
