/* Phase contrast of one distance to the line integrals of a body of one material: Paganin, Mayo, Gureyev, Miller,
 * Wilkins, J. Microsc. 206 (2002) 33. mu T = -ln F'[F(I/I0)/(1 + alpha k^2)], alpha = z delta/mu = z lambda
 * (delta/beta)/(4 pi); in a cone beam z and the pixels are those at the object: z = (Dsd - Dso) Dso/Dsd. Each view
 * is continued by its edge values, 4 sqrt(alpha) and a pixel. The generalised form, whose k^2 is that of
 * differences of pixels: Paganin et al., J. Opt. 22 (2020) 115607. */
#include <math.h>
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
enum { MOST_MARGIN = 4096 };

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
	const gt_scan *s = (*c->p)->scan;
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
		const double margin = ceil(4 * sqrt(f->alpha) / f->pixel[a]) + 1;
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

static gt_status make_filter(phase *f)
{
	size_t wide[2];
	double *spectrum = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_backend_open("cpu", &f->be));
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

static void filter_view(const phase *f, float *p, size_t rows, size_t columns)
{
	const gt_slice_filter_share all = { f->ones, NULL, 0 };
	double mean = 0;
	/* The mean passes unchanged; without it what lies beyond the margin, which is 0, pulls at nothing. */
	for (size_t i = 0; i < rows * columns; i++)
		mean += exp(-p[i]) / (double)(rows * columns);
	for (size_t y = 0; y < f->n[1]; y++)
		for (size_t x = 0; x < f->n[0]; x++)
			f->host[y * f->n[0] + x] =
				(float)(exp(-p[within(y, f->margin[1], rows) * columns + within(x, f->margin[0], columns)]) - mean);
	gt_array_put(f->host, f->in);
	gt_slice_filter_apply(f->filter, f->response, &all, 0, f->in, f->out);
	gt_array_get(f->out, f->host);
	for (size_t i = 0; i < rows * columns; i++) {
		const double t = mean + f->host[(i / columns + f->margin[1]) * f->n[0] + i % columns + f->margin[0]];
		p[i] = (float)-log(fmax(t, GT_LEAST_TRANSMISSION));
	}
}

static gt_status run(gt_prepare_call *c, const void *options)
{
	const gt_projections *p = *c->p;
	const size_t rows = p->scan->rows, columns = p->scan->columns;
	phase f = { .method = ((const struct options *)options)->method };
	gt_status st = GT_OK;
	GT_TRY(set_lengths(c, options, &f));
	GT_TRY(make_filter(&f));
	for (size_t v = 0; v < p->scan->views; v++)
		filter_view(&f, p->data + v * rows * columns, rows, columns);
	st = gt_backend_status(f.be);
done:
	gt_array_free(f.response);
	gt_array_free(f.ones);
	gt_array_free(f.in);
	gt_array_free(f.out);
	gt_slice_filter_free(f.filter);
	gt_backend_close(f.be);
	free(f.host);
	return st;
}

const gt_preparation gt_preparation_phase = {
	.name = "phase",
	.about = "phase contrast of one distance to line integrals of a body of one material, after Paganin",
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
};
