#pragma once

// LS_MULTIVERSION compiles a function for several generations of x86-64, one of which is chosen when the library is
// loaded, so that one binary uses AVX-512 if the processor has it and still runs if it does not. The loops inside must
// be simple enough for the compiler to vectorise; templates that they call must be LS_INLINE, or those would be
// compiled for the oldest only. Under clang, and under sanitizers, which start after the choice is made and would crash
// in it, there is only one version.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define LS_MULTIVERSION __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define LS_MULTIVERSION
#endif
#define LS_INLINE __attribute__((always_inline)) inline

// LS_INDEPENDENT_LOOP goes before a loop whose pointers may be equal, but in which no iteration touches what another
// one does: without it the compiler tests whether the arrays overlap and does not vectorise if they do.
#if defined(__clang__)
#define LS_INDEPENDENT_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define LS_INDEPENDENT_LOOP _Pragma("GCC ivdep")
#endif
