/* Helical backprojection on the CPU in single precision: choice of the instruction set. Memory: none. */
#include <string.h>
#include "analytic/wfbp/fast/wfbp_single.h"
#include "core/vectors/sets.h"

static const gt_wfbp_single_kernels *const kernels[] = {
#ifdef GT_X86_KERNELS
	&gt_wfbp_single_avx512,
	&gt_wfbp_single_avx2,
#endif
	&gt_wfbp_single_any,
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static const gt_wfbp_single_kernels *chosen; /* by a test */

void gt_wfbp_single_use(const gt_wfbp_single_kernels *k) { chosen = k; }

const gt_wfbp_single_kernels *gt_wfbp_single_find(const char *name)
{
	for (int i = 0; i < KERNELS; i++)
		if (gt_runs_here(kernels[i]->name) && (!name || !strcmp(kernels[i]->name, name)))
			return kernels[i];
	return NULL;
}

const gt_wfbp_single_kernels *gt_wfbp_single_chosen(void) { return chosen ? chosen : gt_wfbp_single_find(NULL); }
