#include "collective/mpi/mpi_session.h"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <cstdlib>
#include <numeric>
#include <thread>

#include "base/cpu_affinity.h"
#include "base/host_name.h"
#include "collective/mpi/mpi_call.h"
#include "collective/mpi/mpi_environment.h"
#include "collective/mpi/mpi_library.h"
#include "collective/mpi/mpi_version.h"
#include "collective/mpi/network_interfaces.h"

namespace lockstep {
namespace {

// Longer than MPI_Abort ever takes to end a process that is well (about a second).
constexpr std::chrono::seconds kAbortPatience{3};

constexpr int kToldTag = 1;  // tell()'s, the only point-to-point messages on MPI_COMM_WORLD

std::vector<Setting> prepare_environment(const MpiNeeds& needs) {
  const Environment environment = process_environment();
  std::vector<Setting> settings = mpi_settings(
      environment, {.open_mpi = open_mpi_major(mpi_version()),
                    .parameters = read_mca_parameters(mca_parameter_files(environment, mpi_library_folder())),
                    .cores = host_cores(),
                    .fast_network = sees_fast_network(""),
                    .dead_ends = dead_ends(network_interfaces()),
                    .windows = needs.windows,
                    .outlives_ranks = needs.outlives_ranks});
  for (const Setting& setting : settings) setenv(setting.name.c_str(), setting.value.c_str(), 0);
  // Open MPI takes memory for each reduction and gives it back; with glibc's thresholds it comes from fresh pages
  // each time, which takes as long as the sum itself.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  return settings;
}

}  // namespace

MpiSession::MpiSession(const MpiNeeds& needs)
    : handles_(std::make_unique<MpiHandles>()), host_(host_name()), windows_(needs.windows) {
  settings_ = prepare_environment(needs);
  int level = MPI_THREAD_SINGLE;
  LS_MPI(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level), 0);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // inherited by the communicators made of it
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (level < MPI_THREAD_SERIALIZED) {
    throw Error(ExitCode::configuration,
                fmt::format("this MPI library gives thread level {}, but Lockstep's communication thread and watchdog "
                            "need MPI_THREAD_SERIALIZED ({}); use an MPI built with thread support",
                            level, MPI_THREAD_SERIALIZED),
                Scope::every_rank);
  }
  LS_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &process_), 1);
  LS_MPI(MPI_Comm_size(MPI_COMM_WORLD, &processes_), 1);
  handles_->sums.make();
  rank_ = process_;
  size_ = processes_;
}

void MpiSession::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  LS_CHECK(all.size() == mine.size() * static_cast<std::size_t>(processes_), "a gather into too few or too many bytes");
  const std::scoped_lock lock(mutex_);
  const int count = static_cast<int>(mine.size());
  LS_MPI(MPI_Allgather(mine.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, MPI_COMM_WORLD), count);
}

std::vector<std::string> MpiSession::all_gather_texts(const std::string& mine) {
  constexpr std::int64_t kMost = 1 << 30;  // MPI counts in int
  const auto size = static_cast<std::int64_t>(mine.size());
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(processes_));
  all_gather(std::as_bytes(std::span(&size, 1)), std::as_writable_bytes(std::span(sizes)));
  const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  if (total > kMost) {
    throw Error(ExitCode::configuration,
                fmt::format("what the {} processes of this job say of themselves are {} bytes, more than {}; is a flag "
                            "or an environment variable far too long?",
                            processes_, total, kMost),
                Scope::every_rank);
  }
  std::vector<int> counts(sizes.begin(), sizes.end());
  std::vector<int> offsets(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  std::string all(static_cast<std::size_t>(total), '\0');
  {
    const std::scoped_lock lock(mutex_);
    LS_MPI(MPI_Allgatherv(mine.data(), static_cast<int>(size), MPI_BYTE, all.data(), counts.data(), offsets.data(),
                          MPI_BYTE, MPI_COMM_WORLD),
           static_cast<int>(size));
  }
  std::vector<std::string> texts;
  texts.reserve(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    texts.push_back(all.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(counts[i])));
  }
  return texts;
}

std::vector<int> MpiSession::await_all(int mine, const std::function<void()>& each_look) {
  constexpr std::chrono::milliseconds kPause{20};
  std::vector<int> all(static_cast<std::size_t>(processes_));
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const std::scoped_lock lock(mutex_);
    LS_MPI(MPI_Iallgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD, &request), 1);
  }
  for (int done = 0; done == 0;) {
    {
      const std::scoped_lock lock(mutex_);
      LS_MPI(MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE), 1);
    }
    if (done != 0) break;
    each_look();
    std::this_thread::sleep_for(kPause);
  }
  const std::scoped_lock lock(mutex_);
  LS_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE), 1);
  return all;
}

void MpiSession::tell(int process, int number) {
  const int& told = numbers_told_.emplace_back(number);
  const std::scoped_lock lock(mutex_);
  MPI_Request request = MPI_REQUEST_NULL;
  LS_MPI(MPI_Isend(&told, 1, MPI_INT, process, kToldTag, MPI_COMM_WORLD, &request), 1);
  // Not waited for: the receiver may never call told().
  LS_MPI(MPI_Request_free(&request), 1);  // NOLINT(clang-analyzer-optin.mpi.MPI-Checker)
}

std::vector<int> MpiSession::told() {
  const std::scoped_lock lock(mutex_);
  std::vector<int> numbers;
  for (;;) {
    int there = 0;
    MPI_Status status{};
    LS_MPI(MPI_Iprobe(MPI_ANY_SOURCE, kToldTag, MPI_COMM_WORLD, &there, &status), 1);
    if (there == 0) return numbers;
    int& number = numbers.emplace_back();
    LS_MPI(MPI_Recv(&number, 1, MPI_INT, status.MPI_SOURCE, kToldTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 1);
  }
}

void MpiSession::form(int color, int key) {
  LS_CHECK(handles_->world == MPI_COMM_NULL, "the world is formed once");
  const std::scoped_lock lock(mutex_);
  LS_MPI(MPI_Comm_split(MPI_COMM_WORLD, color, key, &handles_->world), 1);
  LS_MPI(MPI_Comm_rank(handles_->world, &rank_), 1);
  LS_MPI(MPI_Comm_size(handles_->world, &size_), 1);
  LS_MPI(MPI_Comm_split_type(handles_->world, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &handles_->host), 1);
  LS_MPI(MPI_Comm_rank(handles_->host, &local_rank_), 1);
  LS_MPI(MPI_Comm_size(handles_->host, &local_size_), 1);
}

std::function<void()> MpiSession::driver() {
  if (local_size_ == processes_) return {};
  return [this] { drive(); };
}

// Probes MPI_COMM_SELF, to which nothing is ever sent: the probe finds nothing, but MPI looks at all its connections.
void MpiSession::drive() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  int there = 0;
  LS_MPI(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &there, MPI_STATUS_IGNORE), 1);
}

MpiSession::~MpiSession() = default;

void MpiSession::finalize() {
  const std::scoped_lock lock(mutex_);
  if (handles_->world != MPI_COMM_NULL) {
    LS_MPI(MPI_Comm_free(&handles_->host), 1);
    LS_MPI(MPI_Comm_free(&handles_->world), 1);
  }
  handles_->sums.free();
  LS_MPI(MPI_Finalize(), 0);
}

void MpiSession::abort(int code) noexcept {
  try {
    std::thread([code] {
      std::this_thread::sleep_for(kAbortPatience);
      _exit(code);
    }).detach();
  } catch (...) {  // no thread could be started: MPI_Abort alone must do
  }
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0) MPI_Abort(MPI_COMM_WORLD, code);
  _exit(code);
}

}  // namespace lockstep
