/* A range of slices by a direct method, with views uploaded in batches: equal to the whole volume.
 * labels: unit */
#include <gantry/analytic.h>
#include "recon/team/direct_slab.h"
#include "tests/recon/small_recon.h"

/* Compares slices first ... first+n-1 with those of the whole volume. */
static void check(const gt_projections *p, const gt_grid *g, gt_range slices)
{
	const size_t plane = g->n[0] * g->n[1], all = gt_grid_voxels(g), n = slices.n * plane;
	const gt_direct_case c = { gt_analytic_find("fdk"), NULL, g, p->scan, p->data };
	gt_backend *be = gt_test_backend();
	gt_array *whole, *part, *data;
	float *want = calloc(all, sizeof *want), *got = calloc(n, sizeof *got);
	ck_ok(gt_array_new(be, GT_F32, all, &whole));
	ck_ok(gt_array_new(be, GT_F32, n, &part));
	ck_ok(gt_array_new(be, GT_F32, gt_scan_size(p->scan), &data));
	gt_array_put(p->data, data);
	ck_ok(gt_analytic_run(gt_analytic_find("fdk"), be, g, p->scan, NULL, data, whole));
	gt_fill(NAN, part);
	ck_ok(gt_direct_slab(&c, slices, part, NULL, NULL));
	gt_array_get(whole, want);
	gt_array_get(part, got);
	ck_ok(gt_backend_status(be));
	const double off = gt_test_rms(got, want + slices.first * plane, n);
	ck_assert_msg(off < 2e-5, "slices %zu to %zu: off by %g", slices.first, slices.first + slices.n, off);
	gt_array_free(whole);
	gt_array_free(part);
	gt_array_free(data);
	gt_backend_close(be);
	free(want);
	free(got);
}

GT_TEST(slices_of_the_volume)
{
	gt_projections *p = projections();
	const gt_grid tall = { { 24, 22, 90 }, { 6, 6, 1 }, { 0, 0, 3 } };
	check(p, &tall, (gt_range){ 0, 90 });
	check(p, &tall, (gt_range){ 7, 65 });
	check(p, &tall, (gt_range){ 80, 10 });
	gt_projections_free(p);
}

/* Less than a full rotation, and a displaced detector: redundancy weights are per view and column. */
GT_TESTS(open_arcs, 3)
{
	static const struct {
		double turn, offset;
	} all[] = { { 220, 0 }, { 300, 0 }, { 360, 9 } };
	const gt_grid tall = { { 24, 22, 70 }, { 6, 6, 1 }, { 0, 0, 3 } };
	gt_orbit o = small_orbit;
	o.turn = all[_i].turn * GT_PI / 180;
	o.column_offset = all[_i].offset;
	gt_projections *p = projections_on(&o, 1e5);
	check(p, &tall, (gt_range){ 0, 70 });
	check(p, &tall, (gt_range){ 3, 66 });
	gt_projections_free(p);
}

/* A large slab leaves a GPU during the computation, with the voxels that a later download would give. */
GT_TEST(leaves_during_the_computation)
{
	gt_orbit o = small_orbit;
	o.views = 600;
	gt_projections *p = projections_on(&o, 1e5);
	gt_backend *be = gt_test_backend();
	const int gpu = gt_backend_is_gpu(be);
	const size_t side = gpu ? 1024 : 24, slices = gpu ? 520 : 30, first = 3, n = side * side * slices;
	const gt_grid g = { { side, side, slices + 5 }, { 144. / (double)side, 132. / (double)side, 60. / (double)slices }, { 0, 0, 3 } };
	const gt_direct_case c = { gt_analytic_find("fdk"), NULL, &g, p->scan, p->data };
	float *out = malloc(n * sizeof *out), *got = malloc(n * sizeof *got);
	gt_array *x;
	int is_out = 0;
	ck_assert(out && got);
	for (size_t i = 0; i < n; i++)
		out[i] = NAN;
	ck_ok(gt_array_new(be, GT_F32, n, &x));
	ck_ok(gt_direct_slab(&c, (gt_range){ first, slices }, x, out, &is_out));
	gt_array_get(x, got);
	ck_ok(gt_backend_status(be));
	ck_assert_int_eq(is_out, gpu);
	ck_assert(!is_out || !memcmp(out, got, n * sizeof *out));
	gt_fill(NAN, x);
	ck_ok(gt_direct_slab(&c, (gt_range){ first, slices }, x, NULL, NULL));
	gt_array_get(x, out);
	const double off = gt_test_rms(got, out, n);
	ck_assert_msg(off < 1e-6, "off by %g", off);
	gt_array_free(x);
	gt_backend_close(be);
	gt_projections_free(p);
	free(out);
	free(got);
}

int main(void) { return gt_test_main("slices by a direct method", NULL); }
