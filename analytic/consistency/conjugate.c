/* Finds the geometry faults that make conjugate rays disagree. Tries columns and rows as given and reversed, each with
 * the center that fits. Chooses the simplest candidate that is not significantly worse than the best, and interprets
 * its center. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/consistency.h>
#include "analytic/consistency/conjugate.h"
#include "analytic/consistency/conjugate_impl.h"
#include "core/arguments.h"
#include "core/try.h"
#include "geometry/scan.h"

/* WORSE: relative difference, and ERRORS: number of standard errors, that are significant. NEAR: tolerance in pixels,
 * or ERRORS standard errors. WILD: largest ratio of difference to expected difference. */
#define WORSE 0.1
#define ERRORS 5
#define NEAR 0.1
#define WILD 2
/* Parallel rays with this inclination (rad) still have conjugates, to a fraction of a row. */
#define MAX_INCLINATION 0.0175
/* CALM: up to this ratio no other faults are tried. */
#define CALM 1.2
/* Numbers of pairs: minimum; full check; quick check. */
enum { LEAST = 64, MANY = 20480, SOME = 4096 };

typedef struct {
	gt_conjugate_map map;
	double error;
	gt_conjugate_misfit misfit;
} way;

typedef struct {
	gt_conjugate_data data;
	gt_conjugate_pair *pair;                              /* pairs of the data, owned */
	double slack, center, turned_center, row, turned_row; /* as given; reversed */
	int rows, columns;                                    /* 1: reversing them would be detectable */
	way way[4];                                           /* columns reversed: + 1, rows: + 2 */
	gt_conjugate_report *report;
} checking;

static int is_way(const checking *c, int w) { return (!(w & 1) || c->columns) && (!(w & 2) || c->rows); }

static int worse(const gt_conjugate_misfit *a, const gt_conjugate_misfit *b)
{
	double mean = 0, squares = 0;
	if (a->pairs < LEAST)
		return 1;
	for (int g = 0; g < GT_CONJUGATE_GROUPS; g++) {
		const double off = a->group[g] - b->group[g];
		if (!isfinite(off))
			return 0;
		mean += off / GT_CONJUGATE_GROUPS;
		squares += off * off / GT_CONJUGATE_GROUPS;
	}
	const double error = sqrt(fmax(0, squares - mean * mean) / (GT_CONJUGATE_GROUPS - 1));
	return mean > WORSE * b->cost && mean > ERRORS * error;
}

static gt_conjugate_map map_of(const checking *c, int w)
{
	return (gt_conjugate_map){ w & 1 ? -1 : 1, w & 2 ? -1 : 1, c->center, w & 2 ? c->turned_row : c->row };
}

static gt_status try_center(checking *c, int w, double center)
{
	way x = { .map = map_of(c, w) };
	gt_status st = GT_OK;
	x.map.center = center;
	GT_TRY(gt_conjugate_refine(&c->data, &x.map, &x.error));
	x.error = hypot(x.error, c->slack);
	GT_TRY(gt_conjugate_measure(&c->data, &x.map, &x.misfit));
	if (x.misfit.pairs >= LEAST && x.misfit.cost < c->way[w].misfit.cost)
		c->way[w] = x;
done:
	return st;
}

/* Refines the center near the position of a plain fault, or searches the whole detector. */
static gt_status fit_way(checking *c, int w)
{
	gt_conjugate_map found = map_of(c, w);
	gt_status st = GT_OK;
	c->way[w].misfit.cost = INFINITY;
	GT_TRY(try_center(c, w, c->center));
	if (fabs(c->center - c->turned_center) > 1)
		GT_TRY(try_center(c, w, c->turned_center));
	GT_TRY(gt_conjugate_search(&c->data, &found));
	if (!(fabs(found.center - c->way[w].map.center) < 1.5) || !isfinite(c->way[w].error))
		GT_TRY(try_center(c, w, found.center));
done:
	return st;
}

static gt_status add_case(checking *c, unsigned faults, gt_conjugate_map map)
{
	gt_conjugate_misfit m;
	const gt_status st = gt_conjugate_measure(&c->data, &map, &m);
	gt_conjugate_case *item = &c->report->item[c->report->cases++];
	*item = (gt_conjugate_case){ faults, map.center, m.pairs, m.rms, m.expected };
	return st;
}

static gt_status add_cases(checking *c)
{
	gt_status st = GT_OK;
	for (int rows = 0; rows <= (c->rows ? 2 : 0); rows += 2) {
		const unsigned with = rows ? GT_CONJUGATE_ROWS : 0;
		GT_TRY(add_case(c, with, map_of(c, rows)));
		if (!c->columns)
			continue;
		gt_conjugate_map map = map_of(c, rows | 1);
		GT_TRY(add_case(c, with | GT_CONJUGATE_DIRECTION, map));
		map.center = c->turned_center;
		GT_TRY(add_case(c, with | GT_CONJUGATE_COLUMNS, map));
	}
	for (int w = 0; w < 4; w++)
		if (is_way(c, w) && c->way[w].misfit.pairs)
			GT_TRY(add_case(c, GT_CONJUGATE_CENTER | (w & 1 ? GT_CONJUGATE_COLUMNS : 0) | (w & 2 ? GT_CONJUGATE_ROWS : 0),
			                c->way[w].map));
done:
	return st;
}

/* Returns whether the center differs from `place` by more than the error, for all rays and for groups of them. A
 * position so far off that no pairs remain differs too. */
static gt_status differs(checking *c, int w, double place, int *yes)
{
	const way *x = &c->way[w];
	gt_conjugate_map map = x->map;
	gt_conjugate_misfit m;
	map.center = place;
	const gt_status st = gt_conjugate_measure(&c->data, &map, &m);
	*yes = fabs(x->map.center - place) > fmax(NEAR, ERRORS * x->error) &&
	       (m.pairs < LEAST || (m.cost - x->misfit.cost) * (double)x->misfit.pairs > ERRORS * ERRORS * x->misfit.cost);
	return st;
}

/* Names the faults that the fitted center implies, with columns as given or reversed. */
static gt_status name_faults(checking *c, int w)
{
	gt_conjugate_report *r = c->report;
	const way *x = &c->way[w];
	const unsigned rows = w & 2 ? GT_CONJUGATE_ROWS : 0;
	int from_given, from_turned;
	gt_status st = GT_OK;
	GT_TRY(differs(c, w, c->center, &from_given));
	GT_TRY(differs(c, w, c->turned_center, &from_turned));
	r->center = x->map.center;
	r->error = x->error;
	if (!(x->error < 0.5))
		r->hidden |= GT_CONJUGATE_CENTER;
	if (!(w & 1)) {
		r->faults = rows | (from_given ? GT_CONJUGATE_CENTER : 0);
		return GT_OK;
	}
	const int turn_is_nearer = fabs(r->center - c->center) < fabs(r->center - c->turned_center);
	const unsigned moved = from_given && from_turned ? GT_CONJUGATE_CENTER : 0;
	const unsigned columns = rows | GT_CONJUGATE_COLUMNS | moved, turn = rows | GT_CONJUGATE_DIRECTION | moved;
	r->faults = !moved && turn_is_nearer ? turn : columns;
	if (from_given == from_turned)
		r->instead = r->faults == turn ? columns : turn;
done:
	return st;
}

static size_t find_case(const gt_conjugate_report *r)
{
	/* The fitted centre covers both interpretations. */
	const unsigned wanted = r->faults & GT_CONJUGATE_CENTER && r->faults & GT_CONJUGATE_DIRECTION
	                                ? (r->faults & ~(unsigned)GT_CONJUGATE_DIRECTION) | GT_CONJUGATE_COLUMNS
	                                : r->faults;
	for (size_t i = 0; i < r->cases; i++)
		if (r->item[i].faults == wanted)
			return i;
	return 0;
}

static gt_status decide(checking *c)
{
	gt_conjugate_report *r = c->report;
	int best = 0, chosen = 0;
	for (int w = 1; w < 4; w++)
		if (is_way(c, w) && c->way[w].misfit.pairs && c->way[w].misfit.cost < c->way[best].misfit.cost)
			best = w;
	while (chosen != best && (!is_way(c, chosen) || worse(&c->way[chosen].misfit, &c->way[best].misfit)))
		chosen++;
	if (!c->columns || !worse(&c->way[chosen ^ 1].misfit, &c->way[chosen].misfit))
		r->hidden |= GT_CONJUGATE_COLUMNS | GT_CONJUGATE_DIRECTION;
	if (!c->rows || !worse(&c->way[chosen ^ 2].misfit, &c->way[chosen].misfit))
		r->hidden |= GT_CONJUGATE_ROWS;
	const gt_status st = name_faults(c, chosen);
	r->best = find_case(r);
	r->explained = r->item[r->best].rms <= WILD * r->item[r->best].expected;
	return st;
}

/* Rows are identifiable if both ends of a ray have different heights on the detector. */
static int rows_show(const gt_conjugate_pair *pair, size_t pairs)
{
	double squares = 0;
	for (size_t i = 0; i < pairs; i++)
		squares += (pair[i].tap[0].v - pair[i].tap[1].v) * (pair[i].tap[0].v - pair[i].tap[1].v);
	return sqrt(squares / (double)pairs) > 0.1;
}

/* Finds the pairs, their noise, and their agreement as given. */
static gt_status begin(checking *c, const gt_scan *scan, const float *data, gt_pool *pool, size_t max, gt_conjugate_misfit *given)
{
	gt_conjugate_report *report = c->report;
	gt_status st = GT_OK;
	memset(report, 0, sizeof *report);
	if (gt_scan_has_inclined_rays(scan) &&
	    (gt_scan_is_laminography(scan) || (scan->shape == GT_PARALLEL && gt_scan_inclination(scan, 0) > MAX_INCLINATION)))
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "conjugate rays: the axis is tilted: opposite views measure different rays, expected a level axis");
	if (scan->columns < 4)
		return gt_fail(GT_ERR_UNSUPPORTED, "conjugate rays: %zu columns: expected at least 4", scan->columns);
	GT_TRY(gt_conjugate_pairs(scan, pool, max, &c->pair, &report->pairs, &c->slack));
	c->data = (gt_conjugate_data){ .scan = scan, .data = data, .pool = pool, .pair = c->pair, .pairs = report->pairs };
	if (report->pairs < LEAST)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "conjugate rays: found %zu pairs: expected at least %d to compare", report->pairs,
		               LEAST));
	report->views = scan->views;
	c->center = scan->column_center;
	c->turned_center = (double)scan->columns - 1 - c->center;
	c->row = scan->row_center;
	c->turned_row = (double)scan->rows - 1 - c->row;
	c->columns = scan->shape != GT_PARALLEL;
	c->rows = rows_show(c->pair, report->pairs);
	GT_TRY(gt_conjugate_noise(&c->data));
	report->value = c->data.value;
	report->noise = c->data.noise;
	const gt_conjugate_map as_given = map_of(c, 0);
	GT_TRY(gt_conjugate_measure(&c->data, &as_given, given));
done:
	return st;
}

/* Fits all candidates and chooses one. */
static gt_status judge(checking *c)
{
	gt_status st = GT_OK;
	for (int w = 0; w < 4; w++)
		if (is_way(c, w))
			GT_TRY(fit_way(c, w));
	if (!c->way[0].misfit.pairs)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED,
		               "conjugate rays: of %zu pairs, fewer than %d pass through the object: too few to check the geometry",
		               c->report->pairs, LEAST));
	GT_TRY(add_cases(c));
	GT_TRY(decide(c));
done:
	return st;
}

gt_status gt_conjugate_check(const gt_scan *scan, const float *data, gt_pool *pool, gt_conjugate_report *report)
{
	GT_NEED(scan);
	GT_NEED(data);
	GT_NEED(report);
	gt_conjugate_misfit given;
	checking c = { .report = report };
	gt_status st = begin(&c, scan, data, pool, MANY, &given);
	if (st == GT_OK)
		st = judge(&c);
	free(c.pair);
	return st;
}

gt_status gt_conjugate_quick_check(const gt_scan *scan, const float *data, gt_pool *pool, gt_conjugate_report *report)
{
	GT_NEED(scan);
	GT_NEED(data);
	GT_NEED(report);
	gt_conjugate_misfit given;
	checking c = { .report = report };
	gt_status st = begin(&c, scan, data, pool, SOME, &given);
	if (st == GT_OK && given.pairs >= LEAST && given.rms <= CALM * given.expected) {
		report->cases = 1;
		report->item[0] = (gt_conjugate_case){ 0, c.center, given.pairs, given.rms, given.expected };
		report->explained = 1;
		report->center = c.center;
		report->error = INFINITY;
	} else if (st == GT_OK) {
		st = judge(&c);
	}
	free(c.pair);
	return st;
}
