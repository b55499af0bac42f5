#pragma once

// A function that is compiled for several generations of x86-64, one of which is chosen when the library is loaded, so
// that one binary uses AVX-512 if the processor has it and still runs if it does not. The loops inside must be simple
// enough for the compiler to vectorise; templates they call must be LS_INLINE, or they would be compiled for the oldest
// only. No choice under sanitizers, which start after it is made and would crash in it.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define LS_MULTIVERSION __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define LS_MULTIVERSION
#endif
#define LS_INLINE __attribute__((always_inline)) inline

// Goes before a loop whose pointers may be equal, but in which no iteration touches what another one does: without it
// the compiler tests that they are apart and does not vectorise when they are not.
#if defined(__clang__)
#define LS_INDEPENDENT_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define LS_INDEPENDENT_LOOP _Pragma("GCC ivdep")
#endif
