#include "collective/shm/memory_need.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

constexpr std::uint64_t kMega = 1'000'000;

using Groups = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // number, megabytes free

MemoryNeed need(std::uint64_t megabytes, const Groups& groups) {
  MemoryNeed need{.bytes = megabytes * kMega};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    need.groups.at(i) = {.id = groups[i].first, .limit = 1000 * kMega, .free = groups[i].second * kMega};
  }
  return need;
}
MemoryNeed need(std::uint64_t megabytes, std::uint64_t group, std::uint64_t free) {
  return need(megabytes, Groups{{group, free}});
}

}  // namespace

TEST_CASE("the ranks of a control group need their memory together, those of others do not count") {
  const std::vector<int> ranks{4, 5, 6};
  const auto why = [&ranks](const std::vector<MemoryNeed>& needs) { return lacks_memory(needs, ranks); };
  CHECK(why({need(100, 0, 0), need(100, 0, 0), need(100, 0, 0)}).empty());  // no limits
  CHECK(why({need(100, 7, 300), need(100, 7, 300), need(100, 7, 300)}).empty());
  CHECK(why({need(100, 7, 100), need(100, 8, 100), need(100, 9, 100)}).empty());
  CHECK(why({need(0, 7, 0), need(0, 7, 0), need(0, 7, 0)}).empty());
  const std::string together = why({need(100, 8, 900), need(100, 7, 199), need(100, 7, 205)});
  CHECK(together ==
        "rank 5 gets no 100.0 MB of shared memory: its control group (cgroup) has 199.0 MB left of 1000.0 MB, and its "
        "ranks would take 200.0 MB");
  CHECK(why({need(0, 7, 99), need(0, 7, 99), need(100, 7, 99)}).starts_with("rank 6 gets no 100.0 MB"));
}

TEST_CASE("a group around those of the ranks counts, too, whichever of a rank's groups has least") {
  const std::vector<int> ranks{0, 1};
  const std::string around = lacks_memory(std::vector{need(180, {{7, 200}, {1, 300}}), need(180, {{1, 300}})}, ranks);
  CHECK(around.find("has 300.0 MB left of 1000.0 MB, and its ranks would take 360.0 MB") != std::string::npos);
  CHECK(lacks_memory(std::vector{need(180, {{7, 200}, {1, 400}}), need(180, {{8, 200}, {1, 400}})}, ranks).empty());
}

TEST_CASE("this process's need is its bytes") { CHECK(memory_need(5).bytes == 5); }

}  // namespace lockstep
