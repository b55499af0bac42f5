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

std::uint64_t little_endian_at(const std::byte* at) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value |= static_cast<std::uint64_t>(at[i]) << (8 * i);
  return value;
}

std::array<std::byte, kSealBytes> seal_of(std::uint64_t count, uLong crc) {
  std::array<std::byte, kSealBytes> seal{};
  std::memcpy(seal.data(), kSealMagic.data(), kSealMagic.size());
  put_little_endian(&seal[kSealMagic.size()], count);
  put_little_endian(&seal[kSealMagic.size() + sizeof count], crc);
  return seal;
}

bool is_seal(std::span<const std::byte> bytes) {
  return std::memcmp(bytes.data(), kSealMagic.data(), kSealMagic.size()) == 0;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ExitCode::bad_data, fmt::format("'{}' is not a complete checkpoint: {}", path, why));
}

// Refuses a file of another kind, which does not even begin like a checkpoint.
void check_begin(const InputFile& file) {
  constexpr std::string_view kHdf5Begin = "\x89HDF\r\n\x1a\n";
  std::array<char, kHdf5Begin.size()> found{};
  const std::size_t bytes = file.read_at(0, std::as_writable_bytes(std::span(found)));
  if (kHdf5Begin.starts_with(std::string_view(found.data(), bytes))) return;
  throw Error(ExitCode::bad_data, fmt::format("'{}' is no checkpoint: it does not begin as an HDF5 file does; a "
                                              "checkpoint is model.ckpt-<step>.h5 in the --output_dir of a run",
                                              file.path()));
}

[[noreturn]] void refuse_unsealed(const std::string& path) {
  refuse(path, fmt::format("its last {} bytes are no seal. It was cut off, damaged, or written by a program that does "
                           "not seal it (docs/checkpoint_format.md says how)",
                           kSealBytes));
}

[[noreturn]] void refuse_cut_off(const InputFile& file) {
  refuse(file.path(), fmt::format("it has {} bytes and was cut off", file.bytes()));
}

// Reads the seal at the end of the file; throws if there is none. Done first, as the file may be long.
std::array<std::byte, kSealBytes> last_bytes(const InputFile& file) {
  const auto before = file.bytes() - static_cast<std::int64_t>(kSealBytes);
  std::array<std::byte, kSealBytes> found{};
  if (before >= 0 && file.read_at(before, found) == found.size() && is_seal(found)) return found;
  check_begin(file);
  if (before < 0) refuse_cut_off(file);
  refuse_unsealed(file.path());
}

}  // namespace

std::array<std::byte, kSealBytes> make_seal(std::span<const std::byte> sealed) {
  return seal_of(sealed.size(), crc_of(0, sealed));
}

std::uint64_t check_seal(const std::string& path) {
  constexpr std::uint64_t kPiece = 1 << 20;
  InputFile file(path);
  const std::array<std::byte, kSealBytes> found = last_bytes(file);
  const std::uint64_t sealed = static_cast<std::uint64_t>(file.bytes()) - kSealBytes;
  uLong crc = 0;
  std::vector<std::byte> piece(std::min(sealed, kPiece));
  for (std::uint64_t done = 0; done < sealed;) {
    const auto now = std::span(piece).first(std::min(sealed - done, kPiece));
    if (file.read(now) < now.size()) {
      refuse(path, "it became shorter while it was read; does another program write it?");
    }
    crc = crc_of(crc, now);
    done += now.size();
  }
  if (found == seal_of(sealed, crc)) return crc;
  refuse(path, fmt::format("its {} bytes are not those that its seal was made for; the disk or a copy has damaged it",
                           sealed));
}

std::uint64_t sealed_checksum(const std::string& path) {
  const InputFile file(path);
  return little_endian_at(&last_bytes(file)[kSealBytes - sizeof(std::uint64_t)]);
}

}  // namespace lockstep
