#include "train/lease_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "train/lease_process.h"
#include "train/lease_rules.h"

namespace lockstep {
namespace {

constexpr std::size_t kMostBytes = 1 << 16;  // of a file that calls itself lease.json

// Longer than anybody waits for a lease.
constexpr std::chrono::hours kOld{1};

// The file's text; the number of the system's error, 0 for none. A pipe in its place must not make us wait.
int read_text(const std::string& path, std::string& text) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return errno;
  text.clear();
  std::array<char, 1024> piece{};
  int failure = 0;
  while (text.size() < kMostBytes) {
    const ssize_t count = ::read(descriptor, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) failure = errno;
    if (count <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
  ::close(descriptor);
  return failure;
}

// Keeps the other processes of this host from looking and replacing at the same time. Gone with the process, and
// invisible in the folder. A file system without such locks (NFS) has to do without: take-overs settle and look again.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder)
      : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
        busy_(descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {}
  ~FolderLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  bool busy() const { return busy_; }

 private:
  int descriptor_;
  bool busy_;
};

}  // namespace

LeaseFile::LeaseFile(std::string folder, LeaseRecord mine)
    : folder_(std::move(folder)),
      path_(folder_ + "/lease.json"),
      temporary_(fmt::format("{}.{}.tmp", path_, mine.token)),
      mine_(std::move(mine)) {}

LeaseFile::~LeaseFile() { close(); }

std::optional<std::string> LeaseFile::text() const {
  std::string text;
  // ESTALE: on NFS another host replaced the file between two of our calls; the next look finds the new one.
  int failure = ESTALE;
  for (int look = 0; look < 3 && failure == ESTALE; ++look) failure = read_text(path_, text);
  if (failure == ENOENT) return {};
  if (failure == 0) return text;
  throw Error(
      ExitCode::cannot_write,
      fmt::format(
          "cannot read {}, which says who trains in this --output_dir: {}; give another --output_dir, or remove "
          "that file if no job uses it",
          path_, std::generic_category().message(failure)));
}

bool LeaseFile::create() {
  write_temporary();
  // On NFS the answer to a link() that was done can get lost: the file itself knows.
  const bool linked = ::link(temporary_.c_str(), path_.c_str()) == 0;
  const int failure = linked ? 0 : errno;
  if (linked || owner() == Owner::mine) {
    ::unlink(temporary_.c_str());
    return true;
  }
  drop_temporary();
  // Whatever else keeps link() from working, and file systems give many numbers for having no hard links.
  return failure != EEXIST && create_in_place();
}

bool LeaseFile::create_in_place() {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0 && errno == EEXIST) return false;
  if (descriptor_ < 0) cannot_write(path_, errno);
  if (const int failure = write_record(); failure != 0) {
    close();
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

int LeaseFile::beat(std::int64_t heartbeat) {
  mine_.heartbeat = heartbeat;
  return write_record();
}

void LeaseFile::remove() {
  const FolderLock lock(folder_);
  if (owner() == Owner::mine) ::unlink(path_.c_str());
  close();
}

void LeaseFile::remove_leftovers() const {
  const LeaseRules rules(mine_);
  std::error_code failure;
  const auto now = std::filesystem::last_write_time(path_, failure);  // by the clock of the disk's host
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
  close();
  descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) cannot_write(temporary_, errno);
  if (const int failure = write_record(); failure != 0) {
    drop_temporary();
    cannot_write(temporary_, failure);
  }
}

void LeaseFile::drop_temporary() {
  close();
  ::unlink(temporary_.c_str());
}

// Synchronised, because other hosts see of a network file system only what has reached its server.
int LeaseFile::write_record() {
  const std::string text = to_text(mine_);
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::pwrite(descriptor_, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : EIO;
    done += static_cast<std::size_t>(count);
  }
  return ::fdatasync(descriptor_) == 0 ? 0 : errno;
}

void LeaseFile::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void LeaseFile::cannot_write(const std::string& path, int failure) const {
  const char* cure = failure == ENOSPC || failure == EDQUOT ? "make room there, or give another --output_dir"
                                                            : "give an --output_dir that rank 0 may write to";
  throw Error(ExitCode::cannot_write,
              fmt::format("cannot write {}, which keeps other jobs out of this --output_dir: {}; {}", path,
                          std::generic_category().message(failure), cure));
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
