/* Applies projectors to random numbers and compares results. */
#include <math.h>
#include <stdlib.h>
#include <gantry/projector.h>
#include "tests/support/images.h"
#include "tests/support/support.h"

double *gt_test_values(const gt_array *a)
{
	const size_t n = gt_array_size(a);
	double *out = malloc(n * sizeof *out);
	ck_assert_ptr_nonnull(out);
	if (gt_array_type(a) == GT_F64) {
		gt_array_get(a, out);
		return out;
	}
	float *single = malloc(n * sizeof *single);
	ck_assert_ptr_nonnull(single);
	gt_array_get(a, single);
	for (size_t i = 0; i < n; i++)
		out[i] = single[i];
	free(single);
	return out;
}

/* Results start from values other than 0, which must not matter. */
struct gt_test_images gt_test_apply(const char *projector, gt_backend *be, gt_type type, const struct gt_test_geometry *g)
{
	gt_linop *A = NULL;
	gt_array *x = gt_test_array(be, type, gt_grid_voxels(&g->grid), 11), *y = gt_test_array(be, type, gt_scan_size(g->scan), 12),
		 *Ax = NULL, *Aty = NULL;
	ck_ok(gt_projector_new(projector, be, type, &g->grid, g->scan, &A));
	ck_ok(gt_array_like(x, &Aty));
	ck_ok(gt_array_like(y, &Ax));
	gt_fill(3, Ax);
	gt_fill(3, Aty);
	gt_forward(A, x, Ax);
	gt_adjoint(A, y, Aty);
	ck_ok(gt_backend_status(be));
	const struct gt_test_images r = { gt_test_values(Aty), gt_test_values(Ax) };
	gt_array_free(x);
	gt_array_free(y);
	gt_array_free(Ax);
	gt_array_free(Aty);
	gt_linop_free(A);
	return r;
}

void gt_test_images_free(struct gt_test_images r)
{
	free(r.x);
	free(r.y);
}

double gt_test_off(const double *a, const double *b, size_t n)
{
	double difference = 0, size = 0;
	for (size_t i = 0; i < n; i++) {
		difference += (a[i] - b[i]) * (a[i] - b[i]);
		size += b[i] * b[i];
	}
	ck_assert(size > 0);
	return isnan(difference) ? INFINITY : sqrt(difference / size);
}

double gt_test_farthest(const double *a, const double *b, size_t n)
{
	double difference = 0, size = 0;
	for (size_t i = 0; i < n; i++) {
		if (isnan(a[i]))
			return INFINITY;
		difference = fmax(difference, fabs(a[i] - b[i]));
		size = fmax(size, fabs(b[i]));
	}
	ck_assert(size > 0);
	return difference / size;
}
