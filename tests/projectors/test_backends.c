/* Every projector on this backend against the CPU reference, on small odd geometries and on the clinical one with every
 * 41st view. On the CPU itself: any number of threads gives the same numbers.
 * labels: property */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "projectors/projector.h"
#include "tests/support/geometries.h"
#include "tests/support/support.h"

struct result {
	double *x, *y;
}; /* adjoint of random data, forward of a random volume */

static double *values(const gt_array *a)
{
	const size_t n = gt_array_size(a);
	double *out = malloc(n * sizeof *out);
	if (gt_array_type(a) == GT_F64) {
		gt_array_get(a, out);
		return out;
	}
	float *single = malloc(n * sizeof *single);
	gt_array_get(a, single);
	for (size_t i = 0; i < n; i++)
		out[i] = single[i];
	free(single);
	return out;
}

static struct result apply(const char *projector, gt_backend *be, gt_type type, const struct gt_test_geometry *g)
{
	const size_t nx = gt_grid_voxels(&g->grid), ny = gt_scan_cells(g->scan);
	gt_linop *A = NULL;
	gt_array *x = gt_test_array(be, type, nx, 11), *y = gt_test_array(be, type, ny, 12), *Ax = NULL, *Aty = NULL;
	ck_ok(gt_projector_new(projector, be, type, &g->grid, g->scan, &A));
	ck_ok(gt_array_like(x, &Aty));
	ck_ok(gt_array_like(y, &Ax));
	gt_forward(A, x, Ax);
	gt_adjoint(A, y, Aty);
	ck_ok(gt_backend_status(be));
	const struct result r = { values(Aty), values(Ax) };
	gt_array_free(x);
	gt_array_free(y);
	gt_array_free(Ax);
	gt_array_free(Aty);
	gt_linop_free(A);
	return r;
}

static double rms(const double *a, const double *b, size_t n)
{
	double difference = 0, size = 0;
	for (size_t i = 0; i < n; i++) {
		difference += (a[i] - b[i]) * (a[i] - b[i]);
		size += b[i] * b[i];
	}
	ck_assert(size > 0);
	return sqrt(difference / size);
}

static void same_on_both(gt_backend *one, gt_backend *other, gt_type type, const struct gt_test_geometry *g, double tolerance)
{
	for (const gt_projector *const *p = gt_projectors; *p; p++) {
		if (((*p)->cuda_only && !gt_test_is_gpu()) || ((*p)->single_only && type != GT_F32) || (*p)->off_adjoint > 0)
			continue;
		struct result a = apply((*p)->name, one, type, g), b = apply((*p)->model ? (*p)->model : (*p)->name, other, type, g);
		const double x = rms(a.x, b.x, gt_grid_voxels(&g->grid)), y = rms(a.y, b.y, gt_scan_cells(g->scan));
		if (gt_scan_cells(g->scan) > 100000)
			printf("%s, %s, %s: forward %.2e, adjoint %.2e (relative RMS)\n", (*p)->name, g->name, gt_type_name(type), y, x);
		ck_assert_msg(x <= tolerance && y <= tolerance, "%s, %s, %s: forward %.2e, adjoint %.2e", (*p)->name, g->name,
		              gt_type_name(type), y, x);
		free(a.x);
		free(a.y);
		free(b.x);
		free(b.y);
	}
}

START_TEST(small_geometries)
{
	const struct gt_test_geometry g = gt_test_geometry(_i / 2);
	const gt_type type = _i % 2 ? GT_F64 : GT_F32;
	gt_backend *cpu = NULL, *other = NULL;
	ck_ok(gt_backend_open("cpu:1", &cpu));
	if (gt_test_is_gpu())
		other = gt_test_backend();
	else
		ck_ok(gt_backend_open("cpu:3", &other));
	same_on_both(other, cpu, type, &g, !gt_test_is_gpu() ? 0 : type == GT_F64 ? 1e-13 : 1e-5);
	gt_scan_free(g.scan);
	gt_backend_close(cpu);
	gt_backend_close(other);
}
END_TEST

START_TEST(clinical_geometry)
{
	if (!gt_test_is_gpu())
		return;
	gt_orbit orbit = gt_scanner_find("ge-ct750hd")->orbit;
	orbit.column_offset = 0;
	gt_backend *cpu = NULL, *gpu = gt_test_backend();
	gt_scan *whole = NULL;
	struct gt_test_geometry g = { "ge-hd, every 41st view", NULL, { { 512, 512, 64 }, { 0.9765625, 0.9765625, 0.625 }, { 0, 0, 0 } } };
	ck_ok(gt_scan_orbit(&orbit, &whole));
	ck_ok(gt_scan_subset(whole, 0, 41, &g.scan));
	ck_ok(gt_backend_open("cpu", &cpu));
	same_on_both(gpu, cpu, _i ? GT_F64 : GT_F32, &g, _i ? 1e-12 : 1e-5);
	gt_scan_free(whole);
	gt_scan_free(g.scan);
	gt_backend_close(cpu);
	gt_backend_close(gpu);
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_loop_test(tc, small_geometries, 0, 2 * gt_test_geometries());
	tcase_add_loop_test(tc, clinical_geometry, 0, 2);
}

int main(void) { return gt_test_main("backends", fill); }
