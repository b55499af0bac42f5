#include "train/checkpoint_seal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr std::string_view kSealText("lockstep seal 1\0", 16);

void put_little_endian(std::byte* at, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) at[i] = static_cast<std::byte>(value >> (8 * i));
}

uLong crc_of(uLong crc, std::span<const std::byte> bytes) {
  return crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
}

std::array<std::byte, kSealBytes> seal_of(std::uint64_t count, uLong crc) {
  std::array<std::byte, kSealBytes> seal{};
  std::memcpy(seal.data(), kSealText.data(), kSealText.size());
  put_little_endian(&seal[16], count);
  put_little_endian(&seal[24], crc);
  return seal;
}

// An open file, read from its begin to its end.
class Stream {
 public:
  explicit Stream(const std::string& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0) cannot_read(std::generic_category().message(errno));
  }
  ~Stream() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  std::uint64_t size() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) cannot_read(std::generic_category().message(errno));
    if (!S_ISREG(status.st_mode)) cannot_read("it is not a regular file");
    return static_cast<std::uint64_t>(status.st_size);
  }

  // Fills `into`, which is nowhere longer than what is left.
  void read(std::span<std::byte> into) const {
    while (!into.empty()) {
      const ssize_t count = ::read(descriptor_, into.data(), into.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) cannot_read(std::generic_category().message(errno));
      if (count == 0) refuse("it became shorter while it was read; does another program write it?");
      into = into.subspan(static_cast<std::size_t>(count));
    }
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ExitCode::bad_data, fmt::format("'{}' is no whole checkpoint: {}", path_, why));
  }

 private:
  [[noreturn]] void cannot_read(const std::string& why) const {
    throw Error(ExitCode::missing_input, fmt::format("cannot read the checkpoint '{}': {}", path_, why));
  }

  const std::string& path_;
  int descriptor_;
};

}  // namespace

std::array<std::byte, kSealBytes> make_seal(std::span<const std::byte> sealed) {
  return seal_of(sealed.size(), crc_of(0, sealed));
}

void check_seal(const std::string& path) {
  constexpr std::uint64_t kPiece = 1 << 20;
  const Stream file(path);
  const std::uint64_t size = file.size();
  if (size < kSealBytes) file.refuse(fmt::format("it has {} bytes and was cut off", size));

  const std::uint64_t sealed = size - kSealBytes;
  uLong crc = 0;
  std::vector<std::byte> piece(std::min(sealed, kPiece));
  for (std::uint64_t done = 0; done < sealed;) {
    const auto now = std::span(piece).first(std::min(sealed - done, kPiece));
    file.read(now);
    crc = crc_of(crc, now);
    done += now.size();
  }
  std::array<std::byte, kSealBytes> found{};
  file.read(found);
  if (found == seal_of(sealed, crc)) return;

  if (!std::equal(found.begin(), found.begin() + 16, reinterpret_cast<const std::byte*>(kSealText.data()))) {
    file.refuse(
        fmt::format("its last {} bytes are no seal. It was cut off, damaged, or written by a program that does "
                    "not seal it (docs/checkpoint_format.md says how)",
                    kSealBytes));
  }
  file.refuse(
      fmt::format("its {} bytes are not those that its seal was made for; the disk or a copy has damaged it", sealed));
}

}  // namespace lockstep
