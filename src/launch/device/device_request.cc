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

// TensorFlow's name for a device of this process, "/gpu:1" or "/job:worker/task:0/device:GPU:1", as "gpu:1"; any other
// text as it is.
std::string without_job(std::string_view text) {
  if (!text.starts_with('/')) return std::string(text);
  std::string device;
  for (const char c : text.substr(text.rfind('/') + 1))
    device += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  constexpr std::string_view kBefore = "device:";
  return device.starts_with(kBefore) ? device.substr(kBefore.size()) : device;
}

// TensorFlow's name by those that --device takes: "cuda:1", and "cpu" for the host itself; any other text as it is.
std::string own_name(std::string_view text, const Table<DeviceKind>& kinds) {
  std::string device = without_job(text);
  const std::size_t colon = device.find(':');
  if (device == text || colon == std::string::npos) return std::string(text);
  const std::string kind = device.substr(0, colon);
  for (const auto& [name, named] : kinds.entries()) {
    const bool is_it = name == kind || std::ranges::find(named.elsewhere, kind) != named.elsewhere.end();
    if (is_it) return named.entry.visible ? name + device.substr(colon) : name;
  }
  return std::string(text);
}

DeviceRequest parse_device(std::string_view written, const Table<DeviceKind>& kinds) {
  const std::string own = own_name(written, kinds);
  const std::string_view text = own;
  if (text == kAuto || kinds.has(text)) return {.kind = std::string(text)};
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  if (colon == std::string_view::npos || !kinds.has(kind) || !kinds.find(kind).visible) refuse_device(text, kinds);
  const std::optional<int> index = parse_digits<int>(text.substr(colon + 1));
  if (!index) refuse_device(text, kinds);
  return {.kind = std::string(kind), .index = index};
}

// Reads numbers of GPUs: "0,2", as T2T writes them, "0 2", or by TensorFlow's names, "/gpu:0,/gpu:2".
std::vector<int> parse_order(std::string_view flag, std::string_view text) {
  std::vector<int> order;
  constexpr std::string_view kBetween = ", ";
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find_first_of(kBetween));
    std::string device = without_job(word);
    constexpr std::string_view kGpu = "gpu:";
    if (device != word && device.starts_with(kGpu)) device.erase(0, kGpu.size());
    const std::optional<int> index = parse_digits<int>(device);
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
    // T2T ignores it unless it is as long as --worker_gpu.
    const std::vector<int> order = parse_order("gpu_order", settings.gpu_order);
    const bool counts = !settings.worker_gpu || *settings.worker_gpu == std::ssize(order);
    if (counts && (request.kind == kAuto || kinds.find(request.kind).visible)) request.order = order;
  }
  return request;
}

DeviceRequest server_request() { return {.kind = "cpu", .apart = true}; }

}  // namespace lockstep
