/* Handle of projections: an owned scan, and owned or borrowed values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/array.h>
#include "core/device/host_memory.h"
#include "core/try.h"
#include "geometry/not_finite.h"
#include "geometry/projections.h"

static int is(const gt_projections *p) { return p && p->tag == GT_IS_PROJECTIONS; }

gt_status gt_projections_are(const char *function, const gt_projections *p)
{
	return gt_need_handle(function, "projections", p, GT_IS_PROJECTIONS);
}

gt_projections *gt_projections_blank(void)
{
	gt_projections *p = calloc(1, sizeof *p);
	if (p)
		p->tag = GT_IS_PROJECTIONS;
	return p;
}

static gt_status with_scan(const char *function, const gt_scan *scan, gt_projections **out)
{
	gt_projections *p = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_need_argument(function, "a place for the projections", out));
	*out = NULL;
	GT_TRY(gt_need_argument(function, "a scan", scan));
	GT_TRY(gt_scan_check(scan));
	if (!(p = gt_projections_blank()))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(gt_scan_clone(scan, &p->scan));
	*out = p;
	p = NULL;
done:
	gt_projections_free(p);
	return st;
}

gt_status gt_projections_new(const gt_scan *scan, gt_projections **out)
{
	gt_projections *p = NULL;
	gt_status st = GT_OK;
	GT_TRY(with_scan("gt_projections_new", scan, out));
	p = *out;
	*out = NULL;
	GT_TRY(gt_zeros_new(gt_scan_size(p->scan), "the projections", &p->data));
	*out = p;
	p = NULL;
done:
	gt_projections_free(p);
	return st;
}

gt_status gt_projections_wrap(const gt_scan *scan, float *data, gt_release release, void *owner, gt_projections **p)
{
	const gt_loan loan = { 1, release, owner };
	const gt_status st = with_scan("gt_projections_wrap", scan, p);
	if (st != GT_OK) {
		gt_loan_end(&loan, data);
		return st;
	}
	(*p)->data = data;
	(*p)->loan = loan;
	return GT_OK;
}

void gt_projections_free(gt_projections *p)
{
	if (!is(p))
		return;
	gt_loan_end(&p->loan, p->data);
	gt_scan_free(p->scan);
	free(p->weight);
	free(p->photons);
	gt_provenance_clear(&p->from);
	p->tag = GT_FREED;
	free(p);
}

gt_status gt_projections_unfiltered(const gt_projections *p, const char *name, const char *hint)
{
	if (!p->filtered)
		return GT_OK;
	return gt_fail(GT_ERR_FORMAT, "%s: the projections are weighted and filtered already: expected line integrals%s", name, hint);
}

gt_status gt_projections_finite(const gt_projections *p)
{
	const gt_scan *s = p->scan;
	const size_t n = gt_scan_size(s), first = gt_first_bad(p->data, n);
	if (first == n)
		return GT_OK;
	return gt_fail(GT_ERR_FORMAT, "the projections: %zu values are not finite, the first %g in view %zu, row %zu, column %zu",
	               gt_count_bad(p->data, n), (double)p->data[first], first / s->columns / s->rows, first / s->columns % s->rows,
	               first % s->columns);
}

gt_scan *gt_projections_scan(const gt_projections *p) { return is(p) ? p->scan : NULL; }
float *gt_projections_data(const gt_projections *p) { return is(p) ? p->data : NULL; }
const float *gt_projections_weights(const gt_projections *p) { return is(p) ? p->weight : NULL; }
const float *gt_projections_photons(const gt_projections *p) { return is(p) ? p->photons : NULL; }
int gt_projections_filtered(const gt_projections *p) { return is(p) && p->filtered; }
double gt_projections_water(const gt_projections *p) { return is(p) ? p->water : 0; }
gt_position gt_projections_position(const gt_projections *p) { return is(p) ? p->position : GT_HFS; }
int gt_projections_position_known(const gt_projections *p) { return is(p) && p->positioned; }
const gt_provenance *gt_projections_provenance(const gt_projections *p) { return is(p) ? &p->from : NULL; }

/* Copies weights or photon counts; `what` names them in messages. */
static gt_status set_statistics(const gt_scan *scan, const char *what, const float *values, float **kept)
{
	const size_t n = gt_scan_size(scan);
	float *copy = NULL;
	for (size_t i = 0; values && i < n; i++)
		if (!(values[i] >= 0) || isinf(values[i]))
			return gt_fail(GT_ERR_ARG, "%s %zu (view %zu) is %g: expected a finite number that is not negative", what, i,
			               i / (scan->rows * scan->columns), (double)values[i]);
	if (values) {
		const gt_status st = gt_host_has_memory((double)n * sizeof *copy, what);
		if (st != GT_OK)
			return st;
		if (!(copy = gt_host_alloc(n * sizeof *copy)))
			return gt_fail(GT_ERR_MEMORY, "%ss need %.3g MB", what, (double)n * 4e-6);
		memcpy(copy, values, n * sizeof *copy);
	}
	free(*kept);
	*kept = copy;
	return GT_OK;
}

gt_status gt_projections_set_weights(gt_projections *p, const float *weights)
{
	const gt_status st = gt_projections_are("gt_projections_set_weights", p);
	return st != GT_OK ? st : set_statistics(p->scan, "weight", weights, &p->weight);
}

gt_status gt_projections_set_photons(gt_projections *p, const float *photons)
{
	const gt_status st = gt_projections_are("gt_projections_set_photons", p);
	return st != GT_OK ? st : set_statistics(p->scan, "photon count", photons, &p->photons);
}

gt_status gt_projections_set_water(gt_projections *p, double water)
{
	const gt_status st = gt_projections_are("gt_projections_set_water", p);
	return st != GT_OK ? st : gt_water_set(water, &p->water);
}

gt_status gt_projections_set_position(gt_projections *p, gt_position position)
{
	gt_status st = gt_projections_are("gt_projections_set_position", p);
	if (st == GT_OK && (st = gt_position_set(position, &p->position)) == GT_OK)
		p->positioned = 1;
	return st;
}

gt_status gt_projections_set_provenance(gt_projections *p, const char *command, const char *parameters, const gt_scan *scan)
{
	const gt_status st = gt_projections_are("gt_projections_set_provenance", p);
	return st != GT_OK ? st : gt_provenance_set(&p->from, command, parameters, scan ? gt_scan_hash(scan) : 0);
}
