#ifndef GT_CORE_CLONES_H
#define GT_CORE_CLONES_H
#include <limits.h> /* any header of the C library: it says which library that is */
/* GT_CLONES in front of a function: compiled for every x86-64 and again for processors with AVX and FMA; the program
 * takes what fits when it starts. Static functions alone: other files do not find clang's. What it calls must be
 * inlined to follow. GT_WIDER: with AVX2 and without FMA, so with the same bits on all. Sanitizers do not support that
 * mechanism. */
#if defined(__has_feature)
#define GT_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(undefined_behavior_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GT_SANITIZED 1
#else
#define GT_SANITIZED 0
#endif
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !GT_SANITIZED
#define GT_CLONES __attribute__((target_clones("fma", "default")))
#define GT_WIDER __attribute__((target_clones("avx2", "default")))
#else
#define GT_CLONES
#define GT_WIDER
#endif
/* GT_AVX2 in front of a function: compiled for processors with AVX2 and FMA alone, to be called where
 * gt_runs_here("avx2") (core/vectors/sets.h) says so. What it calls must be inlined. The clones above have vectors of 4
 * for whole numbers only. */
#if defined(__x86_64__) && defined(__GNUC__)
#define GT_AVX2 __attribute__((target("avx2,fma")))
#else
#define GT_AVX2
#endif
#ifdef __GNUC__
#define GT_INLINE static inline __attribute__((always_inline))
#else
#define GT_INLINE static inline
#endif
#endif
