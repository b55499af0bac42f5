#include "launch/device/take_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/json.h"
#include "base/printable.h"
#include "tensor/device_error.h"

namespace lockstep {
namespace {

// Resolves auto on this rank: to devices that exist, or to the CPU.
void resolve_auto(DeviceFacts& facts, const Table<DeviceKind>& kinds) {
  constexpr const char* kHost = "cpu";
  facts.by_itself = true;
  const bool numbered = !facts.request.order.empty();  // the request is for devices that have numbers
  for (const auto& [name, named] : kinds.entries()) {
    const DeviceKind& kind = named.entry;
    if (!kind.visible || (!numbered && !(kind.is_likely && kind.is_likely()))) continue;
    VisibleDevices visible = kind.visible();
    if (!numbered && visible.devices.empty()) {
      facts.visible.why_none = std::move(visible.why_none);
      continue;
    }
    facts.request.kind = name;
    facts.visible = std::move(visible);
    return;
  }
  facts.request.kind = kHost;
  facts.on_host = true;
}

DeviceFacts find_devices(const DeviceRequest& request, const Table<DeviceKind>& kinds) {
  DeviceFacts facts{.host = {}, .request = request};
  if (request.kind == "auto") {
    resolve_auto(facts, kinds);
    return facts;
  }
  const DeviceKind& kind = kinds.find(request.kind);
  facts.on_host = !kind.visible;
  if (kind.visible) facts.visible = kind.visible();
  return facts;
}

// Every rank's text, in the order of ranks. COLLECTIVE.
std::vector<std::string> gather_texts(Communicator& world, std::string mine) {
  const std::vector<std::size_t> sizes = all_gather_value(world, mine.size());
  const std::size_t most = std::ranges::max(sizes);
  mine.resize(most);
  std::string all(most * sizes.size(), ' ');
  world.all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) texts.push_back(all.substr(rank * most, sizes[rank]));
  return texts;
}

// The devices that a rank sees, the last one first.
std::vector<int> last_first(const VisibleDevices& visible) {
  std::vector<int> order(visible.devices.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

std::unique_ptr<Backend> open(const ChosenDevice& device, const DeviceKind& kind) {
  try {
    return kind.make(device.index);
  } catch (const DeviceError& error) {
    throw Error(ExitCode::configuration,
                fmt::format("{} ({}) at PCI address {} cannot be used: {}; nvidia-smi shows its state and who uses it, "
                            "--devices takes others",
                            device.text(), device.name, device.bus_id, error.what()));
  }
}

}  // namespace

std::string to_text(const DeviceFacts& facts) {
  Json::Array order;
  for (const int index : facts.request.order) order.emplace_back(std::int64_t{index});
  Json::Array devices;
  for (const VisibleDevice& device : facts.visible.devices) {
    devices.emplace_back(Json::Array{device.name, device.bus_id, static_cast<std::int64_t>(device.memory)});
  }
  return Json(Json::Object{{"host", facts.host},
                           {"has_shares", facts.has_shares},
                           {"kind", facts.request.kind},
                           {"index", std::int64_t{facts.request.index.value_or(-1)}},
                           {"order", order},
                           {"apart", facts.request.apart},
                           {"by_itself", facts.by_itself},
                           {"devices", devices},
                           {"why_none", facts.visible.why_none},
                           {"on_host", facts.on_host}})
      .text();
}

DeviceFacts device_facts(std::string_view text) {
  const Json json = parse_json(text);
  const auto text_of = [](const Json& value) { return *value.as<std::string>(); };
  const auto number_of = [](const Json& value) { return *value.as<std::int64_t>(); };
  const auto is = [&](const char* name) { return *json.find(name)->as<bool>(); };
  DeviceFacts facts{.host = text_of(*json.find("host")),
                    .has_shares = is("has_shares"),
                    .request = {.kind = text_of(*json.find("kind")), .apart = is("apart")},
                    .by_itself = is("by_itself"),
                    .visible = {.devices = {}, .why_none = text_of(*json.find("why_none"))},
                    .on_host = is("on_host")};
  if (const std::int64_t index = number_of(*json.find("index")); index >= 0) {
    facts.request.index = static_cast<int>(index);
  }
  for (const Json& index : *json.find("order")->as<Json::Array>()) {
    facts.request.order.push_back(static_cast<int>(number_of(index)));
  }
  for (const Json& device : *json.find("devices")->as<Json::Array>()) {
    const auto& parts = *device.as<Json::Array>();
    facts.visible.devices.push_back({.name = text_of(parts[0]),
                                     .bus_id = text_of(parts[1]),
                                     .memory = static_cast<std::size_t>(number_of(parts[2]))});
  }
  return facts;
}

TakenDevice take_device(Communicator& world, const DeviceRequest& request, const Table<DeviceKind>& kinds,
                        const std::string& host, bool has_shares) {
  DeviceFacts mine = find_devices(request, kinds);
  mine.host = host;
  mine.visible.why_none = escaped(mine.visible.why_none);  // text of a library, or a path
  mine.has_shares = has_shares;
  if (request.from_last && !request.index && request.order.empty()) mine.request.order = last_first(mine.visible);
  std::vector<DeviceFacts> all;
  for (const std::string& text : gather_texts(world, to_text(mine))) all.push_back(device_facts(text));
  DeviceChoice choice = choose_devices(all);
  ChosenDevice device = choice.ranks[static_cast<std::size_t>(world.rank())];
  auto backend = open(device, kinds.find(device.kind));
  return {.backend = std::move(backend), .device = std::move(device), .warnings = std::move(choice.warnings)};
}

}  // namespace lockstep
