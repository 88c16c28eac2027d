/* Prior image constrained compressed sensing: Chen, Tang, Leng, Med. Phys. 35 (2008) 660.
 *    R(x) = strength ((1 - alpha) T(x) + alpha T(x - y))
 * with the prior image y and the smoothed total variation T(x) = sum of sqrt(|D x|^2 + smooth^2) - smooth. It
 * suppresses noise in regions that match the prior image and preserves edges of the difference elsewhere.
 * Memory: two volumes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <gantry/regularizer.h>
#include "core/text.h"
#include "core/try.h"
#include "regularizers/pass_params.h"
#include "regularizers/prior_image.h"

struct options {
	double strength, alpha, smooth;
	char prior[GT_PARAM_TEXT];
};
static const struct options defaults = { .strength = 1, .alpha = 0.5, .smooth = GT_MU_WATER / 1000 };
static const gt_param params[] = {
	GT_PARAM_STRENGTH(struct options),
	GT_PARAM_FILE(struct options, prior, "the prior image, a volume"),
	{ .key = "alpha",
	  .help = "share of the difference to the prior image",
	  .kind = GT_REAL,
	  .at = offsetof(struct options, alpha),
	  .min = 0,
	  .max = 1 },
	GT_PARAM_MU(struct options, smooth, "gradients below this count as quadratic"),
	{ .key = NULL },
};

struct state {
	gt_penalty *own, *difference; /* T of the volume, and T of its difference to y */
	gt_array *y, *t;
};

/* t = x - y, or 0 if the arrays do not match, which the penalties then refuse. */
static const gt_array *less_prior(const struct state *s, const gt_array *x)
{
	if (gt_array_size(x) != gt_array_size(s->y) || gt_array_type(x) != gt_array_type(s->y))
		return x;
	gt_copy(x, s->t);
	gt_axpy(-1, s->y, s->t);
	return s->t;
}

static double value(void *self, const gt_array *x)
{
	const struct state *s = self;
	return gt_penalty_value(s->own, x) + gt_penalty_value(s->difference, less_prior(s, x));
}

static void gradient(void *self, const gt_array *x, gt_array *g, gt_array *d)
{
	const struct state *s = self;
	gt_penalty_gradient(s->own, x, g, d);
	gt_penalty_gradient(s->difference, less_prior(s, x), g, d);
}

static void majorize(void *self, gt_array *d)
{
	const struct state *s = self;
	gt_penalty_majorize(s->own, d);
	gt_penalty_majorize(s->difference, d);
}

static void line(void *self, const gt_array *x, const gt_array *p, double a, double *slope, double *curvature)
{
	const struct state *s = self;
	double slopes[2], curvatures[2];
	gt_penalty_line(s->own, x, p, a, &slopes[0], &curvatures[0]);
	gt_penalty_line(s->difference, less_prior(s, x), p, a, &slopes[1], &curvatures[1]);
	*slope = slopes[0] + slopes[1];
	*curvature = curvatures[0] + curvatures[1];
}

static void release(void *self)
{
	struct state *s = self;
	gt_penalty_free(s->own);
	gt_penalty_free(s->difference);
	gt_array_free(s->y);
	gt_array_free(s->t);
	free(s);
}

static const struct gt_penalty_ops ops = {
	.name = "piccs", .value = value, .gradient = gradient, .majorize = majorize, .line = line, .free = release
};

/* Smoothed total variation: awtv, whose weights are 1 for differences far below delta. */
static gt_status smoothed(gt_backend *be, gt_type type, const gt_grid *grid, double strength, double smooth, gt_penalty **R)
{
	char spec[128];
	gt_snprintf(spec, sizeof spec, "awtv:strength=%.17g,smooth=%.17g,delta=1e6", strength, smooth);
	return gt_regularizer_new(spec, be, type, grid, NULL, R);
}

static gt_status make(gt_backend *be, gt_type type, const gt_grid *grid, const void *options, const gt_array *kappa, gt_penalty **R)
{
	const struct options *o = options;
	struct state *s = NULL;
	gt_status st = gt_no_kappa("piccs", kappa);
	GT_TRY(st);
	if (!(s = calloc(1, sizeof *s)))
		return gt_fail(GT_ERR_MEMORY, "no memory for penalty 'piccs'");
	GT_TRY(gt_prior_image_read("penalty piccs: prior", o->prior, -INFINITY, be, type, grid, &s->y));
	GT_TRY(gt_array_like(s->y, &s->t));
	GT_TRY(smoothed(be, type, grid, o->strength * (1 - o->alpha), o->smooth, &s->own));
	GT_TRY(smoothed(be, type, grid, o->strength * o->alpha, o->smooth, &s->difference));
	return gt_penalty_new(&ops, s, be, type, gt_grid_voxels(grid), 1, R);
done:
	if (s)
		release(s);
	return st;
}

const gt_regularizer gt_regularizer_piccs = {
	.name = "piccs",
	.about = "prior image constrained compressed sensing: total variation of the volume and of its difference to a prior image",
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.make = make,
	.no_automatic_strength = 1, /* the local noise depends on the prior image */
};
