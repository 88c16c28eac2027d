/* Matches bead projections to beads. Bead projections of two views give a position, which is a bead if at least half of
 * the views show it. Beads are not tracked from view to view, so views without a bead do no harm. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/scan_math.h>
#include "calibration/beads/beads.h"
#include "core/try.h"

enum { STARTS = 6, PROBES = 24, MAX_BEADS = GT_BEADS_MAX, PLACE_AND_SHIFT = 5 };
static const double far_off = 1e6;

void gt_beads_off(const gt_scan *scan, size_t view, const double place[3], const gt_blob *b, double off[2])
{
	const gt_detector d = gt_scan_detector(scan);
	double column, row;
	const int seen = gt_point_pixel(&d, &scan->view[view], place, &column, &row) && isfinite(column) && isfinite(row);
	off[0] = seen ? b->column - column : far_off;
	off[1] = seen ? b->row - row : far_off;
}

static int taken(const gt_bead_search *s, size_t view, size_t blob)
{
	for (size_t k = 0; k < s->beads; k++)
		if (s->sight[view * MAX_BEADS + k] == (long)blob)
			return 1;
	return 0;
}

/* Returns the nearest free bead projection within the gate, or GT_BEADS_NONE. */
static long nearest(const gt_bead_search *s, size_t view, const double place[3], const double shift[2], double gate)
{
	long best = GT_BEADS_NONE;
	for (size_t i = s->blobs.first[view]; i < s->blobs.first[view + 1]; i++) {
		double off[2];
		if (!s->blobs.blob[i].whole || taken(s, view, i))
			continue;
		gt_beads_off(s->scan, view, place, &s->blobs.blob[i], off);
		const double d = hypot(off[0] - shift[0], off[1] - shift[1]);
		if (d < gate) {
			gate = d;
			best = (long)i;
		}
	}
	return best;
}

static size_t support(const gt_bead_search *s, const double place[3], const double shift[2], double gate, size_t views)
{
	size_t n = 0;
	for (size_t k = 0; k < views; k++)
		n += nearest(s, k * s->given->views / views, place, shift, gate) != GT_BEADS_NONE;
	return n;
}

/* place: centre of the shortest connection of two rays. Returns 0 if they are parallel or it is outside the
 * segments. */
static int meet(const gt_scan *scan, const size_t view[2], const gt_blob *const blob[2], const double shift[2], double place[3])
{
	const gt_detector d = gt_scan_detector(scan);
	double p[2][3], q[2][3], w[3];
	for (int i = 0; i < 2; i++)
		gt_pixel_ray(&d, &scan->view[view[i]], blob[i]->column - shift[0], blob[i]->row - shift[1], p[i], q[i]);
	for (int a = 0; a < 3; a++)
		w[a] = p[0][a] - p[1][a];
	const double aa = gt_dot3(q[0], q[0]), bb = gt_dot3(q[1], q[1]), ab = gt_dot3(q[0], q[1]), aw = gt_dot3(q[0], w),
		     bw = gt_dot3(q[1], w);
	const double det = aa * bb - ab * ab;
	if (!(det > 1e-9 * aa * bb))
		return 0;
	const double t = (ab * bw - bb * aw) / det, u = (aa * bw - ab * aw) / det;
	for (int a = 0; a < 3; a++)
		place[a] = (p[0][a] + t * q[0][a] + p[1][a] + u * q[1][a]) / 2;
	return t > 0 && t < 1 && u > 0 && u < 1;
}

typedef struct {
	double place[3];
	size_t support;
} candidate;

static void try_pairs(const gt_bead_search *s, const size_t view[2], double gate, candidate *best)
{
	const size_t *first = s->blobs.first, probes = s->given->views < PROBES ? s->given->views : PROBES;
	for (size_t i = first[view[0]]; i < first[view[0] + 1]; i++)
		for (size_t j = first[view[1]]; j < first[view[1] + 1]; j++) {
			const gt_blob *const blob[2] = { &s->blobs.blob[i], &s->blobs.blob[j] };
			candidate c;
			if (!blob[0]->whole || !blob[1]->whole || taken(s, view[0], i) || taken(s, view[1], j) ||
			    !meet(s->scan, view, blob, s->shift, c.place))
				continue;
			c.support = support(s, c.place, s->shift, gate, probes);
			if (c.support > best->support)
				*best = c;
		}
}

typedef struct {
	const gt_bead_search *s;
	const long *sight;
	const double *start;
	double gate;
	size_t *view, n;
} one_bead;

static void one_residual(const void *self, const double *x, double *r)
{
	const one_bead *o = self;
	for (size_t i = 0; i < o->n; i++) {
		const size_t v = o->view[i];
		gt_beads_off(o->s->scan, v, x, &o->s->blobs.blob[o->sight[v]], r + 2 * i);
		r[2 * i] -= x[3];
		r[2 * i + 1] -= x[4];
	}
	/* A short arc does not separate a common shift from a position. */
	r[2 * o->n] = (x[3] - o->start[3]) / o->gate;
	r[2 * o->n + 1] = (x[4] - o->start[4]) / o->gate;
}

/* Fits position and shift, x[5], of bead `s->beads` to its bead projections within the gate. */
static gt_status refine(gt_bead_search *s, double gate, long *sight, double x[PLACE_AND_SHIFT])
{
	static const double step[PLACE_AND_SHIFT] = { 1e-3, 1e-3, 1e-3, 1e-2, 1e-2 };
	const size_t views = s->given->views;
	const double start[PLACE_AND_SHIFT] = { x[0], x[1], x[2], x[3], x[4] };
	one_bead o = { s, sight, start, gate, malloc(views * sizeof *o.view), 0 };
	double squares;
	if (!o.view)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t v = 0; v < views; v++) {
		sight[v] = nearest(s, v, x, x + 3, gate);
		if (sight[v] != GT_BEADS_NONE)
			o.view[o.n++] = v;
	}
	const gt_least_squares fit = { PLACE_AND_SHIFT, 2 * o.n + 2, one_residual, &o, step };
	const gt_status st = gt_least_squares_fit(&fit, x, NULL, &squares);
	free(o.view);
	return st;
}

/* Finds one more bead, if there is one. */
static gt_status next_bead(gt_bead_search *s, double gate, int *found)
{
	const size_t views = s->given->views, probes = views < PROBES ? views : PROBES;
	candidate best = { .support = 0 };
	long *sight = malloc(views * sizeof *sight);
	gt_status st = sight ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	*found = 0;
	for (size_t k = 0; st == GT_OK && k < STARTS; k++) {
		const size_t first = k * views / STARTS, view[2] = { first, (first + views / 5 + 1) % views };
		try_pairs(s, view, gate, &best);
	}
	if (st == GT_OK && 3 * best.support >= probes) {
		double x[PLACE_AND_SHIFT] = { best.place[0], best.place[1], best.place[2], s->shift[0], s->shift[1] };
		size_t n = 0;
		for (int round = 0; st == GT_OK && round < 3; round++)
			st = refine(s, gate / (1 << round), sight, x);
		for (size_t v = 0; st == GT_OK && v < views; v++)
			n += sight[v] != GT_BEADS_NONE;
		if (st == GT_OK && 2 * n >= views) {
			*found = 1;
			memcpy(s->place[s->beads], x, sizeof s->place[0]);
			for (int a = 0; a < 2 && !s->beads; a++)
				s->shift[a] = x[3 + a];
			for (size_t v = 0; v < views; v++)
				s->sight[v * MAX_BEADS + s->beads] = sight[v];
			s->beads++;
		}
	}
	free(sight);
	return st;
}

gt_status gt_beads_match(gt_bead_search *s, double gate)
{
	gt_status st = GT_OK;
	for (int found = 1; st == GT_OK && found && s->beads < MAX_BEADS;)
		st = next_bead(s, gate, &found);
	return st;
}

/* 1 if another bead is so close in that view that both bead projections touch. */
static int crowded(const gt_bead_search *s, size_t view, size_t bead)
{
	const gt_detector d = gt_scan_detector(s->scan);
	double at[2], other[2];
	if (!gt_point_pixel(&d, &s->scan->view[view], s->place[bead], &at[0], &at[1]))
		return 1;
	for (size_t k = 0; k < s->beads; k++)
		if (k != bead && gt_point_pixel(&d, &s->scan->view[view], s->place[k], &other[0], &other[1]) &&
		    hypot(at[0] - other[0], at[1] - other[1]) < 2 * s->blobs.radius + 3)
			return 1;
	return 0;
}

void gt_beads_assign(gt_bead_search *s, double gate)
{
	static const double none[2];
	const size_t beads = s->beads;
	for (size_t v = 0; v < s->given->views; v++) {
		long sight[MAX_BEADS];
		s->beads = 0;
		for (size_t k = 0; k < beads; k++)
			sight[k] = nearest(s, v, s->place[k], none, gate);
		s->beads = beads;
		for (size_t k = 0; k < beads; k++) {
			int alone = sight[k] != GT_BEADS_NONE && !crowded(s, v, k);
			for (size_t l = 0; alone && l < beads; l++)
				alone = l == k || sight[l] != sight[k];
			s->sight[v * MAX_BEADS + k] = alone ? sight[k] : GT_BEADS_NONE;
		}
	}
}
