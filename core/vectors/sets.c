/* What the processor has. Memory: none. */
#include <string.h>
#include "core/vectors/sets.h"

int gt_runs_here(const char *set)
{
#ifdef GT_X86_KERNELS
	__builtin_cpu_init();
	const int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
	if (!strcmp(set, "avx2"))
		return avx2;
	if (!strcmp(set, "avx512"))
		return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
		       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
#endif
	return !strcmp(set, "any");
}
