/* Operators whose tables a dry run has left (core/device/kept_tables.h) equal those that compute them.
 * labels: unit property */
#include <string.h>
#include <gantry/author/constants.h>
#include "core/device/kept_tables.h"
#include "tests/projectors/pairs.h"

static const struct orbit_case cases[] = {
	{ "arc, helix",
	  { GT_ARC, .views = 61, .rows = 19, .columns = 45, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 6.1,
	    .row_pitch = 2.7, .start_angle = 0.3, .turn = 4 * GT_PI, .pitch_per_turn = 17 },
	  { { 39, 71, 41 }, { 3.1, 2.4, 1.2 }, { 1.1, -1.2, 0.4 } } },
	{ "flat, 70 rows",
	  { GT_FLAT, .views = 23, .rows = 70, .columns = 51, .source_to_axis = 300, .source_to_detector = 500, .column_pitch = 4.3,
	    .row_pitch = 1.9, .start_angle = 0.1, .turn = 2 * GT_PI },
	  { { 57, 61, 65 }, { 2.1, 1.9, 1.3 }, { 3.1, -2.2, 0.9 } } },
	{ "parallel",
	  { GT_PARALLEL, .views = 35, .rows = 23, .columns = 70, .column_pitch = 1.7, .row_pitch = 1.3, .start_angle = 0.05,
	    .turn = GT_PI },
	  { { 59, 35, 29 }, { 1.1, 1.7, 1.2 }, { 1.1, -1.2, 0.4 } } },
};
enum { CASES = sizeof cases / sizeof *cases };

/* Creates an operator in a dry run; leave 1: it leaves its tables in k. */
static void make_dry(gt_kept_tables *k, int leave, gt_type type, const struct gt_test_geometry *g)
{
	gt_backend *be = gt_test_backend();
	gt_linop *A = NULL;
	ck_ok(gt_backend_dry_run(be));
	gt_kept_tables_use(k, leave);
	ck_ok(gt_projector_new("dd", be, type, &g->grid, g->scan, &A));
	gt_kept_tables_use(NULL, 0);
	gt_linop_free(A);
	gt_backend_close(be);
}

static void check_equal(const struct gt_test_geometry *g, struct gt_test_images a, struct gt_test_images b)
{
	ck_assert_msg(!memcmp(a.y, b.y, gt_scan_size(g->scan) * sizeof *a.y), "%s: forward differs", g->name);
	ck_assert_msg(!memcmp(a.x, b.x, gt_grid_voxels(&g->grid) * sizeof *a.x), "%s: back differs", g->name);
	gt_test_images_free(a);
	gt_test_images_free(b);
}

GT_TESTS(same_bits, 2 * CASES)
{
	const gt_type type = _i % 2 ? GT_F64 : GT_F32;
	const struct gt_test_geometry g = orbit_geometry(&cases[_i / 2]), other = orbit_geometry(&cases[(_i / 2 + 1) % CASES]);
	struct gt_test_geometry moved = g;
	gt_backend *be = gt_test_backend();
	gt_kept_tables *k = gt_kept_tables_new(1e9);
	moved.grid.center[2] += 0.1;
	make_dry(k, 1, type, &other);
	make_dry(k, 1, type, &moved);
	const size_t others = gt_kept_tables_bytes(k);
	make_dry(k, 1, type, &g);
	ck_assert_uint_gt(others, 0);
	ck_assert_uint_gt(gt_kept_tables_bytes(k), others);
	const struct gt_test_images own = gt_test_apply("dd", be, type, &g);
	gt_kept_tables_use(k, 0);
	const struct gt_test_images taken = gt_test_apply("dd", be, type, &g);
	ck_assert_uint_eq(gt_kept_tables_bytes(k), others);
	check_equal(&g, own, taken);
	gt_kept_tables_use(NULL, 0);
	gt_kept_tables_free(k);
	gt_scan_free(g.scan);
	gt_scan_free(other.scan);
	gt_backend_close(be);
}

/* A second dry run takes the tables of the first and leaves them again. */
GT_TEST(bounds)
{
	const struct gt_test_geometry g = orbit_geometry(&cases[0]), other = orbit_geometry(&cases[1]);
	gt_kept_tables *k = gt_kept_tables_new(1e9);
	make_dry(k, 1, GT_F32, &g);
	const size_t once = gt_kept_tables_bytes(k);
	make_dry(k, 1, GT_F32, &g);
	ck_assert_uint_eq(gt_kept_tables_bytes(k), once);
	gt_kept_tables_clear(k);
	ck_assert_uint_eq(gt_kept_tables_bytes(k), 0);
	gt_kept_tables_free(k);
	k = gt_kept_tables_new((double)once);
	make_dry(k, 1, GT_F32, &g);
	make_dry(k, 1, GT_F32, &other);
	ck_assert_uint_le(gt_kept_tables_bytes(k), once);
	gt_kept_tables_free(k);
	gt_scan_free(g.scan);
	gt_scan_free(other.scan);
}

/* Without a store nothing is left or taken. */
GT_TEST(no_store)
{
	const struct gt_test_geometry g = orbit_geometry(&cases[2]);
	gt_kept_tables *k = gt_kept_tables_new(1e9);
	make_dry(NULL, 1, GT_F32, &g);
	make_dry(k, 0, GT_F32, &g);
	ck_assert_uint_eq(gt_kept_tables_bytes(k), 0);
	ck_assert_uint_eq(gt_kept_tables_bytes(NULL), 0);
	ck_assert_ptr_null(gt_kept_take(1));
	gt_kept_tables_free(k);
	gt_kept_tables_free(NULL);
	gt_scan_free(g.scan);
}

int main(void) { return gt_test_main("kept tables", NULL); }
