#include "lease/process.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include "holder_process.h"
#include "lease/rules.h"

namespace lockstep {
namespace {

TEST_CASE("this process says who it is, with another token each time") {
  const LeaseRecord first = this_process("slurm 7");
  const LeaseRecord second = this_process("");
  CHECK(first.token.size() == 32);
  CHECK(first.token != second.token);
  CHECK(first.job_id == "slurm 7");
  CHECK(first.pid == ::getpid());
  CHECK(first.process_start > 0);
  CHECK(first.process_start == second.process_start);
  CHECK(first.boot_id.size() == 36);
  CHECK(first.pid_namespace.starts_with("pid:["));
  CHECK(!first.host.empty());
  CHECK(LeaseRules(first).same_place(second));
}

TEST_CASE("a process is alive until it is killed, and gone as soon as it is") {
  LeaseRecord record = this_process("");
  CHECK(!process_is_gone(record));
  record.process_start += 1;  // the number belonged to another process before
  CHECK(process_is_gone(record));
  record.process_start = 0;  // unknown
  CHECK(!process_is_gone(record));
  CHECK(!process_is_gone(LeaseRecord{}));

  HolderProcess holder;
  record = this_process("");
  record.pid = holder.pid();
  holder.kill();
  CHECK(process_is_gone(record));
  holder.reap();
  CHECK(process_is_gone(record));
}

}  // namespace
}  // namespace lockstep
