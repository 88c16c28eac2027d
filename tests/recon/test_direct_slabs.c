/* A direct method computed by slabs, each copied to the host during the next: equal to the whole volume.
 * labels: unit */
#include <gantry/analytic.h>
#include "recon/team/direct_slab.h"
#include "tests/recon/small_recon.h"

/* Compares slices first ... first+n-1, computed by slabs, and their host copy with the whole volume. */
static void check(const gt_projections *p, const gt_grid *g, gt_range slices, size_t large)
{
	const size_t plane = g->n[0] * g->n[1], all = gt_grid_voxels(g), n = slices.n * plane;
	gt_backend *be = gt_test_backend();
	gt_array *whole, *part, *data;
	float *want = calloc(all, sizeof *want), *got = calloc(n, sizeof *got), *left = calloc(n, sizeof *left);
	const gt_direct_share share = { slices, left, large };
	ck_ok(gt_array_new(be, GT_F32, all, &whole));
	ck_ok(gt_array_new(be, GT_F32, n, &part));
	ck_ok(gt_array_new(be, GT_F32, gt_scan_size(p->scan), &data));
	gt_array_put(p->data, data);
	ck_ok(gt_analytic_run(gt_analytic_find("fdk"), be, g, p->scan, NULL, data, whole));
	gt_fill(NAN, part);
	ck_ok(gt_direct_slabs(gt_analytic_find("fdk"), NULL, g, p->scan, p->data, &share, part));
	gt_array_get(whole, want);
	gt_array_get(part, got);
	ck_ok(gt_backend_status(be));
	size_t unlike = 0;
	for (size_t i = 0; i < n; i++)
		unlike += !(got[i] == left[i]);
	ck_assert_msg(!unlike, "%zu of %zu voxels are others on the host", unlike, n);
	const double off = gt_test_rms(got, want + slices.first * plane, n);
	ck_assert_msg(off < 2e-5, "slices %zu to %zu: off by %g", slices.first, slices.first + slices.n, off);
	gt_array_free(whole);
	gt_array_free(part);
	gt_array_free(data);
	gt_backend_close(be);
	free(want);
	free(got);
	free(left);
}

START_TEST(slabs_leave)
{
	gt_projections *p = projections();
	const gt_grid tall = { { 24, 22, 90 }, { 6, 6, 1 }, { 0, 0, 3 } };
	check(p, &tall, (gt_range){ 0, 90 }, 0);
	check(p, &tall, (gt_range){ 7, 65 }, 0);
	check(p, &tall, (gt_range){ 0, 90 }, (size_t)1 << 30); /* one slab */
	check(p, &tall, (gt_range){ 80, 10 }, 0);
	gt_projections_free(p);
}
END_TEST

/* Slabs of several blocks. */
START_TEST(pieces_leave)
{
	gt_projections *p = projections();
	const gt_grid wide = { { 640, 441, 64 }, { 0.3, 0.3, 1 }, { 0, 0, 0 } };
	check(p, &wide, (gt_range){ 0, 64 }, 0);
	gt_projections_free(p);
}
END_TEST

/* Less than a full rotation, and displaced detectors: redundancy weights are per view and column. */
START_TEST(open_arcs)
{
	static const struct {
		double turn, offset;
	} all[] = { { 220, 0 }, { 300, 0 }, { 360, 9 } };
	const gt_grid tall = { { 24, 22, 70 }, { 6, 6, 1 }, { 0, 0, 3 } };
	gt_orbit o = small_orbit;
	o.turn = all[_i].turn * GT_PI / 180;
	o.column_offset = all[_i].offset;
	gt_projections *p = projections_on(&o, 1e5);
	check(p, &tall, (gt_range){ 0, 70 }, 0);
	check(p, &tall, (gt_range){ 3, 66 }, 0);
	gt_projections_free(p);
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_loop_test(tc, open_arcs, 0, 3);
	tcase_add_test(tc, slabs_leave);
	tcase_add_test(tc, pieces_leave);
}

int main(void) { return gt_test_main("direct slabs", fill); }
