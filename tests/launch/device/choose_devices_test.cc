#include "launch/device/choose_devices.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/whole_number.h"

namespace lockstep {
namespace {

// GPU of a host: A, B, C, ... in the order of their bus ids.
VisibleDevice gpu(int number) {
  return {.name = "Test GPU", .bus_id = fmt::format("0000:{:02x}:00.0", 16 + number), .memory = 1 << 20};
}
std::string uuid(int number) { return fmt::format("GPU-{:08x}-1234", 0xa0a0a0a0U + static_cast<unsigned>(number)); }

// Interprets CUDA_VISIBLE_DEVICES as CUDA does: numbers and UUIDs, which may be shortened; the first entry that is not
// a device ends the list. Null: not set.
VisibleDevices visible_by(const char* variable, int gpus) {
  VisibleDevices visible;
  if (variable == nullptr) {
    for (int i = 0; i < gpus; ++i) visible.devices.push_back(gpu(i));
  } else {
    for (std::string_view rest = variable; !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      int found = parse_digits<int>(word).value_or(-1);
      for (int i = 0; i < gpus; ++i) {
        if (word.starts_with("GPU-") && uuid(i).starts_with(word)) found = i;
      }
      if (found < 0 || found >= gpus) break;
      visible.devices.push_back(gpu(found));
    }
  }
  if (visible.devices.empty()) visible.why_none = "no CUDA-capable device is detected";
  return visible;
}

struct Rank {
  const char* host = "a";
  const char* visible = nullptr;  // CUDA_VISIBLE_DEVICES
  std::optional<int> index{};     // --device=cuda:N
  std::vector<int> order{};       // --devices
  bool has_shares = true;
};

struct Layout {
  const char* what;
  int gpus;  // per host
  std::vector<Rank> ranks;
  std::string chosen{};   // one letter per rank
  std::string shared{};   // start of the warning
  std::string refused{};  // part of the message
};

DeviceFacts facts_of(const Rank& rank, int gpus) {
  return {.host = rank.host,
          .has_shares = rank.has_shares,
          .request = {.kind = "cuda", .index = rank.index, .order = rank.order},
          .visible = visible_by(rank.visible, gpus)};
}

std::vector<DeviceFacts> facts_of(const Layout& layout) {
  std::vector<DeviceFacts> facts;
  for (const Rank& rank : layout.ranks) facts.push_back(facts_of(rank, layout.gpus));
  return facts;
}

std::vector<Rank> same(std::size_t count, const Rank& rank) { return std::vector<Rank>(count, rank); }

std::vector<Rank> operator+(std::vector<Rank> left, const std::vector<Rank>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

// NOLINTNEXTLINE(cert-err58-cpp)
const std::vector<Layout> kLayouts = {
    {"one rank, one GPU", 1, {{}}, "A"},
    {"one rank, many GPUs", 8, {{}}, "A"},
    {"a rank for each GPU", 4, same(4, {}), "ABCD"},
    {"fewer ranks than GPUs", 8, same(3, {}), "ABC"},
    {"more ranks than GPUs", 2, same(4, {}), "ABAB", "4 ranks share 2 GPUs of a: "},
    {"more ranks than GPUs, unevenly", 2, same(3, {}), "ABA", "2 ranks share 1 GPU of a: "},
    {"four ranks on one GPU", 1, same(4, {}), "AAAA", "4 ranks share 1 GPU of a: "},
    {"two hosts, block by block", 2, same(2, {"a"}) + same(2, {"b"}), "ABAB"},
    {"two hosts, in turn", 2, {{"a"}, {"b"}, {"a"}, {"b"}}, "AABB"},
    {"two hosts of unlike numbers of ranks", 2, {{"a"}, {"b"}, {"b"}}, "AAB"},
    {"more ranks on one of two hosts", 2, same(3, {"a"}) + same(1, {"b"}), "ABAA", "2 ranks share 1 GPU of a: "},
    {"more ranks on each of three hosts", 1, same(2, {"a"}) + same(2, {"b"}) + same(2, {"c"}), "AAAAAA",
     "2 ranks share 1 GPU of a, and so on 2 more hosts: "},

    {"numbers in the variable", 4, same(2, {"a", "2,3"}), "CD"},
    {"numbers in another order", 4, same(3, {"a", "3,1,2"}), "DBC"},
    {"one number for all", 4, same(2, {"a", "1"}), "BB", "2 ranks share 1 GPU of a: "},
    {"UUIDs", 4, same(2, {"a", "GPU-a0a0a0a2-1234,GPU-a0a0a0a0-1234"}), "CA"},
    {"UUIDs cut short", 4, same(2, {"a", "GPU-a0a0a0a3,GPU-a0a0a0a1"}), "DB"},
    {"a UUID and a number", 4, same(2, {"a", "GPU-a0a0a0a3,0"}), "DA"},
    {"what follows a wrong number is not seen", 4, same(2, {"a", "1,9,2"}), "BB", "2 ranks share 1 GPU of a: "},
    {"an empty variable", 4, same(2, {"a", ""}), "", "", "no device cuda: rank 0 on a sees no GPU: no CUDA-capable"},
    {"a variable of -1", 4, same(1, {"a", "-1"}), "", "", "sees no GPU"},
    {"a host without a GPU", 0, same(2, {}), "", "", "detected, or run with --device=cpu"},
    {"one rank without", 2, {{"a"}, {"b", ""}}, "", "", "no device cuda: rank 1 on b sees no GPU"},

    // srun --gpus-per-task=1: each rank sees one GPU, with the number 0.
    {"each rank its own", 4, {{"a", "0"}, {"a", "1"}, {"a", "2"}, {"a", "3"}}, "ABCD"},
    {"each rank its own, in another order", 4, {{"a", "2"}, {"a", "0"}, {"a", "3"}}, "CAD"},
    {"each rank its own, by UUID", 2, {{"a", "GPU-a0a0a0a1"}, {"a", "GPU-a0a0a0a0"}}, "BA"},
    {"each rank its own, two hosts", 2, {{"a", "1"}, {"a", "0"}, {"b", "0"}, {"b", "1"}}, "BAAB"},
    {"each rank two of its own", 4, {{"a", "0,1"}, {"a", "2,3"}}, "AC"},
    {"two ranks for each list", 4, {{"a", "0,1"}, {"a", "0,1"}, {"a", "2,3"}, {"a", "2,3"}}, "ABCD"},
    {"lists that overlap", 3, {{"a", "0,1"}, {"a", "1,2"}, {"a", "2,0"}}, "ABC"},
    {"the first makes room", 2, {{"a", "0,1"}, {"a", "0"}}, "BA"},
    {"the first two make room", 3, {{"a", "0,1,2"}, {"a", "0,1"}, {"a", "0"}}, "CBA"},
    {"lists in opposite orders", 2, {{"a", "0,1"}, {"a", "1,0"}}, "AB"},
    {"one sees all, one sees one", 2, {{"a"}, {"a", "1"}}, "AB"},
    {"each its own, and one twice", 3, {{"a", "0"}, {"a", "1"}, {"a", "1"}}, "ABB", "2 ranks share 1 GPU of a: "},

    {"a number for all ranks", 4, same(2, {.index = 1}), "BB"},
    {"a number of the visible ones", 4, same(1, {.visible = "3,2", .index = 1}), "C"},
    {"each rank a number", 4, {{.index = 3}, {.index = 0}}, "DA"},
    {"one rank a number, the others what is left", 3, {{}, {.index = 0}, {}}, "BAC"},
    {"a number that is not there", 2, same(2, {.index = 2}), "", "",
     "no device cuda:2: rank 0 on a sees 2 GPUs, cuda:0 to cuda:1; choose among these"},
    {"a number beyond the only one", 1, same(1, {.index = 1}), "", "", "sees 1 GPU, cuda:0; choose"},
    {"a number that one host lacks",
     1,
     {{.host = "a", .index = 0}, {.host = "b", .visible = "", .index = 0}},
     "",
     "",
     "no device cuda:0: rank 1 on b sees no GPU"},

    {"a list", 4, same(2, {.order = {0, 2}}), "AC"},
    {"a list in another order", 4, same(4, {.order = {1, 3, 2, 0}}), "BDCA"},
    {"a list of the visible ones", 4, same(2, {.visible = "3,2,1", .order = {2, 0}}), "BD"},
    {"a list that is longer than the ranks", 4, same(2, {.order = {3, 2, 1}}), "DC"},
    {"a list that is shorter than the ranks", 4, same(4, {.order = {0, 2}}), "ACAC", "4 ranks share 2 GPUs of a: "},
    {"a list with a number twice", 4, same(3, {.order = {0, 0, 1}}), "AAB"},
    {"a list with a number twice, and more ranks", 4, same(4, {.order = {0, 0, 1}}), "AABA",
     "3 ranks share 1 GPU of a: "},
    {"a list on two hosts", 2, same(2, {.host = "a", .order = {1, 0}}) + same(2, {.host = "b", .order = {1, 0}}),
     "BABA"},
    {"a list for what each rank sees alone", 2, {{.visible = "1", .order = {0}}, {.visible = "0", .order = {0}}}, "BA"},
    {"lists of one host that differ", 4, {{.order = {2}}, {.order = {2, 3}}}, "CD"},
    {"a number in a list that is not there", 2, same(2, {.order = {0, 2}}), "", "",
     "no device cuda:2: rank 0 on a sees 2"},

    {"who leads without data takes what is left",
     2,
     {{.has_shares = false}, {}, {}},
     "AAB",
     "2 ranks share 1 GPU of a: "},
    {"who leads without data, with room", 3, {{.has_shares = false}, {}, {}}, "CAB"},
};

std::string letters(const DeviceChoice& choice) {
  std::string text;
  for (const ChosenDevice& chosen : choice.ranks) {
    for (int i = 0; i < 26; ++i) {
      if (gpu(i).bus_id == chosen.bus_id) text += static_cast<char>('A' + i);
    }
  }
  return text;
}

TEST_CASE("which GPU each rank takes") {
  CHECK(kLayouts.size() >= 40);
  for (const Layout& layout : kLayouts) {
    CAPTURE(layout.what);
    const std::vector<DeviceFacts> facts = facts_of(layout);
    try {
      const DeviceChoice choice = choose_devices(facts);
      CHECK(letters(choice) == layout.chosen);
      CHECK(choice.warnings.size() == (layout.shared.empty() ? 0 : 1));
      if (!choice.warnings.empty()) CHECK(choice.warnings[0].starts_with(layout.shared));
      for (std::size_t rank = 0; rank < facts.size(); ++rank) {  // numbers are as the rank itself sees them
        const ChosenDevice& chosen = choice.ranks[rank];
        CHECK(facts[rank].visible.devices[static_cast<std::size_t>(chosen.index)].bus_id == chosen.bus_id);
        CHECK(chosen.text() == fmt::format("cuda:{}", chosen.index));
      }
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::configuration);
      CHECK(error.scope() == Scope::every_rank);
      REQUIRE_FALSE(layout.refused.empty());
      const std::string message = error.what();
      CAPTURE(message);
      CHECK(message.find(layout.refused) != std::string::npos);
      CHECK(message.find('\n') == std::string::npos);
      CHECK(message.find(layout.chosen.empty() && message.find("sees no GPU") != std::string::npos
                             ? "--device=cpu"
                             : "choose among") != std::string::npos);
    }
  }
}

DeviceFacts on_cpu(const char* host, bool by_itself, const char* why = "") {
  return {.host = host,
          .request = {.kind = "cpu"},
          .by_itself = by_itself,
          .visible = {.devices = {}, .why_none = why},
          .on_host = true};
}

TEST_CASE("CPUs are not counted") {
  const DeviceChoice choice = choose_devices(std::vector(3, on_cpu("a", false)));
  CHECK(choice.ranks.size() == 3);
  CHECK(choice.ranks[2].text() == "cpu");
  CHECK(choice.warnings.empty());
  CHECK(choose_devices(std::vector(3, on_cpu("a", true))).warnings.empty());
}

TEST_CASE("auto says why a driver that is there gives no GPU") {
  const char* const old = "CUDA 13.0, driver for up to 12.4 says: CUDA driver version is insufficient";
  const DeviceChoice choice = choose_devices(std::vector{on_cpu("a", true), on_cpu("b", true, old)});
  REQUIRE(choice.warnings.size() == 1);
  CHECK(choice.warnings[0].starts_with("no GPU is used: rank 1 on b sees none: CUDA 13.0, driver for up to 12.4 says"));
}

TEST_CASE("parameter servers are on CPUs, and leave the GPUs to the ranks that train") {
  DeviceFacts server = on_cpu("a", false);
  server.request = server_request();
  const DeviceFacts trains = facts_of(Rank{.host = "a"}, 2);
  const DeviceChoice on_gpus = choose_devices(std::vector{trains, trains, server, server});
  CHECK(on_gpus.ranks[0].text() == "cuda:0");
  CHECK(on_gpus.ranks[1].text() == "cuda:1");
  CHECK(on_gpus.ranks[2].text() == "cpu");
  CHECK(on_gpus.ranks[3].text() == "cpu");
  CHECK(on_gpus.warnings.empty());
  server.host = "b";  // which has no GPU
  CHECK(choose_devices(std::vector{trains, server}).ranks[1].text() == "cpu");
  CHECK(choose_devices(std::vector{on_cpu("a", true), server}).warnings.empty());
}

TEST_CASE("ranks on CPUs and on GPUs do not train together") {
  DeviceFacts with_gpu = facts_of(Rank{.host = "b"}, 2);
  for (const bool by_itself : {false, true}) {
    with_gpu.by_itself = by_itself;
    for (const auto& facts : {std::vector{on_cpu("a", by_itself, "no driver"), with_gpu},
                              std::vector{with_gpu, with_gpu, on_cpu("a", by_itself, "no driver")}}) {
      try {
        choose_devices(facts);
        FAIL("accepted");
      } catch (const Error& error) {
        const std::string message = error.what();
        CHECK(error.code() == ExitCode::configuration);
        CHECK(error.scope() == Scope::every_rank);
        CHECK(message.find("all on GPUs or all on CPUs") != std::string::npos);
        CHECK((message.find("(a has no GPU: no driver)") != std::string::npos) == by_itself);
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
