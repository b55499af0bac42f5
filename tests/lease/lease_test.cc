#include "lease/lease.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <vector>

#include "base/error.h"
#include "holder_process.h"
#include "lease/rules.h"
#include "support/temporary_folder.h"
#include "wound_clock.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Writes the lease atomically, as leases are replaced.
void put(const TemporaryFolder& folder, const std::string& text) {
  std::ofstream(folder / "new", std::ios::binary) << text;
  std::filesystem::rename(folder / "new", folder / "lease.json");
}

int files_in(const TemporaryFolder& folder) {
  return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

LeaseRecord stranger() {
  return {.token = "hers", .job_id = "slurm 2", .host = "node9", .boot_id = "c", .pid_namespace = "pid:[1]", .pid = 17};
}

// A test's clock under which the holder beats every kHeartbeat as long as `alive` returns true.
WoundClock clock_with(const TemporaryFolder& folder, LeaseRecord& holder, std::function<bool(milliseconds)> alive) {
  return WoundClock([&folder, &holder, alive = std::move(alive)](milliseconds now) {
    if ((now - seconds{1}) % kHeartbeat != milliseconds{0} || !alive(now - seconds{1})) return;
    ++holder.heartbeat;
    put(folder, to_text(holder));
  });
}

// Returns the message of acquire() when it gives up.
std::string refusal(const Lease::Options& options, LeaseClock& clock, ExitCode code) {
  try {
    Lease::acquire(options, clock);
  } catch (const Error& error) {
    CHECK(static_cast<int>(error.code()) == static_cast<int>(code));
    return error.what();
  }
  FAIL_CHECK("the lease was given");
  return "";
}

bool says(const std::string& text, const std::string& part) {
  CAPTURE(text);
  CAPTURE(part);
  const bool found = text.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

TEST_CASE("a free folder is held until released, with a heartbeat in a file of one length") {
  const TemporaryFolder folder;
  WoundClock clock;
  const LeaseRecord mine = this_process("slurm 1");
  const auto lease = Lease::acquire({.folder = folder.path(), .mine = mine}, clock);
  CHECK(files_in(folder) == 1);
  const std::string text = read_text(folder / "lease.json");
  CHECK(lease_from_text(text) == mine);
  for (std::int64_t beat = 1; beat <= 12; ++beat) {
    REQUIRE(clock.wind(kHeartbeat));
    const std::string now = read_text(folder / "lease.json");
    CHECK(now.size() == text.size());
    CHECK(lease_from_text(now).heartbeat == beat);
  }
  CHECK(!lease->lost());
  lease->check();
  lease->release();
  CHECK(files_in(folder) == 0);
  lease->release();
}

TEST_CASE("a stranger that lives is named, and its file left alone") {
  const TemporaryFolder folder;
  LeaseRecord holder = stranger();
  put(folder, to_text(holder));
  WoundClock clock = clock_with(folder, holder, [](milliseconds) { return true; });
  const milliseconds start = clock.now();
  const std::string message =
      refusal({.folder = folder.path(), .mine = this_process("slurm 1")}, clock, ExitCode::configuration);
  CHECK(message ==
        "--output_dir " + folder.path() +
            " is in use by job slurm 2, process 17 on node9: its last heartbeat came 0.0 s ago; give another "
            "--output_dir or wait until that job has ended, and if you are sure that it has, remove " +
            (folder / "lease.json"));
  CHECK(clock.now() - start <= seconds{11});
  CHECK(lease_from_text(read_text(folder / "lease.json")) == holder);
  CHECK(files_in(folder) == 1);
}

TEST_CASE("a holder is replaced 15 s after its last heartbeat, and the log says for whom we wait") {
  struct Case {
    std::string job_id;
    seconds last_beat;
    seconds taken;
  };
  for (const Case& one : {Case{"slurm 2", seconds{0}, seconds{15}}, Case{"slurm 2", seconds{5}, seconds{20}},
                          Case{"slurm 1", seconds{60}, seconds{75}}}) {
    const TemporaryFolder folder;
    LeaseRecord holder = stranger();
    holder.job_id = one.job_id;
    holder.step = 888;
    put(folder, to_text(holder));
    WoundClock clock = clock_with(folder, holder, [&](milliseconds time) { return time <= one.last_beat; });
    const milliseconds start = clock.now();
    const LeaseRecord mine = this_process("slurm 1");
    Log log(1, 2, true);
    log.open_file(folder / "log");
    const auto lease = Lease::acquire({.folder = folder.path(), .mine = mine, .log = &log}, clock);
    CHECK(clock.now() - start >= one.taken);
    CHECK(clock.now() - start <= one.taken + seconds{1});  // plus the settling time
    CHECK(lease_from_text(read_text(folder / "lease.json")).token == mine.token);
    CHECK(lease->former_step() == holder.step);
    const std::string text = read_text(folder / "log");
    says(text, "is in use by job " + one.job_id + ", process 17 on node9: waiting");
    CHECK(text.find("waiting to") == text.rfind("waiting to"));
    says(text, "took --output_dir " + folder.path() + " over from job " + one.job_id +
                   ", process 17 on node9: no heartbeat for 15 s");
    lease->release();
    CHECK(files_in(folder) == 1);  // only the log
  }
}

TEST_CASE("a restarted job waits ten minutes for its old copy, and goes on as soon as that has ended") {
  const TemporaryFolder folder;
  LeaseRecord holder = stranger();
  holder.job_id = "sge 77.3";
  put(folder, to_text(holder));
  WoundClock patient = clock_with(folder, holder, [](milliseconds) { return true; });
  milliseconds start = patient.now();
  const Lease::Options options{.folder = folder.path(), .mine = this_process("sge 77.3")};
  says(refusal(options, patient, ExitCode::configuration),
       "in use by an earlier start of this very job, job sge 77.3, process 17 on node9, still after 10 minutes");
  CHECK(patient.now() - start == kLongestWait);

  WoundClock clock = clock_with(folder, holder, [&](milliseconds time) {
    if (time == seconds{30}) std::filesystem::remove(folder / "lease.json");
    return time < seconds{30};
  });
  start = clock.now();
  const auto lease = Lease::acquire(options, clock);
  CHECK(clock.now() - start == seconds{30});
}

TEST_CASE("a killed holder of this host is replaced at once, a living one is not") {
  const TemporaryFolder folder;
  const LeaseRecord mine = this_process("");
  HolderProcess holder;
  REQUIRE(holder.ask("acquire " + folder.path() + " 0").starts_with("held "));
  HolderProcess other;
  CHECK(other.ask("acquire " + folder.path() + " 3") == "waits");
  holder.kill();  // not reaped: a zombie
  WoundClock clock;
  const milliseconds start = clock.now();
  auto lease = Lease::acquire({.folder = folder.path(), .mine = mine}, clock);
  CHECK(clock.now() - start <= milliseconds{500});  // the settling time
  lease.reset();

  REQUIRE(other.ask("acquire " + folder.path() + " 0").starts_with("held "));
  other.reap();
  const milliseconds again = clock.now();
  lease = Lease::acquire({.folder = folder.path(), .mine = mine}, clock);
  CHECK(clock.now() - again <= milliseconds{500});
}

TEST_CASE("a file that is no lease is an unknown holder") {
  const std::string text = to_text(stranger());
  for (const std::string& damaged : {std::string(), std::string("{"), text.substr(0, 40), std::string(100000, 'x')}) {
    const TemporaryFolder folder;
    put(folder, damaged);
    WoundClock clock;
    const milliseconds start = clock.now();
    const auto lease = Lease::acquire({.folder = folder.path(), .mine = this_process("")}, clock);
    CHECK(clock.now() - start >= seconds{15});
    CHECK(clock.now() - start <= seconds{16});
  }
  // A lease that is still being written, by a process that then lives.
  const TemporaryFolder folder;
  put(folder, "");
  LeaseRecord holder = stranger();
  WoundClock clock = clock_with(folder, holder, [](milliseconds time) { return time >= seconds{10}; });
  says(refusal({.folder = folder.path(), .mine = this_process("")}, clock, ExitCode::configuration), "job slurm 2");
}

TEST_CASE("who is replaced in the moment of taking over has not got it") {
  const TemporaryFolder folder;
  LeaseRecord dead = stranger();
  put(folder, to_text(dead));
  const LeaseRecord mine = this_process("");
  LeaseRecord winner = stranger();
  winner.token = "third";
  winner.job_id = "slurm 3";
  bool taken = false;
  milliseconds since{};
  WoundClock clock([&](milliseconds now) {
    if (!taken && lease_from_text(read_text(folder / "lease.json")).token != mine.token) return;
    if (!taken) since = now;
    taken = true;
    winner.heartbeat = (now - since) / kHeartbeat;
    put(folder, to_text(winner));
  });
  says(refusal({.folder = folder.path(), .mine = mine}, clock, ExitCode::configuration), "job slurm 3");
  CHECK(taken);
  CHECK(lease_from_text(read_text(folder / "lease.json")) == winner);
}

TEST_CASE("a lease that another job took is lost for good and not written again") {
  const TemporaryFolder folder;
  WoundClock clock;
  const auto lease = Lease::acquire({.folder = folder.path(), .mine = this_process("")}, clock);
  REQUIRE(clock.wind(kHeartbeat));
  const std::string others = to_text(stranger());
  put(folder, others);
  clock.wind_last(kHeartbeat);
  for (int i = 0; i < 1000 && !lease->lost(); ++i) std::this_thread::sleep_for(milliseconds{10});
  CHECK(lease->lost());
  std::string message;
  try {
    lease->check();
  } catch (const Error& error) {
    CHECK(static_cast<int>(error.code()) == static_cast<int>(ExitCode::configuration));
    message = error.what();
  }
  says(message, "--output_dir " + folder.path() + " was taken over by job slurm 2, process 17 on node9");
  clock.wind_last(10 * kHeartbeat);
  std::filesystem::remove(folder / "lease.json");
  CHECK_THROWS_AS(lease->check(), Error);
  put(folder, others);
  lease->release();
  CHECK(read_text(folder / "lease.json") == others);
}

TEST_CASE("check() sees a lease that is gone before a heartbeat does") {
  const TemporaryFolder folder;
  WoundClock clock;
  const auto lease = Lease::acquire({.folder = folder.path(), .mine = this_process("")}, clock);
  std::filesystem::remove(folder / "lease.json");
  CHECK_THROWS_WITH_AS(lease->check(), doctest::Contains("was let go by the removal of"), Error);
  CHECK(lease->lost());
}

TEST_CASE("a file that cannot be read for a while, or was damaged, loses nothing") {
  const TemporaryFolder folder;
  WoundClock clock;
  const LeaseRecord mine = this_process("");
  const auto lease = Lease::acquire({.folder = folder.path(), .mine = mine}, clock);
  std::filesystem::rename(folder / "lease.json", folder / "kept");
  std::filesystem::create_directory(folder / "lease.json");  // opens, but fails to read
  REQUIRE(clock.wind(kHeartbeat));
  lease->check();
  std::filesystem::remove(folder / "lease.json");
  std::filesystem::rename(folder / "kept", folder / "lease.json");
  CHECK(!lease->lost());
  std::filesystem::resize_file(folder / "lease.json", 10);
  lease->check();
  REQUIRE(clock.wind(kHeartbeat));
  CHECK(lease_from_text(read_text(folder / "lease.json")).token == mine.token);
  lease->check();
}

TEST_CASE("a folder that cannot be written, and a lease that cannot be read, end with code 74") {
  const TemporaryFolder folder;
  WoundClock clock;
  const LeaseRecord mine = this_process("");
  says(refusal({.folder = folder / "nowhere", .mine = mine}, clock, ExitCode::cannot_write), "give an --output_dir");
  says(refusal({.folder = "/proc", .mine = mine}, clock, ExitCode::cannot_write), "cannot write /proc/lease.json");
  std::filesystem::create_directory(folder / "lease.json");
  says(refusal({.folder = folder.path(), .mine = mine}, clock, ExitCode::cannot_write), "cannot read " + folder.path());
  std::filesystem::remove(folder / "lease.json");
  std::filesystem::create_symlink("lease.json", folder / "lease.json");
  says(refusal({.folder = folder.path(), .mine = mine}, clock, ExitCode::cannot_write), "cannot read " + folder.path());
}

TEST_CASE("temporary files of processes that are gone are removed by the next holder") {
  const TemporaryFolder folder;
  const auto leave = [&](const LeaseRecord& writer) {
    std::ofstream(folder / ("lease.json." + writer.token + ".tmp")) << to_text(writer);
    return folder / ("lease.json." + writer.token + ".tmp");
  };
  const std::string living = leave(this_process(""));
  LeaseRecord dead_process = this_process("");
  dead_process.process_start += 1;
  const std::string dead = leave(dead_process);
  LeaseRecord elsewhere = stranger();
  const std::string fresh = leave(elsewhere);
  elsewhere.token = "old";
  const std::string old = leave(elsewhere);
  std::filesystem::last_write_time(old, std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  std::ofstream(folder / "notes.tmp") << "a user's";
  WoundClock clock;
  const auto lease = Lease::acquire({.folder = folder.path(), .mine = this_process("")}, clock);
  CHECK(std::filesystem::exists(living));
  CHECK(!std::filesystem::exists(dead));
  CHECK(std::filesystem::exists(fresh));
  CHECK(!std::filesystem::exists(old));
  CHECK(std::filesystem::exists(folder / "notes.tmp"));
}

// Four processes ask at once; returns how many say that they hold the lease. The others must say that they wait.
int holders_of(const std::string& folder, std::vector<std::unique_ptr<HolderProcess>>& processes, int sleeps) {
  for (auto& process : processes) process->order("acquire " + folder + " " + std::to_string(sleeps));
  int holders = 0;
  for (auto& process : processes) {
    const std::string answer = process->answer();
    if (!answer.starts_with("held ")) {
      CHECK(answer == "waits");
      continue;
    }
    ++holders;
    CHECK(lease_from_text(read_text(folder + "/lease.json")).token == answer.substr(5));
  }
  for (auto& process : processes) CHECK(process->ask("release") == "released");
  return holders;
}

TEST_CASE("of several processes that start at the same moment exactly one holds the folder") {
  for (const HolderProcess::Links links : {HolderProcess::Links::yes, HolderProcess::Links::no}) {
    const TemporaryFolder folder;
    std::vector<std::unique_ptr<HolderProcess>> processes(4);
    for (auto& process : processes) process = std::make_unique<HolderProcess>(links);
    for (int round = 0; round < 20; ++round) {
      CAPTURE(round);
      CHECK(holders_of(folder.path(), processes, 0) == 1);
      CHECK(files_in(folder) == 0);
    }
    // The same, after a dead process has left its lease.
    LeaseRecord dead = this_process("");
    dead.process_start += 1;
    for (int round = 0; round < 5; ++round) {
      CAPTURE(round);
      put(folder, to_text(dead));
      CHECK(holders_of(folder.path(), processes, 3) == 1);
      CHECK(files_in(folder) == 0);
    }
  }
}

}  // namespace
}  // namespace lockstep
