#include "train/served/transport_choice.h"

#include <doctest/doctest.h>

#include <memory>

#include "collective/window.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

ServedWindows possible() {
  return {.make = [](std::int64_t /*bytes*/) -> std::unique_ptr<Window> { return nullptr; }};
}

}  // namespace

TEST_CASE("--ps_transport=auto takes a window on one host, if nothing speaks against it") {
  const TransportChoice chosen = choose_transport("auto", "optimizer", possible(), 1);
  CHECK(chosen.window);
  CHECK(chosen.requires_it.empty());
  CHECK(chosen.why.empty());

  ServedWindows doubtful = possible();
  doubtful.doubt = "it is untried";
  const auto messages = [](const ServedWindows& windows, int hosts, const std::string& why) {
    const TransportChoice choice = choose_transport("auto", "optimizer", windows, hosts);
    CHECK_FALSE(choice.window);
    CHECK(choice.why == why);
  };
  messages(doubtful, 1, "it is untried");
  messages(possible(), 2, "the ranks are on 2 hosts");
  messages(doubtful, 3, "the ranks are on 3 hosts");
  messages({}, 1, "there are none between these ranks");
  messages({.why_none = "somebody did not know", .cure = "tell everybody"}, 1, "somebody did not know");
}

TEST_CASE("--ps_transport=p2p takes messages and rma a window, and 78 where there is none") {
  CHECK_FALSE(choose_transport("p2p", "optimizer", possible(), 1).window);
  CHECK(choose_transport("p2p", "optimizer", possible(), 1).why.empty());
  CHECK_FALSE(choose_transport("p2p", "optimizer", {}, 1).window);

  ServedWindows doubtful = possible();
  doubtful.doubt = "it is untried";
  for (const int hosts : {1, 2}) {
    const TransportChoice chosen = choose_transport("rma", "optimizer", doubtful, hosts);
    CHECK(chosen.window);
    CHECK_FALSE(chosen.adds);
    CHECK(chosen.requires_it == "--ps_transport=rma");
  }
  const ServedWindows none{.why_none = "somebody did not know", .cure = "tell everybody"};
  check_error(ExitCode::configuration,
              {"--ps_transport=rma: somebody did not know; tell everybody, or --ps_transport=p2p needs none"},
              [&] { choose_transport("rma", "optimizer", none, 1); });
  check_error(ExitCode::configuration,
              {"--ps_transport=rma: there are none between these ranks; --ps_transport=p2p needs none"},
              [&] { choose_transport("rma", "optimizer", {}, 1); });
}

TEST_CASE("--ps_apply=accumulate takes a window anywhere, and 78 where there is none") {
  ServedWindows doubtful = possible();
  doubtful.doubt = "it is untried";
  for (const std::string_view transport : {"auto", "rma"}) {
    for (const int hosts : {1, 2}) {
      const TransportChoice chosen = choose_transport(transport, "accumulate", doubtful, hosts);
      CHECK(chosen.window);
      CHECK(chosen.adds);
      CHECK(chosen.requires_it == "--ps_apply=accumulate");
    }
  }
  const ServedWindows none{.why_none = "somebody did not know", .cure = "tell everybody"};
  check_error(ExitCode::configuration,
              {"--ps_apply=accumulate: somebody did not know; tell everybody, or --ps_apply=optimizer needs none"},
              [&] { choose_transport("auto", "accumulate", none, 1); });
}

TEST_CASE("a window has no room where the folder is too small, if that is known") {
  const WindowRoom room{.folder = "/dev/shm", .free = 64 << 20};
  CHECK(lacks_room(std::nullopt, std::int64_t{1} << 50).empty());
  CHECK(lacks_room(room, room.most()).empty());
  CHECK(lacks_room(room, 100 << 20) ==
        "/dev/shm has room for a window of 62.9 MB, and the servers need one of 104.9 MB");
}

}  // namespace lockstep
