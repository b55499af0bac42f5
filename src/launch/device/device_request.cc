#include "launch/device/device_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "base/whole_number.h"

namespace lockstep {
namespace {

constexpr std::string_view kAuto = "auto";

[[noreturn]] void refuse_device(std::string_view text, const Table<DeviceKind>& kinds) {
  std::vector<std::string> names{std::string(kAuto)};
  for (const auto& [name, named] : kinds.entries()) {
    names.push_back(name);
    if (named.entry.visible) names.push_back(name + ":N");
  }
  std::string meant = did_you_mean(text, names);
  for (const auto& [name, named] : kinds.entries()) {
    const std::string_view kind = text.substr(0, text.find(':'));
    if (std::ranges::find(named.elsewhere, kind) != named.elsewhere.end()) {
      meant = fmt::format(" (did you mean '{}{}'?)", name, text.substr(kind.size()));
    }
  }
  throw Error(ExitCode::usage,
              fmt::format("no device {}{}: --device takes {}, N counting the visible GPUs from 0; this build has {}",
                          in_quotes(text), meant, fmt::join(names, ", "), backend_features()),
              Scope::every_rank);
}

DeviceRequest parse_device(std::string_view text, const Table<DeviceKind>& kinds) {
  if (text == kAuto || kinds.has(text)) return {.kind = std::string(text)};
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  if (colon == std::string_view::npos || !kinds.has(kind) || !kinds.find(kind).visible) refuse_device(text, kinds);
  const std::optional<int> index = parse_digits<int>(text.substr(colon + 1));
  if (!index) refuse_device(text, kinds);
  return {.kind = std::string(kind), .index = index};
}

// "0,2" or, as T2T writes it, "0 2".
std::vector<int> parse_order(std::string_view flag, std::string_view text) {
  std::vector<int> order;
  constexpr std::string_view kBetween = ", ";
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find_first_of(kBetween));
    const std::optional<int> index = parse_digits<int>(word);
    if (!index) {
      throw Error(ExitCode::usage,
                  fmt::format("--{}={}: it takes numbers of visible GPUs, counted from 0, as in --{}=0,2; "
                              "CUDA_VISIBLE_DEVICES takes UUIDs",
                              flag, escaped(text), flag),
                  Scope::every_rank);
    }
    order.push_back(*index);
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return order;
}

}  // namespace

std::string DeviceRequest::text() const { return index ? fmt::format("{}:{}", kind, *index) : kind; }

DeviceRequest device_request(const TrainSettings& settings, const Table<DeviceKind>& kinds) {
  DeviceRequest request = parse_device(settings.device, kinds);
  if (!settings.devices.empty()) {
    request.order = parse_order("devices", settings.devices);
    const bool takes_one = request.index.has_value();
    if (takes_one || (request.kind != kAuto && !kinds.find(request.kind).visible)) {
      throw Error(
          ExitCode::configuration,
          fmt::format("--devices={} cannot be kept with --device={}: {}; leave one of the two out", settings.devices,
                      request.text(), takes_one ? "that is one device already" : "it chooses among GPUs"),
          Scope::every_rank);
    }
  } else if (!settings.gpu_order.empty() && !request.index) {
    // T2T leaves it alone where it is not as long as --worker_gpu.
    const std::vector<int> order = parse_order("gpu_order", settings.gpu_order);
    const bool counts = !settings.worker_gpu || *settings.worker_gpu == std::ssize(order);
    if (counts && (request.kind == kAuto || kinds.find(request.kind).visible)) request.order = order;
  }
  return request;
}

}  // namespace lockstep
