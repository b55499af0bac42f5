#include "checkpoint/seal.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/input_file.h"

namespace lockstep {
namespace {

void put_little_endian(std::byte* at, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) at[i] = static_cast<std::byte>(value >> (8 * i));
}

uLong crc_of(uLong crc, std::span<const std::byte> bytes) {
  return crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
}

std::array<std::byte, kSealBytes> seal_of(std::uint64_t count, uLong crc) {
  std::array<std::byte, kSealBytes> seal{};
  std::memcpy(seal.data(), kSealMagic.data(), kSealMagic.size());
  put_little_endian(&seal[kSealMagic.size()], count);
  put_little_endian(&seal[kSealMagic.size() + sizeof count], crc);
  return seal;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ExitCode::bad_data, fmt::format("'{}' is not a complete checkpoint: {}", path, why));
}

// Fills `into`, which is nowhere longer than what is left.
void read_next(InputFile& file, std::span<std::byte> into) {
  if (file.read(into) < into.size()) {
    refuse(file.path(), "it became shorter while it was read; does another program write it?");
  }
}

}  // namespace

std::array<std::byte, kSealBytes> make_seal(std::span<const std::byte> sealed) {
  return seal_of(sealed.size(), crc_of(0, sealed));
}

void check_seal(const std::string& path) {
  constexpr std::uint64_t kPiece = 1 << 20;
  InputFile file(path);
  const auto size = static_cast<std::uint64_t>(file.bytes());
  if (size < kSealBytes) refuse(path, fmt::format("it has {} bytes and was cut off", size));

  const std::uint64_t sealed = size - kSealBytes;
  uLong crc = 0;
  std::vector<std::byte> piece(std::min(sealed, kPiece));
  for (std::uint64_t done = 0; done < sealed;) {
    const auto now = std::span(piece).first(std::min(sealed - done, kPiece));
    read_next(file, now);
    crc = crc_of(crc, now);
    done += now.size();
  }
  std::array<std::byte, kSealBytes> found{};
  read_next(file, found);
  if (found == seal_of(sealed, crc)) return;

  if (std::memcmp(found.data(), kSealMagic.data(), kSealMagic.size()) != 0) {
    refuse(path,
           fmt::format("its last {} bytes are no seal. It was cut off, damaged, or written by a program that does "
                       "not seal it (docs/checkpoint_format.md says how)",
                       kSealBytes));
  }
  refuse(path, fmt::format("its {} bytes are not those that its seal was made for; the disk or a copy has damaged it",
                           sealed));
}

}  // namespace lockstep
