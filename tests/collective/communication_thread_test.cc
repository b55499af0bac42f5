#include "collective/communication_thread.h"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "base/error.h"
#include "support/ranks.h"

namespace lockstep {

TEST_CASE("the same results, in the order of the calls") {
  for_ranks([](Communicator& world) {
    const auto communicator = make_communication_thread(world.split(0, 0));
    CHECK(communicator->rank() == world.rank());
    CHECK(communicator->size() == world.size());
    std::vector<std::vector<float>> inline_values;
    std::vector<std::vector<float>> values;
    std::vector<Ticket> tickets;
    tickets.reserve(20);
    for (int call = 0; call < 20; ++call) {
      values.emplace_back(static_cast<std::size_t>(100 + call));
      for (std::size_t i = 0; i < values.back().size(); ++i) {
        values.back()[i] = 1.0F / static_cast<float>(i + static_cast<std::size_t>(world.rank() + call) + 1);
      }
    }
    inline_values = values;
    for (auto& one : values) {
      tickets.push_back(
          communicator->all_reduce({one.data(), DType::float32, {static_cast<std::int64_t>(one.size())}}));
    }
    for (const Ticket ticket : tickets) communicator->wait(ticket);
    for (std::size_t call = 0; call < values.size(); ++call) {
      auto& expected = inline_values[call];
      world.all_reduce({expected.data(), DType::float32, {static_cast<std::int64_t>(expected.size())}});
      CHECK(std::memcmp(values[call].data(), expected.data(), expected.size() * sizeof(float)) == 0);
    }

    int root = world.rank();
    broadcast_value(*communicator, root, world.size() - 1);
    CHECK(root == world.size() - 1);
    CHECK(all_gather_value(*communicator, world.rank()).size() == static_cast<std::size_t>(world.size()));
    communicator->exchange({}, {});
    const auto part = communicator->split(world.rank() % 2, 0);
    meet(*part);
    part->close();
    CHECK(communicator->split(-1, 0) == nullptr);
    communicator->close();
    CHECK_THROWS_AS(meet(*communicator), Error);
  });
}

TEST_CASE("set_overlap: the caller's thread makes the same sums, and another one again") {
  for_ranks([](Communicator& world) {
    CHECK_FALSE(world.set_overlap(Overlap::thread));
    const auto communicator = make_communication_thread(world.split(0, 0));
    const Buffer buffer = communicator->allocator().allocate(400);
    const Tensor values = view(buffer, DType::float32, {100});
    for (const Overlap overlap : {Overlap::thread, Overlap::inline_calls, Overlap::thread}) {
      REQUIRE(communicator->set_overlap(overlap));
      for (float& value : values.span<float>()) value = static_cast<float>(world.rank() + 1);
      const Ticket ticket = communicator->all_reduce(values);
      CHECK((ticket.number == 0) == (overlap == Overlap::inline_calls));
      communicator->wait(ticket);
      const auto ranks = static_cast<float>(world.size());
      for (const float value : values.span<float>()) REQUIRE(value == ranks * (ranks + 1) / 2);
      const auto part = communicator->split(world.rank() % 2, 0);
      meet(*part);
      part->close();
      CHECK(all_gather_value(*communicator, world.rank()).size() == static_cast<std::size_t>(world.size()));
    }
    communicator->set_overlap(Overlap::inline_calls);
    std::vector<std::int32_t> integers(3);
    CHECK_THROWS_AS(communicator->all_reduce({integers.data(), DType::int32, {3}}), Error);
    communicator->close();
  });
}

TEST_CASE("wait() throws what the operation threw") {
  for_ranks([](Communicator& world) {
    const auto communicator = make_communication_thread(world.split(0, 0));
    std::vector<std::int32_t> integers(3);
    const Ticket bad = communicator->all_reduce({integers.data(), DType::int32, {3}});
    CHECK_THROWS_AS(communicator->wait(bad), Error);
    CHECK_THROWS_AS(meet(*communicator), Error);
    meet(world);  // before any destructor abandons the group
  });
}

TEST_CASE("memory outlives its Buffer while it is summed, and the communicator that gave it") {
  for_ranks([](Communicator& world) {
    auto communicator = make_communication_thread(world.split(0, 0));
    {
      const Buffer buffer = communicator->allocator().allocate(1 << 20);
      communicator->all_reduce(view(buffer, DType::float32, {1 << 18}));
    }
    meet(*communicator);
    const Buffer kept = communicator->allocator().allocate(64);
    communicator->close();
    communicator.reset();
    static_cast<char*>(kept.data())[63] = 1;
  });
}

TEST_CASE("a rank that gives up in the middle of a sum does not hang, and the others hear of it") {
  const auto body = [](RankContext& context) {
    const auto communicator = make_communication_thread(context.communicator.split(0, 0));
    const Buffer buffer = communicator->allocator().allocate(4000);
    const Tensor values = view(buffer, DType::float32, {1000});
    if (context.communicator.rank() == 1) throw Error(ExitCode::internal, "gone");
    communicator->wait(communicator->all_reduce(values));
  };
  CHECK_THROWS_WITH_AS(for_thread_ranks(3, body), "gone", Error);

  const auto leaves_a_sum = [](RankContext& context) {
    const auto communicator = make_communication_thread(context.communicator.split(0, 0));
    const Buffer buffer = communicator->allocator().allocate(4000);
    if (context.communicator.rank() == 2) meet(context.communicator);  // no other rank calls it
    communicator->all_reduce(view(buffer, DType::float32, {1000}));
    throw Error(ExitCode::internal, "gone");
  };
  CHECK_THROWS_WITH_AS(for_thread_ranks(3, leaves_a_sum), "gone", Error);
}

}  // namespace lockstep
