/* Single-distance phase retrieval for an object of one material: Paganin, Mayo, Gureyev, Miller, Wilkins, J. Microsc.
 * 206 (2002) 33. mu T = -ln F'[F(I/I0)/(1 + alpha k^2)], alpha = z delta/mu = z lambda (delta/beta)/(4 pi). In a cone
 * beam z and the pixels are those at the object: z = (Dsd - Dso) Dso/Dsd. Each view is padded by its edge values, by
 * 8 sqrt(alpha) and a pixel, where the filter has decayed to exp(-8)/2. The generalised form replaces k^2 by its
 * finite difference: Paganin et al., J. Opt. 22 (2020) 115607. */
#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "core/clones.h"
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
	{ .key = "energy", .help = "of the rays, keV", .kind = GT_REAL, .at = AT(energy), .min = 0, .max = 1e5 },
	{ .key = "distance",
	  .help = "from the object to the detector, mm; 0: from the scan's geometry",
	  .kind = GT_REAL,
	  .at = AT(distance),
	  .min = 0,
	  .max = 1e7 },
	{ .key = "delta-beta", .help = "ratio of refraction to absorption", .kind = GT_REAL, .at = AT(ratio), .min = 0, .max = 1e7 },
	{ .key = NULL },
};
/* mm keV */
#define WAVELENGTH 1.239841984e-6
enum { MAX_MARGIN = 8192 };

typedef struct {
	int method;
	double alpha, pixel[2];         /* mm^2; at the object, mm */
	size_t margin[2], n[2], stride; /* pixels; of one padded view; floats from worker to worker */
	float *plane, *response;        /* [worker]: a padded view in place of its transform; what transforms are multiplied by */
	fftwf_plan forth, back;
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
		return gt_fail(GT_ERR_ARG, "distance=%g: expected the distance from the object to the detector, mm", o->distance);
	f->alpha = distance * WAVELENGTH / o->energy * o->ratio / (4 * GT_PI);
	f->pixel[0] = s->column_pitch * at;
	f->pixel[1] = s->row_pitch * at;
	for (int a = 0; a < 2; a++) {
		const double margin = ceil(8 * sqrt(f->alpha) / f->pixel[a]) + 1;
		if (margin > MAX_MARGIN)
			return gt_fail(
				GT_ERR_ARG,
				"the filter reaches over %.3g pixels: energy, distance or delta-beta are not those of pixels of %g mm",
				margin, f->pixel[a]);
		f->margin[a] = (size_t)margin;
		f->n[a] = gt_fft_size((a ? s->rows : s->columns) + 2 * f->margin[a]);
	}
	gt_prepare_note(c, "alpha = %.4g mm^2 = %.4g pixels^2", f->alpha, f->alpha / (f->pixel[0] * f->pixel[1]));
	return GT_OK;
}

/* Transforms there and back multiply by the number of samples. The margins keep the periodic continuation away. */
static gt_status make_filter(phase *f, int threads)
{
	const size_t half = f->n[0] / 2 + 1;
	f->stride = (2 * half * f->n[1] + 15) / 16 * 16;
	f->plane = fftwf_malloc((size_t)threads * f->stride * sizeof *f->plane);
	f->response = malloc(half * f->n[1] * sizeof *f->response);
	if (!f->plane || !f->response)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < half * f->n[1]; i++) {
		const size_t y = i / half;
		const double kx = 2 * GT_PI * (double)(i % half) / ((double)f->n[0] * f->pixel[0]);
		const double ky = 2 * GT_PI * (double)(2 * y <= f->n[1] ? y : f->n[1] - y) / ((double)f->n[1] * f->pixel[1]);
		const double wx = 1 - cos(kx * f->pixel[0]), wy = 1 - cos(ky * f->pixel[1]);
		const double square = f->method == PAGANIN ? kx * kx + ky * ky
		                                           : 2 * (wx / (f->pixel[0] * f->pixel[0]) + wy / (f->pixel[1] * f->pixel[1]));
		f->response[i] = (float)(1 / (1 + f->alpha * square) / ((double)f->n[0] * (double)f->n[1]));
	}
	pthread_mutex_lock(&gt_fft_planner);
	f->forth = fftwf_plan_dft_r2c_2d((int)f->n[1], (int)f->n[0], f->plane, (fftwf_complex *)f->plane, FFTW_ESTIMATE);
	f->back = fftwf_plan_dft_c2r_2d((int)f->n[1], (int)f->n[0], (fftwf_complex *)f->plane, f->plane, FFTW_ESTIMATE);
	pthread_mutex_unlock(&gt_fft_planner);
	return f->forth && f->back ? GT_OK : gt_fail(GT_ERR_MEMORY, "no plan for transforms of %zu x %zu samples", f->n[0], f->n[1]);
}

static size_t within(size_t at, size_t margin, size_t n) { return at < margin ? 0 : at - margin < n ? at - margin : n - 1; }

static double to_transmissions(float *p, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += p[i] = expf(-p[i]);
	return sum;
}

/* Subtracts the mean transmission, which passes unchanged, and pads by edge values. */
static void pad(const phase *f, const float *p, size_t rows, size_t columns, double mean, float *plane)
{
	const size_t wide = 2 * (f->n[0] / 2 + 1);
	for (size_t y = 0; y < f->n[1]; y++) {
		const float *row = p + within(y, f->margin[1], rows) * columns;
		for (size_t x = 0; x < f->n[0]; x++)
			plane[y * wide + x] = (float)(row[within(x, f->margin[0], columns)] - mean);
	}
}

static GT_CLONES void multiply(const float *restrict response, size_t n, float *restrict wave)
{
	for (size_t i = 0; i < n; i++) {
		wave[2 * i] *= response[i];
		wave[2 * i + 1] *= response[i];
	}
}

typedef struct {
	const phase *f;
	float *p;
	size_t rows, columns;
} views_call;

static void views_loop(void *self, size_t begin, size_t end, int worker)
{
	const views_call *v = self;
	const phase *f = v->f;
	float *plane = f->plane + (size_t)worker * f->stride;
	const size_t wide = 2 * (f->n[0] / 2 + 1);
	for (size_t view = begin; view < end; view++) {
		float *p = v->p + view * v->rows * v->columns;
		double mean = 0;
		for (size_t r = 0; r < v->rows; r++)
			mean += to_transmissions(p + r * v->columns, v->columns) / (double)(v->rows * v->columns);
		pad(f, p, v->rows, v->columns, mean, plane);
		fftwf_execute_dft_r2c(f->forth, plane, (fftwf_complex *)plane);
		multiply(f->response, wide / 2 * f->n[1], plane);
		fftwf_execute_dft_c2r(f->back, (fftwf_complex *)plane, plane);
		for (size_t r = 0; r < v->rows; r++)
			for (size_t k = 0; k < v->columns; k++) {
				const double t = mean + plane[(r + f->margin[1]) * wide + k + f->margin[0]];
				p[r * v->columns + k] = -logf((float)fmax(t, GT_MIN_TRANSMISSION));
			}
	}
}

static void forget(void *self)
{
	phase *f = self;
	pthread_mutex_lock(&gt_fft_planner);
	fftwf_destroy_plan(f->forth);
	fftwf_destroy_plan(f->back);
	pthread_mutex_unlock(&gt_fft_planner);
	fftwf_free(f->plane);
	free(f->response);
	free(f);
}

static gt_status inspect(gt_prepare_call *c, const void *options)
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
	views_call v = { c->known, p->data, p->scan->rows, p->scan->columns };
	(void)options;
	gt_parallel(c->pool, p->scan->views, 1, views_loop, &v);
	return GT_OK;
}

const gt_preparation gt_preparation_phase = {
	.name = "phase",
	.about = "single-distance phase retrieval for an object of one material, after Paganin",
	GT_STEP_MEMBERS,
	.chunks = GT_BY_VIEWS,
	.inspect = inspect,
};
