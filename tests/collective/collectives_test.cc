// Every combination of type, size, operation, backend, ranks and groups, compared with closed forms.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "collective/backends.h"
#include "collective/slices.h"
#include "collective/sum_kernels.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

template <class T>
constexpr bool is_half = std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>;

template <class T>
T of_integer(int number) {
  if constexpr (is_half<T>)
    return narrowed<T>(static_cast<float>(number));
  else
    return static_cast<T>(number);  // uint8: modulo 256
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

// Rank r has (r + 1) times this at element i. All sums are exact: bfloat16 represents the integers up to 256, and eight
// ranks sum up to 36 times this.
template <class T>
int pattern(std::size_t i) {
  return static_cast<int>(i % (is_half<T> ? 7 : 97)) + 1;
}

template <class T>
std::vector<T> values_of(const Communicator& communicator, std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = of_integer<T>((communicator.rank() + 1) * pattern<T>(i));
  return values;
}

template <class T>
Tensor tensor(std::vector<T>& values) {
  return {values.data(), dtype_of<T>(), {std::ssize(values)}};
}

template <class T>
int wrong_sums(const Communicator& communicator, const std::vector<T>& values, FlatRange range) {
  const int ranks = communicator.size() * (communicator.size() + 1) / 2;
  int wrong = 0;
  for (auto i = static_cast<std::size_t>(range.begin); i < static_cast<std::size_t>(range.end); ++i) {
    wrong += same_bits(values[i], of_integer<T>(ranks * pattern<T>(i))) ? 0 : 1;
  }
  return wrong;
}

// Slices as equal as possible, at multiples of 64, and everything to the last rank.
std::vector<std::vector<FlatRange>> slicings(std::int64_t count, int ranks) {
  std::vector<FlatRange> all_to_last(static_cast<std::size_t>(ranks));
  all_to_last.back() = {0, count};
  return {equal_slices(count, ranks), equal_slices(count, ranks, 64), all_to_last};
}

std::vector<std::int64_t> counts(const Communicator& communicator) {
  const std::int64_t size = communicator.size();
  return {0, 1, size - 1, size + 1, 1003, 100'003};
}

template <class T>
void check_sums(Communicator& communicator) {
  const std::string type = name(dtype_of<T>());
  CAPTURE(type);
  for (const std::int64_t count : counts(communicator)) {
    CAPTURE(count);
    std::vector<T> values = values_of<T>(communicator, count);
    communicator.wait(communicator.all_reduce(tensor(values)));
    CHECK(wrong_sums(communicator, values, {0, count}) == 0);
    for (const std::vector<FlatRange>& slices : slicings(count, communicator.size())) {
      values = values_of<T>(communicator, count);
      communicator.wait(communicator.reduce_scatter(tensor(values), slices));
      CHECK(wrong_sums(communicator, values, slices[static_cast<std::size_t>(communicator.rank())]) == 0);
    }
  }
}

// Byte i of rank r, for operations that only copy.
std::byte byte_of(int rank, std::size_t i) {
  return static_cast<std::byte>(static_cast<std::size_t>(rank) * 59 + i * 7 + i / 256);
}

void fill(std::span<std::byte> bytes, int rank) {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = byte_of(rank, i);
}

int wrong_bytes(std::span<const std::byte> bytes, std::size_t begin, std::size_t end, int rank) {
  int wrong = 0;
  for (std::size_t i = begin; i < end; ++i) wrong += bytes[i] != byte_of(rank, i) ? 1 : 0;
  return wrong;
}

void check_copies(Communicator& communicator, DType dtype) {
  const std::string type = name(dtype);
  CAPTURE(type);
  const std::size_t element = size_of(dtype);
  for (const std::int64_t count : counts(communicator)) {
    CAPTURE(count);
    std::vector<std::byte> bytes(static_cast<std::size_t>(count) * element);
    const Tensor values(bytes.data(), dtype, {count});
    for (const std::vector<FlatRange>& slices : slicings(count, communicator.size())) {
      fill(bytes, communicator.rank());
      communicator.wait(communicator.all_gather(values, slices));
      int wrong = 0;
      for (int rank = 0; rank < communicator.size(); ++rank) {
        const FlatRange slice = slices[static_cast<std::size_t>(rank)];
        wrong += wrong_bytes(bytes, static_cast<std::size_t>(slice.begin) * element,
                             static_cast<std::size_t>(slice.end) * element, rank);
      }
      CHECK(wrong == 0);
    }
    for (const int root : {0, communicator.size() - 1}) {
      fill(bytes, communicator.rank());
      communicator.wait(communicator.broadcast(values, root));
      CHECK(wrong_bytes(bytes, 0, bytes.size(), root) == 0);
    }
  }
}

// Values whose sums depend on the order in which they are added.
std::vector<float> rough_values(int rank, std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = 1.0F / static_cast<float>(i + 3 * static_cast<std::size_t>(rank) + 1);
  return values;
}

}  // namespace

TEST_CASE("all_reduce and reduce_scatter of every type, any count, any slices") {
  for_backends([](Communicator& communicator, RankContext&) {
    check_sums<float>(communicator);
    check_sums<double>(communicator);
    check_sums<std::uint8_t>(communicator);
    check_sums<BFloat16>(communicator);
    check_sums<Float16>(communicator);
  });
}

TEST_CASE("all_gather and broadcast of every type, any count, any slices, from the first and the last rank") {
  for_backends([](Communicator& communicator, RankContext&) {
    for (const DType dtype :
         {DType::float32, DType::float64, DType::int32, DType::int64, DType::uint8, DType::bfloat16, DType::float16}) {
      check_copies(communicator, dtype);
    }
  });
}

TEST_CASE("nobody leaves a barrier before all have come") {
  for_backends([](Communicator& communicator, RankContext& context) {
    const std::vector<int> lines = all_gather_value(communicator, context.communicator.rank());
    const std::int64_t before = context.trace.line().step.load();
    for (std::int64_t round = 1; round <= 20; ++round) {
      context.trace.step(before + round);
      communicator.barrier();
      // Steps are relaxed stores; a barrier of communicators in shared memory orders them.
      for (const int line : lines) CHECK(context.page.line(line).step.load() >= before + round);
      communicator.barrier();
    }
  });
}

TEST_CASE("where all_reduce and reduce_scatter have the same bits, both sum in the order of ranks") {
  constexpr std::size_t kCount = 1003;
  for_backends([](Communicator& communicator, RankContext&) {
    if (!communicator.scatters_alike()) return;
    std::vector<std::vector<float>> of_ranks;
    std::vector<const void*> sources;
    for (int rank = 0; rank < communicator.size(); ++rank) of_ranks.push_back(rough_values(rank, kCount));
    for (const std::vector<float>& values : of_ranks) sources.push_back(values.data());
    std::vector<float> expected(kCount);
    void* const destination = expected.data();
    sum_into(DType::float32, sources, {&destination, 1}, kCount);

    std::vector<float> values = rough_values(communicator.rank(), kCount);
    communicator.wait(communicator.all_reduce(tensor(values)));
    CHECK(std::memcmp(values.data(), expected.data(), kCount * sizeof(float)) == 0);
    for (const std::vector<FlatRange>& slices : slicings(kCount, communicator.size())) {
      values = rough_values(communicator.rank(), kCount);
      communicator.wait(communicator.reduce_scatter(tensor(values), slices));
      const FlatRange mine = slices[static_cast<std::size_t>(communicator.rank())];
      CHECK(std::equal(values.begin() + mine.begin, values.begin() + mine.end, expected.begin() + mine.begin));
    }
  });
}

}  // namespace lockstep
