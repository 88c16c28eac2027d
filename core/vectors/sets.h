#ifndef GT_CORE_VECTORS_SETS_H
#define GT_CORE_VECTORS_SETS_H
/* Kernels that are one text, compiled once per instruction set: "avx512", "avx2" and "any". Where CMakeLists.txt
 * compiles those of x86-64 it defines GT_X86_KERNELS. */

/* Does this processor have that set? "any": 1. */
int gt_runs_here(const char *set);
#endif
