#include "launch/flags/collective_name.h"

#include <doctest/doctest.h>

#include <string>

namespace lockstep {

TEST_CASE("--collective takes TensorFlow's names") {
  const Registry registry = builtin_registry();
  const auto called = [&](const std::string& text) { return collective_called(text, registry); };
  CHECK(called("RING") == "ring");
  CHECK(called("tf.distribute.experimental.CollectiveCommunication.RING") == "ring");
  CHECK(called("CommunicationImplementation.NCCL") == "nccl");
  CHECK(called("AUTO") == "auto");
  CHECK(called("tf.distribute.NcclAllReduce") == "nccl");
  CHECK(called("HierarchicalCopyAllReduce") == "hierarchical");
  CHECK(called("hierarchical_copy") == "hierarchical");
  CHECK(called("mpi") == "mpi");
  CHECK(called("ringg") == "ringg");
  CHECK(called("AllReduce") == "AllReduce");
  for (const CollectiveAlias& alias : collective_aliases()) CHECK(registry.communicators.has(alias.own));
}

}  // namespace lockstep
