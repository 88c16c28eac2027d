/* Instruction sets of the processor, and the selection among them. Memory: none. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "core/vectors/sets.h"

enum { ANY, AVX2, AVX512, SETS };
static const char *const names[SETS] = { "any", "avx2", "avx512" }; /* each includes the preceding ones */
static const char variable[] = "GANTRY_INSTRUCTIONS";

static int set_of(const char *name)
{
	int i = SETS - 1;
	while (i >= 0 && strcmp(names[i], name) != 0)
		i--;
	return i;
}

static int has(void)
{
#ifdef GT_X86_KERNELS
	__builtin_cpu_init();
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
		return ANY;
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
	                       __builtin_cpu_supports("avx512bw")
	               ? AVX512
	               : AVX2;
#else
	return ANY;
#endif
}

/* Widest set in use, constant for the life of the process, so that operators keep their kernels. */
static int widest(void)
{
	static atomic_int known = -1;
	int used = atomic_load(&known);
	if (used < 0) {
		const char *text = getenv(variable);
		const int max = text && *text ? set_of(text) : SETS - 1;
		used = has();
		used = max >= 0 && max < used ? max : used;
		atomic_store(&known, used);
	}
	return used;
}

int gt_runs_here(const char *set)
{
	const int i = set_of(set);
	return i >= 0 && i <= widest();
}

const void *gt_set_find(const void *const *tables, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		const char *set = *(const char *const *)tables[i];
		if (gt_runs_here(set) && (!name || strcmp(set, name) == 0))
			return tables[i];
	}
	return NULL;
}

const char *gt_cpu_instructions(void) { return names[widest()]; }

gt_status gt_instructions_check(void)
{
	const char *text = getenv(variable);
	if (!text || !*text || set_of(text) >= 0)
		return GT_OK;
	return gt_fail(GT_ERR_ARG, "%s=%s in the environment: expected any, avx2 or avx512", variable, text);
}
