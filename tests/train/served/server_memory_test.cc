#include "train/served/server_memory.h"

#include <doctest/doctest.h>

namespace lockstep {
namespace {

// 3 clients; two servers with 100 and 50 values.
PsGroup small_group() { return {.clients = 3, .ranges = {{0, 100}, {100, 150}}}; }

}  // namespace

TEST_CASE("the memory of servers: copies, two mailboxes of each client, state, and a copy of the state") {
  const ServerMemory adam = server_memory(small_group(), {0}, {.copies = 3, .slots = 2});
  CHECK(adam.values == 4 * 100 * 3);
  CHECK(adam.mailboxes == 4 * 100 * 6);
  CHECK(adam.state == 4 * 100 * 2);
  CHECK(adam.cut == 4 * 100 * 3);
  CHECK(adam.total() == 4 * 100 * (3 + 6 + 2 + 3));
  CHECK(server_memory(small_group(), {0, 1}, {.copies = 2, .slots = 0, .sums = true}).total() ==
        4 * 150 * (2 + 6 + 1 + 1));
  const ServerMemory averaged = server_memory(small_group(), {1}, {.copies = 3, .slots = 1, .averages = true});
  CHECK(averaged.state == 4 * 50 * 2);
  CHECK(averaged.cut == 4 * 50 * 3);
  CHECK(server_memory(small_group(), {0}, {.copies = 3, .adds = true}).total() == 4 * 100 * (2 + 0 + 0 + 1));
  CHECK(server_memory(small_group(), {}, {}).total() == 0);
  PsGroup narrow = small_group();
  narrow.wire_dtype = DType::bfloat16;
  const ServerMemory rounded = server_memory(narrow, {0}, {.copies = 3, .slots = 1, .averages = true});
  CHECK(rounded.values == 2 * 100 * 3 + 4 * 100);
  CHECK(rounded.mailboxes == 2 * 100 * 6);
  CHECK(rounded.state == 4 * 100 * 3);  // with a widened gradient
  CHECK(rounded.cut == 4 * 100 * 3);
}

TEST_CASE("servers that need more than their host has are refused, more than is free warned of") {
  const ServerMemory need{.values = 300'000'000, .mailboxes = 600'000'000, .state = 200'000'000, .cut = 300'000'000};
  const std::string parts =
      "1 parameter server on a will take 1400.0 MB of memory (values 300.0 MB, gradients of the ranks that train 600.0 "
      "MB, optimizer 200.0 MB, and 300.0 MB while a state is saved), and 1000.0 MB are free; what helps: ";
  const std::string who = "1 parameter server on a";
  CHECK(impossible_servers(who, need, {.total = 1'400'000'000}).empty());
  CHECK(impossible_servers(who, need, {}).empty());  // unknown
  CHECK(impossible_servers(who, need, {.total = 1'399'000'000})
            .find("1 parameter server on a would take 1400.0 MB of memory (") == 0);
  CHECK(impossible_servers(who, need, {.total = 1'399'000'000}).find("), and the host has 1399.0 MB; what helps: ") !=
        std::string::npos);
  CHECK(impossible_servers(who, need, {.total = 1'399'000'000, .of_cgroup = true})
            .find("the control group (cgroup) allows 1399.0 MB; ") != std::string::npos);
  CHECK(tight_servers(who, need, {.total = 2'000'000'000, .free = 1'400'000'000}).empty());
  CHECK(tight_servers(who, need, {.total = 2'000'000'000, .free = 1'000'000'000}).find(parts) == 0);
}

}  // namespace lockstep
