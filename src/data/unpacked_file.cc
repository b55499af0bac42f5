#include "data/unpacked_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr std::uint8_t kGzipMagic[2] = {0x1F, 0x8B};

// Deflate's densest code: a match of 258 bytes in two bits.
constexpr std::int64_t kMostExpansion = 1032;

[[noreturn]] void cannot_read(const std::string& path, const std::string& why) {
  throw Error(ExitCode::missing_input, fmt::format("cannot read '{}': {}", path, why));
}

std::string system_message(int error) { return std::generic_category().message(error); }

// A pipe must not make us wait for a writer.
int open_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) cannot_read(path, system_message(errno));
  return descriptor;
}

// The size of an open file, which must be a regular one. Asked of the open file, so that nothing changes in between.
std::int64_t size_of_file(int descriptor, const std::string& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) cannot_read(path, system_message(errno));
  if (S_ISDIR(status.st_mode)) cannot_read(path, "it is a folder, a file is needed");
  if (!S_ISREG(status.st_mode)) cannot_read(path, "it is not a regular file");
  return status.st_size;
}

}  // namespace

UnpackedFile::UnpackedFile(const std::string& path)
    : path_(path), file_(open_file(path)), file_bytes_(size_of_file(file_.number(), path)) {
  if (!refill() || left_.size() < 2 || left_[0] != kGzipMagic[0] || left_[1] != kGzipMagic[1]) return;
  unpacker_.reset(new z_stream_s{});
  constexpr int kGzipOnly = 16;  // added to the size of the window: zlib.h, inflateInit2
  LS_CHECK(inflateInit2(unpacker_.get(), MAX_WBITS + kGzipOnly) == Z_OK, "zlib cannot start; out of memory?");
}

UnpackedFile::Descriptor::~Descriptor() { ::close(number_); }

void UnpackedFile::FreeUnpacker::operator()(z_stream_s* stream) const {
  inflateEnd(stream);
  delete stream;
}

std::size_t UnpackedFile::read(std::span<std::uint8_t> into) { return packed() ? unpack(into) : copy(into); }

std::int64_t UnpackedFile::most_bytes() const { return packed() ? file_bytes_ * kMostExpansion : file_bytes_; }

std::size_t UnpackedFile::copy(std::span<std::uint8_t> into) {
  std::size_t done = 0;
  while (done < into.size() && refill()) {
    const std::size_t count = std::min(into.size() - done, left_.size());
    std::copy_n(left_.begin(), count, into.begin() + static_cast<std::ptrdiff_t>(done));
    left_ = left_.subspan(count);
    done += count;
  }
  return done;
}

std::size_t UnpackedFile::unpack(std::span<std::uint8_t> into) {
  constexpr std::size_t kMostAtOnce = 1 << 30;  // zlib counts in 32 bits
  std::size_t done = 0;
  while (done < into.size()) {
    if (member_ended_ && !next_member()) break;
    if (!refill()) {
      damaged(fmt::format("its packed data are cut off after {} bytes", file_bytes_));
    }
    const std::size_t room = std::min(into.size() - done, kMostAtOnce);
    unpacker_->next_in = left_.data();
    unpacker_->avail_in = static_cast<uInt>(left_.size());
    unpacker_->next_out = into.data() + done;
    unpacker_->avail_out = static_cast<uInt>(room);
    const int result = inflate(unpacker_.get(), Z_NO_FLUSH);
    left_ = left_.last(unpacker_->avail_in);
    done += room - unpacker_->avail_out;
    if (result != Z_OK && result != Z_STREAM_END) {
      damaged(
          fmt::format("its packed data are damaged ({})", unpacker_->msg != nullptr ? unpacker_->msg : zError(result)));
    }
    member_ended_ = result == Z_STREAM_END;
  }
  return done;
}

bool UnpackedFile::next_member() {
  if (!refill()) return false;
  if (left_.front() != kGzipMagic[0]) damaged("something else follows its packed data");
  LS_CHECK(inflateReset(unpacker_.get()) == Z_OK, "zlib lost its state");
  member_ended_ = false;
  return true;
}

bool UnpackedFile::refill() {
  if (!left_.empty()) return true;
  ssize_t count = 0;
  do {
    count = ::read(file_.number(), piece_.data(), piece_.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) cannot_read(path_, system_message(errno));
  left_ = std::span(piece_).first(static_cast<std::size_t>(count));
  return count > 0;
}

void UnpackedFile::damaged(const std::string& how) const {
  throw Error(ExitCode::bad_data, fmt::format("'{}' is not a sound gzip file: {}; get it again", path_, how));
}

}  // namespace lockstep
