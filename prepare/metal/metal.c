/* Metal: what passes it is measured badly, and streaks between its parts follow. A first image above a threshold is
 * metal; its projection is the trace. "li": there, a straight line along each row, Kalender, Hebel, Ebersberger,
 * Radiology 164 (1987) 576. "nmar": the same of the quotient by the projection of a prior, an image of air, water
 * and bone without the metal, Meyer et al., Med. Phys. 37 (2010) 5482; the image after the first pass makes the prior
 * of the next. "weights": the trace gets the weight 0, for iterative methods, and keeps its values. The metal is not
 * in the volume any more: image= writes it as the first image has it. Memory: three times the projections, and three
 * volumes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/io.h>
#include "core/try.h"
#include "prepare/images.h"

enum { LI, NMAR, WEIGHTS };
struct options {
	int method, passes, side;
	double threshold, water;
	char image[GT_PARAM_TEXT];
};
static const struct options defaults = { .method = NMAR, .passes = 2, .side = 512, .threshold = 5 };
static const char *const methods[] = { "li", "nmar", "weights", NULL };
#define AT(field) offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "method",
	  .help = "li: straight lines over the trace; nmar: over a prior; weights: only the weight 0 there, for iterative methods",
	  .kind = GT_CHOICE,
	  .at = AT(method),
	  .names = methods },
	{ .key = "threshold",
	  .help = "metal is what is above so many times water in a first image",
	  .kind = GT_REAL,
	  .at = AT(threshold),
	  .least = 0.01,
	  .most = 1e6 },
	{ .key = "water",
	  .help = "its attenuation, mm-1; 0: that of the projections, else 0.02",
	  .kind = GT_REAL,
	  .at = AT(water),
	  .least = 0,
	  .most = 1e3 },
	{ .key = "passes",
	  .help = "of nmar: each has the image of the one before as its prior",
	  .kind = GT_INT,
	  .at = AT(passes),
	  .least = 1,
	  .most = 10 },
	{ .key = "side", .help = "most voxels along a side of these images", .kind = GT_INT, .at = AT(side), .least = 16, .most = 4096 },
	{ .key = "image", .help = "file for the metal alone, as the first image has it", .kind = GT_TEXT, .at = AT(image) },
	{ .key = NULL },
};
/* A ray that passes less of the metal than this part of a voxel is not in the trace. */
#define LEAST_PATH 0.05
/* Of the prior, in water: below the first is air, up to the second water, above bone. */
#define AIR 0.5
#define BONE 1.35
/* Line integrals of the prior by which nothing is divided. */
#define LEAST_PRIOR 0.02

typedef struct {
	gt_backend *be;
	gt_grid grid;
	double water;
	float *image;         /* [z][y][x] */
	unsigned char *metal; /* the same: 1 where it is */
	unsigned char *trace; /* [view][row][column] */
	float *prior;         /* the same: its line integrals */
	const float *measured;
	float *out;
	size_t columns;
} metal_call;

/* image becomes the metal, 1 and 0. */
static gt_status find_metal(gt_prepare_call *c, const struct options *o, metal_call *m, size_t *voxels)
{
	const gt_projections *p = *c->p;
	const size_t n = gt_grid_voxels(&m->grid);
	gt_volume *v = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_prepare_image(m->be, p->scan, p->data, &m->grid, m->image));
	*voxels = 0;
	for (size_t i = 0; i < n; i++)
		*voxels += m->metal[i] = m->image[i] > o->threshold * m->water;
	if (o->image[0]) {
		for (size_t i = 0; i < n; i++)
			m->image[i] = m->metal[i] ? m->image[i] : 0;
		GT_TRY(gt_volume_wrap(&m->grid, m->image, NULL, NULL, &v));
		GT_TRY(gt_volume_set_water(v, m->water));
		GT_TRY(gt_write_volume(o->image, NULL, v));
	}
	for (size_t i = 0; i < n; i++)
		m->image[i] = m->metal[i];
done:
	gt_volume_free(v);
	return st;
}

static gt_status find_trace(gt_prepare_call *c, metal_call *m, size_t *traced)
{
	const gt_projections *p = *c->p;
	const double least = LEAST_PATH * fmin(m->grid.pitch[0], m->grid.pitch[1]);
	gt_status st = GT_OK;
	GT_TRY(gt_prepare_project(m->be, p->scan, &m->grid, m->image, m->prior));
	*traced = 0;
	for (size_t i = 0; i < gt_scan_size(p->scan); i++)
		*traced += m->trace[i] = m->prior[i] > least;
done:
	return st;
}

/* What stands for a value at the end of a gap. */
static double value_at(const metal_call *m, size_t i) { return m->prior ? m->measured[i] / m->prior[i] : m->measured[i]; }

static int is_usable(const metal_call *m, size_t i, int by_prior) { return !m->trace[i] && (!by_prior || m->prior[i] > LEAST_PRIOR); }

/* The gap from column `first` on, of a row: a line between what is usable at both ends; where one end has none, the
 * other's value. by_prior: of quotients, back by the prior, but for rays that meet none of it. */
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
		if (by_prior && m->prior[row + k] <= LEAST_PRIOR)
			continue;
		m->out[row + k] = (float)(by_prior ? line * m->prior[row + k] : line);
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

/* Air, water and bone of the image that the filled projections have; metal is water there. */
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
		m->image[i] = (float)(m->metal[i] ? w : x < AIR * w ? 0 : x < BONE * w ? w : x);
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

static gt_status set_up(gt_prepare_call *c, const struct options *o, metal_call *m)
{
	const gt_projections *p = *c->p;
	const size_t n = gt_scan_size(p->scan);
	gt_status st = GT_OK;
	*m = (metal_call){ .columns = p->scan->columns, .measured = p->data };
	m->water = o->water > 0 ? o->water : p->water > 0 ? p->water : GT_WATER_DEFAULT;
	if (o->image[0])
		GT_TRY(gt_can_write_volume(o->image));
	GT_TRY(gt_prepare_backend(c, &m->be));
	GT_TRY(gt_prepare_grid(p->scan, (size_t)o->side, &m->grid));
	m->image = malloc(gt_grid_voxels(&m->grid) * sizeof *m->image);
	m->metal = malloc(gt_grid_voxels(&m->grid));
	m->trace = malloc(n);
	m->prior = malloc(n * sizeof *m->prior);
	m->out = malloc(n * sizeof *m->out);
	if (!m->image || !m->metal || !m->trace || !m->prior || !m->out)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "metal: out of memory"));
	memcpy(m->out, p->data, n * sizeof *m->out);
done:
	return st;
}

static gt_status mark(gt_prepare_call *c, const metal_call *m)
{
	float *w = NULL;
	const gt_status st = gt_prepare_weights(c, &w);
	for (size_t i = 0; st == GT_OK && i < gt_scan_size((*c->p)->scan); i++)
		w[i] = m->trace[i] ? 0 : w[i];
	return st;
}

static gt_status run(gt_prepare_call *c, const void *options)
{
	const struct options *o = options;
	const gt_projections *p = *c->p;
	const size_t n = gt_scan_size(p->scan);
	size_t voxels = 0, traced = 0;
	metal_call m;
	gt_status st = GT_OK;
	GT_TRY(set_up(c, o, &m));
	GT_TRY(find_metal(c, o, &m, &voxels));
	if (!voxels) {
		gt_prepare_note(c, "nothing in the first image is above %.4g mm-1: no metal, nothing is changed", o->threshold * m.water);
		goto done;
	}
	GT_TRY(find_trace(c, &m, &traced));
	if (2 * traced > n)
		GT_TRY(gt_fail(GT_ERR_FORMAT,
		               "%.0f %% of the rays meet what is above %.4g mm-1, expected less than half: is threshold=%g too low?",
		               100 * (double)traced / (double)n, o->threshold * m.water, o->threshold));
	if (o->method == WEIGHTS)
		GT_TRY(mark(c, &m));
	else
		GT_TRY(fill_trace(c, o, &m));
	memcpy(p->data, m.out, n * sizeof *m.out);
	gt_prepare_note(c, "%.3g mm^3 are above %.4g mm-1; %.2g %% of the rays meet them: %s",
	                (double)voxels * m.grid.pitch[0] * m.grid.pitch[1] * m.grid.pitch[2], o->threshold * m.water,
	                100 * (double)traced / (double)n, o->method == WEIGHTS ? "weight 0" : "filled");
done:
	free(m.image);
	free(m.metal);
	free(m.trace);
	free(m.prior);
	free(m.out);
	gt_backend_close(m.be);
	return st;
}

const gt_preparation gt_preparation_metal = {
	.name = "metal",
	.about = "what rays through metal measured, filled in along rows (li, nmar) or given the weight 0",
	GT_STEP_MEMBERS,
};
