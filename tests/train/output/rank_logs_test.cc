#include "train/output/rank_logs.h"

#include <doctest/doctest.h>

namespace lockstep {

TEST_CASE("ranks without a log file: a line for each host") {
  CHECK(describe_missing_logs({}).empty());
  const std::vector<MissingLog> missing = {
      {1, "node2", "cannot write a"}, {3, "node3", "cannot write b"}, {4, "node2", "cannot write c"}};
  CHECK(describe_missing_logs(missing) ==
        std::vector<std::string>{"ranks 1, 4 on node2 log to the standard error only: cannot write a",
                                 "rank 3 on node3 logs to the standard error only: cannot write b"});
}

}  // namespace lockstep
