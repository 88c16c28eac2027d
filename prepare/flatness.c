/* A reconstruction is linear in the projections: images of p and of p^2, once each, give that of p + a p^2 for
 * every a. The body is what is above half of its image's 95th percentile, without its outermost voxels; the
 * standard deviation there, over the mean, is least at a value of a that is found in closed form up to the mean,
 * and by golden section. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/order_statistics.h>
#include "core/try.h"
#include "prepare/flatness.h"
#include "prepare/images.h"

enum { SIDE = 256, ERODE = 3, LEAST_VOXELS = 100 };

static gt_status middle_slice(const gt_scan *scan, gt_grid *g)
{
	gt_grid all;
	gt_status st = gt_grid_default(scan, &all);
	if (st == GT_OK)
		st = gt_prepare_grid(scan, SIDE, g);
	if (st != GT_OK)
		return st;
	g->n[2] = 1;
	g->pitch[2] = all.pitch[2];
	g->center[2] = all.center[2];
	return GT_OK;
}

/* image: [y][x] of the projections to that power. */
static gt_status image_of(gt_backend *be, const gt_projections *p, int power, const gt_grid *grid, float *image)
{
	const size_t n = gt_scan_size(p->scan);
	float *values = malloc(n * sizeof *values);
	if (!values)
		return gt_fail(GT_ERR_MEMORY, "flatness: out of memory");
	for (size_t i = 0; i < n; i++)
		values[i] = power == 2 ? p->data[i] * p->data[i] : p->data[i];
	const gt_status st = gt_prepare_image(be, p->scan, values, grid, image);
	free(values);
	return st;
}

/* inside: of the body, and all within ERODE voxels too. */
static gt_status body_of(const float *image, const gt_grid *g, unsigned char *inside, size_t *count)
{
	const size_t nx = g->n[0], ny = g->n[1];
	double *copy = malloc(nx * ny * sizeof *copy);
	if (!copy)
		return gt_fail(GT_ERR_MEMORY, "flatness: out of memory");
	for (size_t i = 0; i < nx * ny; i++)
		copy[i] = image[i];
	const double level = gt_quantile(copy, nx * ny, 0.95) / 2;
	free(copy);
	*count = 0;
	for (size_t y = 0; y < ny; y++)
		for (size_t x = 0; x < nx; x++) {
			int all = y >= ERODE && x >= ERODE && y + ERODE < ny && x + ERODE < nx;
			for (size_t j = all ? y - ERODE : 0; all && j <= y + ERODE; j++)
				for (size_t i = x - ERODE; i <= x + ERODE; i++)
					all &= image[j * nx + i] > level;
			inside[y * nx + x] = (unsigned char)all;
			*count += (size_t)all;
		}
	return GT_OK;
}

typedef struct {
	double n, f, g, ff, fg, gg;
} moments;

/* Variance over the squared mean of f + a g. */
static double roughness(const moments *m, double a)
{
	const double mean = (m->f + a * m->g) / m->n, square = (m->ff + 2 * a * m->fg + a * a * m->gg) / m->n;
	return mean > 0 ? square / (mean * mean) - 1 : INFINITY;
}

static double least(const moments *m, double low, double high)
{
	const double golden = (sqrt(5) - 1) / 2;
	for (int i = 0; i < 60; i++) {
		const double a = high - golden * (high - low), b = low + golden * (high - low);
		if (roughness(m, a) < roughness(m, b))
			high = b;
		else
			low = a;
	}
	return (low + high) / 2;
}

static gt_status coefficient(gt_prepare_call *c, gt_backend *be, double *a, double *before, double *after)
{
	const gt_projections *p = *c->p;
	gt_grid grid;
	moments m = { 0 };
	size_t count = 0;
	gt_status st = middle_slice(p->scan, &grid);
	if (st != GT_OK)
		return st;
	const size_t n = gt_grid_voxels(&grid);
	float *f = malloc(2 * n * sizeof *f), *g = f + n;
	unsigned char *inside = malloc(n);
	if (!f || !inside)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "flatness: out of memory"));
	GT_TRY(image_of(be, p, 1, &grid, f));
	GT_TRY(image_of(be, p, 2, &grid, g));
	GT_TRY(body_of(f, &grid, inside, &count));
	if (count < LEAST_VOXELS)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "no homogeneous body in the middle slice: %zu voxels are above half of the brightest",
		               count));
	for (size_t i = 0; i < n; i++) {
		const double u = inside[i] ? f[i] : 0, v = inside[i] ? g[i] : 0;
		m.f += u;
		m.g += v;
		m.ff += u * u;
		m.fg += u * v;
		m.gg += v * v;
	}
	m.n = (double)count;
	*a = least(&m, 0, 2);
	*before = sqrt(fmax(0, roughness(&m, 0)));
	*after = sqrt(fmax(0, roughness(&m, *a)));
done:
	free(f);
	free(inside);
	return st;
}

gt_status gt_prepare_flatness(gt_prepare_call *c)
{
	const gt_projections *p = *c->p;
	gt_backend *be = NULL;
	double a = 0, before = 0, after = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_prepare_backend(c, &be));
	GT_TRY(coefficient(c, be, &a, &before, &after));
	if (a > 1.9)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "the body in the middle slice is not made flat by p + a p^2: is it homogeneous?"));
	for (size_t i = 0; i < gt_scan_size(p->scan); i++)
		p->data[i] += (float)(a * p->data[i] * p->data[i]);
	gt_prepare_note(c, "p + %.4g p^2: the body in the middle slice varies by %.3g %% before and %.3g %% after", a, 100 * before,
	                100 * after);
done:
	gt_backend_close(be);
	return st;
}
