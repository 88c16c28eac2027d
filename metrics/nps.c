/* The noise power spectrum of squares. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/metrics.h>
#include "core/arguments.h"
#include "core/basis/symmetric.h"
#include "core/try.h"

enum { MIN_SIDE = 8, MAX_SIDE = 512, TERMS = 6 };

typedef struct {
	size_t n;
	double *square, *re, *im, *power, *cosine, *sine, *line;
} squares;

static void free_squares(squares *s) { free(s->square); }

static gt_status make_squares(size_t n, squares *s)
{
	double *all = calloc(4 * n * n + 4 * n, sizeof *all);
	if (!all)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	*s = (squares){
		n, all, all + n * n, all + 2 * n * n, all + 3 * n * n, all + 4 * n * n, all + 4 * n * n + n, all + 4 * n * n + 2 * n
	};
	for (size_t i = 0; i < n; i++) {
		s->cosine[i] = cos(2 * GT_PI * (double)i / (double)n);
		s->sine[i] = -sin(2 * GT_PI * (double)i / (double)n);
	}
	return GT_OK;
}

/* Discrete Fourier transform in place of n values, `stride` apart. */
static void transform(const squares *s, double *re, double *im, size_t stride)
{
	for (size_t k = 0; k < s->n; k++) {
		double a = 0, b = 0;
		for (size_t i = 0, turn = 0; i < s->n; i++, turn = turn + k < s->n ? turn + k : turn + k - s->n) {
			a += re[i * stride] * s->cosine[turn] - im[i * stride] * s->sine[turn];
			b += re[i * stride] * s->sine[turn] + im[i * stride] * s->cosine[turn];
		}
		s->line[k] = a;
		s->line[s->n + k] = b;
	}
	for (size_t k = 0; k < s->n; k++) {
		re[k * stride] = s->line[k];
		im[k * stride] = s->line[s->n + k];
	}
}

static void terms_of(size_t n, size_t i, double t[TERMS])
{
	const double x = 2 * ((double)(i % n) + 0.5) / (double)n - 1, y = 2 * ((double)(i / n) + 0.5) / (double)n - 1;
	const double all[TERMS] = { 1, x, y, x * x, x * y, y * y };
	memcpy(t, all, sizeof all);
}

/* Subtracts the least-squares polynomial of second order. The normal equations are well conditioned on -1 ... 1. */
static void detrend(const squares *s)
{
	double m[TERMS * TERMS] = { 0 }, x[TERMS] = { 0 }, t[TERMS];
	for (size_t i = 0; i < s->n * s->n; i++) {
		terms_of(s->n, i, t);
		for (int a = 0; a < TERMS; a++) {
			for (int b = 0; b <= a; b++)
				m[a * TERMS + b] += t[a] * t[b];
			x[a] += t[a] * s->square[i];
		}
	}
	gt_cholesky(TERMS, 0, m);
	gt_cholesky_solve(TERMS, m, x);
	for (size_t i = 0; i < s->n * s->n; i++) {
		terms_of(s->n, i, t);
		for (int a = 0; a < TERMS; a++)
			s->square[i] -= t[a] * x[a];
	}
}

static void add_square(const squares *s, gt_nps *out)
{
	const size_t n = s->n;
	for (size_t i = 0; i < n * n; i++)
		out->variance += s->square[i] * s->square[i] / (double)(n * n);
	memcpy(s->re, s->square, n * n * sizeof *s->re);
	memset(s->im, 0, n * n * sizeof *s->im);
	for (size_t y = 0; y < n; y++)
		transform(s, s->re + y * n, s->im + y * n, 1);
	for (size_t x = 0; x < n; x++)
		transform(s, s->re + x, s->im + x, n);
	for (size_t i = 0; i < n * n; i++)
		s->power[i] += s->re[i] * s->re[i] + s->im[i] * s->im[i];
	out->squares++;
}

/* 1: all corners of the square are in the region. */
static int within(const gt_grid *g, const gt_roi *roi, size_t x, size_t y, size_t n)
{
	for (int corner = 0; corner < 4; corner++) {
		const double u = gt_grid_first(g, 0) + (double)(corner & 1 ? x + n - 1 : x) * g->pitch[0] - roi->center[0];
		const double v = gt_grid_first(g, 1) + (double)(corner & 2 ? y + n - 1 : y) * g->pitch[1] - roi->center[1];
		if (hypot(u, v) > roi->radius)
			return 0;
	}
	return 1;
}

static void slice(const gt_grid *g, const float *a, const float *b, const gt_roi *roi, size_t z, squares *s, gt_nps *out)
{
	const size_t n = s->n, step = n / 2;
	for (size_t y = 0; y + n <= g->n[1]; y += step)
		for (size_t x = 0; x + n <= g->n[0]; x += step) {
			if (!within(g, roi, x, y, n))
				continue;
			for (size_t i = 0; i < n * n; i++) {
				const size_t at = (z * g->n[1] + y + i / n) * g->n[0] + x + i % n;
				s->square[i] = b ? ((double)a[at] - b[at]) / sqrt(2) : a[at];
			}
			detrend(s);
			add_square(s, out);
		}
}

static gt_status radial_mean(const gt_grid *g, const squares *s, gt_nps *out)
{
	const size_t n = s->n, bins = n / 2;
	const double spacing = 1 / ((double)n * sqrt(g->pitch[0] * g->pitch[1]));
	double *count = calloc(bins, sizeof *count), weighted = 0, all = 0;
	gt_status st = GT_OK;
	out->radial = (gt_curve){ calloc(bins, sizeof(double)), calloc(bins, sizeof(double)), bins };
	if (!count || !out->radial.frequency || !out->radial.value)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t i = 0; i < n * n; i++) {
		const double fx = (double)(i % n < (n + 1) / 2 ? i % n : n - i % n) / ((double)n * g->pitch[0]);
		const double fy = (double)(i / n < (n + 1) / 2 ? i / n : n - i / n) / ((double)n * g->pitch[1]);
		const double f = hypot(fx, fy), nps = s->power[i] / (double)out->squares * g->pitch[0] * g->pitch[1] / (double)(n * n);
		const size_t bin = (size_t)(f / spacing + 0.5);
		out->sum += nps / ((double)(n * n) * g->pitch[0] * g->pitch[1]);
		weighted += f * nps;
		all += nps;
		if (bin < bins) {
			out->radial.value[bin] += nps;
			count[bin]++;
		}
	}
	out->mean = all > 0 ? weighted / all : 0;
	for (size_t b = 0; b < bins; b++) {
		out->radial.frequency[b] = (double)b * spacing;
		out->radial.value[b] /= count[b] > 0 ? count[b] : 1;
	}
	size_t top = 0;
	for (size_t b = 1; b < bins; b++)
		top = out->radial.value[b] > out->radial.value[top] ? b : top;
	out->peak = out->radial.frequency[top];
done:
	free(count);
	return st;
}

gt_status gt_nps_measure(const gt_grid *grid, const float *volume, const float *other, const gt_roi *roi, size_t side, gt_nps *out)
{
	GT_NEED(grid);
	GT_NEED(volume);
	GT_NEED(roi);
	GT_NEED(out);
	squares s = { 0 };
	gt_status st = GT_OK;
	*out = (gt_nps){ 0 };
	if (side < MIN_SIDE || side > MAX_SIDE)
		return gt_fail(GT_ERR_ARG, "squares of %zu voxels a side: expected %d to %d", side, MIN_SIDE, MAX_SIDE);
	GT_TRY(make_squares(side, &s));
	for (size_t z = 0; z < grid->n[2]; z++) {
		const double away = fabs(gt_grid_first(grid, 2) + (double)z * grid->pitch[2] - roi->center[2]);
		if (away <= (roi->height > 0 ? roi->height / 2 : grid->pitch[2] / 2))
			slice(grid, volume, other, roi, z, &s, out);
	}
	if (!out->squares)
		GT_TRY(gt_fail(GT_ERR_ARG, "region about %g,%g,%g mm of radius %g mm: no square of %zu x %zu voxels lies in it",
		               roi->center[0], roi->center[1], roi->center[2], roi->radius, side, side));
	out->variance /= (double)out->squares;
	st = radial_mean(grid, &s, out);
done:
	free_squares(&s);
	if (st != GT_OK)
		gt_curve_free(&out->radial);
	return st;
}
