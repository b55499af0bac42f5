#pragma once

// A function that is compiled for several generations of x86-64 and chosen when the library is loaded, so that one
// binary uses AVX-512 where the processor has it and still runs where it has not. The loops inside must be simple
// enough for the compiler to vectorise; templates they call must be LS_INLINE, or they would be compiled for the oldest
// only. Sanitizers start after the choice is made and would crash in it: no choice there.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define LS_MULTIVERSION __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define LS_MULTIVERSION
#endif
#define LS_INLINE __attribute__((always_inline)) inline

// The other way, for loops that the compiler does not vectorise by itself: they are written with vectors of the width
// that a generation has, in a file that is included once for each, inside a namespace and between
//   #pragma GCC push_options / #pragma GCC target("arch=x86-64-v4") / #include / #pragma GCC pop_options
// and a caller chooses by newest_generation(). (The clones above are made too late for such types.)
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
