/* Mirrored rows or views and exchanged halves of the detector are reported; correct scans of many kinds are not.
 * labels: unit property, backend: none */
#include <math.h>
#include <gantry/phantom.h>
#include "io/plausibility.h"
#include "tests/io/notes.h"
#include "tests/prepare/half_turn.h"

enum { ROWS = 24, COLUMNS = 64 };

typedef struct {
	const char *name;
	gt_shape shape;
	size_t views;
	double turn, pitch_per_turn, column_offset, tilt;
} made;
static const made scans[] = { { "parallel", GT_PARALLEL, 60, GT_PI, 0, 0, 0 },
	                      { "flat", GT_FLAT, 75, 2 * GT_PI, 0, 0, 0 },
	                      { "arc", GT_ARC, 70, 4, 0, 0.25, 0 },
	                      { "helix", GT_ARC, 120, 6 * GT_PI, 40, 0, 0 },
	                      { "displaced", GT_FLAT, 80, 2 * GT_PI, 0, 25, 0 },
	                      { "few views", GT_FLAT, 7, 2 * GT_PI, 0, 0, 0 },
	                      { "narrow", GT_PARALLEL, 41, 1, 0, -3, 0 },
	                      { "tilted", GT_FLAT, 60, 2 * GT_PI, 0, 0, 0.6 } };
enum { SCANS = sizeof scans / sizeof *scans };

/* A detector of width mm at the axis, and of `height` mm. */
static gt_projections *project(const made *m, const char *phantom, double width, double height, double photons)
{
	const double magnified = m->shape == GT_PARALLEL ? 1 : 2;
	const gt_orbit orbit = { .shape = m->shape,
		                 .views = m->views,
		                 .rows = ROWS,
		                 .columns = COLUMNS,
		                 .source_to_axis = 400,
		                 .source_to_detector = 800,
		                 .column_pitch = magnified * width / COLUMNS,
		                 .row_pitch = magnified * height / ROWS,
		                 .turn = m->turn,
		                 .pitch_per_turn = m->pitch_per_turn,
		                 .column_offset = m->column_offset,
		                 .tilt = m->tilt,
		                 .start_angle = 0.3 };
	gt_scan *scan = NULL;
	gt_projections *p = NULL;
	gt_phantom *object = NULL;
	ck_ok(gt_scan_orbit(&orbit, &scan));
	ck_ok(gt_projections_new(scan, &p));
	ck_ok(gt_phantom_new(phantom, NULL, &object));
	ck_ok(gt_phantom_project(object, scan, 1, NULL, NULL, NULL, gt_projections_data(p)));
	if (photons > 0)
		gt_add_photon_noise(photons, 0, 5, 0, NULL, gt_projections_data(p), gt_scan_size(scan));
	gt_phantom_free(object);
	gt_scan_free(scan);
	return p;
}

static void check_notes(const gt_projections *p, const char *about, const char *note)
{
	char text[NOTES] = "";
	const gt_listener log = notes_into(text);
	gt_projections_misplaced_pixels(p, &log, "scan.nc");
	ck_assert_msg(note ? strncmp(text, note, strlen(note)) == 0 && !strstr(text + strlen(note), "; scan.nc") : !*text,
	              "%s: '%s' and not '%s'", about, text, note ? note : "");
}

/* Whole and truncated objects, also symmetric ones, without noise and with more and more. */
GT_TEST(correct_scans)
{
	static const char *const phantoms[] = { "shepp-logan", "forbild-head", "water-cylinder", "defrise", "bars", "spheres", "box" };
	static const double widths[] = { 300, 60 }, heights[] = { 20, 400 }, photons[] = { 0, 1e4, 30 };
	for (size_t i = 0; i < SCANS * 7 * 2 * 2; i += (size_t)gt_tests_every()) {
		const char *phantom = phantoms[i / SCANS % 7];
		gt_projections *p = project(&scans[i % SCANS], phantom, widths[i / SCANS / 7 % 2], heights[i / SCANS / 14], 0);
		char about[80];
		for (size_t noise = 0; noise < 3; noise++) {
			snprintf(about, sizeof about, "%zu %s of %s, %g photons", i, scans[i % SCANS].name, phantom, photons[noise]);
			if (noise)
				gt_add_photon_noise(photons[noise], 0, 5, 0, NULL, gt_projections_data(p),
				                    gt_scan_size(gt_projections_scan(p)));
			check_notes(p, about, NULL);
		}
		gt_projections_free(p);
	}
}

/* Two thin rods opposite each other reach both ends of the detector and leave its middle to air in sampled views. */
GT_TEST(rods)
{
	static const made full = { "full turn", GT_PARALLEL, 64, 2 * GT_PI, 0, 0, 0 };
	for (int i = 0; i < 11 * 4; i++) {
		const double x = 30 * cos(i % 11 * GT_PI / 180), y = 30 * sin(i % 11 * GT_PI / 180);
		FILE *file = fopen("rods.shapes", "w");
		ck_assert_ptr_nonnull(file);
		fprintf(file, "ellipsoid center=%g,%g,0 radii=0.8,0.8,90 density=2\nellipsoid center=%g,%g,0 radii=0.8,0.8,90 density=2\n",
		        x, y, -x, -y);
		fclose(file);
		gt_projections *p = project(&full, "rods.shapes", 59 + i / 11 * 0.7, 40, 0);
		check_notes(p, "rods", NULL);
		gt_projections_free(p);
	}
	remove("rods.shapes");
}

/* A focal spot that moves by a detector pixel at the axis from view to view. */
GT_TEST(moving_spot)
{
	static const double spots[2][3] = { { -4 }, { 4 } };
	const gt_orbit orbit = { .shape = GT_FLAT,
		                 .views = 90,
		                 .rows = ROWS,
		                 .columns = COLUMNS,
		                 .source_to_axis = 400,
		                 .source_to_detector = 800,
		                 .column_pitch = 8,
		                 .row_pitch = 8,
		                 .turn = 2 * GT_PI,
		                 .spot = spots,
		                 .spots = 2 };
	gt_scan *scan = NULL;
	gt_projections *p = NULL;
	gt_phantom *object = NULL;
	ck_ok(gt_scan_orbit(&orbit, &scan));
	ck_ok(gt_projections_new(scan, &p));
	ck_ok(gt_phantom_new("water-cylinder", NULL, &object));
	ck_ok(gt_phantom_project(object, scan, 1, NULL, NULL, NULL, gt_projections_data(p)));
	check_notes(p, "moving spot", NULL);
	gt_phantom_free(object);
	gt_projections_free(p);
	gt_scan_free(scan);
}

static void mirror(float *row)
{
	for (size_t c = 0; c < COLUMNS / 2; c++) {
		const float x = row[c];
		row[c] = row[COLUMNS - 1 - c];
		row[COLUMNS - 1 - c] = x;
	}
}

static void mirror_rows(float *view, size_t v)
{
	for (size_t r = v * 0; r < ROWS; r += 2)
		mirror(view + r * COLUMNS);
}

static void mirror_views(float *view, size_t v)
{
	for (size_t r = 0; v % 2 && r < ROWS; r++)
		mirror(view + r * COLUMNS);
}

static void exchange(float *a, float *b)
{
	const float x = *a;
	*a = *b;
	*b = x;
}

static void exchange_columns(float *view, size_t v)
{
	for (size_t i = v * 0; i < ROWS * COLUMNS; i++)
		if (i % COLUMNS < COLUMNS / 2)
			exchange(view + i, view + i + COLUMNS / 2);
}

static void exchange_rows(float *view, size_t v)
{
	for (size_t i = v * 0; i < ROWS / 2 * COLUMNS; i++)
		exchange(view + i, view + i + ROWS / 2 * COLUMNS);
}

static void check_change(const made *m, const double size[2], double photons, void (*change)(float *, size_t), const char *note)
{
	FILE *file = fopen("object.shapes", "w");
	ck_assert_ptr_nonnull(file);
	fputs("ellipsoid center=12,3,8 radii=60,45,70 density=1\nellipsoid center=20,-15,-20 radii=12,9,30 density=1.8\n"
	      "ellipsoid center=-25,10,15 radii=10,7,15 density=1.9\nellipsoid center=-5,25,-3 radius=7 density=0.3\n",
	      file);
	fclose(file);
	gt_projections *p = project(m, "object.shapes", size[0], size[1], photons);
	char about[80];
	snprintf(about, sizeof about, "%s, %g mm x %g mm, %g photons", m->name, size[0], size[1], photons);
	check_notes(p, about, NULL);
	for (size_t v = 0; v < m->views; v++)
		change(gt_projections_data(p) + v * ROWS * COLUMNS, v);
	check_notes(p, about, note);
	gt_projections_free(p);
	remove("object.shapes");
}

GT_TEST(mirrored)
{
	static const double sizes[][2] = { { 160, 90 }, { 160, 30 }, { 60, 40 } }, photons[] = { 0, 1e4 };
	for (size_t i = 0; i < 4 * 3 * 2; i++) {
		check_change(&scans[i % 4], sizes[i / 4 % 3], photons[i / 12], mirror_rows, "scan.nc: every second row is mirrored");
		check_change(&scans[i % 4], sizes[i / 4 % 3], photons[i / 12], mirror_views, "scan.nc: every second view is mirrored");
	}
}

GT_TEST(exchanged)
{
	static const double sizes[][2] = { { 160, 180 }, { 160, 60 }, { 60, 80 } }, photons[] = { 0, 1e4 };
	for (size_t i = 0; i < 3 * 3 * 2; i++) {
		check_change(&scans[i % 3], sizes[i / 3 % 3], photons[i / 9], exchange_columns, "scan.nc: the left and right halves");
		check_change(&scans[i % 3], sizes[i / 3 % 3], photons[i / 9], exchange_rows, "scan.nc: the upper and lower halves");
	}
}

int main(void) { return gt_test_main("misplaced pixels", NULL); }
