/* Fourier shell correlation: Harauz, van Heel, Optik 73 (1986) 146. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <fftw3.h>
#include <gantry/author/constants.h>
#include <gantry/array.h>
#include <gantry/metrics.h>
#include "core/fft/fft.h"
#include "core/arguments.h"
#include "core/try.h"

enum { MIN_SAMPLES = 8 };

/* Window: 1 in the centre, tapered to 0 over the outer eighth, which avoids a step at the periodic boundary. Fewer
 * than MIN_SAMPLES slices are not tapered. */
static double window(size_t i, size_t n)
{
	const double taper = (double)n / 8, from_edge = fmin((double)i, (double)(n - 1 - i)) + 0.5;
	return n < MIN_SAMPLES || from_edge >= taper ? 1 : 0.5 * (1 - cos(GT_PI * from_edge / taper));
}

static void load(const gt_grid *g, const float *volume, float *out)
{
	const size_t padded = 2 * (g->n[0] / 2 + 1);
	double mean = 0;
	for (size_t i = 0; i < gt_grid_voxels(g); i++)
		mean += volume[i] / (double)gt_grid_voxels(g);
	for (size_t z = 0; z < g->n[2]; z++)
		for (size_t y = 0; y < g->n[1]; y++)
			for (size_t x = 0; x < g->n[0]; x++)
				out[(z * g->n[1] + y) * padded + x] = (float)((volume[(z * g->n[1] + y) * g->n[0] + x] - mean) *
				                                              window(x, g->n[0]) * window(y, g->n[1]) * window(z, g->n[2]));
}

static gt_status transform(const gt_grid *g, fftwf_complex *x)
{
	pthread_mutex_lock(&gt_fft_planner);
	const fftwf_plan plan = g->n[2] > 1 ? fftwf_plan_dft_r2c_3d((int)g->n[2], (int)g->n[1], (int)g->n[0], (float *)x, x, FFTW_ESTIMATE)
	                                    : fftwf_plan_dft_r2c_2d((int)g->n[1], (int)g->n[0], (float *)x, x, FFTW_ESTIMATE);
	pthread_mutex_unlock(&gt_fft_planner);
	if (!plan)
		return gt_fail(GT_ERR_MEMORY, "FSC: no plan for a transform of %zu x %zu x %zu", g->n[0], g->n[1], g->n[2]);
	fftwf_execute(plan);
	pthread_mutex_lock(&gt_fft_planner);
	fftwf_destroy_plan(plan);
	pthread_mutex_unlock(&gt_fft_planner);
	return GT_OK;
}

/* Signed frequency of index i of n, 1/mm. */
static double frequency(size_t i, size_t n, double pitch) { return (double)(i <= n / 2 ? i : n - i) / ((double)n * pitch); }

typedef struct {
	double both, a, b, count;
} shell;

static void add_up(const gt_grid *g, fftwf_complex *const x[2], double spacing, shell *s, size_t shells)
{
	const size_t half = g->n[0] / 2 + 1;
	for (size_t z = 0; z < g->n[2]; z++)
		for (size_t y = 0; y < g->n[1]; y++)
			for (size_t k = 0; k < half; k++) {
				const double f = sqrt(pow(frequency(k, g->n[0], g->pitch[0]), 2) +
				                      pow(frequency(y, g->n[1], g->pitch[1]), 2) +
				                      pow(frequency(z, g->n[2], g->pitch[2]), 2));
				const size_t at = (z * g->n[1] + y) * half + k, bin = (size_t)(f / spacing + 0.5);
				const double twice = k == 0 || 2 * k == g->n[0] ? 1 : 2;
				if (bin >= shells)
					continue;
				const float *p = x[0][at], *q = x[1][at];
				s[bin].both += twice * ((double)p[0] * q[0] + (double)p[1] * q[1]);
				s[bin].a += twice * ((double)p[0] * p[0] + (double)p[1] * p[1]);
				s[bin].b += twice * ((double)q[0] * q[0] + (double)q[1] * q[1]);
				s[bin].count += twice;
			}
}

static double below(const gt_curve *c, const double *limit, double constant)
{
	for (size_t i = 1; i < c->n; i++) {
		const double now = c->value[i] - (limit ? limit[i] : constant),
			     before = c->value[i - 1] - (limit ? limit[i - 1] : constant);
		if (now < 0)
			return 1 /
			       (c->frequency[i - 1] + (c->frequency[i] - c->frequency[i - 1]) * (before > 0 ? before / (before - now) : 0));
	}
	return NAN;
}

static void finish(const shell *s, double spacing, gt_fsc *f)
{
	for (size_t i = 0; i < f->fsc.n; i++) {
		const double root = sqrt(s[i].count);
		f->fsc.frequency[i] = (double)i * spacing;
		f->fsc.value[i] = s[i].a > 0 && s[i].b > 0 ? s[i].both / sqrt(s[i].a * s[i].b) : 1;
		f->half_bit[i] = fmin(1, (0.2071 * root + 1.9102) / (1.2071 * root + 0.9102));
	}
	f->resolution = below(&f->fsc, f->half_bit, 0);
	f->resolution_143 = below(&f->fsc, NULL, 1. / 7);
}

gt_status gt_fsc_measure(const gt_grid *g, const float *a, const float *b, gt_fsc *f)
{
	GT_NEED(g);
	GT_NEED(a);
	GT_NEED(b);
	GT_NEED(f);
	const float *volume[2] = { a, b };
	const size_t cells = g->n[2] * g->n[1] * (g->n[0] / 2 + 1), min = g->n[0] < g->n[1] ? g->n[0] : g->n[1], shells = min / 2 + 1;
	const double pitch = fmax(g->pitch[0], g->pitch[1]), spacing = 1 / ((double)min * pitch);
	fftwf_complex *x[2] = { NULL, NULL };
	shell *s = NULL;
	gt_status st = GT_OK;
	*f = (gt_fsc){ .resolution = NAN, .resolution_143 = NAN };
	if (min < MIN_SAMPLES || g->n[0] > 1 << 20 || g->n[1] > 1 << 20 || g->n[2] > 1 << 20)
		return gt_fail(GT_ERR_ARG, "FSC: slices of %zu x %zu voxels: expected at least %d each", g->n[0], g->n[1], MIN_SAMPLES);
	GT_TRY(gt_host_has_memory(2. * (double)cells * sizeof **x, "the transforms"));
	s = calloc(shells, sizeof *s);
	f->fsc = (gt_curve){ calloc(shells, sizeof(double)), calloc(shells, sizeof(double)), shells };
	f->half_bit = calloc(shells, sizeof *f->half_bit);
	if (!s || !f->fsc.frequency || !f->fsc.value || !f->half_bit)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (int k = 0; k < 2; k++) {
		if (!(x[k] = fftwf_alloc_complex(cells)))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
		load(g, volume[k], (float *)x[k]);
		GT_TRY(transform(g, x[k]));
	}
	add_up(g, x, spacing, s, shells);
	finish(s, spacing, f);
done:
	fftwf_free(x[0]);
	fftwf_free(x[1]);
	free(s);
	if (st != GT_OK)
		gt_fsc_free(f);
	return st;
}

void gt_fsc_free(gt_fsc *f)
{
	gt_curve_free(&f->fsc);
	free(f->half_bit);
	f->half_bit = NULL;
}
