#include "lease/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <exception>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/resource_limits.h"
#include "lease/process.h"
#include "lease/rules.h"

namespace lockstep {
namespace {

constexpr std::size_t kMaxLeaseBytes = 1 << 16;  // most that is read of a lease.json

// Age from which a temporary file is removed: longer than any process waits for a lease.
constexpr std::chrono::hours kOld{1};

// Reads the file's text; returns the system's error, 0 for none. Does not wait if a pipe is in its place.
int read_text(const std::string& path, std::string& text) {
  const Descriptor file = open_descriptor(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file.is_open()) return errno;
  text.resize(kMaxLeaseBytes);
  const Transfer done = read_fully(file.number(), std::as_writable_bytes(std::span(text)));
  text.resize(done.bytes);
  return done.error;
}

// A lock that keeps the other processes of this host from looking and replacing at the same time. It is gone with the
// process, and invisible in the folder. File systems without such locks (NFS) do without: take-overs settle and look
// again.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder)
      : folder_(open_descriptor(folder, O_RDONLY | O_DIRECTORY)),
        busy_(folder_.is_open() && ::flock(folder_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {}
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  bool busy() const { return busy_; }

 private:
  Descriptor folder_;
  bool busy_;
};

}  // namespace

LeaseFile::LeaseFile(std::string folder, LeaseRecord mine)
    : folder_(std::move(folder)),
      path_(folder_ + "/lease.json"),
      temporary_(fmt::format("{}.{}.tmp", path_, mine.token)),
      mine_(std::move(mine)) {}

std::optional<std::string> LeaseFile::text() const {
  std::string text;
  // ESTALE: on NFS another host replaced the file between two of our calls; the next try finds the new one.
  int failure = ESTALE;
  for (int look = 0; look < 3 && failure == ESTALE; ++look) failure = read_text(path_, text);
  if (failure == ENOENT) return {};
  if (failure == 0) return text;
  throw Error(code_of_failure(failure, ExitCode::cannot_write),
              fmt::format("cannot read {}, which says who trains in this --output_dir: {}", path_,
                          failure_text(failure, "give another --output_dir, or remove that file if no job uses it")));
}

bool LeaseFile::create() {
  write_temporary();
  // On NFS the answer to a successful link() can get lost: the file itself tells.
  const bool linked = ::link(temporary_.c_str(), path_.c_str()) == 0;
  const int failure = linked ? 0 : errno;
  if (linked || owner() == Owner::mine) {
    ::unlink(temporary_.c_str());
    return true;
  }
  drop_temporary();
  // link() may fail for other reasons; file systems have many error numbers for lacking hard links.
  return failure != EEXIST && create_in_place();
}

bool LeaseFile::create_in_place() {
  file_ = open_descriptor(path_, O_RDWR | O_CREAT | O_EXCL, 0666);
  if (!file_.is_open() && errno == EEXIST) return false;
  if (!file_.is_open()) cannot_write(path_, errno);
  if (const int failure = write_record(); failure != 0) {
    file_.close();
    ::unlink(path_.c_str());
    cannot_write(path_, failure);
  }
  return true;
}

bool LeaseFile::replace(const std::string& judged) {
  const FolderLock lock(folder_);
  if (lock.busy() || text() != judged) return false;
  write_temporary();
  if (::rename(temporary_.c_str(), path_.c_str()) == 0) return true;
  const int failure = errno;
  drop_temporary();
  cannot_write(path_, failure);
}

LeaseFile::Owner LeaseFile::owner() const {
  std::string text;
  const int failure = read_text(path_, text);
  if (failure == ENOENT) return Owner::nobody;
  if (failure != 0) return Owner::unclear;
  const LeaseRecord holder = holder_of(text);
  if (holder.token == mine_.token) return Owner::mine;
  return holder.pid == 0 ? Owner::unclear : Owner::other;
}

int LeaseFile::beat(std::int64_t heartbeat, std::int64_t step) {
  mine_.heartbeat = heartbeat;
  mine_.step = step;
  return write_record();
}

void LeaseFile::remove() {
  const FolderLock lock(folder_);
  if (owner() == Owner::mine) ::unlink(path_.c_str());
  file_.close();
}

void LeaseFile::remove_leftovers() const {
  const LeaseRules rules(mine_);
  std::error_code failure;
  const auto now = std::filesystem::last_write_time(path_, failure);  // by the clock of the file's host
  if (failure) return;
  for (std::filesystem::directory_iterator entry(folder_, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with("lease.json.") || !name.ends_with(".tmp")) continue;
    std::string text;
    if (read_text(entry->path().string(), text) != 0) continue;
    const LeaseRecord writer = holder_of(text);
    std::error_code unknown_age;
    const bool old = now - entry->last_write_time(unknown_age) > kOld && !unknown_age;
    if (old || (rules.same_place(writer) && process_is_gone(writer))) ::unlink(entry->path().c_str());
  }
}

void LeaseFile::write_temporary() {
  file_.close();
  file_ = open_descriptor(temporary_, O_RDWR | O_CREAT | O_EXCL, 0666);
  if (!file_.is_open()) cannot_write(temporary_, errno);
  if (const int failure = write_record(); failure != 0) {
    drop_temporary();
    cannot_write(temporary_, failure);
  }
}

void LeaseFile::drop_temporary() {
  file_.close();
  ::unlink(temporary_.c_str());
}

// Synchronises the file, because other hosts see only what has reached the server of a network file system.
int LeaseFile::write_record() {
  const std::string text = to_text(mine_);
  const Transfer done = write_fully(file_.number(), std::as_bytes(std::span(text)), 0);
  if (done.error != 0) return done.error;
  return uninterrupted([this] { return ::fdatasync(file_.number()); }) == 0 ? 0 : errno;
}

void LeaseFile::cannot_write(const std::string& path, int failure) const {
  const char* cure =
      failure == ENOSPC || failure == EDQUOT
          ? "make room there, by removing an old checkpoint of it for example, or give another --output_dir"
          : "give an --output_dir that rank 0 may write to";
  throw Error(code_of_failure(failure, ExitCode::cannot_write),
              fmt::format("cannot write {}, which keeps other jobs out of this --output_dir: {}", path,
                          failure_text(failure, cure)));
}

LeaseRecord holder_of(const std::string& text) {
  try {
    return lease_from_text(text);
  } catch (const std::exception&) {
    LeaseRecord unknown;
    unknown.token = "no lease: " + text;
    return unknown;
  }
}

}  // namespace lockstep
