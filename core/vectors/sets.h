#ifndef GT_CORE_VECTORS_SETS_H
#define GT_CORE_VECTORS_SETS_H
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Kernels from one source, compiled once for each instruction set: "avx512", "avx2" and "any". CMakeLists.txt defines
 * GT_X86_KERNELS if it compiles the x86-64 sets. */

/* 1: the processor and the environment permit kernels of this set. "any": 1. */
int gt_runs_here(const char *set);
/* Finds the first of n tables (structs that begin with the name of their set) that may run and, unless name is NULL,
 * has that name; NULL: none. */
const void *gt_set_find(const void *const *tables, size_t n, const char *name);
/* GT_ERR_ARG: the environment names an unknown set. */
gt_status gt_instructions_check(void);

/* Selection among the tables KIND_any, KIND_avx2 and KIND_avx512 of type KIND_kernels:
 * KIND_find(name)    kernels of a set, NULL if the processor does not have it; name NULL: the best available set
 * KIND_use(kernels)  tests: selects these kernels; NULL: the best available set
 * KIND_best()        (static) the selected kernels */
#ifdef GT_X86_KERNELS
#define GT_WIDE_SETS(kind) &kind##_avx512, &kind##_avx2,
#else
#define GT_WIDE_SETS(kind)
#endif
#define GT_KERNEL_SETS(kind)                                                                          \
	static const void *const kind##_sets[] = { GT_WIDE_SETS(kind) & kind##_any };                 \
	static const kind##_kernels *kind##_forced;                                                   \
	void kind##_use(const kind##_kernels *k) { kind##_forced = k; }                               \
	const kind##_kernels *kind##_find(const char *name)                                           \
	{                                                                                             \
		return (const kind##_kernels *)gt_set_find(kind##_sets, sizeof kind##_sets / sizeof *kind##_sets, name); \
	}                                                                                             \
	static const kind##_kernels *kind##_best(void) { return kind##_forced ? kind##_forced : kind##_find(NULL); }

/* Returns the instruction set of the CPU kernels: the widest of "avx512", "avx2" and "any" that the processor has.
 * GANTRY_INSTRUCTIONS in the environment limits it, for comparisons. Loops with GT_CLONES do not use it. */
const char *gt_cpu_instructions(void);

#ifdef __cplusplus
}
#endif
#endif
