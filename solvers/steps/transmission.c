/* Transmission counts: validation, curvatures and denominators. */
#include <math.h>
#include "core/try.h"
#include "solvers/steps/transmission.h"

/* Rejects data that are no line integrals: exp(-b) would be no plausible count. */
gt_status gt_transmission_check(const char *solver, const gt_problem *p)
{
	for (size_t k = 0; k < p->subsets; k++) {
		const double min = gt_min(p->b[k]), max = gt_max(p->b[k]);
		if (gt_array_size(p->b[k]) && !gt_backend_is_dry_run(gt_array_backend(p->b[k])) && !(min > -10 && max < 100))
			return gt_fail(
				GT_ERR_ARG,
				"solver '%s': data from %g to %g: line integrals are expected, between -10 (%.0f times the counts of "
				"air) and 100; counts are no line integrals",
				solver, min, max, exp(10));
	}
	return GT_OK;
}

void gt_transmission_counts(const gt_transmission *s, enum gt_counts what, size_t k, const gt_array *at, gt_array *out)
{
	gt_counts_of(what, s->background, at, s->p->b[k], s->p->w ? s->p->w[k] : NULL, out);
}

void gt_transmission_denominator(const gt_transmission *s, enum gt_counts what, size_t k, const gt_array *at, gt_array *d)
{
	gt_transmission_counts(s, what, k, at, s->off.of[k]);
	gt_mul(s->rows.of[k], s->off.of[k]);
	gt_adjoint(s->p->A[k], s->off.of[k], d);
}

/* Adds the denominators of all subsets with the expected curvatures at A x; x NULL: at the data. */
static void add_denominators(const gt_transmission *s, const gt_array *x, const gt_pwls_buffers *at, gt_array *g, gt_array *d)
{
	gt_fill(0, d);
	for (size_t k = 0; k < s->p->subsets; k++) {
		if (x)
			gt_forward(s->p->A[k], x, at->of[k]);
		gt_transmission_denominator(s, GT_COUNTS_FISHER, k, x ? at->of[k] : s->p->b[k], g);
		gt_axpy(1, g, d);
	}
}

enum { FAR_PERCENT = 150 };

void gt_transmission_approach(const gt_transmission *s, const gt_array *x, const gt_pwls_buffers *at, double min, gt_array *g, gt_array *d,
                              double *near)
{
	add_denominators(s, x, at, g, d);
	gt_copy(d, g);
	gt_divide(s->at_data, min, g);
	if (100 * gt_max(g) <= FAR_PERCENT) {
		*near = 1;
		gt_copy(s->at_data, d);
	}
	if (s->p->R)
		gt_penalty_majorize(s->p->R, d);
}

gt_status gt_transmission_keep(const gt_array *d, gt_transmission *s)
{
	const gt_status st = gt_array_like(d, &s->at_data);
	if (st == GT_OK)
		gt_copy(d, s->at_data);
	return st;
}

gt_status gt_transmission_new(const gt_problem *p, double background, gt_array *one, gt_array *g, gt_array *d, gt_transmission *s)
{
	gt_status st = GT_OK;
	s->p = p;
	s->background = background;
	GT_TRY(gt_pwls_table_new(p, &s->rows));
	GT_TRY(gt_pwls_buffers_new(p, &s->off));
	gt_fill(1, one);
	for (size_t k = 0; k < p->subsets; k++)
		gt_forward(p->A[k], one, s->rows.of[k]);
	add_denominators(s, NULL, NULL, g, d);
done:
	return st;
}

void gt_transmission_free(gt_transmission *s)
{
	gt_pwls_buffers_free(&s->rows);
	gt_pwls_buffers_free(&s->off);
	gt_array_free(s->at_data);
}
