/* Metal artefact reduction: replaces line integrals through metal, whose inconsistency causes streaks. Metal is found
 * in a first image; its projection is the trace. "li" interpolates the trace linearly along each row: Kalender, Hebel,
 * Ebersberger, Radiology 164 (1987) 576. "nmar" interpolates the quotient by the projection of a prior, an image of
 * air, water and bone without the metal: Meyer et al., Med. Phys. 37 (2010) 5482. The image after each pass is the
 * prior of the next one. Afterwards the projection of the metal, as the first image shows it, is added again.
 * Iterative methods give interpolated line integrals the weight 0.1, because they are estimates. "weights" gives the
 * trace the weight 0 and keeps its values. Memory: five times the projections, and four volumes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/io.h>
#include "core/try.h"
#include "prepare/images.h"
#include "prepare/metal/metal_lines.h"
#include "prepare/metal/metal_streaks.h"
#include "prepare/metal/metal_threshold.h"

enum { LI, NMAR, WEIGHTS };
struct options {
	int method, passes, side, put_back;
	double threshold, water;
	char image[GT_PARAM_TEXT];
};
static const struct options defaults = { .method = NMAR, .passes = 2, .side = 512, .put_back = 1 };
static const char *const methods[] = { "li", "nmar", "weights", NULL };
#define AT(field) offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "method",
	  .help = "li: interpolate the trace; nmar: interpolate over a prior; weights: give it the weight 0, for iterative methods",
	  .kind = GT_CHOICE,
	  .at = AT(method),
	  .names = methods },
	{ .key = "threshold",
	  .help = "attenuation of metal in a first image, in multiples of water; 0: found by the histogram of that image",
	  .kind = GT_REAL,
	  .at = AT(threshold),
	  .min = 0,
	  .max = 1e6 },
	{ .key = "water",
	  .help = "attenuation of water, mm-1; 0: from the projections, else from the histogram, else 0.02",
	  .kind = GT_REAL,
	  .at = AT(water),
	  .min = 0,
	  .max = 1e3 },
	{ .key = "passes",
	  .help = "nmar: number of passes, each with the previous image as its prior",
	  .kind = GT_INT,
	  .at = AT(passes),
	  .min = 1,
	  .max = 10 },
	{ .key = "side",
	  .help = "maximum number of voxels along a side of images",
	  .kind = GT_INT,
	  .at = AT(side),
	  .min = 16,
	  .max = 4096 },
	{ .key = "put-back",
	  .help = "add the metal again after li and nmar, as the first image shows it",
	  .kind = GT_FLAG,
	  .at = AT(put_back) },
	{ .key = "image", .help = "write the metal alone to this file, as the first image shows it", .kind = GT_TEXT, .at = AT(image) },
	{ .key = NULL },
};
/* Minimum path of a traced ray in metal, in voxels. */
#define MIN_PATH 0.05
/* Upper bounds of air and of water in the prior, relative to water. */
#define AIR 0.5
#define BONE 1.35
/* Minimum line integral of the prior as a divisor. */
#define MIN_PRIOR 0.02
/* Largest quotient of a measured value and the prior, which is near 1. At the rim of the prior it may be 100, and the
 * whole gap would be filled with it. */
#define MAX_QUOTIENT 2.0
/* Voxels along a side of the image of advise(). */
enum { ADVICE_SIDE = 256 };
/* Largest streaks after a correction that is advised, as a fraction of those before. */
#define MAX_STREAKS 0.95

typedef struct {
	gt_backend *be;
	gt_grid grid;
	double water, threshold; /* mm^-1 */
	float *image, *first;    /* [z][y][x]; first: of the measured projections */
	unsigned char *metal;    /* [z][y][x]: 1 in metal and, for the trace, in the voxels next to it */
	unsigned char *trace;    /* [view][row][column] */
	float *prior;            /* [view][row][column]: its line integrals */
	const float *measured;
	float *out;
	size_t columns;
} metal_call;

/* Sets the threshold and the attenuation of water; threshold 0: there is no metal. */
static void find_levels(const struct options *o, const gt_projections *p, metal_call *m)
{
	const gt_metal_levels levels = gt_metal_levels_of(m->first, gt_grid_voxels(&m->grid));
	const double known = o->water > 0 ? o->water : p->water;
	const int by_histogram = !(o->threshold > 0);
	m->water = known > 0 ? known : by_histogram && levels.object > 0 ? levels.object : GT_WATER_DEFAULT;
	m->threshold = by_histogram ? levels.threshold : o->threshold * m->water;
}

static gt_status write_metal(const char *path, metal_call *m)
{
	gt_volume *v = NULL;
	gt_status st = GT_OK;
	for (size_t i = 0; i < gt_grid_voxels(&m->grid); i++)
		m->image[i] = m->metal[i] ? m->first[i] : 0;
	GT_TRY(gt_volume_wrap(&m->grid, m->image, NULL, NULL, &v));
	GT_TRY(gt_volume_set_water(v, m->water));
	GT_TRY(gt_write_volume(path, NULL, v));
done:
	gt_volume_free(v);
	return st;
}

/* image becomes the widened metal, 1 and 0, because blur leaves attenuation below the threshold next to it. voxels:
 * before it is widened. */
static gt_status find_metal(gt_prepare_call *c, const struct options *o, metal_call *m, size_t *voxels)
{
	const gt_projections *p = *c->p;
	const size_t n = gt_grid_voxels(&m->grid);
	gt_status st = GT_OK;
	GT_TRY(gt_prepare_image(m->be, p->scan, p->data, &m->grid, m->first));
	find_levels(o, p, m);
	*voxels = 0;
	for (size_t i = 0; i < n; i++)
		*voxels += m->metal[i] = m->threshold > 0 && m->first[i] > m->threshold;
	if (o->image[0])
		GT_TRY(write_metal(o->image, m));
	gt_metal_widen(&m->grid, m->metal);
	for (size_t i = 0; i < n; i++)
		m->image[i] = m->metal[i];
done:
	return st;
}

static gt_status find_trace(gt_prepare_call *c, metal_call *m, size_t *traced)
{
	const gt_projections *p = *c->p;
	const double shortest = MIN_PATH * fmin(m->grid.pitch[0], m->grid.pitch[1]);
	gt_status st = GT_OK;
	GT_TRY(gt_prepare_project(m->be, p->scan, &m->grid, m->image, m->prior));
	*traced = 0;
	for (size_t i = 0; i < gt_scan_size(p->scan); i++)
		*traced += m->trace[i] = m->prior[i] > shortest;
done:
	return st;
}

/* Value or quotient at the end of a gap. */
static double value_at(const metal_call *m, size_t i)
{
	return m->prior ? fmin(m->measured[i] / m->prior[i], MAX_QUOTIENT) : m->measured[i];
}

static int is_usable(const metal_call *m, size_t i, int by_prior) { return !m->trace[i] && (!by_prior || m->prior[i] > MIN_PRIOR); }

/* Fills columns first to end-1 of a row by a line between the nearest usable values. With usable values at one end
 * only, that value continues. by_prior: interpolates quotients by the prior, and skips rays that do not meet it. A ray
 * attenuates less without the metal, so that no value exceeds the measured one. */
static void fill_gap(const metal_call *m, size_t row, size_t first, size_t end, int by_prior)
{
	size_t left = first, right = end;
	while (left > 0 && !is_usable(m, row + left - 1, by_prior))
		left--;
	while (right < m->columns && !is_usable(m, row + right, by_prior))
		right++;
	const int has_left = left > 0, has_right = right < m->columns;
	if (!has_left && !has_right)
		return;
	metal_call plain = *m;
	plain.prior = by_prior ? m->prior : NULL;
	const double a = value_at(&plain, row + (has_left ? left - 1 : right)), b = value_at(&plain, row + (has_right ? right : left - 1));
	for (size_t k = first; k < end; k++) {
		const double share = (double)(k + 1 - left) / (double)(right + 1 - left), line = a + share * (b - a);
		if (by_prior && m->prior[row + k] <= MIN_PRIOR)
			continue;
		const double filled = by_prior ? line * m->prior[row + k] : line;
		m->out[row + k] = fminf((float)filled, m->measured[row + k]);
	}
}

typedef struct {
	const metal_call *m;
	int by_prior;
} fill_call;

static void fill_rows(void *self, size_t begin, size_t end, int worker)
{
	const fill_call *f = self;
	const metal_call *m = f->m;
	(void)worker;
	for (size_t r = begin; r < end; r++) {
		const unsigned char *trace = m->trace + r * m->columns;
		for (size_t k = 0; k < m->columns;) {
			size_t after = k;
			while (after < m->columns && trace[after])
				after++;
			if (after > k)
				fill_gap(m, r * m->columns, k, after, f->by_prior);
			k = after + 1;
		}
	}
}

/* Reduces the image of the filled projections to air, water and bone. Metal becomes what surrounds it: air or water. */
static gt_status make_prior(const gt_prepare_call *c, metal_call *m)
{
	const gt_scan *scan = (*c->p)->scan;
	const double w = m->water;
	gt_status st = GT_OK;
	GT_TRY(gt_prepare_image(m->be, scan, m->out, &m->grid, m->image));
	for (int twice = 0; twice < 2; twice++)
		gt_prepare_smooth(&m->grid, c->pool, m->image);
	for (size_t i = 0; i < gt_grid_voxels(&m->grid); i++) {
		const double x = m->image[i];
		m->image[i] = (float)(x < AIR * w ? 0 : m->metal[i] || x < BONE * w ? w : x);
	}
	st = gt_prepare_project(m->be, scan, &m->grid, m->image, m->prior);
done:
	return st;
}

static gt_status fill_trace(const gt_prepare_call *c, const struct options *o, metal_call *m)
{
	const gt_scan *scan = (*c->p)->scan;
	fill_call f = { m, 0 };
	gt_status st = GT_OK;
	gt_parallel(c->pool, scan->views * scan->rows, 8, fill_rows, &f);
	for (int pass = 0; o->method == NMAR && pass < o->passes; pass++) {
		GT_TRY(make_prior(c, m));
		f.by_prior = 1;
		gt_parallel(c->pool, scan->views * scan->rows, 8, fill_rows, &f);
	}
done:
	return st;
}

/* Adds the line integrals of the metal, the difference of both images, in place of the first image. */
static gt_status put_back(const gt_prepare_call *c, metal_call *m)
{
	const gt_scan *scan = (*c->p)->scan;
	gt_status st = GT_OK;
	GT_TRY(gt_prepare_image(m->be, scan, m->out, &m->grid, m->image));
	for (size_t i = 0; i < gt_grid_voxels(&m->grid); i++)
		m->first[i] = m->metal[i] ? fmaxf(0, m->first[i] - m->image[i]) : 0;
	GT_TRY(gt_metal_lines(m->be, c->pool, scan, &m->grid, m->first, m->image, m->prior));
	for (size_t i = 0; i < gt_scan_size(scan); i++)
		m->out[i] += m->prior[i];
done:
	return st;
}

static gt_status set_up(gt_prepare_call *c, const struct options *o, metal_call *m)
{
	const gt_projections *p = *c->p;
	const size_t n = gt_scan_size(p->scan);
	gt_status st = GT_OK;
	*m = (metal_call){ .columns = p->scan->columns, .measured = p->data };
	if (o->image[0])
		GT_TRY(gt_can_write_volume(o->image, NULL));
	GT_TRY(gt_prepare_backend(c, &m->be));
	GT_TRY(gt_prepare_grid(p->scan, (size_t)o->side, &m->grid));
	m->image = malloc(gt_grid_voxels(&m->grid) * sizeof *m->image);
	m->first = malloc(gt_grid_voxels(&m->grid) * sizeof *m->first);
	m->metal = malloc(gt_grid_voxels(&m->grid));
	m->trace = malloc(n);
	m->prior = malloc(n * sizeof *m->prior);
	m->out = malloc(n * sizeof *m->out);
	if (!m->image || !m->first || !m->metal || !m->trace || !m->prior || !m->out)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "metal: out of memory"));
	memcpy(m->out, p->data, n * sizeof *m->out);
done:
	return st;
}

static void release(metal_call *m)
{
	free(m->image);
	free(m->first);
	free(m->metal);
	free(m->trace);
	free(m->prior);
	free(m->out);
	gt_backend_close(m->be);
}

/* Finds the metal and its trace. traced 0: there is no metal, as why says. A trace of most rays is an object that was
 * taken for metal. */
static gt_status seek(gt_prepare_call *c, const struct options *o, metal_call *m, size_t *voxels, size_t *traced, char *why, size_t size)
{
	const size_t n = gt_scan_size((*c->p)->scan);
	gt_status st = GT_OK;
	*traced = 0;
	GT_TRY(find_metal(c, o, m, voxels));
	if (!*voxels && m->threshold > 0)
		snprintf(why, size, "no voxel of the first image is above %.4g mm-1: no metal", m->threshold);
	else if (!*voxels)
		snprintf(why, size, "the histogram of the first image shows no metal");
	if (!*voxels)
		goto done;
	GT_TRY(find_trace(c, m, traced));
	if (2 * *traced > n && o->threshold > 0)
		GT_TRY(gt_fail(GT_ERR_FORMAT,
		               "threshold=%g: %.0f %% of the rays pass voxels above %.4g mm-1, expected less than half; use a higher "
		               "threshold",
		               o->threshold, 100 * (double)*traced / (double)n, m->threshold));
	if (2 * *traced > n) {
		snprintf(why, size, "%.0f %% of the rays pass voxels above %.4g mm-1: no metal", 100 * (double)*traced / (double)n,
		         m->threshold);
		*traced = 0;
		goto done;
	}
	snprintf(why, size, "%zu voxels (%.3g mm^3) are above %.4g mm-1, and %.2g %% of the rays pass them", *voxels,
	         (double)*voxels * m->grid.pitch[0] * m->grid.pitch[1] * m->grid.pitch[2], m->threshold, 100 * (double)*traced / (double)n);
done:
	return st;
}

static gt_status run(gt_prepare_call *c, const void *options)
{
	const struct options *o = options;
	const gt_projections *p = *c->p;
	size_t voxels = 0, traced = 0;
	char why[256];
	metal_call m;
	gt_status st = GT_OK;
	GT_TRY(set_up(c, o, &m));
	GT_TRY(seek(c, o, &m, &voxels, &traced, why, sizeof why));
	if (!traced) {
		gt_prepare_note(c, "%s, nothing is changed", why);
		goto done;
	}
	if (o->method != WEIGHTS)
		GT_TRY(fill_trace(c, o, &m));
	if (o->method != WEIGHTS && o->put_back)
		GT_TRY(put_back(c, &m));
	GT_TRY(gt_prepare_mark(c, m.trace, gt_scan_size(p->scan), o->method == WEIGHTS ? 0 : GT_INTERPOLATED_WEIGHT));
	memcpy(p->data, m.out, gt_scan_size(p->scan) * sizeof *m.out);
	gt_prepare_note(c, "%s: %s", why,
	                o->method == WEIGHTS ? "weight 0"
	                : o->put_back        ? "their line integrals are interpolated, weight 0.1, and the metal is put back"
	                                     : "their line integrals are interpolated, weight 0.1");
done:
	release(&m);
	return st;
}

static gt_status advise(gt_prepare_call *c, char *spec, char *why, size_t size)
{
	struct options o = defaults;
	size_t voxels = 0, traced = 0;
	double ratio = INFINITY;
	metal_call m;
	gt_status st = GT_OK;
	o.side = ADVICE_SIDE;
	GT_TRY(set_up(c, &o, &m));
	GT_TRY(seek(c, &o, &m, &voxels, &traced, why, size));
	if (!traced)
		goto done;
	GT_TRY(fill_trace(c, &o, &m));
	GT_TRY(gt_prepare_image(m.be, (*c->p)->scan, m.out, &m.grid, m.image));
	GT_TRY(gt_metal_streak_ratio(&m.grid, c->pool, m.metal, m.first, m.image, &ratio));
	const size_t used = strlen(why);
	snprintf(why + used, size - used, "; their interpolation leaves %.2f of the streaks%s", ratio,
	         ratio < MAX_STREAKS ? "" : ": no gain");
	if (ratio < MAX_STREAKS)
		snprintf(spec, size, "metal");
done:
	release(&m);
	if (st == GT_OK || st == GT_ERR_MEMORY)
		return st;
	/* A scan without a direct method, or with too few views for it, has no first image. */
	snprintf(why, size, "no first image: %s", gt_error());
	return GT_OK;
}

const gt_preparation gt_preparation_metal = {
	.name = "metal",
	.about = "metal: interpolates its trace along rows (li, nmar) and restores the metal, or sets the weight of the trace to 0",
	GT_STEP_MEMBERS,
	.advise = advise,
};
