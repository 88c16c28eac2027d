/* Principal components of flat fields. Jacobi's method diagonalises the small matrix of products of their differences
 * from the mean. Noise alone gives eigenvalues near one number S, up to S (1 + sqrt(images/pixels))^2 (Marchenko,
 * Pastur, Math. USSR Sb. 1 (1967) 457). S is their median. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/basis/basis.h"
#include "core/basis/symmetric.h"
#include "core/order_statistics.h"
#include "core/try.h"
#include "prepare/eigen_flats.h"
#include "prepare/images.h"

/* Subtracts the dark field, scales each field to the mean 1, because the air determines its level, and subtracts
 * their mean. */
static gt_status fill_basis(const gt_prepare_call *c, gt_basis *b, gt_eigen_flats *e)
{
	const gt_field_images *flats = &c->o->flats, *darks = &c->o->darks;
	const size_t n = e->pixels;
	float *dark = calloc(2 * n, sizeof *dark), *one = dark + n;
	gt_status st = GT_OK;
	if (!dark)
		return gt_fail(GT_ERR_MEMORY, "flat fields: out of memory");
	GT_TRY(gt_prepare_fields_finite(flats, "flat", n));
	GT_TRY(gt_prepare_fields_finite(darks, "dark", n));
	for (size_t k = 0; k < darks->images; k++)
		for (size_t i = 0; i < n; i++)
			dark[i] += darks->data[k * n + i] / (float)darks->images;
	for (int pass = 0; pass < 2; pass++)
		for (size_t k = 0; k < flats->images; k++) {
			double mean = 0;
			for (size_t i = 0; i < n; i++)
				mean += (one[i] = flats->data[k * n + i] - dark[i]) / (double)n;
			if (!(mean > 0))
				GT_TRY(gt_fail(GT_ERR_FORMAT,
				               "flat field %zu: found a mean of %.3g counts above the dark field, expected more than 0", k,
				               mean));
			for (size_t i = 0; i < n; i++) {
				one[i] = (float)(one[i] / mean);
				if (pass)
					one[i] -= e->mean[i];
				else
					e->mean[i] += one[i] / (float)flats->images;
			}
			if (pass)
				gt_array_put_float(one, gt_basis_vector(b, k));
		}
done:
	free(dark);
	return st;
}

/* Pixels below this fraction of the mean field are dead; views have them interpolated. */
#define DEAD 0.1

static void smooth(const gt_prepare_call *c, const gt_grid *image, float *x)
{
	for (int twice = 0; twice < 2; twice++)
		gt_prepare_smooth(image, c->pool, x);
}

/* Computes the k-th component relative to the mean, smoothed; dead pixels are relative to the smoothed mean. */
static void component(const gt_prepare_call *c, gt_basis *b, const double *v, const gt_grid *image, const float *smooth_mean, gt_array *w,
                      gt_eigen_flats *e)
{
	float *u = e->u + e->count * e->pixels;
	double square = 0;
	gt_fill(0, w);
	gt_basis_add(b, e->images, v, w);
	gt_array_get_float(w, u);
	smooth(c, image, u);
	for (size_t i = 0; i < e->pixels; i++) {
		const float over = e->mean[i] > DEAD ? e->mean[i] : smooth_mean[i];
		u[i] = over > DEAD ? u[i] / over : 0;
		square += (double)u[i] * u[i] / (double)e->pixels;
	}
	for (size_t i = 0; i < e->pixels && square > 0; i++)
		u[i] = (float)(u[i] / sqrt(square));
	e->count += square > 0;
}

static gt_status components(const gt_prepare_call *c, gt_basis *b, const gt_array *model, const gt_grid *image, double factor, size_t max,
                            gt_eigen_flats *e)
{
	const size_t n = e->images;
	double *a = malloc((2 * n * n + 2 * n) * sizeof *a), *v = a + n * n, *values = v + n * n, *column = values + n;
	float *smooth_mean = malloc(e->pixels * sizeof *smooth_mean);
	gt_array *w = NULL;
	gt_status st = GT_OK;
	if (!a || !smooth_mean)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "flat fields: out of memory"));
	memcpy(smooth_mean, e->mean, e->pixels * sizeof *smooth_mean);
	smooth(c, image, smooth_mean);
	GT_TRY(gt_array_like(model, &w));
	for (size_t i = 0; i < n; i++)
		gt_basis_dots(b, n, gt_basis_vector(b, i), a + i * n);
	gt_symmetric_eigen(n, a, v);
	for (size_t i = 0; i < n; i++)
		values[i] = a[i * n + i];
	const double edge = pow(1 + sqrt((double)n / (double)e->pixels), 2), noise = factor * edge * gt_upper_median(values, n);
	while (e->count < max) {
		size_t largest = 0;
		for (size_t i = 1; i < n; i++)
			largest = a[i * n + i] > a[largest * n + largest] ? i : largest;
		if (!(a[largest * n + largest] > noise))
			break;
		a[largest * n + largest] = 0;
		for (size_t i = 0; i < n; i++)
			column[i] = v[i * n + largest];
		component(c, b, column, image, smooth_mean, w, e);
	}
done:
	free(a);
	free(smooth_mean);
	gt_array_free(w);
	return st;
}

gt_status gt_eigen_flats_new(const gt_prepare_call *c, size_t rows, size_t columns, double factor, size_t max, gt_eigen_flats *e)
{
	const gt_grid image = { { columns, rows, 1 }, { 1, 1, 1 }, { 0, 0, 0 } };
	gt_backend *be = NULL;
	gt_array *model = NULL;
	gt_basis *b = NULL;
	gt_status st = GT_OK;
	*e = (gt_eigen_flats){ rows * columns, 0, c->o->flats.images, NULL, NULL };
	e->mean = calloc(e->pixels, sizeof *e->mean);
	e->u = malloc(max * e->pixels * sizeof *e->u);
	if (!e->mean || !e->u)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "flat fields: out of memory"));
	GT_TRY(gt_prepare_backend(c, &be));
	GT_TRY(gt_array_new(be, GT_F32, e->pixels, &model));
	GT_TRY(gt_basis_new("flat fields", model, e->images, &b));
	GT_TRY(fill_basis(c, b, e));
	GT_TRY(components(c, b, model, &image, factor, max, e));
	st = gt_backend_status(be);
done:
	gt_basis_free(b);
	gt_array_free(model);
	gt_backend_close(be);
	if (st != GT_OK)
		gt_eigen_flats_free(e);
	return st;
}

void gt_eigen_flats_free(gt_eigen_flats *e)
{
	free(e->mean);
	free(e->u);
	*e = (gt_eigen_flats){ 0, 0, 0, NULL, NULL };
}
