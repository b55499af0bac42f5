#include "launch/device/take_device.h"

#include <doctest/doctest.h>

#include <string>

#include "base/error.h"
#include "support/ranks.h"
#include "tensor/device_error.h"

namespace lockstep {
namespace {

VisibleDevices two_cards() {
  return {
      .devices = {{.name = "Card", .bus_id = "0000:01:00.0", .memory = 1}, {.name = "Card", .bus_id = "0000:02:00.0"}},
      .why_none = ""};
}

// Devices: the CPU, and a kind `card` whose Backend is the CPU's.
Table<DeviceKind> kinds(const VisibleDevices& cards, bool is_likely) {
  Table<DeviceKind> table("device");
  table.add("cpu", "", cpu_devices());
  table.add("card", "",
            {.visible = [cards] { return cards; },
             .make = [](int /*index*/) { return make_backend({}); },
             .is_likely = [is_likely] { return is_likely; }});
  return table;
}

TEST_CASE("what a rank tells the others reads back") {
  DeviceFacts facts{.host = "a",
                    .has_shares = false,
                    .request = {.kind = "card", .index = 3, .order = {1, 0}, .apart = true},
                    .by_itself = true,
                    .visible = two_cards(),
                    .on_host = true};
  facts.visible.why_none = "a \"reason\"\n";
  const DeviceFacts read = device_facts(to_text(facts));
  CHECK(read.host == facts.host);
  CHECK(read.has_shares == facts.has_shares);
  CHECK(read.request == facts.request);
  CHECK(read.by_itself == facts.by_itself);
  CHECK(read.visible == facts.visible);
  CHECK(read.on_host == facts.on_host);
  CHECK_FALSE(device_facts(to_text(DeviceFacts{})).request.index);
}

TEST_CASE("the ranks of a host take its devices in turn") {
  for_ranks([](Communicator& world) {
    const TakenDevice taken = take_device(world, {.kind = "card"}, kinds(two_cards(), false), "host", true);
    CHECK(taken.device.text() == "card:" + std::to_string(world.rank() % 2));
    CHECK(taken.device.name == "Card");
    CHECK(taken.warnings.size() == (world.size() > 2 ? 1 : 0));
    CHECK(taken.backend != nullptr);
  });
}

TEST_CASE("who begins with the last device leaves the first ones to others, unless it was told which to take") {
  for_ranks([](Communicator& world) {
    const auto taken = [&](const DeviceRequest& request) {
      return take_device(world, request, kinds(two_cards(), true), "host", true).device.text();
    };
    const int rank = world.rank();
    CHECK(taken({.kind = "card", .from_last = true}) == "card:" + std::to_string(1 - rank % 2));
    CHECK(taken({.from_last = true}) == "card:" + std::to_string(1 - rank % 2));
    CHECK(taken({.kind = "card", .index = 0, .from_last = true}) == "card:0");
    CHECK(taken({.kind = "card", .order = {0}, .from_last = true}) == "card:0");
    CHECK(taken({.kind = "cpu", .from_last = true}) == "cpu");
  });
}

TEST_CASE("auto takes what is there, and else the CPU") {
  for_ranks([](Communicator& world) {
    const auto taken = [&](const VisibleDevices& cards, bool is_likely, const DeviceRequest& request = {}) {
      return take_device(world, request, kinds(cards, is_likely), "host", true);
    };
    const VisibleDevices none{.devices = {}, .why_none = "it is switched off"};
    CHECK(taken(two_cards(), true).device.kind == "card");
    CHECK(taken(two_cards(), false).device.text() == "cpu");  // cards were not looked for
    CHECK(taken(none, true).device.text() == "cpu");
    CHECK(taken(none, true).warnings.size() == 1);
    CHECK(taken(none, false).warnings.empty());
    CHECK(taken(two_cards(), false, {.order = {1}}).device.text() == "card:1");  // numbers request devices
    CHECK_THROWS_WITH_AS(taken(none, false, {.order = {1}}), doctest::Contains("it is switched off"), Error);
  });
}

TEST_CASE("a device that fails when it is opened is named") {
  for_ranks([](Communicator& world) {
    Table<DeviceKind> table("device");
    table.add("card", "",
              {.visible = [] { return two_cards(); },
               .make = [](int /*index*/) -> std::unique_ptr<Backend> { throw DeviceError("it is busy"); },
               .is_likely = {}});
    const std::string number = std::to_string(world.rank() % 2);
    const std::string address = world.rank() % 2 == 0 ? "0000:01:00.0" : "0000:02:00.0";
    const std::string message =
        "card:" + number + " (Card) at PCI address " + address + " cannot be used: it is busy; ";
    CHECK_THROWS_WITH_AS(take_device(world, {.kind = "card"}, table, "host", true), doctest::Contains(message.c_str()),
                         Error);
  });
}

TEST_CASE("a parameter server has no device, with others that have some") {
  for_ranks([](Communicator& world) {
    const bool serves = world.rank() > 0 && world.rank() == world.size() - 1;
    const auto taken = take_device(world, serves ? server_request() : DeviceRequest{.kind = "card"},
                                   kinds(two_cards(), true), "host", !serves);
    CHECK(taken.device.text() == (serves ? "cpu" : "card:" + std::to_string(world.rank() % 2)));
    CHECK(taken.backend->device().kind == Device::Kind::cpu);
    CHECK(taken.warnings.size() == (world.size() > 3 ? 1 : 0));
  });
}

TEST_CASE("a rank that has devices and one that has none do not go on together") {
  for_ranks([](Communicator& world) {
    const bool last = world.rank() == world.size() - 1;
    const auto table = kinds(last ? VisibleDevices{} : two_cards(), true);
    const auto take = [&] { take_device(world, {}, table, "host", true); };
    if (world.size() == 1) return take();
    CHECK_THROWS_WITH_AS(take(), doctest::Contains("all on GPUs or all on CPUs"), Error);
  });
}

}  // namespace
}  // namespace lockstep
