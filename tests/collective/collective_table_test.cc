#include "collective/collective_table.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace lockstep {
namespace {

using Ranges = std::vector<CollectiveTable::Range>;

CollectiveTable table_of(const std::vector<CollectiveTable::Row>& rows) { return {.rows = rows}; }

std::vector<CollectiveTiming> timings(const std::string& backend, std::int64_t bytes, const std::vector<double>& times,
                                      int hosts = 1, const std::string& operation = "all_reduce") {
  std::vector<CollectiveTiming> result;
  for (const double time : times) result.push_back({operation, bytes, 2, hosts, backend, time});
  return result;
}

CollectiveTable fastest(const std::vector<std::vector<CollectiveTiming>>& lists) {
  std::vector<CollectiveTiming> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return fastest_collectives(all);
}

void check_refused(const std::string& rows, const std::string& why) {
  CAPTURE(rows);
  CHECK_THROWS_WITH_AS(parse_collective_table("{\"collective_table\": " + rows + "}"), doctest::Contains(why.c_str()),
                       JsonError);
}

}  // namespace

TEST_CASE("the table: the range that a size lies in") {
  const CollectiveTable table =
      table_of({{.hosts = 1, .ranks_per_host = 2, .ranges = {{0, "mpi"}, {4096, "shm"}, {1 << 20, "mpi"}}}});
  CHECK(table.backend(0, 2, 1) == "mpi");
  CHECK(table.backend(4095, 2, 1) == "mpi");
  CHECK(table.backend(4096, 2, 1) == "shm");
  CHECK(table.backend((1 << 20) - 1, 2, 1) == "shm");
  CHECK(table.backend(std::int64_t{1} << 40, 2, 1) == "mpi");
}

TEST_CASE("the table: the nearest row of fewer hosts and ranks, else mpi") {
  const CollectiveTable table = table_of({{.hosts = 1, .ranks_per_host = 2, .ranges = {{0, "shm"}}},
                                          {.hosts = 1, .ranks_per_host = 8, .ranges = {{0, "mpi"}}},
                                          {.hosts = 2, .ranks_per_host = 1, .ranges = {{0, "ring"}}},
                                          {.hosts = 2, .ranks_per_host = 4, .ranges = {{0, "hierarchical"}}},
                                          {.hosts = 4, .ranks_per_host = 2, .ranges = {{0, "mpi"}}}});
  CHECK(table.backend(1, 1, 1) == "mpi");
  CHECK(table.backend(1, 2, 1) == "shm");
  CHECK(table.backend(1, 7, 1) == "shm");
  CHECK(table.backend(1, 64, 1) == "mpi");
  CHECK(table.backend(1, 3, 2) == "mpi");
  CHECK(table.backend(1, 1, 5) == "ring");
  CHECK(table.backend(1, 4, 2) == "hierarchical");
  CHECK(table.backend(1, 8, 3) == "hierarchical");
  CHECK(table.backend(1, 8, 9) == "mpi");
  CHECK(CollectiveTable().backend(1, 2, 1) == "mpi");
}

TEST_CASE("the table: the program's own is one that a file could hold, and takes no backend where it cannot work") {
  const CollectiveTable table = default_collective_table();
  CHECK(parse_collective_table(to_json(table)) == table);
  CHECK(table.backend(4 << 20, 2, 1) == "shm");
  CHECK(table.backend(4 << 20, 1, 16) == "mpi");
  CHECK(table.backend(4 << 20, 1, 4) == "ring");
  CHECK(table.backend(4 << 20, 2, 4) == "hierarchical");
  CHECK(table.backend(4 << 20, 1, 1) == "mpi");
}

TEST_CASE("the table: its file") {
  const CollectiveTable table = table_of({{.hosts = 1, .ranks_per_host = 2, .ranges = {{0, "mpi"}, {4096, "shm"}}},
                                          {.hosts = 3, .ranks_per_host = 2, .ranges = {{0, "hierarchical"}}}});
  const std::string text = to_json(table);
  CHECK(text ==
        "{\"collective_table\": [\n"
        "  {\"hosts\": 1, \"ranks_per_host\": 2, \"ranges\": [{\"from_bytes\": 0, \"backend\": \"mpi\"}, "
        "{\"from_bytes\": 4096, \"backend\": \"shm\"}]},\n"
        "  {\"hosts\": 3, \"ranks_per_host\": 2, \"ranges\": [{\"from_bytes\": 0, \"backend\": \"hierarchical\"}]}\n"
        "]}\n");
  CHECK(parse_collective_table(text) == table);
  CHECK(parse_collective_table(R"({"made_on": "node7", "collective_table": []})") == CollectiveTable());
}

TEST_CASE("the table: a file of another form is refused at its place") {
  CHECK_THROWS_WITH_AS(parse_collective_table("[]"), doctest::Contains("expected an object"), JsonError);
  CHECK_THROWS_AS(parse_collective_table("{"), JsonError);
  check_refused(R"([{"hosts": 0}])", "collective_table[0].hosts: expected a number of 1 or more, found 0");
  check_refused(R"([{"hosts": 1, "ranks_per_host": 99999999999, "ranges": []}])", "collective_table[0].ranks_per_host");
  check_refused(R"([{"hosts": 1, "ranks_per_host": 2, "ranges": []}])", "expected a range");
  check_refused(R"([{"hosts": 1, "ranks_per_host": 2, "ranges": [{"from_bytes": 1, "backend": "mpi"}]}])",
                "ranges[0].from_bytes: the first range begins at 0");
  check_refused(R"([{"hosts": 1, "ranks_per_host": 2, "ranges": [{"from_bytes": 0, "backend": "mpi"},
                    {"from_bytes": 0, "backend": "shm"}]}])",
                "ranges[1].from_bytes: expected more");
  check_refused(R"([{"hosts": 2, "ranks_per_host": 2, "ranges": [{"from_bytes": 0, "backend": "shm"}]}])",
                "on several hosts, expected \"mpi\" or \"hierarchical\", found \"shm\"");
  check_refused(R"([{"hosts": 1, "ranks_per_host": 2, "ranges": [{"from_bytes": 0, "backend": "mpi"}]},
                    {"hosts": 1, "ranks_per_host": 2, "ranges": [{"from_bytes": 0, "backend": "shm"}]}])",
                "collective_table[1]: a row before has the same");
}

TEST_CASE("the fastest: mpi, unless another backend is better beyond noise") {
  const auto ranges = [](const std::vector<double>& mpi, const std::vector<double>& shm) {
    return fastest({timings("mpi", 1024, mpi), timings("shm", 1024, shm)}).rows.at(0).ranges;
  };
  CHECK(ranges({10, 11, 12}, {5, 6, 7}) == Ranges{{0, "shm"}});
  CHECK(ranges({10, 11, 12}, {10, 10.6, 12}) == Ranges{{0, "mpi"}});  // 4 % better
  CHECK(ranges({10, 100, 100}, {11, 12, 13}) == Ranges{{0, "mpi"}});  // its best time is worse
  CHECK(ranges({10, 11, 12}, {11, 12, 13}) == Ranges{{0, "mpi"}});
  CHECK(ranges({10}, {9}) == Ranges{{0, "shm"}});
}

TEST_CASE("the fastest: ranges begin where the choice changes, for each number of hosts") {
  const CollectiveTable table =
      fastest({timings("mpi", 4, {1}), timings("shm", 4, {2}), timings("mpi", 1024, {3}), timings("shm", 1024, {1}),
               timings("mpi", 65536, {9}), timings("shm", 65536, {3}), timings("mpi", 1 << 20, {90}, 3),
               timings("hierarchical", 1 << 20, {50}, 3), timings("shm", 1 << 20, {1}, 3)});
  CHECK(table == table_of({{.hosts = 1, .ranks_per_host = 2, .ranges = {{0, "mpi"}, {1024, "shm"}}},
                           {.hosts = 3, .ranks_per_host = 2, .ranges = {{0, "hierarchical"}}}}));
}

TEST_CASE("the fastest: what a table cannot hold is passed over") {
  CHECK(fastest({timings("shm", 1024, {1})}) == CollectiveTable());
  CHECK(fastest({timings("mpi", 4, {5}), timings("gloo", 4, {1}), timings("shm", 4, {1}, 1, "reduce_scatter")}) ==
        table_of({{.hosts = 1, .ranks_per_host = 2, .ranges = {{0, "mpi"}}}}));
}

}  // namespace lockstep
