/* Checks that images are in the order of their angles: profiles of views at adjacent angles are similar. An object with
 * rotational symmetry also has similar profiles far apart. Its centre of mass still moves on a circle, because first
 * moments of projections are a sinusoid (Helgason, Ludwig). */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/constants.h>
#include "core/order_statistics.h"
#include "core/try.h"
#include "io/frames/order_of_views.h"
#include "io/write_kit/volume_units.h"

typedef struct {
	const float *p; /* [view][column] */
	const double *angle;
	size_t views, columns;
} shown;

/* L1 distance of the profiles of two views, over every step-th column. */
static double unlike(const shown *s, size_t a, size_t b, size_t step)
{
	const float *x = s->p + a * s->columns, *y = s->p + b * s->columns;
	double sum = 0;
	for (size_t c = 0; c < s->columns; c += step)
		sum += fabs((double)x[c] - (double)y[c]);
	return sum;
}

/* Distance of profiles `apart` views apart. */
static double difference(const shown *s, size_t view, size_t apart) { return unlike(s, view, view + apart, 1); }

static double angle_apart(const double *angle, size_t view, size_t apart)
{
	return fabs(remainder(angle[view + apart] - angle[view], 2 * GT_PI));
}

/* Up to this distance in angle, similarity is expected to fall with the distance. */
#define NEAR (GT_PI / 4)
/* A jump exceeds the usual distance of adjacent views, and the distances two views before and after, by this factor. */
#define JUMP 4

static double usual(const shown *s, size_t apart, double *some)
{
	for (size_t v = 0; v + apart < s->views; v++)
		some[v] = difference(s, v, apart);
	return gt_upper_median(some, s->views - apart);
}

/* 1: adjacent images match if one of each pair is mirrored, as from a line camera that is read in both directions. */
static int are_mirrored(const shown *s, double neighbours, double *some)
{
	for (size_t v = 0; v + 1 < s->views; v++) {
		const float *x = s->p + v * s->columns, *y = x + s->columns;
		some[v] = 0;
		for (size_t c = 0; c < s->columns; c++)
			some[v] += fabs((double)x[c] - (double)y[s->columns - 1 - c]);
	}
	return gt_upper_median(some, s->views - 1) <= neighbours / 2;
}

/* Misordered or missing images still give a plausible reconstruction. So adjacent images must be more similar than
 * distant ones, and differ about as much as other adjacent ones. */
static int note_near(const shown *s, const gt_read_options *o, double *some)
{
	enum { MAX_APART = 64 };
	const size_t views = s->views;
	const double *angle = s->angle;
	size_t jumps = 0, first = 0;
	const double neighbours = usual(s, 1, some);
	for (size_t k = 2; k <= MAX_APART && k < views / 2; k++) {
		if (angle_apart(angle, 0, k) <= 1.5 * angle_apart(angle, 0, 1) || angle_apart(angle, 0, k) > NEAR ||
		    usual(s, k, some) > neighbours / 2)
			continue;
		if (k == 2 && are_mirrored(s, neighbours, some))
			gt_read_note(o, "every second image is mirrored left to right: adjacent images match if one is reversed; "
			                "reverse the columns of every second file");
		else
			gt_read_note(o,
			             "images %zu apart are more similar than adjacent ones: are the images in the order of their angles?",
			             k);
		return 1;
	}
	for (size_t v = 0; v + 1 < views && neighbours > 0; v++)
		if (difference(s, v, 1) == 0) {
			gt_read_note(o, "images %zu and %zu (from 0) are identical: is one a duplicate?", v, v + 1);
			return 1;
		}
	for (size_t v = 2; v + 3 < views; v++) {
		const double here = difference(s, v, 1), around = fmax(difference(s, v - 2, 1), difference(s, v + 2, 1));
		if (here > JUMP * fmax(around, neighbours) && angle_apart(angle, v, 1) < 1.5 * angle_apart(angle, v - 2, 1))
			first = jumps++ ? first : v;
	}
	if (jumps)
		gt_read_note(o,
		             "images %zu and %zu (from 0) differ more than %d times as much as other adjacent images, as %zu pair%s: "
		             "is an image missing, duplicated or out of order?",
		             first, first + 1, JUMP, jumps, jumps == 1 ? " does" : "s do");
	return jumps > 0;
}

/* Maximum numbers of sampled images and of their columns. */
enum { MIN_VIEWS = 16, MAX_IMAGES = 64, MAX_COLUMNS = 512 };
/* Largest relative deviation of a view's sum from the mean, if all views see the whole object. */
#define WHOLE 0.1
/* Smallest significant distance of centres of mass from their circle: in columns, and relative to their difference
 * between similar images. */
#define OFF_COLUMNS 0.25
#define OFF_ALIKE 3

typedef struct {
	double angle;
	size_t view;
} turned_view;

static int by_angle(const void *a, const void *b)
{
	const turned_view *x = a, *y = b;
	return x->angle != y->angle ? (x->angle > y->angle) - (x->angle < y->angle) : (x->view > y->view) - (x->view < y->view);
}

static size_t step_of(const shown *s) { return s->columns / MAX_COLUMNS + 1; }

/* Usual distance of images that are adjacent in angle. */
static double neighbours_by_angle(const shown *s, turned_view *order, double *some)
{
	for (size_t v = 0; v < s->views; v++)
		order[v] = (turned_view){ s->angle[v] - 2 * GT_PI * floor(s->angle[v] / (2 * GT_PI)), v };
	qsort(order, s->views, sizeof *order, by_angle);
	for (size_t v = 0; v + 1 < s->views; v++)
		some[v] = unlike(s, order[v].view, order[v + 1].view, step_of(s));
	return gt_upper_median(some, s->views - 1);
}

typedef struct {
	size_t n, image[MAX_IMAGES], other[MAX_IMAGES]; /* other: the most similar image */
	double unlike[MAX_IMAGES];
} pairs;

static void find_alike(const shown *s, pairs *alike)
{
	alike->n = s->views < MAX_IMAGES ? s->views : MAX_IMAGES;
	for (size_t i = 0; i < alike->n; i++) {
		const size_t image = i * s->views / alike->n;
		alike->image[i] = image;
		alike->unlike[i] = INFINITY;
		for (size_t other = 0; other < s->views; other++) {
			const double by = other == image ? INFINITY : unlike(s, image, other, step_of(s));
			if (by < alike->unlike[i]) {
				alike->unlike[i] = by;
				alike->other[i] = other;
			}
		}
	}
}

/* Sets centre[view], in columns; 0: the sums of the views are not constant, so the object is truncated. */
static int centres_of_mass(const shown *s, double *centre)
{
	double mean = 0, min = INFINITY, max = -INFINITY;
	for (size_t v = 0; v < s->views; v++) {
		double sum = 0, moment = 0;
		for (size_t c = 0; c < s->columns; c++) {
			const double x = s->p[v * s->columns + c];
			sum += x;
			moment += x * ((double)c - 0.5 * (double)(s->columns - 1));
		}
		centre[v] = moment;
		mean += sum / (double)s->views;
		min = fmin(min, sum);
		max = fmax(max, sum);
	}
	if (!(mean > 0) || max - mean > WHOLE * mean || mean - min > WHOLE * mean)
		return 0;
	for (size_t v = 0; v < s->views; v++)
		centre[v] /= mean;
	return 1;
}

/* Subtracts the projection of y on the unit vector d. */
static void take_out(double *y, const double *d, size_t n)
{
	double along = 0;
	for (size_t i = 0; i < n; i++)
		along += y[i] * d[i];
	for (size_t i = 0; i < n; i++)
		y[i] -= along * d[i];
}

/* Residual of y[n] after a fit of a constant, cos and sin of the angles, which are orthogonalised. d: n. */
static void take_out_circle(const double *angle, double *y, size_t n, double *d)
{
	double *last[3] = { d, d + n, d + 2 * n };
	for (int term = 0; term < 3; term++) {
		double length = 0;
		for (size_t i = 0; i < n; i++)
			last[term][i] = term == 0 ? 1 : term == 1 ? cos(angle[i]) : sin(angle[i]);
		for (int before = 0; before < term; before++)
			take_out(last[term], last[before], n);
		for (size_t i = 0; i < n; i++)
			length += last[term][i] * last[term][i];
		/* equal angles span one direction only */
		for (size_t i = 0; i < n; i++)
			last[term][i] = length > 1e-6 * (double)n ? last[term][i] / sqrt(length) : 0;
		take_out(y, last[term], n);
	}
}

/* 1: centres of mass deviate from their circle by more than between similar images. work: 4 views. */
static int leaves_circle(const shown *s, const pairs *alike, double *work)
{
	double *centre = work, off = 0, apart = 0;
	if (!centres_of_mass(s, centre))
		return 0;
	for (size_t i = 0; i < alike->n; i++)
		apart += pow(centre[alike->image[i]] - centre[alike->other[i]], 2) / (2 * (double)alike->n);
	take_out_circle(s->angle, centre, s->views, work + s->views);
	for (size_t v = 0; v < s->views; v++)
		off += centre[v] * centre[v] / (double)s->views;
	return sqrt(off) > OFF_COLUMNS && off > OFF_ALIKE * OFF_ALIKE * apart;
}

/* Notes images that are far apart in angle but more similar than adjacent ones. work: 4 views. */
static void note_far(const shown *s, const gt_read_options *o, turned_view *order, double *work)
{
	pairs alike;
	double some[MAX_IMAGES];
	const double neighbours = neighbours_by_angle(s, order, work);
	find_alike(s, &alike);
	for (size_t i = 0; i < alike.n; i++)
		some[i] = alike.unlike[i];
	if (!(gt_upper_median(some, alike.n) <= neighbours / 2) || !leaves_circle(s, &alike, work))
		return;
	size_t i = alike.n / 2;
	gt_read_note(o,
	             "images adjacent in angle are less similar than others, as %zu and %zu (from 0), %.3g degrees "
	             "apart, and centres of mass leave the circle of a rotating object: are the images in the order of their angles?",
	             alike.image[i], alike.other[i],
	             fabs(remainder(s->angle[alike.image[i]] - s->angle[alike.other[i]], 2 * GT_PI)) * 180 / GT_PI);
}

gt_status gt_note_order(const float *profiles, size_t views, size_t columns, const double *angle, const gt_read_options *o)
{
	const shown s = { profiles, angle, views, columns };
	gt_status st = GT_OK;
	if (views < MIN_VIEWS)
		return GT_OK;
	double *work = malloc(4 * views * sizeof *work);
	turned_view *order = malloc(views * sizeof *order);
	if (!work || !order)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%zu views: out of memory", views));
	if (!note_near(&s, o, work))
		note_far(&s, o, order, work);
done:
	free(work);
	free(order);
	return st;
}
