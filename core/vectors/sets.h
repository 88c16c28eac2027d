#ifndef GT_CORE_VECTORS_SETS_H
#define GT_CORE_VECTORS_SETS_H
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Kernels that are one text, compiled once per instruction set: "avx512", "avx2" and "any". Where CMakeLists.txt
 * compiles those of x86-64 it defines GT_X86_KERNELS. */

/* May kernels of that set run: does this processor have it, and does the environment leave it? "any": 1. */
int gt_runs_here(const char *set);
/* Of n tables, each a struct that begins with the name of its set, the first that may run and, unless name is NULL, has
 * that name; NULL if there is none. */
const void *gt_set_find(const void *const *tables, size_t n, const char *name);
/* GT_ERR_ARG: the environment names a set that there is not. */
gt_status gt_instructions_check(void);

/* What a driver defines for kernels KIND_any, KIND_avx2 and KIND_avx512 of type KIND_kernels:
 * KIND_find(name)    those of a set, of the best there is if name is NULL; NULL if the processor does not have it
 * KIND_use(kernels)  tests: these are used from here on; NULL: the best that there are
 * KIND_best()        (static) those to use */
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
