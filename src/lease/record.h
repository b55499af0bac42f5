#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

// The holder of an output_dir: the contents of lease.json. A plain value.
struct LeaseRecord {
  std::string token{};   // random, for one process and one holding; never empty
  std::string job_id{};  // the scheduler's: "slurm 1234", "sge 77"; "" = started by hand
  std::string host{};
  std::string boot_id{};        // /proc/sys/kernel/random/boot_id; "" = not known
  std::string pid_namespace{};  // "pid:[4026531836]"; "" = not known
  std::int64_t pid = 0;
  std::int64_t process_start = 0;  // ticks since boot, /proc/PID/stat field 22: pids are reused; 0: not known
  std::int64_t step = 0;           // its run's step at the last heartbeat; 0 in files of older versions
  std::int64_t heartbeat = 0;      // counts up while the holder is alive

  bool operator==(const LeaseRecord&) const = default;
};

// One JSON object on one line, always of the same length for one holder, whatever its step and heartbeat, because it is
// rewritten in place. Throws std::invalid_argument if a text is not UTF-8.
std::string to_text(const LeaseRecord& record);
// Throws JsonError or std::invalid_argument if the text is not a lease.
LeaseRecord lease_from_text(std::string_view text);

// The holder in messages: "job slurm 1234, process 4711 on node3".
std::string describe(const LeaseRecord& record);

}  // namespace lockstep
