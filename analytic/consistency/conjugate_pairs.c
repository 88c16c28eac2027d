/* Finds rays that are measured from both ends. Two sources that see each other share the line between them. Parallel
 * beams of opposite directions share all their lines. Views are chosen at random within equal intervals, so that all
 * positions of a flying spot take part equally. Memory: one record per pair of rays. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/constants.h>
#include <gantry/author/scan_math.h>
#include "analytic/consistency/conjugate_impl.h"
#include "core/order_statistics.h"
#include "core/random.h"
#include "core/try.h"

/* Error of the center due to edges if a half rotation is extrapolated, as a fraction of the outermost column's path
 * between views; measured. */
#define SLACK 0.02
/* Chosen views per requested pair, and views on the other side. */
enum { PAIRS_OF_VIEW = 20, OTHERS_OF_VIEW = 16, SEED = 20 };

/* Returns a random one of each of `max` equal intervals of n. */
static size_t chosen(size_t n, size_t max, size_t i)
{
	if (n <= max)
		return i;
	gt_random r;
	gt_random_at(SEED + 1, i, &r);
	return (size_t)(((double)i + gt_uniform(&r)) * (double)n / (double)max);
}

typedef struct {
	const gt_scan *scan;
	gt_detector detector;
	double widest, highest;     /* bounds of u and v, pixels */
	size_t max;                 /* approximate number of pairs */
	size_t views, others, each; /* chosen on either side; maximum number of pairs of a view */
	gt_conjugate_pair *pair;
	size_t *first; /* [views]: its first pair */
	size_t *found; /* [views]: its number of pairs */
	size_t *order; /* parallel: views by direction, or in order on a helix */
	double *direction, step;
	int beyond; /* parallel: extrapolates 180 degrees by the missing step */
	int failed;
} search;

/* Finds the pixel where a view sees a point; 0: not on its detector, even if reversed. */
static int sees(const search *s, size_t view, const double point[3], gt_conjugate_tap *tap)
{
	double column, row;
	if (!gt_point_pixel(&s->detector, &s->scan->view[view], point, &column, &row))
		return 0;
	*tap = (gt_conjugate_tap){ view, column - s->detector.column_center, row - s->detector.row_center, 1 };
	return fabs(tap->u) <= s->widest && fabs(tap->v) <= s->highest;
}

/* Finds the sources that the view sees and that see it. All are counted, and each is kept with the same probability. */
static void meet_sources(void *self, size_t begin, size_t end, int worker)
{
	search *s = self;
	(void)worker;
	for (size_t i = begin; i < end; i++) {
		const size_t j = chosen(s->scan->views, s->views, i);
		gt_random r;
		gt_random_at(SEED, i, &r);
		const int group = (int)(gt_uniform(&r) * GT_CONJUGATE_GROUPS);
		size_t met = 0;
		for (size_t o = 0; o < s->others; o++) {
			gt_conjugate_pair p = { .taps = 2, .group = group };
			const size_t w = chosen(s->scan->views, s->others, o);
			/* Takes one of (j, w) and (w, j), and the same number for every view. */
			const int twice = s->views == s->scan->views && (w < j) == ((w + j) % 2 == 0);
			if (w == j || twice || !sees(s, j, s->scan->view[w].source, &p.tap[0]) ||
			    !sees(s, w, s->scan->view[j].source, &p.tap[1]))
				continue;
			const size_t at = met < s->each ? met : (size_t)(gt_uniform(&r) * (double)(met + 1));
			if (at < s->each)
				s->pair[s->first[i] + at] = p;
			met++;
		}
		s->found[i] = met < s->each ? met : s->each;
	}
}

/* Finds the ray of a pixel in the views around the opposite direction, at the same distance from the axis. */
static int meet_ray(const search *s, size_t view, const size_t other[2], const double weight[2], gt_random *r, gt_conjugate_pair *p)
{
	double from[3], to[3];
	*p = (gt_conjugate_pair){ .taps = 1, .group = (int)(gt_uniform(r) * GT_CONJUGATE_GROUPS) };
	p->tap[0] = (gt_conjugate_tap){ view, (2 * gt_uniform(r) - 1) * s->widest, (2 * gt_uniform(r) - 1) * s->highest, 1 };
	gt_pixel_ray(&s->detector, &s->scan->view[view], s->detector.column_center + p->tap[0].u, s->detector.row_center + p->tap[0].v,
	             from, to);
	const double along = -(from[0] * to[0] + from[1] * to[1]) / (to[0] * to[0] + to[1] * to[1]);
	for (int a = 0; a < 3; a++)
		from[a] += along * to[a];
	for (int k = 0; k < 2; k++) {
		const double turn = s->direction[other[k]] - s->direction[view] - GT_PI, c = cos(turn), sine = sin(turn);
		const double turned[3] = { c * from[0] - sine * from[1], sine * from[0] + c * from[1], from[2] };
		if (weight[k] == 0)
			continue;
		if (!sees(s, other[k], turned, &p->tap[p->taps]))
			return 0;
		p->tap[p->taps++].weight = weight[k];
	}
	return 1;
}

/* Weights of the views a and b for the direction opposite to j; 0: they do not enclose it, nor (beyond) adjoin it on
 * one side. */
static int opposite(const search *s, size_t j, size_t a, size_t b, double weight[2])
{
	const double below = remainder(s->direction[a] - s->direction[j] - GT_PI, 2 * GT_PI),
		     above = remainder(s->direction[b] - s->direction[j] - GT_PI, 2 * GT_PI), gap = above - below, same = 0.01 * s->step;
	weight[0] = 1;
	weight[1] = 0;
	if (fabs(below) < same)
		return 1;
	if (fabs(above) < same || fabs(gap) < same || fabs(gap) > 2 * s->step)
		return 0;
	weight[0] = above / gap;
	weight[1] = -below / gap;
	return below * above < 0 || (s->beyond && fmin(fabs(below), fabs(above)) < 1.01 * s->step);
}

/* Finds the views around the direction opposite to j, and their weights; returns their number. */
static size_t all_opposite(const search *s, size_t j, size_t (*other)[2], double (*weight)[2])
{
	const size_t n = s->scan->views;
	size_t met = 0;
	for (size_t o = 0; o < n; o++) {
		other[met][0] = s->order[o];
		other[met][1] = s->order[(o + 1) % n];
		met += (size_t)opposite(s, j, other[met][0], other[met][1], weight[met]);
	}
	return met;
}

/* Without memory for pairs (each = 0): counts the views that have any. */
static void meet_directions(void *self, size_t begin, size_t end, int worker)
{
	search *s = self;
	const size_t n = s->scan->views;
	size_t(*other)[2] = malloc(n * sizeof *other);
	double(*weight)[2] = malloc(n * sizeof *weight);
	(void)worker;
	if (!other || !weight)
		s->failed = 1;
	for (size_t i = begin; i < end && !s->failed; i++) {
		gt_random r;
		gt_random_at(SEED, i, &r);
		const size_t j = chosen(n, s->views, i), met = s->each && !s->found[i] ? 0 : all_opposite(s, j, other, weight);
		if (!s->each) {
			s->found[i] = met > 0;
			continue;
		}
		gt_conjugate_pair *to = s->pair + s->first[i];
		s->found[i] = 0;
		for (size_t k = 0; met && k < 4 * s->each && s->found[i] < s->each; k++) {
			const size_t m = (size_t)(gt_uniform(&r) * (double)met);
			s->found[i] += (size_t)meet_ray(s, j, other[m], weight[m], &r, &to[s->found[i]]);
		}
	}
	free(other);
	free(weight);
}

typedef struct {
	double angle;
	size_t view;
} directed;

static int by_angle(const void *a, const void *b)
{
	const double x = ((const directed *)a)->angle, y = ((const directed *)b)->angle;
	return (x > y) - (x < y);
}

/* Finds the directions of parallel beams, their order, and the median step. */
static gt_status find_directions(search *s)
{
	const size_t n = s->scan->views;
	directed *sorted = malloc(n * sizeof *sorted);
	double *gap = malloc(n * sizeof *gap);
	gt_status st = GT_OK;
	s->order = malloc(n * sizeof *s->order);
	s->direction = malloc(n * sizeof *s->direction);
	if (!sorted || !gap || !s->order || !s->direction)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t v = 0; v < n; v++) {
		const gt_view *w = &s->scan->view[v];
		s->direction[v] = atan2(w->detector[1] - w->source[1], w->detector[0] - w->source[0]);
		sorted[v] = (directed){ s->direction[v], v };
	}
	if (!gt_scan_is_helical(s->scan))
		qsort(sorted, n, sizeof *sorted, by_angle);
	for (size_t v = 0; v < n; v++)
		s->order[v] = sorted[v].view;
	for (size_t v = 0; v < n; v++)
		gap[v] = fabs(remainder(s->direction[s->order[(v + 1) % n]] - s->direction[s->order[v]], 2 * GT_PI));
	s->step = gt_upper_median(gap, n);
done:
	free(sorted);
	free(gap);
	return st;
}

static gt_status run(search *s, gt_pool *pool, gt_loop meet)
{
	gt_parallel(pool, s->views, 1, meet, s);
	return s->failed ? gt_fail(GT_ERR_MEMORY, "out of memory") : GT_OK;
}

/* Allocates the pairs of all views that have any. */
static gt_status make_room(search *s)
{
	size_t with = 0, first = 0;
	for (size_t i = 0; i < s->views; i++)
		with += s->found[i];
	s->each = s->max / (with ? with : 1);
	for (size_t i = 0; i < s->views; i++) {
		s->first[i] = first;
		first += s->found[i] * s->each;
	}
	s->pair = malloc((first + 1) * sizeof *s->pair);
	return s->pair ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
}

static gt_status find_opposite_views(search *s, gt_pool *pool)
{
	size_t with = 0;
	gt_status st = GT_OK;
	GT_TRY(find_directions(s));
	for (s->beyond = 0; s->beyond < 2 && !with; s->beyond++) {
		GT_TRY(run(s, pool, meet_directions));
		for (size_t i = 0; i < s->views; i++)
			with += s->found[i];
	}
	/* Restores the value that found some. */
	s->beyond--;
done:
	return st;
}

gt_status gt_conjugate_pairs(const gt_scan *scan, gt_pool *pool, size_t max, gt_conjugate_pair **pairs, size_t *count, double *slack)
{
	const double columns = (double)scan->columns - 1, rows = (double)scan->rows - 1;
	const int parallel = scan->shape == GT_PARALLEL;
	const size_t views = max / PAIRS_OF_VIEW, others = views * OTHERS_OF_VIEW;
	search s = { .scan = scan, .detector = gt_scan_detector(scan), .max = max };
	gt_status st = GT_OK;
	*count = 0;
	*slack = 0;
	s.widest = fmax(scan->column_center, columns - scan->column_center);
	s.highest = fmax(0.25, fmax(scan->row_center, rows - scan->row_center));
	s.views = scan->views < views ? scan->views : views;
	s.others = scan->views < others ? scan->views : others;
	s.found = malloc(s.views * sizeof *s.found);
	s.first = malloc(s.views * sizeof *s.first);
	if (!s.found || !s.first)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t i = 0; i < s.views; i++)
		s.found[i] = 1;
	if (parallel)
		GT_TRY(find_opposite_views(&s, pool));
	if (s.beyond)
		*slack = SLACK * s.step * s.widest;
	GT_TRY(make_room(&s));
	GT_TRY(run(&s, pool, parallel ? meet_directions : meet_sources));
	for (size_t i = 0; i < s.views; i++)
		for (size_t k = 0; k < s.found[i]; k++)
			s.pair[(*count)++] = s.pair[s.first[i] + k];
done:
	free(s.found);
	free(s.first);
	free(s.order);
	free(s.direction);
	if (st != GT_OK) {
		free(s.pair);
		s.pair = NULL;
	}
	*pairs = s.pair;
	return st;
}
