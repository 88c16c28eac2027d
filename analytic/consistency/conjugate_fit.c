/* Compares both ends of the pairs, interpolated for a supposed order of pixels, with the differences expected from
 * noise and interpolation. */
#include <stdlib.h>
#include <string.h>
#include "analytic/consistency/conjugate_stencil.h"
#include "core/try.h"

/* ROUGH: error of interpolation, and of pixels of different width at both ends of the ray, relative to second
 * differences. FLOOR: minimum deviation relative to the RMS of the values. */
#define ROUGH 0.1
#define FLOOR 1e-4
#define CAUCHY 9.0
#define STEP 0.1 /* step between trials of a center, pixels; at most WIDEST */
#define WIDEST 1.0
enum { CHUNKS = 64, TRIALS = 21, FEW = 7, COARSE = 2048 };

static double value_at(const gt_conjugate_data *d, const gt_conjugate_tap *tap, const gt_stencil *s)
{
	const float *p = gt_stencil_first(d, tap, s);
	double sum = 0;
	for (size_t l = 0; l < s->rows; l++, p += d->scan->columns)
		sum += s->down[l] * (s->across[0] * p[0] + s->across[1] * p[1] + s->across[2] * p[2] + s->across[3] * p[3]);
	return sum;
}

static double variance_of(const gt_conjugate_data *d, double value)
{
	size_t i = 0;
	while (i + 1 < d->bins && d->bin_value[i + 1] < value)
		i++;
	if (i + 1 >= d->bins || value <= d->bin_value[0])
		return d->bin_variance[i];
	const double width = d->bin_value[i + 1] - d->bin_value[i], t = width > 0 ? (value - d->bin_value[i]) / width : 0;
	return d->bin_variance[i] + t * (d->bin_variance[i + 1] - d->bin_variance[i]);
}

/* Square of a second difference, less its noise. */
static double bent(double a, double b, double c, double variance) { return fmax(0, (a - 2 * b + c) * (a - 2 * b + c) - 6 * variance); }

/* Factor from the variance of a pixel to the variance of value_at(). */
static double gain_of(const gt_stencil *s)
{
	double across = 0, down = 0;
	for (int k = 0; k < 4; k++)
		across += s->across[k] * s->across[k];
	for (size_t l = 0; l < s->rows; l++)
		down += s->down[l] * s->down[l];
	return across * down;
}

/* Expected square of the interpolation error. */
static double roughness(const gt_conjugate_data *d, const gt_conjugate_tap *tap, const gt_stencil *s, double variance)
{
	const float *p = gt_stencil_first(d, tap, s);
	const size_t n = d->scan->columns;
	double bend = 0, along = 0;
	for (size_t l = 0; l < s->rows; l++) {
		const float *q = p + l * n;
		bend = fmax(bend, fmax(bent(q[0], q[1], q[2], variance), bent(q[1], q[2], q[3], variance)));
	}
	if (s->rows == 4)
		for (size_t k = 1; k < 3; k++)
			along = fmax(along, fmax(bent(p[k], p[k + n], p[k + 2 * n], variance),
			                         bent(p[k + n], p[k + 2 * n], p[k + 3 * n], variance)));
	else if (s->rows == 2)
		along = fmax(0, (p[1] - p[1 + n]) * (p[1] - p[1 + n]) - 2 * variance) / 4;
	return ROUGH * ROUGH * (bend + along);
}

/* Sums over chunks of pairs, independent of the number of threads. */
typedef struct {
	double square, expected, cost[TRIALS][GT_CONJUGATE_GROUPS];
	size_t pairs, of_group[GT_CONJUGATE_GROUPS];
} sums;

typedef struct {
	const gt_conjugate_data *d;
	const gt_conjugate_map *map;
	double step; /* between trials of the center, around map's */
	int trials;
	size_t stride; /* 1: all pairs */
	sums *chunk;
} survey;

/* Constants for all candidates of a center: weighted variances of the taps' pixels, and the interpolation error. */
typedef struct {
	double variance[3], rough;
} doubts;

typedef struct {
	double near, far, variance;
} ends;

/* Interpolates both ends with center + shift; 0: not both are on the detector. learn: fills x; else takes the variances
 * from x. x NULL: neither. */
static int both_ends(const survey *s, const gt_conjugate_pair *p, double shift, doubts *x, int learn, ends *e)
{
	gt_conjugate_map map = *s->map;
	double first = 0;
	map.center += shift;
	*e = (ends){ 0, 0, x ? x->rough : 0 };
	for (int t = 0; t < p->taps; t++) {
		gt_stencil at;
		if (!gt_stencil_place(s->d->scan, &map, &p->tap[t], &at))
			return 0;
		const double value = value_at(s->d, &p->tap[t], &at), w = p->tap[t].weight;
		if (learn) {
			const double variance = variance_of(s->d, value);
			x->variance[t] = w * w * variance;
			x->rough += w * w * roughness(s->d, &p->tap[t], &at, variance);
			/* Interpolation between two directions. */
			x->rough += t == 2 ? w * w * (1 - w) * (1 - w) * (value - first) * (value - first) : 0;
		}
		if (x)
			e->variance += x->variance[t] * gain_of(&at);
		e->near = t == 0 ? value : e->near;
		e->far += t == 0 ? 0 : w * value;
		first = t == 1 ? value : first;
	}
	return 1;
}

static int on_detector(const survey *s, const gt_conjugate_pair *p, double shift)
{
	gt_conjugate_map map = *s->map;
	gt_stencil at;
	map.center += shift;
	for (int t = 0; t < p->taps; t++)
		if (!gt_stencil_place(s->d->scan, &map, &p->tap[t], &at))
			return 0;
	return 1;
}

static void measure(const survey *s, const gt_conjugate_pair *p, sums *to)
{
	const double reach = 0.5 * (s->trials - 1) * s->step;
	doubts x = { .rough = FLOOR * FLOOR * s->d->value * s->d->value };
	ends e;
	const double min = x.rough;
	if (!both_ends(s, p, 0, &x, 1, &e))
		return;
	const double variance = e.variance - min + x.rough, apart = e.near - e.far;
	/* Rays outside the object cannot disagree. */
	if (fmax(fabs(e.near), fabs(e.far)) <= fmax(0.02 * s->d->value, 3 * sqrt(variance)))
		return;
	/* Use the same pairs at every trial. */
	if (reach > 0 && !(on_detector(s, p, -reach) && on_detector(s, p, reach)))
		return;
	to->pairs++;
	to->of_group[p->group]++;
	to->square += apart * apart;
	to->expected += variance;
	for (int t = 0; t < s->trials; t++) {
		both_ends(s, p, t * s->step - reach, &x, 0, &e);
		to->cost[t][p->group] += CAUCHY * log1p((e.near - e.far) * (e.near - e.far) / e.variance / CAUCHY);
	}
}

static void measure_chunks(void *self, size_t begin, size_t end, int worker)
{
	const survey *s = self;
	(void)worker;
	for (size_t c = begin; c < end; c++)
		for (size_t i = c * s->d->pairs / CHUNKS; i < (c + 1) * s->d->pairs / CHUNKS; i += s->stride)
			measure(s, &s->d->pair[i], &s->chunk[c]);
}

static gt_status survey_all(const gt_conjugate_data *d, const gt_conjugate_map *map, double step, int trials, size_t stride, sums *total)
{
	survey s = { d, map, step, trials, stride, calloc(CHUNKS, sizeof *s.chunk) };
	if (!s.chunk)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	gt_parallel(d->pool, CHUNKS, 1, measure_chunks, &s);
	*total = s.chunk[0];
	for (int c = 1; c < CHUNKS; c++) {
		const sums *x = &s.chunk[c];
		total->pairs += x->pairs;
		total->square += x->square;
		total->expected += x->expected;
		for (int g = 0; g < GT_CONJUGATE_GROUPS; g++) {
			total->of_group[g] += x->of_group[g];
			for (int t = 0; t < trials; t++)
				total->cost[t][g] += x->cost[t][g];
		}
	}
	free(s.chunk);
	return GT_OK;
}

gt_status gt_conjugate_measure(const gt_conjugate_data *d, const gt_conjugate_map *map, gt_conjugate_misfit *m)
{
	sums total = { .pairs = 0 };
	const gt_status st = survey_all(d, map, 0, 1, 1, &total);
	memset(m, 0, sizeof *m);
	if (st != GT_OK || !total.pairs)
		return st;
	m->pairs = total.pairs;
	m->rms = sqrt(total.square / (double)total.pairs);
	m->expected = sqrt(total.expected / (double)total.pairs);
	for (int g = 0; g < GT_CONJUGATE_GROUPS; g++) {
		m->cost += total.cost[0][g] / (double)total.pairs;
		m->group[g] = total.of_group[g] ? total.cost[0][g] / (double)total.of_group[g] : NAN;
	}
	return GT_OK;
}

/* Index of the lowest cost, interpolated by a parabola; at an end: that end. */
static double lowest(const double *cost, int n)
{
	int best = 0;
	for (int t = 1; t < n; t++)
		best = cost[t] < cost[best] ? t : best;
	if (best == 0 || best == n - 1)
		return best;
	const double bend = cost[best - 1] - 2 * cost[best] + cost[best + 1];
	return best + (bend > 0 ? 0.5 * (cost[best - 1] - cost[best + 1]) / bend : 0);
}

/* Scatter of the groups' own centers about the common one, which is at trial `at`, in trials. */
static double scatter(const sums *total, int trials, double at)
{
	double mean = 0, squares = 0;
	for (int g = 0; g < GT_CONJUGATE_GROUPS; g++) {
		double each[TRIALS];
		for (int t = 0; t < trials; t++)
			each[t] = total->cost[t][g];
		const double off = lowest(each, trials) - at;
		mean += off / GT_CONJUGATE_GROUPS;
		squares += off * off / GT_CONJUGATE_GROUPS;
	}
	return sqrt(fmax(0, squares - mean * mean));
}

/* Descends until the minimum cost is within the trials. of_groups: scatter of the groups' own centers, in trials. */
static gt_status descend(const gt_conjugate_data *d, gt_conjugate_map *map, double step, int trials, size_t stride, double *of_groups)
{
	gt_status st = GT_OK;
	*of_groups = INFINITY;
	for (int round = 0; round < 6; round++) {
		double sum[TRIALS] = { 0 };
		sums total = { .pairs = 0 };
		GT_TRY(survey_all(d, map, step, trials, stride, &total));
		if (!total.pairs)
			break;
		for (int t = 0; t < trials; t++)
			for (int g = 0; g < GT_CONJUGATE_GROUPS; g++)
				sum[t] += total.cost[t][g];
		const double at = lowest(sum, trials);
		map->center += (at - 0.5 * (trials - 1)) * step;
		if (at <= 0 || at >= trials - 1)
			continue;
		*of_groups = scatter(&total, trials, at);
		break;
	}
done:
	return st;
}

gt_status gt_conjugate_refine(const gt_conjugate_data *d, gt_conjugate_map *map, double *error)
{
	double of_groups;
	gt_status st = GT_OK;
	*error = INFINITY;
	GT_TRY(descend(d, map, STEP, TRIALS, d->pairs / COARSE + 1, &of_groups));
	/* Trials must extend as far as the groups scatter, or their ends would hold them together. */
	for (double step = STEP; step < WIDEST && !isfinite(*error); step *= 2) {
		GT_TRY(descend(d, map, step, FEW, 1, &of_groups));
		if (of_groups < 1)
			*error = of_groups * step / sqrt(GT_CONJUGATE_GROUPS - 1);
	}
done:
	return st;
}

typedef struct {
	const gt_conjugate_data *d;
	const gt_conjugate_map *map;
	double *score;
	size_t stride;
} scouting;

/* Maximises Fisher's z of the correlation of both ends, times the root of the number of pairs, so that few pairs cannot
 * win by chance. */
static void scout(void *self, size_t begin, size_t end, int worker)
{
	const scouting *s = self;
	(void)worker;
	for (size_t i = begin; i < end; i++) {
		const survey at = { s->d, s->map, 0, 1, 1, NULL };
		double n = 0, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
		for (size_t k = 0; k < s->d->pairs; k += s->stride) {
			ends e;
			if (!both_ends(&at, &s->d->pair[k], (double)i - s->map->center, NULL, 0, &e))
				continue;
			n++;
			sx += e.near;
			sy += e.far;
			sxx += e.near * e.near;
			syy += e.far * e.far;
			sxy += e.near * e.far;
		}
		const double vx = sxx - sx * sx / n, vy = syy - sy * sy / n;
		const int enough = n >= 32 && vx > 1e-12 * sxx && vy > 1e-12 * syy;
		const double r = enough ? (sxy - sx * sy / n) / sqrt(vx * vy) : 0;
		s->score[i] = atanh(fmax(-0.999999, fmin(0.999999, r))) * sqrt(n);
	}
}

gt_status gt_conjugate_search(const gt_conjugate_data *d, gt_conjugate_map *map)
{
	const size_t trials = d->scan->columns;
	scouting s = { d, map, malloc(trials * sizeof *s.score), d->pairs / COARSE + 1 };
	size_t best = 0;
	if (!s.score)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	gt_parallel(d->pool, trials, 8, scout, &s);
	for (size_t i = 1; i < trials; i++)
		best = s.score[i] > s.score[best] ? i : best;
	map->center = (double)best;
	free(s.score);
	return GT_OK;
}
