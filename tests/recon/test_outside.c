/* Regions within an object, compared with its exact voxels: errors relative to the analytic method, choices,
 * refusals and bit-identical runs.
 * labels: unit physics */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "recon/outside/object_box.h"
#include "tests/recon/region_runs.h"

static const char *const preset[][2] = { PRESET, { NULL, NULL } };
static const char *const subtract[][2] = { PRESET, { "outside", "subtract" }, { NULL, NULL } };
static const char *const widen[][2] = { PRESET, { "outside", "grid" }, { NULL, NULL } };
static const char *const sart[][2] = { { "solver", "os-sart:iterations=5,subsets=6" }, { NULL, NULL } };
static const char *const cgls[][2] = { { "solver", "cgls:iterations=4" }, { NULL, NULL } };
static const char *const by_views[][2] = { { "solver", "sart:iterations=1" }, { NULL, NULL } };
static const char *const ab[][2] = { { "solver", "ab-gmres:iterations=3" }, { NULL, NULL } };
static const char *const ba[][2] = { { "solver", "ba-gmres:iterations=3" }, { NULL, NULL } };
static const char *const fista[][2] = { { "solver", "fista:iterations=40" }, { "penalty", "tv:strength=0.1" }, { NULL, NULL } };
static const char *const mltr[][2] = { { "solver", "mltr:iterations=5,subsets=6" }, { NULL, NULL } };

#define CENTRE                                             \
	{                                                  \
		{ 16, 14, 1 }, { 3, 3, 3 }, { 10, -15, 0 } \
	}
static const region regions[] = {
	{ "lateral", GT_FLAT, 120, 1, 84, 0, 2, CENTRE, "subtract", preset, 0.8, 0 },
	{ "widened", GT_FLAT, 120, 1, 84, 0, 2, CENTRE, "grid", widen, 0.8, 0 },
	{ "arc", GT_ARC, 120, 1, 84, 0, 2, CENTRE, "subtract", preset, 0.8, 0 },
	{ "parallel", GT_PARALLEL, 120, 1, 80, 0, 1, CENTRE, "subtract", preset, 1, 0 },
	{ "quarter offset", GT_FLAT, 120, 1, 84, 0.25, 2, CENTRE, "subtract", preset, 0.8, 0 },
	{ "displaced", GT_FLAT, 160, 1, 60, 14, 2, CENTRE, "subtract", preset, 1, 0 },
	{ "short", GT_FLAT, 80, 1, 84, 0, 1.25, CENTRE, "subtract", preset, 0.8, 0 },
	{ "fine", GT_FLAT, 120, 1, 84, 0, 2, { { 25, 22, 1 }, { 1.2, 1.2, 3 }, { 10, -15, 0 } }, "subtract", preset, 0.8, 0 },
	{ "border", GT_FLAT, 120, 1, 84, 0, 2, { { 14, 16, 1 }, { 3, 3, 3 }, { 66, 10, 0 } }, "subtract", preset, 0.8, 0 },
	{ "one voxel", GT_FLAT, 120, 1, 84, 0, 2, { { 1, 1, 1 }, { 3, 3, 3 }, { 6, 12, 0 } }, "subtract", preset, 1, 10 },
	{ "in air", GT_FLAT, 120, 1, 84, 0, 2, { { 8, 8, 1 }, { 3, 3, 3 }, { 94, 0, 0 } }, "subtract", preset, 1, 5 },
	{ "few views", GT_FLAT, 30, 1, 84, 0, 2, CENTRE, "grid", preset, 0.8, 0 },
	{ "truncated", GT_FLAT, 120, 1, 44, 0, 2, CENTRE, "grid", preset, 0.9, 0 },
	{ "nearly all", GT_FLAT, 120, 1, 84, 0, 2, { { 40, 56, 1 }, { 3, 3, 3 }, { 0, 0, 0 } }, "grid", preset, 1, 0 },
	{ "cone", GT_FLAT, 120, 16, 84, 0, 2, { { 14, 12, 4 }, { 3, 3, 3 }, { 10, -15, 9 } }, "subtract", preset, 0.8, 0 },
	{ "os-sart", GT_FLAT, 120, 1, 84, 0, 2, CENTRE, "subtract", sart, 1.5, 0 },
	{ "cone arc", GT_ARC, 120, 16, 84, 0, 2, { { 14, 12, 3 }, { 3, 3, 3 }, { -12, 15, -9 } }, "subtract", subtract, 0.8, 0 },
	{ "cgls", GT_FLAT, 120, 1, 84, 0, 2, CENTRE, "subtract", cgls, 2.5, 0 },
	{ "fista", GT_FLAT, 120, 1, 84, 0, 2, CENTRE, "subtract", fista, 1, 0 },
	{ "mltr", GT_FLAT, 120, 1, 84, 0, 2, CENTRE, "grid", mltr, 1.5, 0 },
	{ "sart", GT_FLAT, 120, 1, 84, 0, 2, CENTRE, "grid", by_views, 3, 0 },
	{ "ab-gmres", GT_FLAT, 120, 1, 84, 0, 2, CENTRE, "grid", ab, 3, 0 },
	{ "ba-gmres", GT_FLAT, 120, 1, 84, 0, 2, CENTRE, "grid", ba, 3, 0 },
	{ "beyond the detector", GT_FLAT, 120, 1, 44, 0, 2, { { 70, 70, 1 }, { 3, 3, 3 }, { 0, 0, 0 } }, "no", preset, 0.9, 0 },
	{ "beyond the field of view", GT_FLAT, 120, 1, 84, 0, 2, { { 110, 100, 1 }, { 3, 3, 3 }, { 0, 0, 0 } }, "air", preset, 0.9, 0 },
};
enum { REGIONS = sizeof regions / sizeof *regions };

static double rms(const gt_volume *v, const float *truth, double *mean)
{
	const size_t n = gt_grid_voxels(gt_volume_grid(v));
	double square = 0, sum = 0;
	for (size_t i = 0; i < n; i++) {
		const double hu = ((double)gt_volume_data(v)[i] - truth[i]) * 1000 / 0.02;
		square += hu * hu;
		sum += hu;
	}
	*mean = sum / (double)n;
	return sqrt(square / (double)n);
}

GT_TESTS_ALIKE(against_truth, REGIONS)
{
	static const char *const direct[][2] = { { NULL, NULL } };
	const region *q = &regions[_i];
	gt_projections *p = scan_of(q);
	gt_phantom *body = head();
	float *truth = calloc(gt_grid_voxels(&q->grid), sizeof *truth);
	gt_volume *fdk, *v;
	double mean[2];
	ck_ok(gt_phantom_voxelise(body, &q->grid, 6, NULL, NULL, NULL, truth));
	gt_recon *a = run(p, &q->grid, direct, &fdk), *b = run(p, &q->grid, q->set, &v);
	ck_assert_str_eq(gt_recon_text(b, "outside"), q->outside);
	const double min = rms(fdk, truth, &mean[0]), error = rms(v, truth, &mean[1]);
	if (getenv("GT_PRINT"))
		printf("%-16s fdk %7.1f (mean %+6.1f) HU, %s %7.1f (mean %+6.1f) HU, %s\n", q->name, min, mean[0], q->outside, error,
		       mean[1], gt_recon_text(b, "agreement"));
	ck_assert_msg(error <= q->part * min + q->more, "%s: error %g HU, fdk %g HU", q->name, error, min);
	gt_recon_free(a);
	gt_recon_free(b);
	gt_volume_free(fdk);
	gt_volume_free(v);
	gt_phantom_free(body);
	gt_projections_free(p);
	free(truth);
}

#define HELD                                            \
	{                                               \
		{ 66, 66, 1 }, { 3, 3, 3 }, { 0, 0, 0 } \
	}
static const region round_head = { "head", GT_FLAT, 120, 1, 84, 0, 2, CENTRE, "subtract", preset, 1, 0 };

/* The outer box exceeds the object by less than 1.5 pixels; the inner one lies within it by less than 2. */
GT_TESTS(box, 4)
{
	static const region of[] = { { .shape = GT_FLAT, .views = 120, .rows = 1, .columns = 84, .turn = 2 },
		                     { .shape = GT_ARC, .views = 120, .rows = 8, .columns = 84, .offset = 0.25, .turn = 2 },
		                     { .shape = GT_PARALLEL, .views = 90, .rows = 1, .columns = 80, .turn = 1 },
		                     { .shape = GT_FLAT, .views = 160, .rows = 1, .columns = 60, .offset = 14, .turn = 2 } };
	static const double half[2] = { 96 * 0.75, 120 * 0.75 };
	gt_projections *p = scan_of(&of[_i]);
	gt_object_box b;
	ck_assert(gt_object_box_find(p, GT_ROUGH_AIR, &b));
	ck_assert(!b.is_truncated);
	for (int a = 0; a < 2; a++) {
		ck_assert_msg(b.high[a] >= half[a] && b.high[a] < half[a] + 4.5, "%g mm", b.high[a]);
		ck_assert_msg(-b.low[a] >= half[a] && -b.low[a] < half[a] + 4.5, "%g mm", b.low[a]);
		ck_assert_msg(b.inner_high[a] <= half[a] && b.inner_high[a] > half[a] - 6, "%g mm", b.inner_high[a]);
		ck_assert_msg(-b.inner_low[a] <= half[a] && -b.inner_low[a] > half[a] - 6, "%g mm", b.inner_low[a]);
	}
	ck_assert(b.diameter >= 2 * half[1] && b.diameter < 2 * half[1] + 12);
	gt_projections_free(p);
}

/* Noise in air does not move the bounds beyond a grid that holds the object. */
GT_TEST(noise)
{
	gt_projections *p = scan_of(&round_head);
	gt_object_box b;
	gt_add_photon_noise(300, 0, 5, 0, NULL, gt_projections_data(p), gt_scan_size(p->scan));
	ck_assert(gt_object_box_find(p, GT_ROUGH_AIR, &b));
	ck_assert(!b.is_truncated);
	for (int a = 0; a < 2; a++)
		ck_assert_msg(b.inner_low[a] > -99 && b.inner_high[a] < 99, "%g to %g mm", b.inner_low[a], b.inner_high[a]);
	gt_projections_free(p);
}

GT_TEST(cut_by_the_detector)
{
	region q = round_head;
	gt_object_box b;
	q.columns = 44;
	gt_projections *p = scan_of(&q);
	ck_assert(gt_object_box_find(p, GT_ROUGH_AIR, &b));
	ck_assert(b.is_truncated);
	gt_projections_free(p);
}

/* For a grid that holds the object, no mode is chosen; the result is bit-identical to outside=no. */
GT_TEST(held)
{
	static const char *const no[][2] = { PRESET, { "outside", "no" }, { NULL, NULL } };
	const gt_grid grid = HELD;
	gt_projections *p = scan_of(&round_head);
	gt_volume *v[2];
	gt_recon *a = run(p, &grid, preset, &v[0]), *b = run(p, &grid, no, &v[1]);
	ck_assert_str_eq(gt_recon_text(a, "outside"), "no");
	ck_assert(!strstr(gt_recon_text(a, "parameters"), "outside="));
	ck_assert(!memcmp(gt_volume_data(v[0]), gt_volume_data(v[1]), gt_grid_voxels(&grid) * sizeof(float)));
	gt_recon_free(a);
	gt_recon_free(b);
	gt_volume_free(v[0]);
	gt_volume_free(v[1]);
	gt_projections_free(p);
}

static void take(void *self, const gt_recon_slices *s)
{
	const size_t *n = s->grid->n;
	memcpy(self, s->slice[2], n[0] * n[1] * sizeof(float));
}

/* The cropped result of the widened grid is bit-identical to the whole grid, also on a team; so are reported slices. */
GT_TEST(cropped)
{
	static const char *const alone[][2] = { { "solver", "os-sart:iterations=3,subsets=6" }, { "outside", "grid" }, { NULL, NULL } };
	static const char *const whole[][2] = { { "solver", "os-sart:iterations=3,subsets=6" }, { "outside", "no" }, { NULL, NULL } };
	static const char *const team[][2] = {
		{ "solver", "os-sart:iterations=3,subsets=6" }, { "backend", "cpu:1x2" }, { "outside", "grid" }, { NULL, NULL }
	};
	const gt_grid grid = { { 13, 11, 1 }, { 3, 3, 3 }, { 10.5, -13.5, 0 } };
	gt_projections *p = scan_of(&round_head);
	gt_volume *v, *all, *shared;
	float slice[13 * 11];
	gt_object_box b;
	ck_assert(gt_object_box_find(p, GT_ROUGH_AIR, &b));
	gt_recon *r = ready(p, &grid, alone);
	gt_recon_on_slices(r, 0, take, slice);
	ck_ok(gt_volume_new(&grid, &v));
	ck_ok(gt_recon_run(r, v));
	ck_assert(strstr(gt_recon_text(r, "parameters"), " outside=grid "));
	ck_assert(!memcmp(slice, gt_volume_data(v), sizeof slice));
	gt_grid wide = grid;
	size_t first[2];
	for (int a = 0; a < 2; a++) {
		const double half = (double)grid.n[a] * 1.5;
		const size_t low = (size_t)ceil((grid.center[a] - half - b.low[a]) / 3),
			     high = (size_t)ceil((b.high[a] - grid.center[a] - half) / 3);
		first[a] = low;
		wide.n[a] += low + high;
		wide.center[a] += ((double)high - (double)low) * 1.5;
	}
	gt_recon *w = run(p, &wide, whole, &all), *t = run(p, &grid, team, &shared);
	ck_assert_str_eq(gt_recon_text(t, "outside"), "grid");
	for (size_t i = 0; i < gt_grid_voxels(&grid); i++) {
		const float mine = gt_volume_data(v)[i], its = gt_volume_data(all)[(first[1] + i / 13) * wide.n[0] + first[0] + i % 13];
		ck_assert_msg(mine == its, "voxel %zu: %g, of the whole grid %g", i, (double)mine, (double)its);
		ck_assert(fabsf(mine - gt_volume_data(shared)[i]) < 1e-5f);
	}
	gt_recon_free(r);
	gt_recon_free(w);
	gt_recon_free(t);
	gt_volume_free(v);
	gt_volume_free(all);
	gt_volume_free(shared);
	gt_projections_free(p);
}

static double strength_of(gt_recon *r) { return atof(strstr(gt_recon_text(r, "penalty"), "strength=") + strlen("strength=")); }

/* Both modes find the same strength, because noise is judged on the measured data within the region. */
GT_TEST(strength)
{
	gt_projections *p = scan_of(&round_head);
	gt_volume *v[2];
	gt_recon *a = run(p, &round_head.grid, subtract, &v[0]), *b = run(p, &round_head.grid, widen, &v[1]);
	const double ratio = strength_of(a) / strength_of(b);
	ck_assert_msg(ratio > 0.85 && ratio < 1.15, "strengths are %g apart", ratio);
	gt_recon_free(a);
	gt_recon_free(b);
	gt_volume_free(v[0]);
	gt_volume_free(v[1]);
	gt_projections_free(p);
}

/* A dry run counts the memory of both modes. */
GT_TESTS_ALIKE(memory, 2)
{
	const char *const(*const set[])[2] = { subtract, widen };
	gt_projections *p = scan_of(&round_head);
	gt_memory_estimate e = { .size = sizeof e };
	gt_recon_outcome how = { .size = sizeof how };
	gt_volume *v;
	gt_recon *r = ready(p, &round_head.grid, set[_i]);
	const char *facts;
	ck_ok(gt_recon_plan(r, &e, &facts));
	ck_assert(strstr(facts, _i ? "outside=grid\n" : "outside=subtract\n"));
	ck_ok(gt_volume_new(&round_head.grid, &v));
	ck_ok(gt_recon_run(r, v));
	ck_ok(gt_recon_result(r, &how));
	ck_assert_msg(how.device_peak == (double)e.peak, "planned %zu bytes, took %g", e.peak, how.device_peak);
	gt_recon_free(r);
	gt_volume_free(v);
	gt_projections_free(p);
}

/* If the widened grid exceeds the memory, the object is subtracted; with too few views the run is refused. */
GT_TEST(short_of_memory)
{
	static const char *const modes[2][3][2] = { { { "solver", "sart:iterations=1" }, { "outside", "subtract" }, { NULL, NULL } },
		                                    { { "solver", "sart:iterations=1" }, { "outside", "grid" }, { NULL, NULL } } };
	region q = {
		.shape = GT_FLAT, .views = 120, .rows = 4, .columns = 84, .turn = 2, .grid = { { 40, 40, 8 }, { 1, 1, 1 }, { 0, 0, 0 } }
	};
	gt_memory_estimate e = { .size = sizeof e };
	gt_volume *v;
	char limit[32];
	double peak[2];
	for (int few = 0; few < 2; few++) {
		q.views = few ? 20 : 120;
		gt_projections *p = scan_of(&q);
		for (int k = 0; k < 2; k++) {
			gt_recon *r = ready(p, &q.grid, modes[k]);
			ck_ok(gt_recon_plan(r, &e, NULL));
			peak[k] = (double)e.peak;
			gt_recon_free(r);
		}
		ck_assert_msg(peak[0] < 0.8 * peak[1], "%g, widened %g bytes", peak[0], peak[1]);
		snprintf(limit, sizeof limit, "%.0f", (peak[0] + peak[1]) / 2);
		gt_recon *r = ready(p, &q.grid, by_views);
		ck_ok(gt_recon_set(r, "device-memory", limit));
		ck_ok(gt_volume_new(&q.grid, &v));
		if (few) {
			ck_refused(gt_recon_run(r, v), GT_ERR_MEMORY, "would fit: ");
		} else {
			ck_ok(gt_recon_run(r, v));
			ck_assert_str_eq(gt_recon_text(r, "outside"), "subtract");
		}
		gt_volume_free(v);
		gt_recon_free(r);
		gt_projections_free(p);
	}
}

/* A start volume of the region starts the run: after a negligible iteration it is the result. */
GT_TEST(started)
{
	static const char *const once[][2] = { { "solver", "os-sart:iterations=1,subsets=1,relax=0.000001" }, { NULL, NULL } };
	gt_projections *p = scan_of(&round_head);
	gt_volume *v;
	const size_t n = gt_grid_voxels(&round_head.grid);
	float *start = malloc(n * sizeof *start);
	for (size_t i = 0; i < n; i++)
		start[i] = 0.01f + 1e-5f * (float)i;
	gt_recon *r = ready(p, &round_head.grid, once);
	ck_ok(gt_recon_start(r, start));
	ck_ok(gt_volume_new(&round_head.grid, &v));
	ck_ok(gt_recon_run(r, v));
	ck_assert_str_eq(gt_recon_text(r, "outside"), "subtract");
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(fabsf(gt_volume_data(v)[i] - start[i]) < 1e-5f, "voxel %zu: %g", i, (double)gt_volume_data(v)[i]);
	gt_recon_free(r);
	gt_volume_free(v);
	gt_projections_free(p);
	free(start);
}

static const struct {
	size_t columns;
	const char *set[3][2], *message;
} refusals[] = {
	{ 44, { PRESET, { "outside", "subtract" } }, "outside=subtract: the detector is narrower than the object" },
	{ 84, { { "solver", "mlem" }, { "outside", "subtract" } }, "outside=subtract: mlem needs the whole line integrals" },
	{ 84, { { "outside", "grid" } }, "outside=grid: fdk is an analytic method" },
	{ 84, { { "outside", "yes" } }, "outside=yes: expected one of auto, subtract, grid, no" },
};

GT_TESTS(refused, sizeof refusals / sizeof *refusals)
{
	region q = round_head;
	q.columns = refusals[_i].columns;
	gt_projections *p = scan_of(&q);
	gt_recon *r;
	gt_status st = GT_OK;
	ck_ok(gt_recon_new(p, &r));
	ck_ok(gt_recon_grid(r, &q.grid));
	for (int k = 0; k < 3 && refusals[_i].set[k][0] && st == GT_OK; k++)
		st = gt_recon_set(r, refusals[_i].set[k][0], refusals[_i].set[k][1]);
	if (st == GT_OK)
		st = gt_recon_choose(r);
	ck_assert(st != GT_OK);
	ck_assert_msg(strstr(gt_error(), refusals[_i].message) != NULL, "%s", gt_error());
	gt_recon_free(r);
	gt_projections_free(p);
}

int main(void) { return gt_test_main("outside", NULL); }
