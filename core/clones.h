#ifndef GT_CORE_CLONES_H
#define GT_CORE_CLONES_H
#include <limits.h> /* any C library header; it identifies the library */
/* GT_CLONES compiles a function for every x86-64 and for AVX with FMA; the loader selects one at start. Only for static
 * functions: clang's clones are not visible to other files. Called functions must be inlined. GT_WIDER: AVX2 without
 * FMA, so bit-identical on all processors. Sanitizers do not support this mechanism. */
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
/* GT_AVX2 compiles a function for AVX2 and FMA only: call it only if gt_runs_here("avx2") (core/vectors/sets.h). Called
 * functions must be inlined. The clones above have only 4 integers in a vector. */
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
