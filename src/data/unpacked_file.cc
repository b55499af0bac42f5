#include "data/unpacked_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr std::uint8_t kGzipMagic[2] = {0x1F, 0x8B};

// Deflate's densest code: a match of 258 bytes in two bits.
constexpr std::int64_t kMaxExpansion = 1032;

}  // namespace

UnpackedFile::UnpackedFile(const std::string& path) : file_(path) {
  if (!refill() || left_.size() < 2 || left_[0] != kGzipMagic[0] || left_[1] != kGzipMagic[1]) return;
  unpacker_.reset(new z_stream_s{});
  constexpr int kGzipOnly = 16;  // added to the size of the window: zlib.h, inflateInit2
  LS_CHECK(inflateInit2(unpacker_.get(), MAX_WBITS + kGzipOnly) == Z_OK, "zlib cannot start; out of memory?");
}

void UnpackedFile::FreeUnpacker::operator()(z_stream_s* stream) const {
  inflateEnd(stream);
  delete stream;
}

std::size_t UnpackedFile::read(std::span<std::uint8_t> into) { return packed() ? unpack(into) : copy(into); }

std::int64_t UnpackedFile::most_bytes() const { return packed() ? file_.bytes() * kMaxExpansion : file_.bytes(); }

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
  constexpr std::size_t kMaxBytesAtOnce = 1 << 30;  // zlib counts in 32 bits
  std::size_t done = 0;
  while (done < into.size()) {
    if (member_ended_ && !next_member()) break;
    if (!refill()) {
      damaged(fmt::format("its packed data are cut off after {} bytes", file_.bytes()));
    }
    const std::size_t room = std::min(into.size() - done, kMaxBytesAtOnce);
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
  left_ = std::span(piece_).first(file_.read(std::as_writable_bytes(std::span(piece_))));
  return !left_.empty();
}

void UnpackedFile::damaged(const std::string& how) const {
  throw Error(ExitCode::bad_data, fmt::format("'{}' is not a sound gzip file: {}; get it again", path(), how));
}

}  // namespace lockstep
