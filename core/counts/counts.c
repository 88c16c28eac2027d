/* Transmitted photon counts: checks shared by all backends. */
#include "core/counts/counts_impl.h"
#include "core/team/partition.h"

static int fits(const gt_array *a, const gt_array *b)
{
	return gt_array_backend(a) == gt_array_backend(b) && gt_array_type(a) == gt_array_type(b) && gt_array_size(a) == gt_array_size(b) &&
	       gt_array_here(a) == gt_array_here(b);
}

void gt_counts_of(enum gt_counts what, double background, const gt_array *l, const gt_array *p, const gt_array *weights, gt_array *out)
{
	static const struct gt_counts_impl *const impls[GT_NBACKENDS] = {
		[GT_CPU] = &gt_counts_cpu, [GT_CUDA] = GT_IF_CUDA(&gt_counts_cuda)
	};
	gt_backend *be = gt_array_backend(out);
	const gt_counts_work w = { what, background, gt_array_here(out), l->data, p->data, weights ? weights->data : NULL, out->data };
	if (!fits(l, out) || !fits(p, out) || (weights && !fits(weights, out)))
		gt_backend_fail(be,
		                gt_fail(GT_ERR_ARG, "counts of %zu rays against %zu line integrals and %zu data: expected equal numbers",
		                        w.n, gt_array_size(l), gt_array_size(p)));
	else if (w.n > 0 && gt_backend_begin(be)) {
		impls[be->kind]->run(be, gt_array_type(out), &w);
		gt_backend_end(be);
	}
}
