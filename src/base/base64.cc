#include "base/base64.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lockstep {
namespace {

std::optional<std::uint32_t> six_bits(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<std::uint32_t>(c - 'A');
  if (c >= 'a' && c <= 'z') return static_cast<std::uint32_t>(c - 'a' + 26);
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0' + 52);
  if (c == '+' || c == '-') return 62;
  if (c == '/' || c == '_') return 63;
  return {};
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  constexpr std::string_view kPassedOver = " \t\r\n\\";
  std::string bytes;
  std::uint32_t pending = 0;  // bits that are not yet a whole byte
  int pending_bits = 0;
  std::size_t digits = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (kPassedOver.find(c) != std::string_view::npos) continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const auto bits = six_bits(c);
    if (!bits || padding > 0) return {};
    ++digits;
    pending = pending << 6U | *bits;
    pending_bits += 6;
    if (pending_bits >= 8) {
      pending_bits -= 8;
      bytes += static_cast<char>(pending >> static_cast<unsigned>(pending_bits) & 0xFFU);
    }
  }
  const bool is_whole = digits % 4 != 1 && (padding == 0 || (padding <= 2 && (digits + padding) % 4 == 0));
  return is_whole ? std::optional(bytes) : std::nullopt;
}

std::string encode_base64(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (; !bytes.empty(); bytes = bytes.subspan(std::min<std::size_t>(3, bytes.size()))) {
    std::uint32_t three = 0;
    for (std::size_t at = 0; at < 3; ++at) {
      three = three << 8U | (at < bytes.size() ? std::to_integer<std::uint32_t>(bytes[at]) : 0);
    }
    for (std::size_t digit = 0; digit < 4; ++digit) {
      text += digit <= bytes.size() ? kDigits[three >> (18U - 6U * digit) & 63U] : '=';
    }
  }
  return text;
}

}  // namespace lockstep
