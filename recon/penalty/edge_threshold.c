/* Differences of noise that exceed the threshold are preserved as edges: isolated voxels remain, and faint parts of the
 * object are cut away. So the threshold is a multiple of the target noise. Without a target it follows from the noise
 * of the start. Its estimate is the median of differences of voxels two apart, which edges hardly change.
 * docs/regularizers.md, "Choosing delta", has the figures. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/constants.h>
#include "core/device/host_memory.h"
#include "core/log.h"
#include "core/order_statistics.h"
#include "core/spec.h"
#include "core/text.h"
#include "core/try.h"
#include "recon/penalty/edge_threshold.h"
#include "recon/object_mask.h"
#include "team/team.h"

/* Threshold over target noise, for uniform resolution and for uniform noise. */
#define EDGES 3
#define EDGES_OF_UNIFORM_NOISE 6
/* Smallest threshold: contrasts of soft tissue in a scan almost without noise. */
#define MIN_HU 10.
/* The noise of the target over that of the start, for strength=auto. */
#define REMAINING_NOISE_RATIO 0.4
/* Distance of the compared voxels: the noise of adjacent ones is correlated. */
enum { APART = 2, MIN_PAIRS = 16, MAX_PAIRS = 1 << 18 };
/* Median of |a - b| of two normal values, over their standard deviation. */
#define MEDIAN_OF_PAIRS 0.9539

/* Returns the noise of x, mm^-1; 0: too few pairs. */
static double noise_of(const float *x, size_t row, const gt_object_voxels *object, double *pair)
{
	const size_t step = 1 + object->voxels / MAX_PAIRS;
	size_t n = 0;
	for (size_t k = 0; k + APART < object->voxels; k += step) {
		const size_t i = object->at[k];
		if (object->at[k + APART] == i + APART && i % row + APART < row)
			pair[n++] = fabs((double)x[i + APART] - x[i]);
	}
	if (n < MIN_PAIRS)
		return 0;
	return gt_upper_median(pair, n) / MEDIAN_OF_PAIRS;
}

static gt_status noise_of_start(const gt_penalty_problem *c, double *noise)
{
	gt_backend *be = gt_array_backend(c->x);
	gt_object_voxels object = { 0, NULL, 0 };
	float *x = gt_host_alloc(gt_array_size(c->x) * sizeof *x);
	double *pair = malloc((MAX_PAIRS + 1) * sizeof *pair);
	gt_status st = x && pair ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for a copy of the start");
	GT_TRY(st);
	gt_array_get_float(c->x, x);
	GT_TRY(gt_backend_status(be));
	GT_TRY(gt_object_voxels_find(gt_backend_pool(be), c->grid, NULL, c->p->scan, x, c->water, &object));
	/* Heterogeneous devices may differ in the last bit. */
	*noise = gt_team_first(be, noise_of(x, c->grid->n[0], &object, pair));
done:
	gt_object_voxels_free(&object);
	free(pair);
	free(x);
	return st;
}

static double two_digits(double x)
{
	const double unit = pow(10, floor(log10(x)) - 1);
	return unit * round(x / unit);
}

gt_status gt_edge_threshold(const gt_listener *log, const gt_penalty_spec *o, double noise, const gt_penalty_problem *c, char **spec)
{
	const double times = o->kappa == GT_KAPPA_NOISE ? EDGES_OF_UNIFORM_NOISE : EDGES;
	gt_status st = GT_OK;
	*spec = NULL;
	if (!(noise > 0) && c->method && !gt_backend_is_dry_run(gt_array_backend(c->x))) {
		GT_TRY(noise_of_start(c, &noise));
		noise *= REMAINING_NOISE_RATIO;
	}
	const double found = times * 1000 * noise / c->water, hu = two_digits(fmax(MIN_HU, found));
	char *pair = gt_text("%s=%.6gHU", o->edges, hu);
	*spec = pair ? gt_spec_with(o->spec, pair) : NULL;
	free(pair);
	if (!*spec)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	if (found > MIN_HU)
		gt_notify(log, GT_INFO, GT_ABOUT_CHOICE,
		          "%s=%.6gHU: %g times the target noise; smaller differences are smoothed (%s=10HU sets it)", o->edges, hu, times,
		          o->edges);
done:
	return st;
}
