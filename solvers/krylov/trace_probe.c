/* Trace estimate of the full problem by a random vector. */
#include <float.h>
#include "core/try.h"
#include "solvers/krylov/trace_probe.h"

double gt_trace_tiny(const gt_array *a) { return 64 * (gt_array_type(a) == GT_F64 ? DBL_EPSILON : (double)FLT_EPSILON); }

gt_status gt_trace_probe(gt_golub_kahan *g, gt_projected *random, gt_projected *small)
{
	enum { STEPS = 15, SEED = 20 };
	gt_status st = GT_OK;
	size_t k = 0;
	GT_TRY(gt_projected_new(STEPS, random));
	if (g->w)
		gt_copy(g->w, g->u);
	else
		gt_fill(1, g->u);
	gt_pow(-0.5, g->u);
	gt_mul_normals(SEED, g->u);
	gt_golub_kahan_begin(g);
	random->alpha[0] = g->alpha;
	random->beta[0] = g->beta;
	while (k < STEPS && g->alpha > gt_trace_tiny(g->u) * random->alpha[0]) {
		gt_golub_kahan_extend_data(g);
		gt_golub_kahan_extend_volume(g);
		k++;
		random->alpha[k] = g->alpha;
		random->beta[k] = g->beta;
	}
	gt_projected_probe(random, k);
	small->random = random->beta[0] > 0 ? random : NULL;
done:
	return st;
}
