/* Estimates the noise of projections from the projections alone. Products of second differences along two axes, or a
 * sixth difference along one, cancel smooth structure. A known multiple of the variance of independent noise remains.
 * The median of squares ignores the few at edges. With coarse pixels edges are nearly everywhere. Then only small
 * squares at the quietest positions count, selected by neighbouring differences that share no pixel with them.
 * Structure only adds, so the smallest estimate over pairs of axes and bounds of the line integral is used. Memory:
 * 4 MB. */
#include <math.h>
#include <stdlib.h>
#include <gantry/threads.h>
#include "core/order_statistics.h"
#include "geometry/projections.h"
#include "recon/noise/noise_differences.h"
#include "recon/noise/noise_estimate.h"

/* Median of the square of a normal variable of variance 1. */
#define MEDIAN_OF_SQUARES 0.454936423119573
enum { MAX_SAMPLES = 200000, MIN_SAMPLES = 100, MAX_QUIET_SAMPLES = 60000, AXES = 3 };
/* Fraction of all positions that is quiet. */
#define QUIET_RATIO 0.15
/* Positions whose surroundings have less than this fraction of the overall median are not measurements (padding,
 * interpolated pixels). */
#define MIN_OF_MEDIAN 0.01

/* Relative standard deviation of a variance from the median of n squares, or from the mean of small ones, times the
 * square root of n. One of two variances is smaller if it is so by three standard deviations, or four for means, of
 * which many are compared. */
#define ERROR_OF_MEDIAN 2.33
#define ERROR_OF_MEAN 1.52
#define ERROR_OF_DIFFERENCE 1.8
/* Squares are small below this multiple of the variance; mean of small squares of normal variables of variance 1. */
#define SMALL_SQUARE 9
#define MEAN_OF_SMALL 0.973342
enum { MEANS = 5 }; /* fixed-point iterations */
/* Quiet samples that determine the median to 3 %. */
enum { ENOUGH_SAMPLES = 6000 };

/* Coefficients of second and sixth differences. */
static const double second[3] = { 1, -2, 1 }, sixth[7] = { 1, -6, 15, -20, 15, -6, 1 };

enum { MAX_PIXELS = 9 };
struct stencil {
	size_t step[2], count[2]; /* two axes: pixels between neighbours, number of coefficients; count 1: no axis */
};

static double coefficient(const struct stencil *t, size_t a, size_t b)
{
	return t->count[0] == 7 ? sixth[a] : second[a] * (t->count[1] == 1 ? 1 : second[b]);
}

/* Positions of one stencil, evenly over the scan, and the ratios found there. */
struct search {
	const gt_noise_model *noise; /* unit scale */
	const gt_projections *p;
	struct stencil t;
	size_t places[AXES], margin[AXES],
		stride; /* positions, and margin before the first, along columns, rows and views; every stride-th is
			 * sampled */
	double min_line;
	double *ratio, *around; /* around: means of the neighbours' ratios, or NULL */
};

/* Squared difference relative to unit scale, at the first pixel i of the stencil; -1 if a pixel is below min_line. */
static double ratio_at(const struct search *s, size_t i, double min_line)
{
	const struct stencil *t = &s->t;
	double difference = 0, variance = 0, line[MAX_PIXELS] = { 0 }, v[MAX_PIXELS];
	size_t at[MAX_PIXELS] = { 0 }, n = 0;
	for (size_t a = 0; a < t->count[0]; a++)
		for (size_t b = 0; b < t->count[1]; b++, n++) {
			at[n] = i + a * t->step[0] + b * t->step[1];
			line[n] = s->p->data[at[n]];
			if (!(line[n] >= min_line))
				return -1;
		}
	gt_noise_variances_at(s->noise, at, n, line, v);
	for (size_t k = 0; k < n; k++) {
		const double c = coefficient(t, k / t->count[1], k % t->count[1]);
		if (!(v[k] > 0))
			return -1;
		difference += c * line[k];
		variance += c * c * v[k];
	}
	return difference * difference / variance;
}

/* Distances of the nearest eight stencils that share no pixel. A stencil of two axes has them around it, in its own
 * steps. A stencil of one axis has four on either side, because those along the axis are as far away as edges. */
static void reach(const struct stencil *t, size_t by[2])
{
	by[0] = t->count[1] == 1 ? 0 : t->count[0];
	by[1] = t->count[1] == 1 ? 4 : t->count[1];
}

/* Mean of the neighbours' ratios; -1: one was not measured. */
static double ratio_around(const struct search *s, size_t i)
{
	size_t by[2];
	double sum = 0;
	reach(&s->t, by);
	const size_t lines = by[0] ? 3 : 1, places = by[0] ? 3 : 9, step = by[0] ? by[1] : 1,
		     first = i - by[0] * s->t.step[0] - by[1] * s->t.step[1];
	for (size_t a = 0; a < lines; a++)
		for (size_t b = 0; b < places; b++) {
			const size_t at = first + a * by[0] * s->t.step[0] + b * step * s->t.step[1];
			const double r = at == i ? 0 : ratio_at(s, at, -INFINITY);
			if (r < 0)
				return -1;
			sum += r / 8;
		}
	return sum;
}

static void look(void *self, size_t begin, size_t end, int worker)
{
	const struct search *s = self;
	const gt_scan *scan = s->p->scan;
	(void)worker;
	for (size_t j = begin; j < end; j++) {
		const size_t k = j * s->stride, row = k / s->places[0], view = row / s->places[1];
		const size_t c = k % s->places[0] + s->margin[0], r = row % s->places[1] + s->margin[1], v = view + s->margin[2];
		const size_t i = c + (r + v * scan->rows) * scan->columns;
		s->ratio[j] = (float)ratio_at(s, i, s->min_line);
		if (s->around && s->ratio[j] >= 0)
			s->around[j] = (float)ratio_around(s, i);
	}
}

/* Places a stencil over the scan. Axes: 0 columns, 1 rows, 2 views; along[1] = along[0]: one axis, sixth difference,
 * with neighbours along the axis of most pixels. Returns 0 if it does not fit. */
static int lay(const gt_scan *scan, const int along[2], struct search *s)
{
	const size_t n[AXES] = { scan->columns, scan->rows, scan->views }, step[AXES] = { 1, n[0], n[0] * n[1] };
	const int one = along[0] == along[1], other = one ? (along[0] == 0 ? 2 : 0) : along[1];
	const int axis[2] = { along[0], other };
	size_t by[2];
	s->t = (struct stencil){ { step[axis[0]], step[axis[1]] }, { one ? 7 : 3, one ? 1 : 3 } };
	reach(&s->t, by);
	for (int a = 0; a < AXES; a++) {
		s->places[a] = n[a];
		s->margin[a] = 0;
	}
	for (int k = 0; k < 2; k++) {
		const size_t beside = s->around ? by[k] : 0, taken = s->t.count[k] - 1 + 2 * beside;
		if (n[axis[k]] <= taken)
			return 0;
		s->places[axis[k]] -= taken;
		s->margin[axis[k]] = beside;
	}
	return 1;
}

/* Moves the measured ratios to the front; returns their number. */
static size_t keep_valid(const struct search *s, size_t samples, double min_around)
{
	size_t valid = 0;
	for (size_t j = 0; j < samples; j++) {
		if (s->ratio[j] < 0 || (s->around && s->around[j] < min_around))
			continue;
		if (s->around)
			s->around[valid] = s->around[j];
		s->ratio[valid++] = s->ratio[j];
	}
	return valid;
}

/* Moves ratios of the quietest positions to the front; returns their number. */
static size_t keep_quiet(const struct search *s, size_t valid)
{
	double *sorted = s->around + MAX_QUIET_SAMPLES;
	size_t quiet = 0;
	for (size_t j = 0; j < valid; j++)
		sorted[j] = s->around[j];
	const double bound = valid ? gt_quantile(sorted, valid, QUIET_RATIO) : 0;
	for (size_t j = 0; j < valid; j++)
		if (s->around[j] <= bound)
			s->ratio[quiet++] = s->ratio[j];
	return quiet;
}

/* Estimated scale, and its upper bound. */
struct found {
	double scale, bound;
};

/* Mean of the ratios that are small against it, from the median on. It is more precise than the median of few. */
static double mean_of_small(const double *ratio, size_t n, double median)
{
	double mean = median;
	for (int i = 0; i < MEANS; i++) {
		const double bound = SMALL_SQUARE * mean;
		double sum = 0;
		size_t count = 0;
		for (size_t j = 0; j < n; j++) {
			const int is_small = ratio[j] <= bound;
			sum += is_small ? ratio[j] : 0;
			count += (size_t)is_small;
		}
		mean = sum / (double)count / MEAN_OF_SMALL;
	}
	return mean;
}

/* Estimates the scale with one stencil; min_around: lower bound of the surroundings. */
static struct found scale_by(struct search *s, const int along[2], double min_around, gt_pool *pool)
{
	const size_t max = s->around ? MAX_QUIET_SAMPLES : MAX_SAMPLES;
	if (!lay(s->p->scan, along, s))
		return (struct found){ INFINITY, INFINITY };
	const size_t places = s->places[0] * s->places[1] * s->places[2];
	s->stride = (places / max + 1) | 1;
	const size_t samples = (places + s->stride - 1) / s->stride;
	gt_parallel(pool, samples, 1 << 10, look, s);
	size_t valid = keep_valid(s, samples, min_around);
	if (s->around)
		valid = keep_quiet(s, valid);
	if (valid < MIN_SAMPLES)
		return (struct found){ INFINITY, INFINITY };
	const double median = gt_quantile(s->ratio, valid, 0.5) / MEDIAN_OF_SQUARES;
	const double mean = mean_of_small(s->ratio, valid, median), root = sqrt((double)valid);
	/* Structure raises the mean more than the median. */
	const int is_clean = s->around && valid < ENOUGH_SAMPLES && mean - median <= 3 * ERROR_OF_DIFFERENCE / root * mean;
	return is_clean ? (struct found){ mean, mean * (1 + 4 * ERROR_OF_MEAN / root) }
	                : (struct found){ median, median * (1 + 3 * ERROR_OF_MEDIAN / root) };
}

/* Updates *best with the estimates of all stencils. */
static void improve(struct search *s, double min_around, gt_pool *pool, struct found *best)
{
	static const int pairs[][2] = { { 0, 2 }, { 0, 0 }, { 2, 2 }, { 0, 1 }, { 1, 2 } };
	for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
		const struct found now = scale_by(s, pairs[k], min_around, pool);
		if (now.bound < best->bound)
			*best = now;
	}
}

/* Uses pixels with at least half of the largest attenuation (for quiet positions also three quarters), else all pixels.
 * scratch: MAX_SAMPLES and twice MAX_QUIET_SAMPLES. */
static double estimate(const gt_noise_model *unit, const gt_projections *p, gt_pool *pool, double *scratch)
{
	const size_t n = gt_scan_size(p->scan), stride = (n / MAX_SAMPLES + 1) | 1;
	struct search s = { .noise = unit, .p = p, .ratio = scratch };
	struct found best = { INFINITY, INFINITY };
	size_t samples = 0;
	for (size_t i = 0; i < n; i += stride)
		if (gt_noise_variance(unit, i) > 0)
			scratch[samples++] = p->data[i];
	const double max = samples ? gt_quantile(scratch, samples, 0.98) : 0, lines[] = { max / 2, 0.75 * max };
	s.min_line = lines[0];
	improve(&s, 0, pool, &best);
	if (isfinite(best.scale)) {
		const double min_around = MIN_OF_MEDIAN * best.scale;
		s.around = scratch + MAX_SAMPLES;
		for (int k = 0; k < 2; k++) {
			s.min_line = lines[k];
			improve(&s, min_around, pool, &best);
		}
	} else {
		s.min_line = -INFINITY;
		improve(&s, 0, pool, &best);
	}
	return best.scale;
}

gt_status gt_noise_of_differences(const gt_noise_model *unit, const gt_projections *p, gt_pool *pool, double *scale)
{
	double *scratch = malloc((MAX_SAMPLES + 2 * MAX_QUIET_SAMPLES) * sizeof *scratch);
	if (!scratch)
		return gt_fail(GT_ERR_MEMORY, "no memory for the noise of the data");
	*scale = estimate(unit, p, pool, scratch);
	free(scratch);
	return GT_OK;
}
