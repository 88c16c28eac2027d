/* Where nothing says how noisy the data is, they do themselves: products of second differences along two axes (or a sixth one along
 * one) leave nothing of smooth shadows, and a known multiple of the variance of independent noise. The median of their squares does
 * not see the few at edges. Of several pairs of axes the least is taken: structure only adds. */
#include <math.h>
#include <stdlib.h>
#include "apps/noise.h"
#include "core/random.h"

/* Median of the square of a normal variable of variance 1. */
#define MEDIAN_OF_SQUARES 0.454936423119573
/* So little that it is rounding; not 0, so that there is a ratio to it. */
#define LEAST 1e-12
enum { SAMPLES = 200000 };

struct shape {
	const app_weights *o;
	const gt_projections *p;
	double scale;
	float *v;
};

static int known(const app_weights *o, const gt_projections *p) { return o->count > 0 || p->photons; }

static double variance_of(const struct shape *s, size_t i)
{
	const double line = s->p->data[i];
	if (known(s->o, s->p)) {
		const double N = fmax(1, (s->o->count > 0 ? s->o->count : s->p->photons[i]) * exp(-line));
		return (N + s->o->electronic * s->o->electronic) / (N * N);
	}
	if (s->p->weight)
		return s->p->weight[i] > 0 ? s->scale / s->p->weight[i] : 0;
	return s->scale * exp(fmin(line, 50));
}

static void fill(void *self, size_t begin, size_t end, int worker)
{
	const struct shape *s = self;
	(void)worker;
	for (size_t i = begin; i < end; i++)
		s->v[i] = (float)variance_of(s, i);
}

static int compare(const void *a, const void *b)
{
	const float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

static double quantile(float *x, size_t n, double part)
{
	qsort(x, n, sizeof *x, compare);
	return n ? (double)x[(size_t)(part * (double)(n - 1))] : 0;
}

/* Coefficients in a row: products of these along two axes, or the last along one. */
static const double second[3] = { 1, -2, 1 }, sixth[7] = { 1, -6, 15, -20, 15, -6, 1 };

struct stencil {
	size_t step[2], count[2]; /* axes: cells from neighbour to neighbour, and coefficients; count 1: none */
};

static double coefficient(const struct stencil *t, size_t a, size_t b)
{
	return t->count[0] == 7 ? sixth[a] : second[a] * (t->count[1] == 1 ? 1 : second[b]);
}

/* Squared difference over what unit scale would give, at the first cell i of the stencil; -1 where some cell is below `least`. */
static double ratio(const struct stencil *t, const float *p, const float *v, size_t i, double least)
{
	double difference = 0, variance = 0;
	for (size_t a = 0; a < t->count[0]; a++)
		for (size_t b = 0; b < t->count[1]; b++) {
			const size_t at = i + a * t->step[0] + b * t->step[1];
			const double c = coefficient(t, a, b);
			if (!(p[at] >= least) || !(v[at] > 0))
				return -1;
			difference += c * p[at];
			variance += c * c * v[at];
		}
	return difference * difference / variance;
}

/* Cells of the axes: 0 columns, 1 rows, 2 views. along[1] = along[0]: one axis, the sixth difference. */
static double scale_by(const gt_projections *p, const float *v, const int along[2], double least, float *room)
{
	const size_t n[3] = { p->scan->columns, p->scan->rows, p->scan->views }, step[3] = { 1, n[0], n[0] * n[1] };
	const int one = along[0] == along[1];
	const struct stencil t = { { step[along[0]], step[along[1]] }, { one ? 7 : 3, one ? 1 : 3 } };
	size_t room_for[3] = { n[0], n[1], n[2] }, found = 0;
	for (int k = 0; k < (one ? 1 : 2); k++) {
		if (room_for[along[k]] < t.count[k])
			return INFINITY;
		room_for[along[k]] -= t.count[k] - 1;
	}
	const size_t places = room_for[0] * room_for[1] * room_for[2], stride = (places / SAMPLES + 1) | 1;
	for (size_t k = 0; k < places; k += stride) {
		const size_t at = k % room_for[0] + k / room_for[0] % room_for[1] * step[1] + k / room_for[0] / room_for[1] * step[2];
		const double r = ratio(&t, p->data, v, at, least);
		if (r >= 0)
			room[found++] = (float)r;
	}
	return found >= 100 ? quantile(room, found, 0.5) / MEDIAN_OF_SQUARES : INFINITY;
}

/* s, where v holds the variances of s = 1. Cells behind at least half of the most that the body attenuates, else all. */
static double estimate(const gt_projections *p, const float *v, float *room)
{
	static const int pairs[][2] = { { 0, 2 }, { 0, 0 }, { 2, 2 }, { 0, 1 }, { 1, 2 } };
	const size_t n = gt_scan_cells(p->scan), stride = (n / SAMPLES + 1) | 1;
	size_t found = 0;
	for (size_t i = 0; i < n; i += stride)
		room[found++] = p->data[i];
	double least = quantile(room, found, 0.98) / 2, scale = INFINITY;
	for (int tries = 0; tries < 2 && !isfinite(scale); tries++, least = -INFINITY)
		for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
			scale = fmin(scale, scale_by(p, v, pairs[k], least, room));
	return fmax(scale, LEAST);
}

gt_status app_noise_new(const app_weights *o, const gt_projections *p, gt_pool *pool, app_noise *noise)
{
	const size_t n = gt_scan_cells(p->scan);
	struct shape s = { o, p, 1, malloc(n * sizeof *s.v) };
	float *room = malloc((SAMPLES + 1) * sizeof *room);
	gt_status st = GT_OK;
	*noise = (app_noise){ .variance = s.v, .how = o->count > 0 ? "photons as given" : "photons of the file" };
	if (!s.v || !room)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "the noise of the data needs %.3g MB", (double)n * 4e-6));
	gt_parallel(pool, n, 1 << 16, fill, &s);
	if (!known(o, p)) {
		s.scale = estimate(p, s.v, room);
		if (!isfinite(s.scale))
			GT_TRY(gt_fail(GT_ERR_UNSUPPORTED,
			               "the noise of the data cannot be found: too few neighbouring cells were measured; expected "
			               "--weights photons:count=N, or a penalty with strength=NUMBER"));
		gt_parallel(pool, n, 1 << 16, fill, &s);
		noise->photons = p->weight ? 0 : 1 / s.scale;
		noise->how = p->weight ? "weights of the file and differences of neighbouring cells" : "differences of neighbouring cells";
	}
done:
	free(room);
	if (st != GT_OK)
		app_noise_free(noise);
	return st;
}

void app_noise_free(app_noise *noise)
{
	free(noise->variance);
	noise->variance = NULL;
}

struct sample {
	const float *variance;
	uint64_t seed;
	float *out;
};

static void draw(void *self, size_t begin, size_t end, int worker)
{
	const struct sample *s = self;
	(void)worker;
	for (size_t i = begin; i < end; i++) {
		gt_random r = gt_random_at(s->seed, i);
		s->out[i] = (float)(sqrt(s->variance[i]) * gt_normal(&r));
	}
}

void app_noise_sample(const app_noise *noise, uint64_t seed, gt_pool *pool, float *out, size_t n)
{
	struct sample s = { noise->variance, seed, out };
	gt_parallel(pool, n, 1 << 14, draw, &s);
}
