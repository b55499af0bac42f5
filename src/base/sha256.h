#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace lockstep {

// SHA-256 (FIPS 180-4) over bytes that come piece by piece. One thread at a time.
class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  void update(std::span<const std::byte> bytes);
  Digest finish();  // REQUIRES: called once, last

 private:
  void compress(const std::uint8_t* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_{};
  std::size_t filled_ = 0;  // bytes in block_
  std::uint64_t length_ = 0;
};

std::string hex(const Sha256::Digest& digest);

}  // namespace lockstep
