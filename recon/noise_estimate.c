/* Where nothing says how noisy the data is, they do themselves: products of second differences along two axes (or a sixth one along
 * one) leave nothing of smooth shadows, and a known multiple of the variance of independent noise. The median of their squares does
 * not see the few at edges. Of several pairs of axes the least is taken: structure only adds. */
#include <math.h>
#include <stdlib.h>
#include "geometry/projections.h"
#include "recon/noise_estimate.h"

/* Median of the square of a normal variable of variance 1. */
#define MEDIAN_OF_SQUARES 0.454936423119573
/* So little that it is rounding; not 0, so that there is a ratio to it. */
#define LEAST 1e-12
enum { SAMPLES = 200000 };

static int known(const gt_weights_spec *o, const gt_projections *p) { return o->count > 0 || p->photons; }

double gt_noise_variance(const gt_noise_model *s, size_t i)
{
	const double line = s->p->data[i];
	double variance = s->scale * exp(fmin(line, 50));
	if (known(s->o, s->p)) {
		const double N = fmax(1, (s->o->count > 0 ? s->o->count : s->p->photons[i]) * exp(-line));
		variance = (N + s->o->electronic * s->o->electronic) / (N * N);
	} else if (s->p->weight) {
		variance = s->p->weight[i] > 0 ? s->scale / s->p->weight[i] : 0;
	}
	return (float)variance;
}

/* The k-th smallest of x, which is put in another order: Hoare, Commun. ACM 4 (1961) 321. */
static float select_kth(float *x, size_t n, size_t k)
{
	size_t from = 0, to = n - 1;
	while (from < to) {
		const float pivot = x[from + (to - from) / 2];
		size_t i = from, j = to;
		for (;; i++, j--) {
			while (x[i] < pivot)
				i++;
			while (pivot < x[j])
				j--;
			if (i >= j)
				break;
			const float y = x[i];
			x[i] = x[j];
			x[j] = y;
		}
		if (k <= j)
			to = j;
		else
			from = j + 1;
	}
	return x[k];
}

static double quantile(float *x, size_t n, double part) { return n ? (double)select_kth(x, n, (size_t)(part * (double)(n - 1))) : 0; }

/* Coefficients in a row: products of these along two axes, or the last along one. */
static const double second[3] = { 1, -2, 1 }, sixth[7] = { 1, -6, 15, -20, 15, -6, 1 };

struct stencil {
	size_t step[2], count[2]; /* axes: cells from neighbour to neighbour, and coefficients; count 1: none */
};

static double coefficient(const struct stencil *t, size_t a, size_t b)
{
	return t->count[0] == 7 ? sixth[a] : second[a] * (t->count[1] == 1 ? 1 : second[b]);
}

/* Where one stencil is laid, evenly over the scan, and what is found there. */
struct search {
	const gt_noise_model *noise; /* of unit scale */
	struct stencil t;
	size_t room_for[3], stride;
	double least;
	float *found;
};

/* Squared difference over what unit scale would give, at the first cell i of the stencil; -1 where some cell is below `least`. */
static double ratio(const struct search *s, size_t i)
{
	const struct stencil *t = &s->t;
	double difference = 0, variance = 0;
	for (size_t a = 0; a < t->count[0]; a++)
		for (size_t b = 0; b < t->count[1]; b++) {
			const size_t at = i + a * t->step[0] + b * t->step[1];
			const double c = coefficient(t, a, b), p = s->noise->p->data[at];
			const double v = p >= s->least ? gt_noise_variance(s->noise, at) : 0;
			if (!(v > 0))
				return -1;
			difference += c * p;
			variance += c * c * v;
		}
	return difference * difference / variance;
}

static void look(void *self, size_t begin, size_t end, int worker)
{
	const struct search *s = self;
	const gt_scan *scan = s->noise->p->scan;
	(void)worker;
	for (size_t j = begin; j < end; j++) {
		const size_t k = j * s->stride, row = k / s->room_for[0], view = row / s->room_for[1];
		s->found[j] = (float)ratio(s, k % s->room_for[0] + (row % s->room_for[1] + view * scan->rows) * scan->columns);
	}
}

/* Cells of the axes: 0 columns, 1 rows, 2 views. along[1] = along[0]: one axis, the sixth difference. */
static double scale_by(const gt_noise_model *noise, const int along[2], double least, gt_pool *pool, float *room)
{
	const gt_scan *scan = noise->p->scan;
	const size_t n[3] = { scan->columns, scan->rows, scan->views }, step[3] = { 1, n[0], n[0] * n[1] };
	const int one = along[0] == along[1];
	struct search s = { noise, { { step[along[0]], step[along[1]] }, { one ? 7 : 3, one ? 1 : 3 } }, { n[0], n[1], n[2] }, 1, least,
		            room };
	for (int k = 0; k < (one ? 1 : 2); k++) {
		if (s.room_for[along[k]] < s.t.count[k])
			return INFINITY;
		s.room_for[along[k]] -= s.t.count[k] - 1;
	}
	const size_t places = s.room_for[0] * s.room_for[1] * s.room_for[2];
	s.stride = (places / SAMPLES + 1) | 1;
	const size_t looks = (places + s.stride - 1) / s.stride;
	size_t found = 0;
	gt_parallel(pool, looks, 1 << 10, look, &s);
	for (size_t j = 0; j < looks; j++)
		if (room[j] >= 0)
			room[found++] = room[j];
	return found >= 100 ? quantile(room, found, 0.5) / MEDIAN_OF_SQUARES : INFINITY;
}

/* The scale, from a noise of scale 1. Cells behind at least half of the most that the body attenuates, else all. */
static double estimate(const gt_noise_model *noise, gt_pool *pool, float *room)
{
	static const int pairs[][2] = { { 0, 2 }, { 0, 0 }, { 2, 2 }, { 0, 1 }, { 1, 2 } };
	const size_t n = gt_scan_size(noise->p->scan), stride = (n / SAMPLES + 1) | 1;
	size_t found = 0;
	for (size_t i = 0; i < n; i += stride)
		room[found++] = noise->p->data[i];
	double least = quantile(room, found, 0.98) / 2, scale = INFINITY;
	for (int tries = 0; tries < 2 && !isfinite(scale); tries++, least = -INFINITY)
		for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
			scale = fmin(scale, scale_by(noise, pairs[k], least, pool, room));
	return fmax(scale, LEAST);
}

gt_status gt_noise_estimate(const gt_weights_spec *o, const gt_projections *p, gt_pool *pool, gt_noise_model *noise)
{
	*noise = (gt_noise_model){ o, p, 1, 0, o->count > 0 ? "photons as given" : "photons of the file" };
	if (known(o, p))
		return GT_OK;
	float *room = malloc((SAMPLES + 1) * sizeof *room);
	if (!room)
		return gt_fail(GT_ERR_MEMORY, "no memory for the noise of the data");
	noise->scale = estimate(noise, pool, room);
	free(room);
	if (!isfinite(noise->scale))
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "the noise of the data cannot be found: too few neighbouring cells were measured; expected "
		               "--weights photons:count=N, or a penalty with strength=NUMBER");
	noise->photons = p->weight ? 0 : 1 / noise->scale;
	noise->how = p->weight ? "weights of the file and differences of neighbouring cells" : "differences of neighbouring cells";
	return GT_OK;
}

enum { PIECE = 1 << 14 };

struct deviations {
	const gt_noise_model *noise;
	double above;
	float *out;
	gt_noise_loud *loud; /* of every PIECE cells */
};

static void deviate(void *self, size_t begin, size_t end, int worker)
{
	const struct deviations *s = self;
	(void)worker;
	for (size_t i = begin; i < end; i++) {
		const double variance = gt_noise_variance(s->noise, i);
		s->out[i] = (float)sqrt(variance);
		if (variance > s->above) {
			gt_noise_loud *loud = &s->loud[i / PIECE];
			loud->cells++;
			loud->variance += variance;
			loud->line += s->noise->p->data[i];
		}
	}
}

gt_status gt_noise_deviations(const gt_noise_model *noise, double above, gt_pool *pool, float *out, gt_noise_loud *loud)
{
	const size_t n = gt_scan_size(noise->p->scan), pieces = (n + PIECE - 1) / PIECE;
	struct deviations s = { noise, above, out, calloc(pieces, sizeof *s.loud) };
	*loud = (gt_noise_loud){ 0, 0, 0 };
	if (!s.loud)
		return gt_fail(GT_ERR_MEMORY, "no memory for the noise of the data");
	gt_parallel(pool, n, PIECE, deviate, &s);
	for (size_t k = 0; k < pieces; k++) {
		loud->cells += s.loud[k].cells;
		loud->variance += s.loud[k].variance;
		loud->line += s.loud[k].line;
	}
	free(s.loud);
	return GT_OK;
}
