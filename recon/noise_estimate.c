/* The variance of line integrals. Where nothing says how noisy the data are, they do themselves: products of second
 * differences along two axes (or a sixth one along one) leave nothing of smooth shadows, and a known multiple of the
 * variance of independent noise. The median of their squares does not see the few at edges. Of several pairs of axes
 * the least is taken: structure only adds. It takes 1.6 MB. */
#include <math.h>
#include <stdlib.h>
#include <gantry/order_statistics.h>
#include "core/arguments.h"
#include "geometry/projections.h"
#include "recon/noise_estimate.h"

/* Median of the square of a normal variable of variance 1. */
#define MEDIAN_OF_SQUARES 0.454936423119573
/* A variance that rounding alone makes; above 0, so that there is a ratio to it. */
#define MIN_SCALE 1e-12
/* Line integrals beyond this have its variance: exp() of them is out of range. */
#define MAX_LINE_INTEGRAL 50
enum { MAX_SAMPLES = 200000, MIN_SAMPLES = 100 };

struct gt_noise_model {
	gt_counting known;
	const gt_projections *p;
	double scale, photons;
	const char *source;
};

static int is_known(const gt_counting *c) { return c->count > 0 || c->photons; }

double gt_noise_variance_at(const gt_noise_model *m, size_t i, double line)
{
	double variance = m->scale * exp(fmin(line, MAX_LINE_INTEGRAL));
	if (is_known(&m->known)) {
		const double N = fmax(1, (m->known.count > 0 ? m->known.count : m->known.photons[i]) * exp(-line));
		variance = (N + m->known.electronic * m->known.electronic) / (N * N);
	} else if (m->p->weight) {
		variance = m->p->weight[i] > 0 ? m->scale / m->p->weight[i] : 0;
	}
	return (float)variance;
}

double gt_noise_variance(const gt_noise_model *m, size_t i) { return gt_noise_variance_at(m, i, m->p->data[i]); }

double gt_noise_scale(const gt_noise_model *m) { return m->scale; }
double gt_noise_photons(const gt_noise_model *m) { return m->photons; }
const char *gt_noise_source(const gt_noise_model *m) { return m->source; }
void gt_noise_free(gt_noise_model *m) { free(m); }

/* Coefficients of second and sixth differences. */
static const double second[3] = { 1, -2, 1 }, sixth[7] = { 1, -6, 15, -20, 15, -6, 1 };

struct stencil {
	size_t step[2], count[2]; /* of two axes: pixels from neighbour to neighbour, and coefficients; count 1: no axis */
};

static double coefficient(const struct stencil *t, size_t a, size_t b)
{
	return t->count[0] == 7 ? sixth[a] : second[a] * (t->count[1] == 1 ? 1 : second[b]);
}

/* Where one stencil is laid, evenly over the scan, and the ratios found there. */
struct search {
	const gt_noise_model *noise; /* of unit scale */
	struct stencil t;
	size_t places[3], stride; /* places along columns, rows and views; of all of them every stride-th is looked at */
	double min_line;
	double *ratio;
};

/* Squared difference over what unit scale would give, at the first pixel i of the stencil; -1 where some pixel is
 * below min_line. */
static double ratio_at(const struct search *s, size_t i)
{
	const struct stencil *t = &s->t;
	double difference = 0, variance = 0;
	for (size_t a = 0; a < t->count[0]; a++)
		for (size_t b = 0; b < t->count[1]; b++) {
			const size_t at = i + a * t->step[0] + b * t->step[1];
			const double c = coefficient(t, a, b), p = s->noise->p->data[at];
			const double v = p >= s->min_line ? gt_noise_variance(s->noise, at) : 0;
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
		const size_t k = j * s->stride, row = k / s->places[0], view = row / s->places[1];
		s->ratio[j] = (float)ratio_at(s, k % s->places[0] + (row % s->places[1] + view * scan->rows) * scan->columns);
	}
}

/* The scale by one stencil. Axes are 0 columns, 1 rows, 2 views; along[1] = along[0]: one axis, the sixth
 * difference. */
static double scale_by(const gt_noise_model *noise, const int along[2], double min_line, gt_pool *pool, double *scratch)
{
	const gt_scan *scan = noise->p->scan;
	const size_t n[3] = { scan->columns, scan->rows, scan->views }, step[3] = { 1, n[0], n[0] * n[1] };
	const int one = along[0] == along[1];
	struct search s = { noise,  { { step[along[0]], step[along[1]] }, { one ? 7 : 3, one ? 1 : 3 } }, { n[0], n[1], n[2] }, 1, min_line,
		            scratch };
	for (int k = 0; k < (one ? 1 : 2); k++) {
		if (s.places[along[k]] < s.t.count[k])
			return INFINITY;
		s.places[along[k]] -= s.t.count[k] - 1;
	}
	const size_t places = s.places[0] * s.places[1] * s.places[2];
	s.stride = (places / MAX_SAMPLES + 1) | 1;
	const size_t samples = (places + s.stride - 1) / s.stride;
	size_t valid = 0;
	gt_parallel(pool, samples, 1 << 10, look, &s);
	for (size_t j = 0; j < samples; j++)
		if (scratch[j] >= 0)
			scratch[valid++] = scratch[j];
	return valid >= MIN_SAMPLES ? gt_quantile(scratch, valid, 0.5) / MEDIAN_OF_SQUARES : INFINITY;
}

/* The scale, from a model of scale 1: by pixels behind at least half of the most that the object attenuates, else by
 * all. */
static double estimate(const gt_noise_model *noise, gt_pool *pool, double *scratch)
{
	static const int pairs[][2] = { { 0, 2 }, { 0, 0 }, { 2, 2 }, { 0, 1 }, { 1, 2 } };
	const size_t n = gt_scan_size(noise->p->scan), stride = (n / MAX_SAMPLES + 1) | 1;
	size_t samples = 0;
	for (size_t i = 0; i < n; i += stride)
		scratch[samples++] = noise->p->data[i];
	double min_line = gt_quantile(scratch, samples, 0.98) / 2, scale = INFINITY;
	for (int tries = 0; tries < 2 && !isfinite(scale); tries++, min_line = -INFINITY)
		for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
			scale = fmin(scale, scale_by(noise, pairs[k], min_line, pool, scratch));
	return fmax(scale, MIN_SCALE);
}

static gt_status estimate_scale(gt_noise_model *m, gt_pool *pool)
{
	double *scratch = malloc((MAX_SAMPLES + 1) * sizeof *scratch);
	if (!scratch)
		return gt_fail(GT_ERR_MEMORY, "no memory for the noise of the data");
	m->scale = estimate(m, pool, scratch);
	free(scratch);
	if (!isfinite(m->scale))
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "the noise of the data cannot be found: too few neighbouring pixels were measured; expected "
		               "--weights photons:count=N, or a penalty with strength=NUMBER");
	m->photons = m->p->weight ? 0 : 1 / m->scale;
	m->source = m->p->weight ? "weights of the file and differences of neighbouring pixels" : "differences of neighbouring pixels";
	return GT_OK;
}

gt_status gt_noise_estimate(const gt_projections *p, const gt_counting *known, gt_pool *pool, gt_noise_model **model)
{
	GT_NEED(p);
	GT_NEED(model);
	gt_noise_model *m = calloc(1, sizeof *m);
	gt_status st = GT_OK;
	*model = NULL;
	if (!m)
		return gt_fail(GT_ERR_MEMORY, "no memory for the noise of the data");
	*m = (gt_noise_model){ known ? *known : (gt_counting){ .photons = p->photons }, p, 1, 0, NULL };
	m->source = m->known.count > 0 ? "photons as given" : "photons of the file";
	if (!is_known(&m->known))
		st = estimate_scale(m, pool);
	if (st == GT_OK)
		*model = m;
	else
		free(m);
	return st;
}

enum { PIXELS_PER_PIECE = 1 << 14 };

struct deviations {
	const gt_noise_model *noise;
	double min_variance;
	float *out;
	gt_photon_starvation *starved; /* of every piece */
};

static void deviate(void *self, size_t begin, size_t end, int worker)
{
	const struct deviations *s = self;
	(void)worker;
	for (size_t i = begin; i < end; i++) {
		const double variance = gt_noise_variance(s->noise, i);
		s->out[i] = (float)sqrt(variance);
		if (variance > s->min_variance) {
			gt_photon_starvation *piece = &s->starved[i / PIXELS_PER_PIECE];
			piece->pixels++;
			piece->variance += variance;
			piece->line += s->noise->p->data[i];
		}
	}
}

gt_status gt_noise_deviations(const gt_noise_model *noise, double min_variance, gt_pool *pool, float *out, gt_photon_starvation *starved)
{
	const size_t n = gt_scan_size(noise->p->scan), pieces = (n + PIXELS_PER_PIECE - 1) / PIXELS_PER_PIECE;
	struct deviations s = { noise, min_variance, out, calloc(pieces, sizeof *s.starved) };
	*starved = (gt_photon_starvation){ 0, 0, 0 };
	if (!s.starved)
		return gt_fail(GT_ERR_MEMORY, "no memory for the noise of the data");
	gt_parallel(pool, n, PIXELS_PER_PIECE, deviate, &s);
	for (size_t k = 0; k < pieces; k++) {
		starved->pixels += s.starved[k].pixels;
		starved->variance += s.starved[k].variance;
		starved->line += s.starved[k].line;
	}
	free(s.starved);
	return GT_OK;
}
