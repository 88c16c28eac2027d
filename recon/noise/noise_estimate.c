/* Variance of line integrals: from photons, from weights, or else from the data themselves
 * (recon/noise/noise_differences.c). A mask of corrected pixels divides it. */
#include <math.h>
#include <stdlib.h>
#include "core/arguments.h"
#include "core/clones.h"
#include "core/try.h"
#include "core/vectors/sets.h"
#include "core/vectors/vector_exp.h"
#include "geometry/projections.h"
#include "recon/noise/noise_differences.h"
#include "recon/noise/noise_estimate.h"
#include "recon/weights/photon_weights.h"
#include "recon/weights/weight_mask.h"

/* Variance of rounding alone; above 0, so that ratios are finite. */
#define MIN_SCALE 1e-12
/* Larger line integrals get the variance at this one, because exp() overflows. */
#define MAX_LINE_INTEGRAL 50
struct gt_noise_model {
	gt_counting known;
	const gt_projections *p;
	double scale, photons;
	const char *source;
	const float *mask; /* weights of p, or NULL */
	double min_mask;   /* pixels of smaller mask are unknown */
};

static int is_known(const gt_counting *c) { return c->count > 0 || c->photons; }

/* Sources of a variance; each has a loop of its own, without branches. */
enum kind { BY_COUNT, BY_PHOTONS, BY_WEIGHT, BY_LINE };

static enum kind kind_of(const gt_noise_model *m)
{
	return m->known.count > 0 ? BY_COUNT : m->known.photons ? BY_PHOTONS : m->p->weight && !m->mask ? BY_WEIGHT : BY_LINE;
}

GT_INLINE double variance_of(const gt_noise_model *m, enum kind kind, size_t i, double line)
{
	const double electronic = m->known.electronic;
	if (kind == BY_COUNT || kind == BY_PHOTONS) {
		const double photons = (kind == BY_COUNT ? m->known.count : m->known.photons[i]) * gt_vector_exp(-line);
		const double N = photons > 1 ? photons : 1;
		return (float)((N + electronic * electronic) / (N * N));
	}
	if (kind == BY_WEIGHT) {
		const double w = m->p->weight[i];
		return (float)(w > 0 ? m->scale / w : 0);
	}
	return (float)(m->scale * gt_vector_exp(line < MAX_LINE_INTEGRAL ? line : MAX_LINE_INTEGRAL));
}

GT_INLINE double masked(const gt_noise_model *m, size_t i, double variance)
{
	const double w = m->mask[i];
	return (float)(w > 0 && w >= m->min_mask ? variance / w : 0);
}

const float *gt_noise_weights(const gt_noise_model *m) { return m->mask ? m->mask : is_known(&m->known) ? NULL : m->p->weight; }

double gt_noise_variance(const gt_noise_model *m, size_t i)
{
	const double variance = variance_of(m, kind_of(m), i, m->p->data[i]);
	return m->mask ? masked(m, i, variance) : variance;
}

#define VARIANCES(kind)                                                          \
	case kind:                                                               \
		for (size_t k = 0; k < n; k++)                                   \
			variance[k] = variance_of(&m, kind, first + k, line[k]); \
		break;
GT_INLINE void variances(const gt_noise_model *model, size_t first, size_t n, const double *line, double *restrict variance)
{
	const gt_noise_model m = *model; /* no store of the loops may change it */
	switch (kind_of(&m)) {
		VARIANCES(BY_COUNT)
		VARIANCES(BY_PHOTONS)
		VARIANCES(BY_WEIGHT)
		VARIANCES(BY_LINE)
	}
	for (size_t k = 0; m.mask && k < n; k++)
		variance[k] = masked(&m, first + k, variance[k]);
}

GT_AVX2 static void variances_avx2(const gt_noise_model *m, size_t first, size_t n, const double *line, double *variance)
{
	variances(m, first, n, line, variance);
}

void gt_noise_variances(const gt_noise_model *m, size_t first, size_t n, const double *line, double *variance)
{
	if (gt_runs_here("avx2"))
		variances_avx2(m, first, n, line, variance);
	else
		variances(m, first, n, line, variance);
}

GT_WIDER static void variances_by_line(const gt_noise_model *m, size_t n, const double *line, double *restrict variance)
{
	const gt_noise_model own = *m;
	for (size_t k = 0; k < n; k++)
		variance[k] = variance_of(&own, BY_LINE, 0, line[k]);
}

void gt_noise_variances_at(const gt_noise_model *m, const size_t *at, size_t n, const double *line, double *variance)
{
	const enum kind kind = kind_of(m);
	if (kind == BY_LINE)
		variances_by_line(m, n, line, variance);
	for (size_t k = 0; k < n && kind != BY_LINE; k++)
		variance[k] = variance_of(m, kind, at[k], line[k]);
	for (size_t k = 0; k < n && m->mask; k++)
		variance[k] = masked(m, at[k], variance[k]);
}

double gt_noise_scale(const gt_noise_model *m) { return m->scale; }
double gt_noise_photons(const gt_noise_model *m) { return m->photons; }
const char *gt_noise_source(const gt_noise_model *m) { return m->source; }
void gt_noise_free(gt_noise_model *m) { free(m); }

static gt_status estimate_scale(gt_noise_model *m, gt_pool *pool)
{
	gt_status st = GT_OK;
	m->min_mask = 1; /* interpolated pixels are too smooth */
	GT_TRY(gt_noise_of_differences(m, m->p, pool, &m->scale));
	m->min_mask = 0;
	m->scale = fmax(m->scale, MIN_SCALE);
	if (!isfinite(m->scale))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "the noise of the data is unknown: too few neighbouring pixels were measured; expected "
		                                   "--weights photons:count=N, or a penalty with strength=NUMBER"));
	const int by_weight = kind_of(m) == BY_WEIGHT;
	m->photons = by_weight ? 0 : 1 / m->scale;
	m->source = by_weight ? "weights of the file and differences of neighbouring pixels" : "differences of neighbouring pixels";
done:
	return st;
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
	*m = (gt_noise_model){ known ? *known : (gt_counting){ .photons = p->photons }, p, 1, 0, NULL, gt_projections_mask(p), 0 };
	m->source = m->known.count > 0 ? "photons as given" : "photons of the file";
	st = gt_projections_mask_check(p, gt_noise_weights(m));
	if (st == GT_OK && !is_known(&m->known))
		st = estimate_scale(m, pool);
	if (st == GT_OK)
		*model = m;
	else
		free(m);
	return st;
}

enum { PIXELS_PER_PIECE = 1 << 14, PART = 256 };

struct deviations {
	const gt_noise_model *noise;
	double min_variance;
	size_t from; /* first pixel of out */
	float *out;
	gt_photon_starvation *starved; /* per chunk */
};

/* Returns whether a variance exceeds the bound. */
GT_WIDER static int take_roots(const double *variance, size_t n, double bound, float *root)
{
	int exceeds = 0;
	for (size_t k = 0; k < n; k++) {
		root[k] = (float)sqrt(variance[k]);
		exceeds |= variance[k] > bound;
	}
	return exceeds;
}

static void deviate(void *self, size_t begin, size_t end, int worker)
{
	const struct deviations *s = self;
	double line[PART], variance[PART];
	(void)worker;
	for (size_t first = begin; first < end; first += PART) {
		const size_t n = end - first < PART ? end - first : PART;
		const float *mask = s->noise->mask ? s->noise->mask + s->from + first : NULL;
		for (size_t k = 0; k < n; k++)
			line[k] = s->noise->p->data[s->from + first + k];
		gt_noise_variances(s->noise, s->from + first, n, line, variance);
		for (size_t k = 0; mask && k < n; k++)
			variance[k] *= mask[k]; /* a mask increases it without fewer photons */
		const int exceeds = take_roots(variance, n, s->min_variance, s->out + first);
		for (size_t k = 0; exceeds && k < n; k++)
			if (variance[k] > s->min_variance) {
				gt_photon_starvation *piece = &s->starved[(first + k) / PIXELS_PER_PIECE];
				piece->pixels++;
				piece->variance += variance[k];
				piece->line += line[k];
			}
	}
}

gt_status gt_noise_deviations(const gt_noise_model *noise, double min_variance, gt_pool *pool, size_t first, size_t n, float *out,
                              gt_photon_starvation *starved)
{
	const size_t pieces = (n + PIXELS_PER_PIECE - 1) / PIXELS_PER_PIECE;
	struct deviations s = { noise, min_variance, first, out, calloc(pieces, sizeof *s.starved) };
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
