#pragma once

// An alternative to base/multiversion.h, for loops that the compiler does not vectorise by itself: they are written
// with vectors of the width that a generation has, in a file that is included once for each, inside a namespace and
// between
//   #pragma GCC push_options / #pragma GCC target("arch=x86-64-v4") / #include / #pragma GCC pop_options
// and a caller chooses by newest_generation(). (The clones of LS_MULTIVERSION are made too late for such types.)
namespace lockstep::cpu {

enum class Generation { oldest, v3, v4 };

inline Generation newest_generation() {
#if defined(__x86_64__) && !defined(__clang__)
  if (__builtin_cpu_supports("x86-64-v4")) return Generation::v4;
  if (__builtin_cpu_supports("x86-64-v3")) return Generation::v3;
#endif
  return Generation::oldest;
}

// Floats of one register. Comparisons give masks, and `mask ? a : b` chooses lane by lane.
template <int Count>
struct FloatsOfRegister {
  using Type [[gnu::vector_size(Count * sizeof(float))]] = float;
};

}  // namespace lockstep::cpu
