/* Little memory: projectors with a memory limit give the same results in chunks, and on a device that is nearly full.
 * An operator that does not fit is refused and leaves others intact.
 * labels: unit */
#include <stdio.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "tests/projectors/pairs.h"

/* More slices along x and y, and more views, than any kernel processes at a time. */
static const struct orbit_case cases[] = {
	{ "arc",
	  { GT_ARC, .views = 83, .rows = 37, .columns = 61, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 5.1,
	    .row_pitch = 1.7, .start_angle = 0.1, .turn = 2 * GT_PI, .column_offset = 0.25 },
	  { { 71, 67, 33 }, { 2.3, 2.4, 1.1 }, { 3.1, -2.2, 0.9 } } },
	{ "flat, helix, reversed",
	  { GT_FLAT, .views = 71, .rows = 19, .columns = 45, .source_to_axis = 300, .source_to_detector = 500, .column_pitch = 4.3,
	    .row_pitch = 3.1, .start_angle = 0.3, .turn = 4 * GT_PI, .pitch_per_turn = 17 },
	  { { 39, 101, 41 }, { 2.1, 1.1, 1.2 }, { 1.1, -1.2, 0.4 } } },
	{ "parallel",
	  { GT_PARALLEL, .views = 75, .rows = 23, .columns = 70, .column_pitch = 1.7, .row_pitch = 1.3, .start_angle = 0.05,
	    .turn = GT_PI },
	  { { 99, 35, 29 }, { 1.1, 1.7, 1.2 }, { 1.1, -1.2, 0.4 } } },
};
enum { CASES = sizeof cases / sizeof *cases };

static struct gt_test_geometry geometry(int i)
{
	const struct gt_test_geometry g = orbit_geometry(&cases[i]);
	for (size_t v = 0; strstr(g.name, "reversed") && v < g.scan->views; v++)
		for (int a = 0; a < 3; a++) {
			g.scan->view[v].column_axis[a] *= -1;
			g.scan->view[v].row_axis[a] *= -1;
		}
	return g;
}

static int takes_limit(const gt_projector *p)
{
	for (const gt_param *q = p->params; q && q->key; q++)
		if (!strcmp(q->key, "memory"))
			return 1;
	return 0;
}

/* Textures round to 8-bit fractions, and a slice lies elsewhere in another batch. */
static double tolerance(const gt_projector *p, gt_type type) { return p->off_adjoint > 0 ? 5e-3 : type == GT_F64 ? 1e-13 : 5e-6; }

static void check_same(const gt_projector *p, gt_type type, const struct gt_test_geometry *g, const struct gt_test_images a,
                       const struct gt_test_images b, const char *what)
{
	const double x = gt_test_off(a.x, b.x, gt_grid_voxels(&g->grid)), y = gt_test_off(a.y, b.y, gt_scan_size(g->scan));
	ck_assert_msg(x <= tolerance(p, type) && y <= tolerance(p, type), "%s, %s, %s, %s: forward %.2e, back %.2e apart", p->name, g->name,
	              gt_type_name(type), what, y, x);
	gt_test_images_free(a);
}

GT_TESTS(little_memory, 2 * CASES)
{
	static const char *const limits[] = { "0.000001", "0.3" };
	const struct gt_test_geometry g = geometry(_i / 2);
	const gt_type type = _i % 2 ? GT_F64 : GT_F32;
	gt_backend *be = gt_test_backend();
	for (const gt_projector *const *p = gt_projectors; *p; p++) {
		if (!takes_limit(*p) || ((*p)->cuda_only && !gt_test_is_gpu()) || ((*p)->single_only && type != GT_F32))
			continue;
		const struct gt_test_images whole = gt_test_apply((*p)->name, be, type, &g);
		for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
			char spec[64];
			snprintf(spec, sizeof spec, "%s:memory=%s", (*p)->name, limits[i]);
			check_same(*p, type, &g, gt_test_apply(spec, be, type, &g), whole, limits[i]);
		}
		gt_test_images_free(whole);
	}
	gt_scan_free(g.scan);
	gt_backend_close(be);
}

/* Bytes held by an operator, which is created and freed. */
static size_t bytes_of(gt_backend *be, const char *spec, const struct gt_test_geometry *g)
{
	const size_t before = gt_test_counters(be).bytes;
	gt_linop *A = NULL;
	ck_ok(gt_projector_new(spec, be, GT_F32, &g->grid, g->scan, &A));
	const size_t held = gt_test_counters(be).bytes - before;
	gt_linop_free(A);
	ck_assert_uint_eq(gt_test_counters(be).bytes, before);
	return held;
}

GT_TEST(limits_are_kept)
{
	if (!gt_test_is_gpu())
		return;
	gt_backend *be = gt_test_backend();
	const struct gt_test_geometry g = geometry(0);
	for (const gt_projector *const *p = gt_projectors; *p; p++) {
		if (!takes_limit(*p))
			continue;
		char spec[64];
		snprintf(spec, sizeof spec, "%s:memory=0.000001", (*p)->name);
		const size_t whole = bytes_of(be, (*p)->name, &g), part = bytes_of(be, spec, &g);
		printf("%s: %zu bytes, with little memory %zu\n", (*p)->name, whole, part);
		ck_assert_msg(part < whole, "%s: %zu bytes, with little memory %zu", (*p)->name, whole, part);
	}
	gt_scan_free(g.scan);
	gt_backend_close(be);
}

/* Leaves only some MiB of the device free, so that batches shrink automatically. */
GT_TESTS(full_device, CASES)
{
	if (!gt_test_is_gpu())
		return;
	const size_t room = 24 << 20;
	const struct gt_test_geometry g = geometry(_i);
	gt_backend *be = gt_test_backend();
	size_t available, total;
	for (const gt_projector *const *p = gt_projectors; *p; p++) {
		const struct gt_test_images whole = gt_test_apply((*p)->name, be, GT_F32, &g);
		gt_array *max = NULL;
		gt_backend_memory(be, &available, &total);
		ck_assert(available > room);
		/* Another process may have allocated it meanwhile. */
		if (gt_array_new(be, GT_F32, (available - room) / 4, &max) == GT_OK)
			check_same(*p, GT_F32, &g, gt_test_apply((*p)->name, be, GT_F32, &g), whole, "full device");
		gt_array_free(max);
		gt_test_images_free(whole);
	}
	gt_scan_free(g.scan);
	gt_backend_close(be);
}

/* A grid that fits no memory is refused with the bytes needed and free; existing operators keep working. */
GT_TEST(too_large)
{
	const struct gt_test_geometry g = geometry(0);
	gt_backend *be = gt_test_backend();
	gt_grid large = g.grid;
	for (int a = 0; a < 3; a++) {
		large.pitch[a] *= (double)large.n[a] / 50000;
		large.n[a] = 50000;
	}
	gt_linop *A = NULL, *B = NULL;
	ck_ok(gt_projector_new("dd", be, GT_F64, &g.grid, g.scan, &A));
	gt_array *x = gt_test_array(be, GT_F64, gt_linop_nx(A), 5), *y = NULL, *z = NULL;
	ck_ok(gt_array_new(be, GT_F64, gt_linop_ny(A), &y));
	ck_ok(gt_array_like(y, &z));
	gt_forward(A, x, y);
	ck_refused(gt_projector_new("dd", be, GT_F64, &large, g.scan, &B), GT_ERR_MEMORY, " are free");
	ck_assert_msg(strstr(gt_error(), "needs") != NULL, "%s", gt_error());
	gt_forward(A, x, z);
	ck_ok(gt_backend_status(be));
	ck_assert(gt_max(y) > 0 && gt_distance2(y, z) == 0);
	gt_array_free(x);
	gt_array_free(y);
	gt_array_free(z);
	gt_linop_free(A);
	gt_scan_free(g.scan);
	gt_backend_close(be);
}

GT_TEST(refusals)
{
	const struct gt_test_geometry g = geometry(0);
	gt_backend *be = gt_test_backend();
	gt_linop *A = NULL;
	ck_refused(gt_projector_new("dd:memory=0", be, GT_F32, &g.grid, g.scan, &A), GT_ERR_ARG, "memory=0: expected a number");
	ck_refused(gt_projector_new("dd:memory=nan", be, GT_F32, &g.grid, g.scan, &A), GT_ERR_ARG, "memory=nan: expected a number");
	ck_refused(gt_projector_new("dd:memory", be, GT_F32, &g.grid, g.scan, &A), GT_ERR_ARG, "memory");
	gt_scan_free(g.scan);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("memory", NULL); }
