#include "collective/sum_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "base/error.h"
#include "base/multiversion.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

// Two neighbours of bfloat16, which are summed in place, in the halves of a word: so vectors of words need no unpacking
// into twice as many, and sums take 0.4 of the time. The bits are those of widened() and narrowed() of each.
struct BFloat16Pair {
  using Word [[gnu::aligned(alignof(BFloat16)), gnu::may_alias]] = std::uint32_t;
  Word bits;
};
struct FloatPair {
  float low, high;
};

// The type in which values of T are added.
template <class T>
struct SumTypeOf {
  using Type = T;
};
template <>
struct SumTypeOf<Float16> {
  using Type = float;
};
template <>
struct SumTypeOf<BFloat16Pair> {
  using Type = FloatPair;
};
template <class T>
using SumOf = typename SumTypeOf<T>::Type;

template <class T>
LS_INLINE SumOf<T> wide(T value) {
  if constexpr (std::is_same_v<T, BFloat16Pair>) {
    const std::uint32_t bits = value.bits;
    return {std::bit_cast<float>(bits << 16), std::bit_cast<float>(bits & 0xffff0000U)};
  } else {
    return value;
  }
}

template <class T>
LS_INLINE T kept(SumOf<T> sum) {
  if constexpr (std::is_same_v<T, BFloat16Pair>) {
    const std::uint32_t high = narrowed<BFloat16>(sum.high).bits;
    return {narrowed<BFloat16>(sum.low).bits | high << 16};
  } else {
    return sum;
  }
}

template <class Sum>
LS_INLINE Sum plus(Sum a, Sum b) {
  if constexpr (std::is_same_v<Sum, FloatPair>) {
    return {a.low + b.low, a.high + b.high};
  } else {
    return static_cast<Sum>(a + b);  // uint8 is added as int
  }
}

// Sums are made in blocks: while a block is added up and copied to its destinations, it stays in the first cache.
constexpr std::int64_t kBlockBytes = 8192;
// Arrays that one pass over a block reads: with more, the compiler runs out of registers for their addresses.
constexpr int kArraysOfPass = 4;

// One pass over a block: to = first + the other `count_more` arrays, in their order. First and To are T, or SumOf<T>
// for sums that are not complete.
template <class T, class First, class To>
LS_INLINE void add_block(const First* first, const T* const* more, int count_more, To* to, std::int64_t count) {
  const T* a = more[0];
  const T* b = count_more > 1 ? more[1] : a;
  const T* c = count_more > 2 ? more[2] : a;
  switch (count_more) {
    case 1:
      LS_INDEPENDENT_LOOP
      for (std::int64_t i = 0; i < count; ++i) to[i] = kept<To>(plus(wide(first[i]), wide(a[i])));
      break;
    case 2:
      LS_INDEPENDENT_LOOP
      for (std::int64_t i = 0; i < count; ++i) to[i] = kept<To>(plus(plus(wide(first[i]), wide(a[i])), wide(b[i])));
      break;
    default:
      LS_INDEPENDENT_LOOP
      for (std::int64_t i = 0; i < count; ++i) {
        to[i] = kept<To>(plus(plus(plus(wide(first[i]), wide(a[i])), wide(b[i])), wide(c[i])));
      }
  }
}

struct Arrays {
  std::span<const void* const> sources;
  std::span<void* const> destinations;
  std::int64_t count;
};

template <class T>
LS_INLINE const T* source(const Arrays& arrays, std::size_t index, std::int64_t begin) {
  return static_cast<const T*>(arrays.sources[index]) + begin;
}

// float16 takes a loop for each array: with more conversions in one, the compiler does not vectorise it.
LS_INLINE void sum_float16_block(const Arrays& arrays, std::int64_t begin, std::int64_t count, Float16* to) {
  alignas(64) float sum[kBlockBytes / sizeof(float)];
  const auto* const first = source<Float16>(arrays, 0, begin);
  LS_INDEPENDENT_LOOP
  for (std::int64_t i = 0; i < count; ++i) sum[i] = widened(first[i]);
  for (std::size_t next = 1; next < arrays.sources.size(); ++next) {
    const auto* const more = source<Float16>(arrays, next, begin);
    LS_INDEPENDENT_LOOP
    for (std::int64_t i = 0; i < count; ++i) sum[i] += widened(more[i]);
  }
  LS_INDEPENDENT_LOOP
  for (std::int64_t i = 0; i < count; ++i) to[i] = narrowed<Float16>(sum[i]);
}

// Writes the block's sum to `to`, which may be a source: all are read before anything is written.
template <class T>
LS_INLINE void sum_block(const Arrays& arrays, std::int64_t begin, std::int64_t count, T* to) {
  alignas(64) SumOf<T> partial[kBlockBytes / sizeof(SumOf<T>)];
  const T* more[kArraysOfPass - 1];
  bool is_first = true;
  for (std::size_t next = 1; next < arrays.sources.size();) {
    int in_pass = 0;
    for (; in_pass < kArraysOfPass - 1 && next < arrays.sources.size(); ++in_pass, ++next) {
      more[in_pass] = source<T>(arrays, next, begin);
    }
    const bool is_last = next == arrays.sources.size();
    if (is_first && is_last) {
      add_block<T>(source<T>(arrays, 0, begin), more, in_pass, to, count);
    } else if (is_first) {
      add_block<T>(source<T>(arrays, 0, begin), more, in_pass, partial, count);
    } else if (is_last) {
      add_block<T>(partial, more, in_pass, to, count);
    } else {
      add_block<T>(partial, more, in_pass, partial, count);
    }
    is_first = false;
  }
}

// Sums two ranks in place, the commonest sum, without the blocks' second pass, which takes as long as the sum.
// REQUIRES: two destinations.
template <class T>
LS_INLINE void sum_two(const Arrays& arrays) {
  const T* a = source<T>(arrays, 0, 0);
  const T* b = source<T>(arrays, 1, 0);
  T* to = static_cast<T*>(arrays.destinations[0]);
  T* also_to = static_cast<T*>(arrays.destinations[1]);
  LS_INDEPENDENT_LOOP
  for (std::int64_t i = 0; i < arrays.count; ++i) {
    const T sum = kept<T>(plus(wide(a[i]), wide(b[i])));
    if constexpr (std::is_same_v<T, BFloat16Pair>) {
      to[i].bits = sum.bits;  // a copy of the whole would not be vectorised
      also_to[i].bits = sum.bits;
    } else {
      to[i] = sum;
      also_to[i] = sum;
    }
  }
}

// Makes the copy a call: the compiler would put an instruction here that takes as long as the sum.
[[gnu::noinline]] void copy_block(const void* from, void* to, std::size_t bytes) { std::memcpy(to, from, bytes); }

template <class T>
LS_INLINE void sum_blocks(const Arrays& arrays) {
  if constexpr (!std::is_same_v<T, Float16>) {
    if (arrays.sources.size() == 2 && arrays.destinations.size() == 2) return sum_two<T>(arrays);
  }
  constexpr std::int64_t kBlock = kBlockBytes / sizeof(SumOf<T>);
  for (std::int64_t begin = 0; begin < arrays.count; begin += kBlock) {
    const std::int64_t count = std::min(kBlock, arrays.count - begin);
    T* const to = static_cast<T*>(arrays.destinations[0]) + begin;
    if constexpr (std::is_same_v<T, Float16>) {
      sum_float16_block(arrays, begin, count, to);
    } else {
      sum_block<T>(arrays, begin, count, to);
    }
    for (std::size_t d = 1; d < arrays.destinations.size(); ++d) {
      copy_block(to, static_cast<T*>(arrays.destinations[d]) + begin, static_cast<std::size_t>(count) * sizeof(T));
    }
  }
}

LS_MULTIVERSION void sum_float32(const Arrays& arrays) { sum_blocks<float>(arrays); }
LS_MULTIVERSION void sum_float64(const Arrays& arrays) { sum_blocks<double>(arrays); }
LS_MULTIVERSION void sum_uint8(const Arrays& arrays) { sum_blocks<std::uint8_t>(arrays); }
LS_MULTIVERSION void sum_bfloat16_pairs(const Arrays& arrays) { sum_blocks<BFloat16Pair>(arrays); }
LS_MULTIVERSION void sum_float16(const Arrays& arrays) { sum_blocks<Float16>(arrays); }

// Sums the element after the last pair.
void sum_last_bfloat16(const Arrays& arrays) {
  float sum = widened(*source<BFloat16>(arrays, 0, arrays.count - 1));
  for (std::size_t next = 1; next < arrays.sources.size(); ++next) {
    sum += widened(*source<BFloat16>(arrays, next, arrays.count - 1));
  }
  for (void* const to : arrays.destinations) static_cast<BFloat16*>(to)[arrays.count - 1] = narrowed<BFloat16>(sum);
}

}  // namespace

void sum_into(DType dtype, std::span<const void* const> sources, std::span<void* const> destinations,
              std::int64_t count) {
  LS_CHECK(!sources.empty(), "a sum of nothing");
  if (destinations.empty() || count == 0) return;
  if (sources.size() == 1) {
    for (void* const to : destinations) {
      if (to != sources[0]) std::memcpy(to, sources[0], static_cast<std::size_t>(count) * size_of(dtype));
    }
    return;
  }
  const Arrays arrays{sources, destinations, count};
  switch (dtype) {
    case DType::float32:
      return sum_float32(arrays);
    case DType::float64:
      return sum_float64(arrays);
    case DType::uint8:
      return sum_uint8(arrays);
    case DType::bfloat16:
      sum_bfloat16_pairs({sources, destinations, count / 2});
      if (count % 2 != 0) sum_last_bfloat16(arrays);
      return;
    case DType::float16:
      return sum_float16(arrays);
    default:
      fail(LS_HERE("sum_into(dtype)"), fmt::format("there are no sums of {}", name(dtype)));
  }
}

}  // namespace lockstep
