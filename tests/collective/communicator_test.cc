// Guarantees of every communicator, on ranks as threads and, with --mpi, on the world of mpirun.
#include "collective/communicator.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "support/ranks.h"

namespace lockstep {
namespace {

// A small integer for each element; if W ranks hold (rank + 1) times it, the sum is W (W + 1) / 2 times it.
template <class T>
T pattern(std::size_t element) {
  return static_cast<T>(element % 97 + 1);
}

template <class T>
void check_all_reduce(Communicator& communicator, std::int64_t count) {
  CAPTURE(count);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(communicator.rank() + 1) * pattern<T>(i);
  communicator.wait(communicator.all_reduce({values.data(), dtype_of<T>(), {count}}));
  const T ranks = static_cast<T>(communicator.size()) * static_cast<T>(communicator.size() + 1) / 2;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) wrong += values[i] != ranks * pattern<T>(i);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("all_reduce sums in place, any count, float32 and float64") {
  for_ranks([](Communicator& communicator) {
    const std::int64_t size = communicator.size();
    for (const std::int64_t count :
         {std::int64_t{0}, std::int64_t{1}, size - 1, size, size + 1, std::int64_t{100'003}}) {
      check_all_reduce<float>(communicator, count);
      check_all_reduce<double>(communicator, count);
    }
  });
}

TEST_CASE("all_reduce above the 16 MB of one piece") {
  for_ranks([](Communicator& communicator) {
    check_all_reduce<float>(communicator, (4 << 20) + 1);
    check_all_reduce<double>(communicator, (2 << 20) + 1);
  });
}

TEST_CASE("all_reduce gives the same bits on every rank") {
  for_ranks([](Communicator& communicator) {
    std::vector<float> values(1001);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = 1.0F / static_cast<float>(i + 3 * static_cast<std::size_t>(communicator.rank()) + 1);
    }
    communicator.wait(communicator.all_reduce({values.data(), DType::float32, {1001}}));
    std::vector<float> all(values.size() * static_cast<std::size_t>(communicator.size()));
    communicator.all_gather(std::as_bytes(std::span(values)), std::as_writable_bytes(std::span(all)));
    for (std::size_t begin = 0; begin < all.size(); begin += values.size()) {
      CHECK(std::memcmp(&all[begin], values.data(), values.size() * sizeof(float)) == 0);
    }
  });
}

TEST_CASE("what cannot be summed is refused before anyone waits") {
  for_ranks([](Communicator& communicator) {
    std::vector<std::int32_t> values(4);
    CHECK_THROWS_AS(communicator.all_reduce({values.data(), DType::int32, {4}}), Error);
    CHECK_THROWS_AS(communicator.all_reduce({values.data(), DType::float32, {4}, {Device::Kind::cuda, 0}}), Error);
  });
}

TEST_CASE("broadcast from each root") {
  for_ranks([](Communicator& communicator) {
    for (int root = 0; root < communicator.size(); ++root) {
      std::vector<int> values(1003, communicator.rank());
      communicator.broadcast(std::as_writable_bytes(std::span(values)), root);
      CHECK(std::ranges::count(values, root) == 1003);
      double one = communicator.rank() + 0.5;
      broadcast_value(communicator, one, root);
      CHECK(one == root + 0.5);
    }
    communicator.broadcast(std::span<std::byte>(), 0);
    CHECK_THROWS_AS(communicator.broadcast(std::span<std::byte>(), communicator.size()), Error);
  });
}

TEST_CASE("all_gather in the order of ranks") {
  for_ranks([](Communicator& communicator) {
    const std::vector<int> all = all_gather_value(communicator, communicator.rank() * 7);
    REQUIRE(static_cast<int>(all.size()) == communicator.size());
    for (int rank = 0; rank < communicator.size(); ++rank) CHECK(all[static_cast<std::size_t>(rank)] == rank * 7);
    communicator.all_gather(std::span<const std::byte>(), std::span<std::byte>());
  });
}

TEST_CASE("exchange: to oneself, several of a pair in order, none, empty ones") {
  for_ranks([](Communicator& communicator) {
    const int rank = communicator.rank();
    const int size = communicator.size();
    // Rank r sends rank t the numbers 100 r + t and then -(100 r + t), and an empty piece in between.
    const auto number = [](int from, int to) { return 100 * from + to; };
    std::vector<int> outbox;
    std::vector<int> inbox(2 * static_cast<std::size_t>(size), 0);
    for (int to = 0; to < size; ++to) outbox.insert(outbox.end(), {number(rank, to), -number(rank, to)});
    std::vector<SendPiece> sends;
    std::vector<ReceivePiece> receives;
    for (int peer = 0; peer < size; ++peer) {
      const auto at = 2 * static_cast<std::size_t>(peer);
      sends.push_back({peer, std::as_bytes(std::span(outbox).subspan(at, 1))});
      sends.push_back({peer, {}});
      sends.push_back({peer, std::as_bytes(std::span(outbox).subspan(at + 1, 1))});
      receives.push_back({peer, std::as_writable_bytes(std::span(inbox).subspan(at, 1))});
      receives.push_back({peer, {}});
      receives.push_back({peer, std::as_writable_bytes(std::span(inbox).subspan(at + 1, 1))});
    }
    communicator.exchange(sends, receives);
    for (int from = 0; from < size; ++from) {
      CHECK(inbox[2 * static_cast<std::size_t>(from)] == number(from, rank));
      CHECK(inbox[2 * static_cast<std::size_t>(from) + 1] == -number(from, rank));
    }

    communicator.exchange({}, {});

    int token = -1;  // around a ring: only neighbours talk
    const SendPiece send{(rank + 1) % size, std::as_bytes(std::span(&rank, 1))};
    const ReceivePiece receive{(rank + size - 1) % size, std::as_writable_bytes(std::span(&token, 1))};
    communicator.exchange({&send, 1}, {&receive, 1});
    CHECK(token == (rank + size - 1) % size);

    const SendPiece nobody{size, {}};
    CHECK_THROWS_AS(communicator.exchange({&nobody, 1}, {}), Error);
  });
}

TEST_CASE("split: by color, ordered by key, and a group that lacks rank 0") {
  for_ranks([](Communicator& communicator) {
    const int rank = communicator.rank();
    const int size = communicator.size();
    const auto parity = communicator.split(rank % 2, -rank);  // in decreasing order of ranks
    REQUIRE(parity != nullptr);
    const std::vector<int> members = all_gather_value(*parity, rank);
    CHECK(static_cast<int>(members.size()) == (size + 1 - rank % 2) / 2);
    CHECK(std::ranges::is_sorted(members, std::greater()));
    CHECK(members[static_cast<std::size_t>(parity->rank())] == rank);
    CHECK(std::ranges::all_of(members, [rank](int member) { return member % 2 == rank % 2; }));
    float sum = 1;
    parity->wait(parity->all_reduce({&sum, DType::float32, {1}}));
    CHECK(sum == static_cast<float>(parity->size()));
    parity->close();

    const auto compute = communicator.split(rank == 0 ? -1 : 0, rank);
    CHECK((compute == nullptr) == (rank == 0));
    if (compute != nullptr) {
      CHECK(compute->size() == size - 1);
      CHECK(compute->rank() == rank - 1);
      check_all_reduce<float>(*compute, 1001);
      const auto halves = compute->split(compute->rank() % 2, 0);  // a subgroup of a group
      meet(*halves);
      halves->close();
      compute->close();
    }
    meet(communicator);
  });
}

TEST_CASE("operations are marked in the trace, once each") {
  for_rank_contexts([](RankContext& context) {
    const StatusLine& line = context.trace.line();
    float values[3] = {1, 2, 3};
    const std::uint32_t before = line.sequence.load();
    meet(context.communicator);
    context.communicator.all_reduce({values, DType::float32, {3}});
    const TreePlan plan(8, context.communicator.size());
    std::vector<std::vector<float>> parts(plan.parts(context.communicator.rank()).size(), std::vector<float>(3));
    std::vector<Tensor> tensors;
    tensors.reserve(parts.size());
    for (auto& part : parts) tensors.emplace_back(part.data(), DType::float32, Shape{3});
    context.communicator.tree_all_reduce(plan, tensors, {values, DType::float32, {3}});
    CHECK(line.sequence.load() == before + 3);
    CHECK(line.operation.load() == Operation::none);
    CHECK(context.trace.last_operations(1).find(name(Operation::tree_all_reduce)) != std::string::npos);
  });
}

TEST_CASE("a closed communicator refuses") {
  for_ranks([](Communicator& communicator) {
    const auto part = communicator.split(0, 0);
    part->close();
    CHECK_THROWS_AS(meet(*part), Error);
    CHECK_THROWS_AS(part->close(), Error);
  });
}

}  // namespace lockstep
