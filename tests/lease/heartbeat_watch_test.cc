#include "lease/heartbeat_watch.h"

#include <doctest/doctest.h>

#include <fstream>

#include "support/temporary_folder.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("a heartbeat that stops is said once, and so is that it goes on") {
  const TemporaryFolder folder;
  LeaseRecord holder{.token = "hers", .host = "node2", .pid = 10};
  const auto write = [&](const std::string& text) { std::ofstream(folder / "lease.json") << text; };
  HeartbeatWatch watch(folder.path());
  CHECK(!watch.look(seconds{0}));  // no lease yet
  write("no lease");
  CHECK(!watch.look(seconds{1}));
  // The holder beats for 20 s, and the watch looks each second.
  for (int second = 2; second < 22; ++second) {
    holder.heartbeat = second / kHeartbeat.count();
    write(to_text(holder));
    CHECK(!watch.look(seconds{second}));
  }
  int said = 0;
  for (int second = 22; second < 60; ++second) {
    const auto news = watch.look(seconds{second});
    if (!news) continue;
    ++said;
    CHECK(second == 35);  // three heartbeats after that of second 20
    CHECK(news->starts_with("no heartbeat of process 10 on node2 in " + (folder / "lease.json") + " for 15 s: "));
  }
  CHECK(said == 1);
  ++holder.heartbeat;
  write(to_text(holder));
  CHECK(watch.look(seconds{60}).value_or("").ends_with(" goes on"));
  CHECK(!watch.look(seconds{61}));
  std::filesystem::remove(folder / "lease.json");  // the holder has ended
  CHECK(!watch.look(seconds{100}));
}

}  // namespace
}  // namespace lockstep
