// Messages between ranks that are threads, and between MPI's.
#include "collective/messages.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "support/check_error.h"
#include "support/ranks.h"

namespace lockstep {
namespace {

using Bytes = std::vector<std::byte>;
using Started = Messages::Started;

// The bytes of one message: they differ from those of every other sender, tag and number.
Bytes message_of(std::size_t size, int from, int tag, int number) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::byte>((static_cast<int>(i % 83) + 7 * from + 31 * tag + 57 * number) % 251);
  }
  return bytes;
}

// Small ones, and every seventh one too large to be copied by send().
std::size_t odd_size(int number) { return static_cast<std::size_t>(number % 7 == 6 ? 5001 + number : 3 * number); }

template <class Condition>
void wait_until(const std::string& what, Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) FAIL("after 60 s, not yet: " << what);
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

void wait_for(Messages& messages, const std::vector<Started>& all) {
  wait_until("all are done",
             [&] { return std::ranges::all_of(all, [&](const Started& started) { return messages.done(started); }); });
}

Bytes receive_next(Messages& messages, int from, int tag) {
  std::optional<Messages::Arrival> arrival;
  wait_until("a message has arrived", [&] { return (arrival = messages.arrived_from(from, tag)).has_value(); });
  CHECK(arrival->from == from);
  Bytes bytes(static_cast<std::size_t>(arrival->bytes));
  wait_for(messages, {messages.receive(from, tag, bytes)});
  return bytes;
}

// Runs body as every rank with its Messages, and closes them.
template <class Body>
void for_message_ranks(Body body) {
  for_rank_contexts([&body](RankContext& context) {
    const auto messages = make_messages(context);
    REQUIRE(messages->rank() == context.communicator.rank());
    REQUIRE(messages->size() == context.communicator.size());
    body(*messages, context);
    messages->close();
  });
}

int next(const Messages& messages) { return (messages.rank() + 1) % messages.size(); }
int previous(const Messages& messages) { return (messages.rank() + messages.size() - 1) % messages.size(); }

}  // namespace

TEST_CASE("messages of one sender and tag keep their order, and other tags do not get in the way") {
  for_message_ranks([](Messages& messages, RankContext& /*context*/) {
    constexpr int kNumber = 30;
    std::vector<Bytes> sent;
    std::vector<Started> started;
    std::vector<Bytes> received;
    const int from = previous(messages);
    // The first half of tag 0's receives is started before the messages are there.
    for (int i = 0; i < kNumber / 2; ++i) {
      Bytes& into = received.emplace_back(odd_size(i));
      started.push_back(messages.receive(from, 0, into));
    }
    for (int i = 0; i < kNumber; ++i) {
      for (const int tag : {0, 999}) {
        Bytes& bytes = sent.emplace_back(message_of(odd_size(i), messages.rank(), tag, i));
        started.push_back(messages.send(next(messages), tag, bytes));
      }
    }
    for (int i = 0; i < kNumber; ++i) CHECK(receive_next(messages, from, 999) == message_of(odd_size(i), from, 999, i));
    for (int i = kNumber / 2; i < kNumber; ++i) received.push_back(receive_next(messages, from, 0));
    wait_for(messages, started);
    for (int i = 0; i < kNumber; ++i) {
      CHECK(received[static_cast<std::size_t>(i)] == message_of(odd_size(i), from, 0, i));
    }
    CHECK(std::ranges::all_of(started, [&](const Started& again) { return messages.done(again); }));
    CHECK(messages.done({}));
  });
}

TEST_CASE("arrived: whichever sender's; the same message until it is received") {
  for_message_ranks([](Messages& messages, RankContext& context) {
    const int rank = messages.rank();
    CHECK_FALSE(messages.arrived(5).has_value());
    meet(context.communicator);
    const Bytes mine = message_of(static_cast<std::size_t>(1000 * rank), rank, 5, 0);
    const Started sending = messages.send(0, 5, mine);
    if (rank == 0) {
      std::vector<int> seen(static_cast<std::size_t>(messages.size()), 0);
      for (int i = 0; i < messages.size(); ++i) {
        std::optional<Messages::Arrival> arrival;
        wait_until("a message of tag 5", [&] { return (arrival = messages.arrived(5)).has_value(); });
        CHECK(arrival->bytes == 1000 * arrival->from);
        CHECK(messages.arrived_from(arrival->from, 5)->bytes == arrival->bytes);
        CHECK_FALSE(messages.arrived_from(arrival->from, 6).has_value());
        ++seen[static_cast<std::size_t>(arrival->from)];
        CHECK(receive_next(messages, arrival->from, 5) ==
              message_of(static_cast<std::size_t>(arrival->bytes), arrival->from, 5, 0));
      }
      CHECK(std::ranges::all_of(seen, [](int times) { return times == 1; }));
    }
    wait_for(messages, {sending});
    CHECK_FALSE(messages.arrived(5).has_value());
    CHECK_FALSE(messages.arrived(6).has_value());
  });
}

TEST_CASE("messages of all sizes, from all to all at once") {
  for_message_ranks([](Messages& messages, RankContext& /*context*/) {
    const std::vector<std::size_t> sizes{0, 1, 4095, 4096, 4097, 65537, (1 << 20) + 13};
    std::vector<Bytes> sent;
    std::vector<Bytes> received;
    std::vector<Started> started;
    for (int peer = 0; peer < messages.size(); ++peer) {
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        started.push_back(messages.receive(peer, 3, received.emplace_back(sizes[i])));
        sent.push_back(message_of(sizes[i], messages.rank(), 3, peer));
        started.push_back(messages.send(peer, 3, sent.back()));
      }
    }
    wait_for(messages, started);
    for (std::size_t i = 0; i < received.size(); ++i) {
      const int from = static_cast<int>(i / sizes.size());
      CHECK(received[i] == message_of(sizes[i % sizes.size()], from, 3, messages.rank()));
    }
  });
}

TEST_CASE("200 messages of each rank to one: none is lost, none comes twice") {
  for_message_ranks([](Messages& messages, RankContext& /*context*/) {
    constexpr int kNumber = 200;
    constexpr int kTagsUsed = 3;
    std::vector<Bytes> sent;
    std::vector<Started> started;
    for (int i = 0; i < kNumber; ++i) {
      sent.push_back(message_of(odd_size(i), messages.rank(), i % kTagsUsed, i));
      started.push_back(messages.send(0, i % kTagsUsed, sent.back()));
    }
    if (messages.rank() == 0) {
      // For each sender and tag, the number of the message that is to come.
      std::vector<std::vector<int>> expected(static_cast<std::size_t>(messages.size()), {0, 1, 2});
      for (int left = kNumber * messages.size(); left > 0; --left) {
        std::optional<Messages::Arrival> arrival;
        int tag = 0;
        wait_until("another message", [&] {
          tag = (tag + 1) % kTagsUsed;
          return (arrival = messages.arrived(tag)).has_value();
        });
        int& number = expected[static_cast<std::size_t>(arrival->from)][static_cast<std::size_t>(tag)];
        CHECK(receive_next(messages, arrival->from, tag) == message_of(odd_size(number), arrival->from, tag, number));
        number += kTagsUsed;
      }
      // The first number of each tag that is not among the 200 that were sent.
      for (const std::vector<int>& numbers : expected) CHECK(numbers == std::vector<int>{201, 202, 200});
    }
    wait_for(messages, started);
    for (int tag = 0; tag < kTagsUsed; ++tag) CHECK_FALSE(messages.arrived(tag).has_value());
  });
}

TEST_CASE("a message goes round the ring, and each rank adds to it") {
  for_message_ranks([](Messages& messages, RankContext& /*context*/) {
    constexpr int kRounds = 3;
    for (const std::size_t size : {1U, 4099U, 100003U}) {
      Bytes token(size, std::byte{5});
      for (int round = 0; round < kRounds; ++round) {
        if (messages.rank() == 0) {
          const Started sending = messages.send(next(messages), 1, token);
          Bytes back = receive_next(messages, previous(messages), 1);
          wait_for(messages, {sending});
          token = std::move(back);
        } else {
          token = receive_next(messages, previous(messages), 1);
        }
        for (std::byte& value : token) value = static_cast<std::byte>(static_cast<int>(value) + 1);
        if (messages.rank() != 0) wait_for(messages, {messages.send(next(messages), 1, token)});
      }
      if (messages.rank() == 0) CHECK(token == Bytes(size, static_cast<std::byte>(5 + kRounds * messages.size())));
    }
  });
}

TEST_CASE("a message of another size is named, and can still be received as what it is") {
  for_message_ranks([](Messages& messages, RankContext& /*context*/) {
    for (const std::size_t size : {100U, 5000U}) {
      const Bytes sent = message_of(size, messages.rank(), 7, 0);
      const Started sending = messages.send(next(messages), 7, sent);
      const int from = previous(messages);
      wait_until("the message", [&] { return messages.arrived_from(from, 7).has_value(); });
      for (const std::size_t expected : {size - 1, size + 1, std::size_t{0}}) {
        Bytes into(expected);
        const std::vector<std::string> parts{"tag 7", "from rank " + std::to_string(from),
                                             "message of " + std::to_string(expected) + " bytes",
                                             "sends " + std::to_string(size) + " bytes"};
        check_error(ExitCode::internal, {parts[0], parts[1], parts[2], parts[3]},
                    [&] { messages.receive(from, 7, into); });
      }
      CHECK(receive_next(messages, from, 7) == message_of(size, from, 7, 0));
      wait_for(messages, {sending});
    }
  });
}

TEST_CASE("a message that comes later and is shorter than expected is named") {
  for_rank_contexts([](RankContext& context) {
    const auto messages = make_messages(context);  // not closed, after an error
    Bytes into(101);
    const Started receiving = messages->receive(previous(*messages), 7, into);
    meet(context.communicator);
    const Bytes sent(100);
    const Started sending = messages->send(next(*messages), 7, sent);
    const std::string sender = "from rank " + std::to_string(previous(*messages));
    check_error(ExitCode::internal, {"tag 7", sender, "message of 101 bytes", "sends 100 bytes"}, [&] {
      wait_for(*messages, {receiving, sending});
    });
    meet(context.communicator);
  });
}

TEST_CASE("a buffer is the sender's again when the send is done") {
  for_message_ranks([](Messages& messages, RankContext& context) {
    constexpr std::size_t kSize = 200001;
    Bytes sent = message_of(kSize, messages.rank(), 2, 0);
    const Started sending = messages.send(next(messages), 2, sent);
    if (context.threads != nullptr) CHECK_FALSE(messages.done(sending));  // MPI may copy it
    meet(context.communicator);
    Bytes received(kSize);
    const Started receiving = messages.receive(previous(messages), 2, received);
    wait_for(messages, {sending});
    std::ranges::fill(sent, std::byte{255});
    wait_for(messages, {receiving});
    CHECK(received == message_of(kSize, previous(messages), 2, 0));
  });
}

TEST_CASE("misuse") {
  for_message_ranks([](Messages& messages, RankContext& /*context*/) {
    Bytes byte(1);
    check_error(ExitCode::internal, {"tag 1000"}, [&] { messages.send(0, 1000, byte); });
    check_error(ExitCode::internal, {"tag -1"}, [&] { messages.arrived(-1); });
    check_error(ExitCode::internal, {"a message with rank"}, [&] { messages.receive(messages.size(), 0, byte); });
    check_error(ExitCode::internal, {"message 99, of 0"}, [&] { messages.done({99}); });
    const Started receiving = messages.receive(messages.rank(), 0, byte);
    check_error(ExitCode::internal, {"close()", "1 messages", "not done"}, [&] { messages.close(); });
    const Bytes sent{std::byte{9}};
    wait_for(messages, {messages.send(messages.rank(), 0, sent), receiving});
    CHECK(byte == sent);
  });
}

TEST_CASE("threads: when one rank fails, the others' calls fail, and nobody reads its memory") {
  const auto one_fails = [](RankContext& context) {
    const auto messages = make_messages(context);
    const Bytes large(5000);
    if (messages->rank() == 1) {
      messages->send(0, 0, large);
      throw Error(ExitCode::internal, "rank 1 has had enough");
    }
    Bytes into(1);
    const Started never = messages->receive(1, 1, into);
    check_error(ExitCode::internal, {"rank 1 of 3 failed", "had enough"}, [&] { wait_for(*messages, {never}); });
    CHECK_THROWS_AS(messages->send(0, 0, large), Error);
    CHECK_THROWS_AS(messages->arrived(0), Error);
  };
  check_error(ExitCode::internal, {"rank 1 has had enough"}, [&] { for_thread_ranks(3, one_fails); });
}

}  // namespace lockstep
