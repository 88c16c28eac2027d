/* Compares the range of the angles with the data. Mean square differences of views one and two steps apart give noise
 * and slope of D = noise + slope k^2 for k steps. The difference of the last and the first view then gives their steps.
 * Memory: one profile per compared view. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "core/order_statistics.h"
#include "core/try.h"
#include "geometry/angular_closure.h"

/* Compared views at either end and between the ends; maximum number of columns after binning. */
enum { MIN_VIEWS = 16, AT_END = 4, BETWEEN = 7, HALF = 2 * AT_END + BETWEEN, PROFILES = HALF + 1, MAX_COLUMNS = 2048 };
/* Steps differ by at most this fraction of the first one. */
#define UNEVEN 0.2
/* Views are adjacent up to this many steps. */
#define ADJACENT 2.5
/* Fractions of the difference of distant views: of views that are similar, and of views that are not. */
#define SIMILAR 0.05
#define DISTINCT 0.5
/* Sampling makes a mirrored view differ by up to this fraction of a shift by one column; smaller steps are not seen. */
#define RESOLVED 0.03
/* Profiles end in air up to this fraction of their largest value. */
#define AIR 0.05

typedef struct {
	const gt_closure_views *s;
	size_t columns, bin;
	double *p;                  /* [PROFILES][columns] */
	double noise, slope, error; /* fit of the differences; error: deviation of one difference */
	double shift;               /* difference of a view and its copy shifted by one column */
	double distant;             /* median difference of the first view and views between the ends */
} closure;

/* Steps from the last to the first view, mirrored if half: by the angles, and by the data. */
typedef struct {
	double stated, found, difference;
	int similar, is_contradicted; /* is_contradicted: similar, although the stated steps predict a clear difference */
} joint;

static double *profile(const closure *c, size_t i) { return c->p + i * c->columns; }

/* Smooths by (1 4 6 4 1)/16, so that differences are quadratic in small shifts. */
static void smooth(double *x, size_t n)
{
	for (int pass = 0; pass < 2; pass++) {
		double before = x[0];
		for (size_t k = 0; k < n; k++) {
			const double here = x[k];
			x[k] = (before + 2 * here + (k + 1 < n ? x[k + 1] : here)) / 4;
			before = here;
		}
	}
}

/* Profile HALF is the view half a rotation after the first one, by the angles; the last view if there is none. */
static gt_status read_profiles(closure *c, double span)
{
	const size_t views = c->s->views;
	const double half = GT_PI / span * (double)(views - 1);
	float *row = malloc(c->s->columns * sizeof *row);
	gt_status st = row ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for %zu columns", c->s->columns);
	for (size_t i = 0; i < PROFILES && st == GT_OK; i++) {
		const size_t view = i < AT_END       ? i
		                    : i < 2 * AT_END ? views - 1 - (i - AT_END)
		                    : i < HALF       ? (i - 2 * AT_END + 1) * views / (BETWEEN + 1)
		                                     : (size_t)fmin(round(half), (double)(views - 1));
		st = c->s->profile(c->s->self, view, row);
		for (size_t k = 0; k < c->columns * c->bin && st == GT_OK; k++)
			profile(c, i)[k / c->bin] += (double)row[k] / (double)c->bin;
		smooth(profile(c, i), c->columns);
	}
	free(row);
	return st;
}

static double difference(const closure *c, size_t a, size_t b)
{
	const double *x = profile(c, a), *y = profile(c, b);
	double sum = 0;
	for (size_t k = 0; k < c->columns; k++)
		sum += (x[k] - y[k]) * (x[k] - y[k]) / (double)c->columns;
	return sum;
}

/* Returns a profile at a fractional column, by cubic convolution (Keys, IEEE Trans. ASSP 29 (1981) 1153). */
static double value_at(const double *y, size_t n, double column)
{
	const double below = floor(column), f = column - below;
	const double weight[4] = { f * (f * (1 - f / 2) - 0.5), 1 + f * f * (1.5 * f - 2.5), f * (0.5 + f * (2 - 1.5 * f)),
		                   f * f * (f - 1) / 2 };
	double sum = 0;
	for (int i = 0; i < 4; i++) {
		const double k = below - 1 + i;
		sum += k >= 0 && k < (double)n ? weight[i] * y[(size_t)k] : 0;
	}
	return sum;
}

/* Difference of two profiles if the second is mirrored about column t/2; air continues on both sides. */
static double mirrored_at(const closure *c, size_t a, size_t b, double t)
{
	const double *x = profile(c, a), *y = profile(c, b), last = (double)c->columns - 1;
	double sum = 0;
	for (size_t k = 0; k < c->columns; k++) {
		const double d = x[k] - value_at(y, c->columns, t - (double)k);
		sum += d * d;
		if (t < (double)k || t - (double)k > last) /* the mirror image of this column of y lies outside */
			sum += y[k] * y[k];
	}
	return sum / (double)c->columns;
}

/* Minimises this difference over all axes: on half columns, then by golden section. */
static double mirrored(const closure *c, size_t a, size_t b)
{
	const double golden = (sqrt(5) - 1) / 2;
	double best = 0, min = INFINITY;
	for (size_t t = 0; t + 1 < 2 * c->columns; t++) {
		const double d = mirrored_at(c, a, b, (double)t);
		if (d < min) {
			min = d;
			best = (double)t;
		}
	}
	double low = best - 1, high = best + 1;
	for (int i = 0; i < 20; i++) {
		const double left = high - golden * (high - low), right = low + golden * (high - low);
		if (mirrored_at(c, a, b, left) < mirrored_at(c, a, b, right))
			high = right;
		else
			low = left;
	}
	return fmin(min, mirrored_at(c, a, b, (low + high) / 2));
}

static int ends_in_air(const closure *c, size_t i)
{
	const double *p = profile(c, i);
	double max = 0;
	for (size_t k = 0; k < c->columns; k++)
		max = fmax(max, p[k]);
	return fmax(fabs(p[0]), fabs(p[c->columns - 1])) <= AIR * max;
}

/* Differences of neighbours, of views two steps apart, and of distant ones. 0: the views do not change enough. */
static int measure_changes(closure *c)
{
	double one[2 * (AT_END - 1)], far[BETWEEN], d1 = 0, d2 = 0, squares = 0;
	size_t n = 0;
	for (size_t end = 0; end < 2; end++)
		for (size_t i = 0; i + 1 < AT_END; i++) {
			const size_t a = end * AT_END + i;
			one[n] = difference(c, a, a + 1);
			d1 += one[n++] / (2 * (AT_END - 1));
			d2 += i + 2 < AT_END ? difference(c, a, a + 2) / (2 * (AT_END - 2)) : 0;
		}
	for (size_t i = 0; i < n; i++)
		squares += (one[i] - d1) * (one[i] - d1) / (double)(n - 1);
	for (size_t j = 0; j < BETWEEN; j++)
		far[j] = difference(c, 0, 2 * AT_END + j);
	for (size_t k = 1; k < c->columns; k++)
		c->shift += pow(profile(c, 0)[k] - profile(c, 0)[k - 1], 2) / (double)c->columns;
	c->slope = (d2 - d1) / 3;
	c->noise = fmax(0, (4 * d1 - d2) / 3);
	c->error = sqrt(squares);
	c->distant = gt_upper_median(far, BETWEEN) - c->noise;
	return c->slope > 0 && c->distant > 20 * c->slope && c->distant > 10 * c->error;
}

/* error: of d. */
static void judge(const closure *c, double stated, double d, double error, joint *j)
{
	j->stated = stated;
	j->difference = d - c->noise;
	j->found = sqrt(fmax(0, j->difference / c->slope));
	const double limit = fmin(SIMILAR * c->distant, ADJACENT * ADJACENT * c->slope + error);
	j->similar = j->difference < limit;
	j->is_contradicted = j->similar && fabs(stated) > ADJACENT && stated * stated * c->slope > 4 * limit;
}

/* Sum of the steps; NAN unless they are even. */
static double even_span(const gt_closure_views *s)
{
	const double first = remainder(s->angle[1] - s->angle[0], 2 * GT_PI);
	double span = 0;
	for (size_t v = 1; v < s->views; v++) {
		const double step = remainder(s->angle[v] - s->angle[v - 1], 2 * GT_PI);
		if (!(fabs(step - first) <= UNEVEN * fabs(first)))
			return NAN;
		span += step;
	}
	return fabs(span);
}

/* The range is one step too long or too short: 1 or -1. Else 0. */
static int is_off_by_one(const closure *c, const joint *j)
{
	if (fmax(c->error, c->noise) > c->slope / 2)
		return 0;
	if (fabs(j->stated) < 0.25 && j->found > 0.6 && j->found < 1.5)
		return 1;
	return fabs(j->stated - 1) < 0.25 && j->found < 0.4 ? -1 : 0;
}

static void write_off_by_one(const closure *c, double span, double period, int off, char *text)
{
	const double steps = (double)(c->s->views - 1), expected = span + (off > 0 ? -span / (steps + 1) : span / steps);
	snprintf(text, GT_CLOSURE_TEXT,
	         "the angles span %.6g degrees, but the data span about %.6g: the %s view %s: expected steps of %.6g degrees, found %.6g; "
	         "check the angles",
	         span * GT_DEGREES, expected * GT_DEGREES, period < 2 * GT_PI ? "mirrored last" : "last",
	         off > 0 ? "is one step before the first" : "repeats the first", expected / steps * GT_DEGREES, span / steps * GT_DEGREES);
}

/* 1: the last view is next to the mirrored first one, for any angles: a view three steps earlier differs clearly more.
 * 0 too if the view after half a rotation, by the angles, fits better. */
static int is_next_to_mirrored(const closure *c, const joint *half, double span)
{
	const double last = half->difference + c->noise, earlier = mirrored(c, 0, AT_END + 3);
	return earlier - c->noise > 5 * half->difference - 2 * RESOLVED * c->shift && (span <= GT_PI || mirrored(c, 0, HALF) > last);
}

static void compare(const closure *c, double span, char *text)
{
	const double step = span / (double)(c->s->views - 1);
	const int whole = ends_in_air(c, 0) && ends_in_air(c, AT_END);
	joint full, half;
	judge(c, remainder(-span, 2 * GT_PI) / step, difference(c, 0, AT_END), 3 * c->error, &full);
	judge(c, remainder(GT_PI - span, 2 * GT_PI) / step, whole ? mirrored(c, 0, AT_END) : INFINITY, 3 * c->error + RESOLVED * c->shift,
	      &half);
	const int is_half_wrong = c->s->parallel && half.is_contradicted && is_next_to_mirrored(c, &half, span);
	const int is_full = fabs(full.stated) <= ADJACENT, is_half = c->s->parallel && fabs(half.stated) <= ADJACENT;
	if (full.similar && half.similar) /* a symmetric view */
		return;
	if (full.similar && !is_full)
		snprintf(text, GT_CLOSURE_TEXT,
		         "the angles span %.6g degrees, but the last view resembles the first as after a full rotation: expected about 360 "
		         "degrees; check the angles",
		         span * GT_DEGREES);
	else if (is_half_wrong)
		snprintf(text, GT_CLOSURE_TEXT,
		         "the angles span %.6g degrees, but the last view is the mirror image of the first as after half a rotation: "
		         "expected about 180 degrees; check the angles",
		         span * GT_DEGREES);
	else if (is_full && full.difference > DISTINCT * c->distant)
		snprintf(text, GT_CLOSURE_TEXT,
		         "the angles span %.6g degrees, but the last view does not resemble the first: expected less than a full rotation; "
		         "check the angles",
		         span * GT_DEGREES);
	else if (is_half && whole && half.difference > DISTINCT * c->distant)
		snprintf(
			text, GT_CLOSURE_TEXT,
			"the angles span %.6g degrees, but the last view is not the mirror image of the first: expected another range than "
			"half a rotation; check the angles",
			span * GT_DEGREES);
	else if (is_full && full.similar && is_off_by_one(c, &full))
		write_off_by_one(c, span, 2 * GT_PI, is_off_by_one(c, &full), text);
	else if (is_half && half.similar && c->slope > RESOLVED * c->shift && is_off_by_one(c, &half))
		write_off_by_one(c, span, GT_PI, is_off_by_one(c, &half), text);
}

gt_status gt_closure_check(const gt_closure_views *s, char text[GT_CLOSURE_TEXT])
{
	closure c = { .s = s };
	gt_status st = GT_OK;
	text[0] = 0;
	if (s->views < MIN_VIEWS || s->columns < 8)
		return GT_OK;
	const double span = even_span(s);
	if (!(span > 0))
		return GT_OK;
	c.bin = (s->columns + MAX_COLUMNS - 1) / MAX_COLUMNS;
	c.columns = s->columns / c.bin;
	if (!(c.p = calloc(PROFILES * c.columns, sizeof *c.p)))
		return gt_fail(GT_ERR_MEMORY, "no memory for profiles of %zu columns", c.columns);
	GT_TRY(read_profiles(&c, span));
	if (measure_changes(&c))
		compare(&c, span, text);
done:
	free(c.p);
	return st;
}
