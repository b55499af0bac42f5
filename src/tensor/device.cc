#include "tensor/device.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "base/error.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "base/whole_number.h"
#include "tensor/backend.h"

namespace lockstep {
namespace {

constexpr std::string_view kCudaPrefix = "cuda:";

[[noreturn]] void refuse(std::string_view text) {
  const std::array<std::string, 4> names{"auto", "cpu", "cuda", "cuda:0"};
  const bool gpu = text.substr(0, text.find(':')) == "gpu";  // TensorFlow's name
  throw Error(
      ExitCode::usage,
      fmt::format("no device {}{}: --device takes auto, cpu, cuda or cuda:N, N counting the visible GPUs from 0; "
                  "this build has {}",
                  in_quotes(text), gpu ? " (GPUs are not supported yet)" : did_you_mean(text, names),
                  backend_features()),
      Scope::every_rank);
}

}  // namespace

Device parse_device(std::string_view text) {
  if (text == "auto" || text == "cpu") return {};
  if (text == "cuda") return {Device::Kind::cuda, 0};
  if (!text.starts_with(kCudaPrefix)) refuse(text);

  const std::optional<int> index = parse_digits<int>(text.substr(kCudaPrefix.size()));
  if (!index) refuse(text);
  return {Device::Kind::cuda, *index};
}

}  // namespace lockstep
