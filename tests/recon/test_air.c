/* Grids of mostly air: the preset computes the object's box alone. Inside the skull, the result is that of the whole
 * grid to a fraction of the noise; beyond the box, it is 0.
 * labels: unit physics */
#include <stdio.h>
#include <string.h>
#include "recon/outside/object_box.h"
#include "tests/recon/region_runs.h"

#define WIDE                                             \
	{                                                \
		{ 84, 80, 1 }, { 3, 3, 3 }, { 9, -6, 0 } \
	}
static const char *const preset[][2] = { PRESET, { NULL, NULL } };
static const char *const whole[][2] = { PRESET, { "outside", "no" }, { NULL, NULL } };
static const char *const team[][2] = { PRESET, { "backend", "cpu:1x2" }, { NULL, NULL } };
static const char *const sart[][2] = { { "solver", "os-sart:iterations=3,subsets=6" }, { NULL, NULL } };
static const char *const named[][2] = { { "solver", "os-sart:iterations=3,subsets=6" }, { "outside", "air" }, { NULL, NULL } };

static const region scans[] = {
	{ "fan", GT_FLAT, 120, 1, 84, 0, 2, WIDE, "air", preset, 4, 0 },
	{ "parallel", GT_PARALLEL, 120, 1, 80, 0, 1, WIDE, "air", preset, 4, 0 },
	{ "cone", GT_FLAT, 60, 12, 84, 0, 2, { { 80, 80, 4 }, { 3, 3, 3 }, { 0, 0, 1.5 } }, "air", preset, 7, 0 },
	{ "team", GT_FLAT, 60, 12, 84, 0, 2, { { 80, 80, 4 }, { 3, 3, 3 }, { 0, 0, 1.5 } }, "air", team, 7, 0 },
	{ "by name", GT_FLAT, 120, 1, 84, 0, 2, WIDE, "air", named, 4, 0 },
};

/* 1: voxel i of the grid is within half sides of the head, and `margin` mm. */
static int in_head(const gt_grid *g, size_t i, double margin)
{
	const double x = g->center[0] + ((double)(i % g->n[0]) - (double)(g->n[0] - 1) / 2) * g->pitch[0];
	const double y = g->center[1] + ((double)(i / g->n[0] % g->n[1]) - (double)(g->n[1] - 1) / 2) * g->pitch[1];
	return fabs(x) < 96 * scale + margin && fabs(y) < 120 * scale + margin;
}

GT_TESTS_ALIKE(cut_to_the_object, sizeof scans / sizeof *scans)
{
	const region *q = &scans[_i];
	gt_projections *p = scan_of(q);
	gt_volume *v, *all;
	double square = 0, count = 0;
	gt_recon *a = run(p, &q->grid, q->set, &v), *b = run(p, &q->grid, q->set == named ? sart : whole, &all);
	ck_assert_str_eq(gt_recon_text(a, "outside"), "air");
	ck_assert_str_eq(gt_recon_text(b, "outside"), "no");
	ck_assert(strstr(gt_recon_text(a, "parameters"), " outside=air "));
	for (size_t i = 0; i < gt_grid_voxels(&q->grid); i++) {
		const double d = 1000 * ((double)gt_volume_data(v)[i] - gt_volume_data(all)[i]) / 0.02;
		if (!in_head(&q->grid, i, 15))
			ck_assert(gt_volume_data(v)[i] == 0);
		else if (in_head(&q->grid, i, -30)) {
			square += d * d;
			count++;
		}
	}
	if (getenv("GT_PRINT"))
		printf("%-10s %.3g HU from the whole grid\n", q->name, sqrt(square / count));
	fflush(stdout);
	ck_assert_msg(sqrt(square / count) < q->part, "%s: %g HU", q->name, sqrt(square / count));
	gt_recon_free(a);
	gt_recon_free(b);
	gt_volume_free(v);
	gt_volume_free(all);
	gt_projections_free(p);
}

/* An object whose line integrals exceed the noise is part of the box, however faint: a rod of foam next to the head. */
GT_TEST(faint_objects_stay)
{
	gt_projections *p = scan_of(&scans[0]);
	const gt_scan *s = p->scan;
	gt_object_box box[2];
	gt_phantom *rod;
	const gt_phantom_options o = { .water = 0.02, .scale = 1 };
	float *more = calloc(gt_scan_size(s), sizeof *more);
	ck_assert(gt_object_box_find(p, GT_CLEAN_AIR, &box[0]));
	FILE *file = fopen("air_rod.shapes", "w");
	ck_assert(file != NULL);
	fputs("cylinder center=100,0,0 radius=8 length=100 density=0.1\n", file);
	fclose(file);
	ck_ok(gt_phantom_new("air_rod.shapes", &o, &rod));
	remove("air_rod.shapes");
	ck_ok(gt_phantom_project(rod, s, 2, NULL, NULL, NULL, more));
	for (size_t i = 0; i < gt_scan_size(s); i++)
		gt_projections_data(p)[i] += more[i];
	ck_assert(gt_object_box_find(p, GT_CLEAN_AIR, &box[1]));
	ck_assert_msg(box[0].high[0] < 80 && box[1].high[0] > 106, "x to %g and %g mm", box[0].high[0], box[1].high[0]);
	gt_phantom_free(rod);
	gt_projections_free(p);
	free(more);
}

static void take(void *self, const gt_recon_slices *s)
{
	const size_t *n = s->grid->n;
	memcpy(self, s->slice[2], n[0] * n[1] * sizeof(float));
}

/* Reported slices have the requested grid; a start volume is cut too. */
GT_TEST(slices_and_start)
{
	const gt_grid grid = WIDE;
	static float slice[84 * 80], start[84 * 80];
	gt_projections *p = scan_of(&scans[0]);
	gt_volume *v;
	for (size_t i = 0; i < 84 * 80; i++)
		start[i] = 0.01f;
	gt_recon *r = ready(p, &grid, named);
	ck_ok(gt_recon_start(r, start));
	gt_recon_on_slices(r, 0, take, slice);
	ck_ok(gt_volume_new(&grid, &v));
	gt_volume_data(v)[0] = slice[0] = 7; /* air is set, not left */
	ck_ok(gt_recon_run(r, v));
	ck_assert(!memcmp(slice, gt_volume_data(v), sizeof slice));
	ck_assert(gt_volume_data(v)[0] == 0);
	gt_recon_free(r);
	gt_volume_free(v);
	gt_projections_free(p);
}

/* Full and truncated grids stay as they are; the name is refused inside the object. */
GT_TEST(not_cut)
{
	static const region full = { "full", GT_FLAT, 120, 1, 84, 0, 2, { { 54, 66, 1 }, { 3, 3, 3 }, { 0, 0, 0 } }, "no", preset, 0, 0 };
	const gt_grid inside = { { 16, 14, 1 }, { 3, 3, 3 }, { 10, -15, 0 } };
	gt_projections *p = scan_of(&full);
	gt_recon *r = ready(p, &full.grid, preset);
	ck_ok(gt_recon_choose(r));
	ck_assert_str_eq(gt_recon_text(r, "outside"), "no");
	gt_recon_free(r);
	r = ready(p, &scans[0].grid, sart);
	ck_ok(gt_recon_choose(r));
	ck_assert_str_eq(gt_recon_text(r, "outside"), "no");
	gt_recon_free(r);
	r = ready(p, &inside, named);
	ck_refused(gt_recon_choose(r), GT_ERR_UNSUPPORTED, "outside=air: the grid ends inside the object");
	gt_recon_free(r);
	gt_projections_free(p);
}

int main(void) { return gt_test_main("air", NULL); }
