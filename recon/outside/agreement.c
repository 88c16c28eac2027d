/* Means of the direct and of the iterative volume over soft parts, from a few slices. Soft parts are blocks near water
 * (recon/object_mask.h); without any, the object. Differences of adjacent voxels of the direct volume give the noise.
 * Both means share the low frequencies of the noise of the data. docs/measurements.md,
 * "Agreement with the direct method", has the figures for the limits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "recon/object_mask.h"
#include "recon/outside/agreement.h"

enum { MAX_SLICES = 16, MAX_VOXELS = 1 << 20, MIN_VOXELS = 16 };
/* Number of voxels over which an iterative volume is correlated: penalties smooth over about three along each axis. */
#define CORRELATED 9.
/* Standard errors of the mean that noise explains. */
#define MAX_DEVIATIONS 3.
/* Differences up to this fraction of the direct mean are no failure: 50 HU of water. */
#define MAX_PART 0.05

void gt_soft_parts_free(gt_soft_parts *s)
{
	free(s->value);
	*s = (gt_soft_parts){ 0, NULL };
}

static size_t plane_of(const gt_recon_extent *e) { return e->asked->n[0] * e->asked->n[1]; }

/* Requested slice k of the sample: the centre of an equal part of all slices. */
static size_t slice_of(const gt_recon_extent *e, const gt_soft_parts *s, size_t k)
{
	return (2 * k + 1) * e->asked->n[2] / (2 * s->slices);
}

/* The grid of the sampled slices alone. */
static gt_grid sample_of(const gt_recon_extent *e, const gt_soft_parts *s)
{
	gt_grid g = *e->asked;
	g.n[2] = s->slices;
	g.pitch[2] *= (double)e->asked->n[2] / (double)s->slices;
	return g;
}

/* Sets values outside the soft parts to NAN. */
static gt_status keep_soft(const gt_recon_extent *e, double water, gt_soft_parts *s)
{
	const gt_grid sample = sample_of(e, s);
	gt_object_voxels soft = { 0, NULL, 0 };
	size_t next = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_object_voxels_find(NULL, &sample, NULL, e->all->scan, s->value, water, &soft));
	for (size_t i = 0; i < s->slices * plane_of(e); i++) {
		const int is_soft = next < soft.voxels && soft.at[next] == i;
		next += (size_t)is_soft;
		s->value[i] = is_soft ? s->value[i] : NAN;
	}
done:
	gt_object_voxels_free(&soft);
	return st;
}

gt_status gt_soft_parts_keep(const gt_recon_extent *e, const gt_array *x, double water, gt_soft_parts *s)
{
	const size_t plane = plane_of(e), fits = MAX_VOXELS / plane, max = fits < MAX_SLICES ? fits : MAX_SLICES;
	gt_status st = GT_OK;
	*s = (gt_soft_parts){ max < e->asked->n[2] ? max : e->asked->n[2], NULL };
	s->slices = s->slices ? s->slices : 1;
	if (!(s->value = malloc(s->slices * plane * sizeof *s->value)))
		return gt_fail(GT_ERR_MEMORY, "no memory for %zu slices of the start", s->slices);
	for (size_t k = 0; k < s->slices; k++)
		GT_TRY(gt_recon_extent_slice(e, x, slice_of(e, s, k), s->value + k * plane));
	GT_TRY(keep_soft(e, water, s));
done:
	return st;
}

gt_status gt_soft_parts_compare(const gt_recon_extent *e, const gt_array *x, const gt_soft_parts *s, gt_agreement *a)
{
	const size_t plane = plane_of(e), row = e->asked->n[0];
	double direct = 0, sum = 0, square = 0, n = 0, pairs = 0;
	float *slice = malloc(plane * sizeof *slice);
	gt_status st = slice ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for a slice of %zu voxels", plane);
	*a = (gt_agreement){ .voxels = 0 };
	for (size_t k = 0; k < s->slices && st == GT_OK; k++) {
		const float *value = s->value + k * plane;
		double last = NAN;
		st = gt_recon_extent_slice(e, x, slice_of(e, s, k), slice);
		for (size_t i = 0; i < plane && st == GT_OK; i++) {
			const double step = value[i] - last;
			last = value[i];
			if (isnan(value[i]))
				continue;
			direct += value[i];
			sum += (double)slice[i] - value[i];
			n++;
			if (isnan(step) || i % row == 0)
				continue;
			square += step * step;
			pairs++;
		}
	}
	free(slice);
	if (st != GT_OK || n < MIN_VOXELS || pairs < MIN_VOXELS)
		return st;
	const double mean = sum / n, variance = square / pairs / 2;
	*a = (gt_agreement){ direct / n, mean, MAX_DEVIATIONS * sqrt(CORRELATED * variance / n), (size_t)n };
	return GT_OK;
}

int gt_agreement_fails(const gt_agreement *a)
{
	return a->voxels && fabs(a->difference) > a->noise && fabs(a->difference) > MAX_PART * fabs(a->direct);
}
