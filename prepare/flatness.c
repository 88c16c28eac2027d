/* Finds the polynomial that makes a homogeneous object flat. Reconstruction is linear: images of p, p^2 and p^3 give
 * the image of p + a p^2 + b p^3 for every a and b. The object is above half of the 95th percentile of its image,
 * without its outermost voxels. The coefficients that minimise its standard deviation over its mean have a closed
 * form. Curves of beam hardening are convex. If the closed form is not, b is 0 and golden section finds a. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/order_statistics.h"
#include "core/try.h"
#include "prepare/flatness.h"
#include "prepare/images.h"

enum { SIDE = 256, ERODE = 3, MIN_VOXELS = 100 };

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

/* image: [y][x] of the projections raised to the given power. */
static gt_status image_of(gt_backend *be, const gt_projections *p, int power, const gt_grid *grid, float *image)
{
	const size_t n = gt_scan_size(p->scan);
	float *values = malloc(n * sizeof *values);
	if (!values)
		return gt_fail(GT_ERR_MEMORY, "flatness: out of memory");
	for (size_t i = 0; i < n; i++)
		values[i] = powf(p->data[i], (float)power);
	const gt_status st = gt_prepare_image(be, p->scan, values, grid, image);
	free(values);
	return st;
}

/* inside: voxels of the object whose neighbours within ERODE voxels belong to it. */
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

/* Means and covariances of the images of p, p^2 and p^3 within the object. */
enum { POWERS = 3 };
typedef struct {
	double mean[POWERS], product[POWERS][POWERS];
} moments;

static void moments_of(const float *const *image, const unsigned char *inside, size_t n, double count, moments *m)
{
	*m = (moments){ { 0 }, { { 0 } } };
	for (size_t i = 0; i < n; i++)
		for (int a = 0; inside[i] && a < POWERS; a++) {
			m->mean[a] += image[a][i] / count;
			for (int b = 0; b <= a; b++)
				m->product[a][b] += (double)image[a][i] * image[b][i] / count;
		}
	for (int a = 0; a < POWERS; a++)
		for (int b = 0; b <= a; b++)
			m->product[b][a] = m->product[a][b];
}

/* Returns the variance over the squared mean of the image of p + c[1] p^2 + c[2] p^3. */
static double roughness(const moments *m, const double *c)
{
	double mean = 0, square = 0;
	for (int a = 0; a < POWERS; a++) {
		mean += c[a] * m->mean[a];
		for (int b = 0; b < POWERS; b++)
			square += c[a] * c[b] * m->product[a][b];
	}
	return mean > 0 ? square / (mean * mean) - 1 : INFINITY;
}

/* Minimises over one coefficient by golden section. */
static double min(const moments *m, double low, double high)
{
	const double golden = (sqrt(5) - 1) / 2;
	for (int i = 0; i < 60; i++) {
		const double a = high - golden * (high - low), b = low + golden * (high - low);
		if (roughness(m, (const double[]){ 1, a, 0 }) < roughness(m, (const double[]){ 1, b, 0 }))
			high = b;
		else
			low = a;
	}
	return (low + high) / 2;
}

/* Minimises over two coefficients: at the minimum, covariance * c is parallel to the means, because variance over the
 * squared mean is stationary there. Solved by Cramer's rule, up to a factor. Returns 0 if the polynomial is not
 * convex up to p = most, as curves of beam hardening are. */
static int min_of_two(const moments *m, double max, double c[POWERS])
{
	double v[POWERS][POWERS], x[POWERS];
	for (int a = 0; a < POWERS; a++)
		for (int b = 0; b < POWERS; b++)
			v[a][b] = m->product[a][b] - m->mean[a] * m->mean[b];
	for (int k = 0; k < POWERS; k++) {
		double w[POWERS][POWERS];
		memcpy(w, v, sizeof w);
		for (int a = 0; a < POWERS; a++)
			w[a][k] = m->mean[a];
		x[k] = w[0][0] * (w[1][1] * w[2][2] - w[1][2] * w[2][1]) - w[0][1] * (w[1][0] * w[2][2] - w[1][2] * w[2][0]) +
		       w[0][2] * (w[1][0] * w[2][1] - w[1][1] * w[2][0]);
	}
	for (int k = 0; k < POWERS; k++)
		c[k] = x[k] / x[0];
	return isfinite(c[1]) && isfinite(c[2]) && c[1] >= 0 && 2 * c[1] + 6 * c[2] * max >= 0 && c[1] * max + c[2] * max * max < 2 &&
	       roughness(m, c) < roughness(m, (const double[]){ 1, min(m, 0, 2), 0 });
}

static double largest(const gt_projections *p)
{
	double max = 0;
	for (size_t i = 0; i < gt_scan_size(p->scan); i++)
		max = fmax(max, p->data[i]);
	return max;
}

static gt_status coefficients(gt_prepare_call *c, gt_backend *be, double by[POWERS], double *before, double *after)
{
	const gt_projections *p = *c->p;
	static const double none[POWERS] = { 1, 0, 0 };
	gt_grid grid;
	moments m;
	size_t count = 0;
	gt_status st = middle_slice(p->scan, &grid);
	if (st != GT_OK)
		return st;
	const size_t n = gt_grid_voxels(&grid);
	float *f = malloc(POWERS * n * sizeof *f);
	unsigned char *inside = malloc(n);
	if (!f || !inside)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "flatness: out of memory"));
	for (int k = 0; k < POWERS; k++)
		GT_TRY(image_of(be, p, k + 1, &grid, f + (size_t)k * n));
	GT_TRY(body_of(f, &grid, inside, &count));
	if (count < MIN_VOXELS)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "no homogeneous object in the central slice: %zu voxels are above half of the brightest",
		               count));
	moments_of((const float *const[]){ f, f + n, f + 2 * n }, inside, n, (double)count, &m);
	if (!min_of_two(&m, largest(p), by)) {
		by[0] = 1;
		by[1] = min(&m, 0, 2);
		by[2] = 0;
	}
	*before = sqrt(fmax(0, roughness(&m, none)));
	*after = sqrt(fmax(0, roughness(&m, by)));
done:
	free(f);
	free(inside);
	return st;
}

gt_status gt_prepare_flatness(gt_prepare_call *c)
{
	const gt_projections *p = *c->p;
	gt_backend *be = NULL;
	double by[POWERS], before = 0, after = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_prepare_backend(c, &be));
	GT_TRY(coefficients(c, be, by, &before, &after));
	if (by[1] > 1.9)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "p + a p^2 does not make the object in the central slice flat: is it homogeneous?"));
	for (size_t i = 0; i < gt_scan_size(p->scan); i++) {
		const double x = p->data[i];
		p->data[i] = (float)(x + by[1] * x * x + by[2] * x * x * x);
	}
	gt_prepare_note(c, "p + %.4g p^2 + %.4g p^3: the object in the central slice varies by %.3g %% before and %.3g %% after", by[1],
	                by[2], 100 * before, 100 * after);
done:
	gt_backend_close(be);
	return st;
}
