/* Phase contrast of one distance to the line integrals of a body of one material: Paganin, Mayo, Gureyev, Miller,
 * Wilkins, J. Microsc. 206 (2002) 33. mu T = -ln F'[F(I/I0)/(1 + alpha k^2)], alpha = z delta/mu = z lambda
 * (delta/beta)/(4 pi); in a cone beam z and the pixels are those at the object: z = (Dsd - Dso) Dso/Dsd. Each view
 * is continued by its edge values, 8 sqrt(alpha) and a pixel, where exp(-8)/2 of the filter is left. The generalised
 * form, whose k^2 is that of differences of pixels: Paganin et al., J. Opt. 22 (2020) 115607. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/constants.h>
#include "core/fft/fft.h"
#include "core/try.h"
#include "prepare/step.h"

enum { PAGANIN, GENERALISED };
struct options {
	int method;
	double energy, distance, ratio;
};
static const struct options defaults = { PAGANIN, 0, 0, 0 };
static const char *const methods[] = { "paganin", "generalised", NULL };
#define AT(field) offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "method",
	  .help = "paganin; generalised: for details of few pixels, which paganin blurs",
	  .kind = GT_CHOICE,
	  .at = AT(method),
	  .names = methods },
	{ .key = "energy", .help = "of the rays, keV", .kind = GT_REAL, .at = AT(energy), .least = 0, .most = 1e5 },
	{ .key = "distance",
	  .help = "from the object to the detector, mm; 0: from the scan's geometry",
	  .kind = GT_REAL,
	  .at = AT(distance),
	  .least = 0,
	  .most = 1e7 },
	{ .key = "delta-beta", .help = "ratio of refraction to absorption", .kind = GT_REAL, .at = AT(ratio), .least = 0, .most = 1e7 },
	{ .key = NULL },
};
/* mm keV */
#define WAVELENGTH 1.239841984e-6
enum { MOST_MARGIN = 8192 };

typedef struct {
	int method;
	double alpha, pixel[2]; /* mm^2; at the object, mm */
	size_t margin[2], n[3]; /* pixels; of one padded view */
	gt_backend *be;
	gt_slice_filter *filter;
	gt_array *response, *ones, *in, *out;
	float *host;
} phase;

static gt_status set_lengths(const gt_prepare_call *c, const struct options *o, phase *f)
{
	const gt_scan *s = c->source.scan;
	const double dso = s->source_to_axis, dsd = s->source_to_detector;
	const int cone = s->shape != GT_PARALLEL;
	const double distance = cone ? (dsd - dso) * dso / dsd : o->distance, at = cone ? dso / dsd : 1;
	if (!(o->energy > 0) || !(o->ratio > 0))
		return gt_fail(GT_ERR_ARG, "energy=%g, delta-beta=%g: expected both, above 0", o->energy, o->ratio);
	if (cone && (o->distance > 0 || !(dso > 0 && dsd > dso)))
		return gt_fail(GT_ERR_ARG, "distance=%g: expected none in a cone beam with distances of %g and %g mm", o->distance, dso,
		               dsd);
	if (!(distance > 0))
		return gt_fail(GT_ERR_ARG, "distance=%g: expected the way from the object to the detector, mm", o->distance);
	f->alpha = distance * WAVELENGTH / o->energy * o->ratio / (4 * GT_PI);
	f->pixel[0] = s->column_pitch * at;
	f->pixel[1] = s->row_pitch * at;
	for (int a = 0; a < 2; a++) {
		const double margin = ceil(8 * sqrt(f->alpha) / f->pixel[a]) + 1;
		if (margin > MOST_MARGIN)
			return gt_fail(
				GT_ERR_ARG,
				"the filter reaches over %.3g pixels: energy, distance or delta-beta are not those of pixels of %g mm",
				margin, f->pixel[a]);
		f->margin[a] = (size_t)margin;
		f->n[a] = (a ? s->rows : s->columns) + 2 * f->margin[a];
	}
	f->n[2] = 1;
	gt_prepare_note(c, "alpha = %.4g mm^2 = %.4g pixels^2", f->alpha, f->alpha / (f->pixel[0] * f->pixel[1]));
	return GT_OK;
}

static gt_status make_filter(phase *f, int threads)
{
	size_t wide[2];
	char backend[32];
	double *spectrum = NULL;
	gt_status st = GT_OK;
	snprintf(backend, sizeof backend, "cpu:%d", threads);
	GT_TRY(gt_backend_open(backend, &f->be));
	GT_TRY(gt_slice_filter_new(f->be, GT_F32, f->n, &f->filter));
	gt_slice_filter_padded(f->filter, wide);
	const size_t half = wide[0] / 2 + 1;
	if (!(spectrum = malloc(half * wide[1] * sizeof *spectrum)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "phase: out of memory"));
	for (size_t i = 0; i < half * wide[1]; i++) {
		const size_t y = i / half;
		const double kx = 2 * GT_PI * (double)(i % half) / ((double)wide[0] * f->pixel[0]);
		const double ky = 2 * GT_PI * (double)(2 * y <= wide[1] ? y : wide[1] - y) / ((double)wide[1] * f->pixel[1]);
		const double wx = 1 - cos(kx * f->pixel[0]), wy = 1 - cos(ky * f->pixel[1]);
		const double square = f->method == PAGANIN ? kx * kx + ky * ky
		                                           : 2 * (wx / (f->pixel[0] * f->pixel[0]) + wy / (f->pixel[1] * f->pixel[1]));
		spectrum[i] = 1 / (1 + f->alpha * square);
	}
	GT_TRY(gt_slice_filter_response(f->filter, spectrum, &f->response));
	GT_TRY(gt_array_new(f->be, GT_F32, f->n[0] * f->n[1], &f->in));
	GT_TRY(gt_array_like(f->in, &f->out));
	GT_TRY(gt_array_like(f->in, &f->ones));
	gt_fill(1, f->ones);
	if (!(f->host = malloc(f->n[0] * f->n[1] * sizeof *f->host)))
		st = gt_fail(GT_ERR_MEMORY, "phase: out of memory");
done:
	free(spectrum);
	return st;
}

static size_t within(size_t at, size_t margin, size_t n) { return at < margin ? 0 : at - margin < n ? at - margin : n - 1; }

/* A view on its way: p, [rows][columns], and its transmissions less their mean. */
typedef struct {
	const phase *f;
	float *p;
	size_t rows, columns;
	double mean, *sum; /* sum: of transmissions of each row */
} view_call;

static void sum_rows(void *self, size_t begin, size_t end, int worker)
{
	const view_call *v = self;
	(void)worker;
	for (size_t r = begin; r < end; r++) {
		v->sum[r] = 0;
		for (size_t k = 0; k < v->columns; k++)
			v->sum[r] += v->p[r * v->columns + k] = expf(-v->p[r * v->columns + k]);
	}
}

static void pad_rows(void *self, size_t begin, size_t end, int worker)
{
	const view_call *v = self;
	const phase *f = v->f;
	(void)worker;
	for (size_t y = begin; y < end; y++) {
		const float *row = v->p + within(y, f->margin[1], v->rows) * v->columns;
		for (size_t x = 0; x < f->n[0]; x++)
			f->host[y * f->n[0] + x] = (float)(row[within(x, f->margin[0], v->columns)] - v->mean);
	}
}

static void take_rows(void *self, size_t begin, size_t end, int worker)
{
	const view_call *v = self;
	const phase *f = v->f;
	(void)worker;
	for (size_t r = begin; r < end; r++)
		for (size_t k = 0; k < v->columns; k++) {
			const double t = v->mean + f->host[(r + f->margin[1]) * f->n[0] + k + f->margin[0]];
			v->p[r * v->columns + k] = -logf((float)fmax(t, GT_LEAST_TRANSMISSION));
		}
}

static void filter_view(const phase *f, gt_pool *pool, view_call *v)
{
	const gt_slice_filter_share all = { f->ones, NULL, 0 };
	/* The mean passes unchanged; without it what lies beyond the margin, which is 0, pulls at nothing. */
	gt_parallel(pool, v->rows, 16, sum_rows, v);
	v->mean = 0;
	for (size_t r = 0; r < v->rows; r++)
		v->mean += v->sum[r] / (double)(v->rows * v->columns);
	gt_parallel(pool, f->n[1], 16, pad_rows, v);
	gt_array_put(f->host, f->in);
	gt_slice_filter_apply(f->filter, f->response, &all, 0, f->in, f->out);
	gt_array_get(f->out, f->host);
	gt_parallel(pool, v->rows, 16, take_rows, v);
}

static void forget(void *self)
{
	phase *f = self;
	gt_array_free(f->response);
	gt_array_free(f->ones);
	gt_array_free(f->in);
	gt_array_free(f->out);
	gt_slice_filter_free(f->filter);
	gt_backend_close(f->be);
	free(f->host);
	free(f);
}

static gt_status look(gt_prepare_call *c, const void *options)
{
	gt_status st = GT_OK;
	GT_TRY(gt_prepare_known(c, sizeof(phase)));
	phase *f = c->known;
	c->forget = forget;
	f->method = ((const struct options *)options)->method;
	GT_TRY(set_lengths(c, options, f));
	st = make_filter(f, gt_pool_threads(c->pool));
done:
	return st;
}

static gt_status run(gt_prepare_call *c, const void *options)
{
	const gt_projections *p = *c->p;
	const phase *f = c->known;
	const size_t rows = p->scan->rows, columns = p->scan->columns;
	double *sum = malloc(rows * sizeof *sum);
	(void)options;
	if (!sum)
		return gt_fail(GT_ERR_MEMORY, "phase: out of memory");
	for (size_t v = 0; v < p->scan->views; v++) {
		view_call call = { f, p->data + v * rows * columns, rows, columns, 0, sum };
		filter_view(f, c->pool, &call);
	}
	free(sum);
	return gt_backend_status(f->be);
}

const gt_preparation gt_preparation_phase = {
	.name = "phase",
	.about = "phase contrast of one distance to line integrals of a body of one material, after Paganin",
	GT_STEP_MEMBERS,
	.pieces = GT_BY_VIEWS,
	.look = look,
};
