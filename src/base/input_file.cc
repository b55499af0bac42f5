#include "base/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/error.h"
#include "base/resource_limits.h"

namespace lockstep {
namespace {

[[noreturn]] void cannot_read(const std::string& path, const std::string& why) {
  throw Error(ExitCode::missing_input, fmt::format("cannot read '{}': {}", path, why));
}

[[noreturn]] void cannot_read(const std::string& path, int error) {
  throw Error(code_of_failure(error, ExitCode::missing_input),
              fmt::format("cannot read '{}': {}", path, system_message(error)));
}

[[noreturn]] void refuse_size(const std::string& path, std::int64_t max_bytes) {
  throw Error(ExitCode::bad_data, fmt::format("'{}' has more than {} bytes, the most that are read of such a file; is "
                                              "it the right one?",
                                              path, max_bytes));
}

void check_kind(const std::string& path, mode_t mode, FileRules::Kind kind) {
  if (S_ISDIR(mode)) cannot_read(path, "it is a folder, a file is needed");
  const bool is_stream = S_ISFIFO(mode) || S_ISCHR(mode);
  if (!S_ISREG(mode) && !(is_stream && kind == FileRules::Kind::stream)) cannot_read(path, "it is not a regular file");
}

}  // namespace

InputFile::InputFile(const std::string& path, const FileRules& rules) : path_(path), max_bytes_(rules.max_bytes) {
  const int links = rules.links == FileRules::Links::refused ? O_NOFOLLOW : 0;
  // ESTALE: on NFS another host replaced the file between two calls; the next call finds the new file.
  constexpr int kTries = 3;
  for (int tried = 0; tried < kTries && (tried == 0 || (!file_.is_open() && errno == ESTALE)); ++tried) {
    file_ = open_descriptor(path, O_RDONLY | O_NONBLOCK | links);
  }
  if (!file_.is_open() || ::fstat(file_.number(), &status_) != 0) cannot_read(path, errno);
  check_kind(path, status_.st_mode, rules.kind);
  if (S_ISREG(status_.st_mode)) {
    if (bytes() > rules.max_bytes) refuse_size(path, rules.max_bytes);
    return;
  }
  // From here on reading waits for the pipe's writers.
  if (::fcntl(file_.number(), F_SETFL, O_RDONLY) != 0) cannot_read(path, errno);
}

std::optional<InputFile> InputFile::if_there(const std::string& path, const FileRules& rules) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 && errno == ENOENT) return std::nullopt;
  return InputFile(path, rules);
}

std::size_t InputFile::read(std::span<std::byte> into) { return checked(read_fully(file_.number(), into)); }

std::size_t InputFile::read_at(std::int64_t offset, std::span<std::byte> into) const {
  return checked(read_fully(file_.number(), into, offset));
}

std::size_t InputFile::checked(Transfer done) const {
  if (done.error != 0) cannot_read(path_, done.error);
  return done.bytes;
}

std::string InputFile::read_all() {
  const std::int64_t most = std::min(max_bytes_, kMaxWholeFileBytes);
  if (bytes() > most) refuse_size(path_, most);
  std::string text;
  // A size of 0 says nothing: streams and the files of /proc have it too.
  for (std::size_t piece = std::max<std::size_t>(static_cast<std::size_t>(bytes()) + 1, 1 << 12);; piece *= 2) {
    const std::size_t before = text.size();
    text.resize(before + piece);
    text.resize(before + read(std::as_writable_bytes(std::span(text).subspan(before))));
    if (std::cmp_greater(text.size(), most)) refuse_size(path_, most);
    if (text.size() < before + piece) break;
  }
  if (text.empty() && S_ISFIFO(status_.st_mode)) {
    cannot_read(path_, "nothing was written to this pipe; start its writer first");
  }
  return text;
}

std::string read_file(const std::string& path, const FileRules& rules) { return InputFile(path, rules).read_all(); }

}  // namespace lockstep
