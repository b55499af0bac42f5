#include "base/slurm_tasks.h"

#include <doctest/doctest.h>

namespace lockstep {

TEST_CASE("tasks per node, as Slurm writes them") {
  CHECK(tasks_on_node("4", 0) == 4);
  CHECK(tasks_on_node("2(x3),1", 0) == 2);
  CHECK(tasks_on_node("2(x3),1", 2) == 2);
  CHECK(tasks_on_node("2(x3),1", 3) == 1);
  CHECK(tasks_on_node("3,2(x2),16", 3) == 16);
  CHECK_FALSE(tasks_on_node("2(x3),1", 4).has_value());
  CHECK_FALSE(tasks_on_node("2", -1).has_value());
  for (const char* broken : {"", "x", "2(x", "2(xa)", "2(x0", ",2", "2;3"}) {
    CAPTURE(broken);
    CHECK_FALSE(tasks_on_node(broken, 1).has_value());
  }
}

}  // namespace lockstep
