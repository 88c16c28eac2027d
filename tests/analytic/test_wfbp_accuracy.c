/* wfbp on a scanner of 64 rows with a small trunk of water, bone, liver and lung: Hounsfield units and positions. No
 * pattern has the period of the pitch. Columns and views are few.
 * labels: physics */
#include "tests/analytic/bodies.h"

enum { ROWS = 64, COLUMNS = 83, VIEWS = 198 };
#define WATER 0.02
#define DISTANCE 541.0
#define DETECTOR 949.0
#define COLLIMATION 40.0
#define CELL 3.3 /* at the axis */

static const body trunk[] = { { 1, { 3, -5, 0 }, 115, WATER },
	                      { 1, { -60, 22, 0 }, 32, -0.7 * WATER },
	                      { 1, { 58, 15, 0 }, 38, 0.06 * WATER },
	                      { 1, { 8, -68, 0 }, 24, 0.6 * WATER } };
static const body balls[] = { { 0, { 45, -34, 3.1 }, 9, WATER },
	                      { 0, { -52, -39, -4.3 }, 9, WATER },
	                      { 0, { 12, 53, 1.4 }, 9, WATER },
	                      { 0, { 95, 16, -2.6 }, 9, WATER } };
enum { TRUNK = 4, BALLS = 4 };

/* Uniform regions away from edges. */
static const struct region {
	const char *name;
	double x, y, hu, within;
} regions[] = {
	{ "water between", -6, 5, 0, 1 }, { "water below", -55, -60, 0, 1 }, { "water beside", 10, 70, 0, 1 },
	{ "liver", 58, 17, 60, 2 },       { "lung", -60, 22, -700, 2 },      { "bone", 8, -68, 600, 0.003 * 1600 },
};
enum { REGIONS = sizeof regions / sizeof *regions };

static const struct setting {
	double pitch, turns;
	size_t spots;
} settings[] = { { 0.5, 1.6, 0 }, { 0.984, 1.85, 0 }, { 1.375, 1.95, 0 }, { 0.5, 1.6, 2 }, { 0.984, 1.85, 4 }, { 1.375, 1.95, 2 } };

/* Deflections of half a pixel at the axis, and of half a row on a slanted anode. */
static const double spots[4][3] = { { 1.9, 0, -0.36 }, { -1.9, 2.6, 0.36 }, { 1.9, 2.6, 0.36 }, { -1.9, 0, -0.36 } };

static gt_scan *scan_of(const struct setting *t)
{
	const size_t more = t->spots ? 2 : 1; /* neighbouring views of one spot are interpolated */
	const gt_orbit o = { .shape = GT_ARC,
		             .views = (size_t)(t->turns * VIEWS) * more,
		             .rows = ROWS,
		             .columns = COLUMNS,
		             .source_to_axis = DISTANCE,
		             .source_to_detector = DETECTOR,
		             .column_pitch = CELL * DETECTOR / DISTANCE,
		             .row_pitch = COLLIMATION / ROWS * DETECTOR / DISTANCE,
		             .column_offset = 0.25,
		             .start_angle = 0.4,
		             .turn = 2 * GT_PI * t->turns,
		             .pitch_per_turn = t->pitch * COLLIMATION,
		             .spot = spots,
		             .spots = t->spots };
	gt_scan *s;
	ck_ok(gt_scan_orbit(&o, &s));
	return s;
}

static double hounsfield(double mu) { return 1000 * (mu / WATER - 1); }

/* Least-squares amplitude of a cosine of this period in y at z. */
static double amplitude(const double *y, const double *z, size_t n, double period)
{
	double mean = 0, c[3] = { 0, 0, 0 }, b[2] = { 0, 0 };
	for (size_t i = 0; i < n; i++)
		mean += y[i] / (double)n;
	for (size_t i = 0; i < n; i++) {
		const double u = cos(2 * GT_PI * z[i] / period), v = sin(2 * GT_PI * z[i] / period);
		c[0] += u * u;
		c[1] += u * v;
		c[2] += v * v;
		b[0] += u * (y[i] - mean);
		b[1] += v * (y[i] - mean);
	}
	const double det = c[0] * c[2] - c[1] * c[1];
	return hypot((c[2] * b[0] - c[1] * b[1]) / det, (c[0] * b[1] - c[1] * b[0]) / det);
}

/* Largest errors of a setting, printed as a table. */
struct worst {
	double value[3], band, ball; /* HU of water, HU of other soft regions, per cent of bone; HU; voxels */
};

enum { SLICES = 24 };

static void check_region(const char *what, const gt_grid *g, const double *x, const struct region *r, double pitch, struct worst *w)
{
	const int kind = r->hu == 0 ? 0 : r->hu < 500 ? 1 : 2;
	double slice[SLICES], z[SLICES], all = 0;
	for (size_t k = 0; k < SLICES; k++) {
		z[k] = voxel_at(g, 2, k);
		slice[k] = hounsfield(region_mean(g, x, r->x, r->y, 10, z[k], g->pitch[2] / 3));
		all += slice[k] / SLICES;
	}
	w->value[kind] = fmax(w->value[kind], fabs(all - r->hu) * (kind < 2 ? 1 : 100 / (1000 + r->hu)));
	ck_assert_msg(fabs(all - r->hu) <= r->within, "%s, %s: %.2f HU: expected %g, to %g", what, r->name, all, r->hu, r->within);
	for (int harmonic = 1; harmonic <= 4; harmonic++) {
		const double band = amplitude(slice, z, SLICES, pitch / harmonic);
		w->band = fmax(w->band, band);
		ck_assert_msg(band < 1, "%s, %s: %.2f HU with a period of %g mm", what, r->name, band, pitch / harmonic);
	}
}

/* The grid is one pitch long. */
static void check_regions(const char *what, const struct setting *t, const gt_scan *s, struct worst *w)
{
	const double pitch = t->pitch * COLLIMATION;
	const gt_grid g = { { 45, 55, SLICES }, { 3.1, 3, pitch / SLICES }, { 0, 0, 0.7 } };
	double *p = bodies_project(trunk, TRUNK, s), *x = reconstruct("wfbp", NULL, &g, s, p);
	for (int r = 0; r < REGIONS; r++)
		check_region(what, &g, x, &regions[r], pitch, w);
	free(p);
	free(x);
}

static void check_balls(const char *what, const gt_scan *s, struct worst *w)
{
	const gt_grid g = { { 91, 62, 49 }, { 2, 2.1, 0.625 }, { 21.3, 8.6, -0.4 } };
	double *p = bodies_project(balls, BALLS, s), *x = reconstruct("wfbp", NULL, &g, s, p);
	for (int i = 0; i < BALLS; i++) {
		const body *b = &balls[i];
		const double off = ball_error(&g, x, b, b->radius + 2);
		w->ball = fmax(w->ball, off);
		ck_assert_msg(off < 0.1, "%s: the ball at (%g, %g, %g) is %.3f voxels from its place", what, b->center[0], b->center[1],
		              b->center[2], off);
	}
	free(p);
	free(x);
}

GT_TEST(values_and_places)
{
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		const struct setting *t = &settings[i];
		gt_scan *s = scan_of(t);
		struct worst w = { { 0, 0, 0 }, 0, 0 };
		char what[64];
		snprintf(what, sizeof what, "pitch %g, %zu spots", t->pitch, t->spots);
		check_regions(what, t, s, &w);
		check_balls(what, s, &w);
		printf("%s: water off by %.2f HU, liver and lung %.2f HU, bone %.3f %%, with the pitch %.2f HU, balls %.3f voxels\n", what,
		       w.value[0], w.value[1], w.value[2], w.band, w.ball);
		gt_scan_free(s);
	}
}

int main(void) { return gt_test_main("wfbp accuracy", NULL); }
