#include "collective/sum_kernels.h"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "base/error.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

template <class T>
T of_number(double number) {
  if constexpr (std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>)
    return narrowed<T>(static_cast<float>(number));
  else
    return static_cast<T>(number);
}

template <class T>
auto number_of(T value) {
  if constexpr (std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>)
    return widened(value);
  else
    return value;
}

// Values whose sums depend on the order in which they are added.
template <class T>
T value(std::size_t source, std::size_t i) {
  if constexpr (std::is_same_v<T, std::uint8_t>) return static_cast<T>(31 * source + 7 * i + 3);
  const double sign = (source + i) % 2 == 0 ? 1 : -1;
  return of_number<T>(sign / static_cast<double>(1 + (7 * i + 13 * source) % 101));
}

// Sums in the order of sources, in the type used for accumulation.
template <class T>
T reference(std::size_t sources, std::size_t i) {
  auto sum = number_of(value<T>(0, i));
  for (std::size_t s = 1; s < sources; ++s) sum = static_cast<decltype(sum)>(sum + number_of(value<T>(s, i)));
  return of_number<T>(sum);
}

// in_place: every source is a destination; otherwise there are two separate destinations.
template <class T>
void check_sum(std::size_t sources, std::size_t count, bool in_place) {
  CAPTURE(sources);
  CAPTURE(count);
  CAPTURE(in_place);
  std::vector<std::vector<T>> arrays(sources + 2, std::vector<T>(count + 1, of_number<T>(5)));
  for (std::size_t s = 0; s < sources; ++s) {
    for (std::size_t i = 0; i < count; ++i) arrays[s][i] = value<T>(s, i);
  }
  std::vector<const void*> from;
  std::vector<void*> to;
  for (std::size_t s = 0; s < sources; ++s) from.push_back(arrays[s].data());
  for (std::size_t d = 0; d < arrays.size(); ++d) {
    if ((d < sources) == in_place) to.insert(to.begin(), arrays[d].data());  // in another order than the sources
  }
  sum_into(dtype_of<T>(), from, to, static_cast<std::int64_t>(count));
  std::size_t wrong = 0;
  for (std::size_t d = 0; d < arrays.size(); ++d) {
    wrong += number_of(arrays[d][count]) == number_of(of_number<T>(5)) ? 0 : 1;  // nothing written after the end
    for (std::size_t i = 0; i < count && d < sources; ++i) {
      const T expected = in_place ? reference<T>(sources, i) : value<T>(d, i);
      wrong += std::memcmp(&arrays[d][i], &expected, sizeof(T)) == 0 ? 0 : 1;
    }
    for (std::size_t i = 0; i < count && d >= sources && !in_place; ++i) {
      const T expected = reference<T>(sources, i);
      wrong += std::memcmp(&arrays[d][i], &expected, sizeof(T)) == 0 ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

template <class T>
void check_sums() {
  for (const std::size_t sources : {1U, 2U, 3U, 4U, 5U, 8U, 11U}) {
    for (const std::size_t count : {0U, 1U, 65U, 9001U}) {
      check_sum<T>(sources, count, true);
      check_sum<T>(sources, count, false);
    }
  }
}

}  // namespace

TEST_CASE("sum_into adds in the order of the sources, whole blocks and what remains, in place and not") {
  check_sums<float>();
  check_sums<double>();
  check_sums<std::uint8_t>();
  check_sums<BFloat16>();
  check_sums<Float16>();
}

TEST_CASE("the 16-bit types are rounded once") {
  // 256 + 1 + 1: rounded after each addition it would stay 256, of which 1 is half a unit in the last place.
  BFloat16 values[3] = {narrowed<BFloat16>(256), narrowed<BFloat16>(1), narrowed<BFloat16>(1)};
  const void* const sources[] = {&values[0], &values[1], &values[2]};
  void* const destination = &values[1];
  sum_into(DType::bfloat16, sources, {&destination, 1}, 1);
  CHECK(widened(values[1]) == 258);
}

TEST_CASE("what there are no sums of is refused") {
  std::int32_t values[2] = {};
  const void* const sources[] = {&values[0], &values[1]};
  void* const destination = &values[0];
  CHECK_THROWS_AS(sum_into(DType::int32, sources, {&destination, 1}, 1), Error);
  CHECK_THROWS_AS(sum_into(DType::float32, {}, {&destination, 1}, 1), Error);
}

}  // namespace lockstep
