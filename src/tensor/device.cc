#include "tensor/device.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/error.h"
#include "base/nearest.h"

namespace lockstep {
namespace {

constexpr std::string_view kCudaPrefix = "cuda:";

[[noreturn]] void refuse(std::string_view text) {
  const std::array<std::string, 4> names{"auto", "cpu", "cuda", "cuda:0"};
  throw Error(ExitCode::usage,
              fmt::format("no device '{}'{}: --device takes auto, cpu, cuda or cuda:N, N counting the visible GPUs "
                          "from 0",
                          text, did_you_mean(text, names)),
              Scope::every_rank);
}

}  // namespace

Device parse_device(std::string_view text) {
  if (text == "auto" || text == "cpu") return {};
  if (text == "cuda") return {Device::Kind::cuda, 0};
  if (!text.starts_with(kCudaPrefix)) refuse(text);

  const std::string_view digits = text.substr(kCudaPrefix.size());
  int index = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const bool plain = status == std::errc() && end == digits.data() + digits.size() && digits.front() != '-';
  if (!plain) refuse(text);
  return {Device::Kind::cuda, index};
}

}  // namespace lockstep
