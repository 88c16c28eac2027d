/* Beam hardening by spectrum, polynomial and flatness; scatter; geometry of bins, crops and selected views. Absolute
 * values. labels: unit physics  backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/prepare.h>
#include <gantry/recon.h>
#include <gantry/author/scan_math.h>
#include "prepare/materials.h"
#include "tests/prepare/half_turn.h"
#include "tests/support/support.h"

static gt_projections *fan(size_t views, size_t rows, size_t columns)
{
	const gt_orbit orbit = { .shape = GT_FLAT,
		                 .views = views,
		                 .rows = rows,
		                 .columns = columns,
		                 .column_pitch = 4,
		                 .row_pitch = 4,
		                 .source_to_axis = 600,
		                 .source_to_detector = 1000,
		                 .turn = 6.283185307179586,
		                 .column_offset = 0.25,
		                 .row_offset = -0.5 };
	gt_scan *scan = NULL;
	gt_projections *p = NULL;
	ck_ok(gt_scan_orbit(&orbit, &scan));
	ck_ok(gt_projections_new(scan, &p));
	gt_scan_free(scan);
	return p;
}

static void spectrum_120(gt_spectrum *s)
{
	gt_material aluminium;
	ck_ok(gt_spectrum_kramers(120, s));
	ck_ok(gt_material_new("aluminium", &aluminium));
	gt_spectrum_filter(s, &aluminium, 3);
	gt_material_free(&aluminium);
	ck_ok(gt_spectrum_finish(s, 1));
}

/* NIST: water at 70 keV has 0.1929 cm^2/g, aluminium at 40 keV 0.5685, bone at 100 keV 0.1855. */
GT_TEST(attenuation)
{
	gt_material m;
	ck_ok(gt_material_new("water", &m));
	ck_assert_double_eq_tol(gt_material_mu(&m, 70), 0.01929, 0.0001);
	ck_assert_double_eq_tol(gt_material_mu(&m, 60), 0.02059, 1e-9);
	gt_material_free(&m);
	ck_ok(gt_material_new("aluminium", &m));
	ck_assert_double_eq_tol(gt_material_mu(&m, 40), 0.05685 * 2.699, 1e-9);
	gt_material_free(&m);
	ck_refused(gt_material_new("wather", &m), GT_ERR_UNKNOWN, "did you mean 'water'");
	ck_refused(gt_material_new("./none.txt", &m), GT_ERR_IO, "none.txt");
}

/* Polychromatic line integrals of known paths in water become mu(70 keV) L. */
GT_TEST(water)
{
	gt_spectrum s;
	gt_material m;
	gt_projections *p = fan(2, 3, 100);
	float *x = gt_projections_data(p);
	spectrum_120(&s);
	ck_ok(gt_material_new("water", &m));
	for (size_t i = 0; i < 600; i++)
		x[i] = (float)gt_spectrum_line_integral(&s, &m, 0.5 * (double)i);
	/* 200 mm attenuate less than twice 100 mm. */
	ck_assert_double_lt(x[400] / x[200], 1.96);
	ck_ok(gt_prepare(&p, "beam-hardening:kv=120,aluminium=3", NULL));
	for (size_t i = 1; i < 600; i++)
		ck_assert_double_eq_tol(x[i] / (0.5 * (double)i * gt_material_mu(&m, 70)), 1, 1e-3);
	gt_projections_free(p);
	gt_spectrum_free(&s);
	gt_material_free(&m);
}

/* A single energy needs no correction. */
GT_TEST(one_energy)
{
	gt_projections *p = fan(2, 3, 100);
	float *x = gt_projections_data(p), before[600];
	FILE *file = fopen("one-energy.txt", "w");
	ck_assert_ptr_nonnull(file);
	fputs("# keV photons\n70 1e6\n", file);
	fclose(file);
	gt_test_random(3, 600, x);
	for (size_t i = 0; i < 600; i++)
		before[i] = x[i] = 4 * fabsf(x[i]);
	ck_ok(gt_prepare(&p, "beam-hardening:spectrum=one-energy.txt", NULL));
	remove("one-energy.txt");
	for (size_t i = 0; i < 600; i++)
		ck_assert_float_eq_tol(x[i], before[i], 3e-6f);
	ck_refused(gt_prepare(&p, "beam-hardening", NULL), GT_ERR_ARG, "expected one of spectrum");
	ck_refused(gt_prepare(&p, "beam-hardening:kv=120,polynomial=1", NULL), GT_ERR_ARG, "several");
	ck_refused(gt_prepare(&p, "beam-hardening:polynomial=1:-1", NULL), GT_ERR_FORMAT, "expected one that rises");
	ck_refused(gt_prepare(&p, "beam-hardening:polynomial=1:x", NULL), GT_ERR_ARG, "colons");
	gt_projections_free(p);
}

GT_TEST(polynomial)
{
	gt_projections *p = fan(2, 3, 100);
	float *x = gt_projections_data(p);
	for (size_t i = 0; i < 600; i++)
		x[i] = (float)i / 200;
	ck_ok(gt_prepare(&p, "beam-hardening:polynomial=0.8:0.05:0.01", NULL));
	for (size_t i = 0; i < 600; i++) {
		const double q = (float)i / 200.f;
		ck_assert_double_eq_tol(x[i], 0.8 * q + 0.05 * q * q + 0.01 * q * q * q, 1e-5);
	}
	gt_projections_free(p);
}

/* Path in mm of a pixel's ray through a disc about the axis. */
static double chord(const gt_scan *scan, size_t pixel, double radius)
{
	const gt_view *v = &scan->view[pixel / (scan->rows * scan->columns)];
	double d[2];
	for (int a = 0; a < 2; a++)
		d[a] = v->detector[a] + ((double)(pixel % scan->columns) - scan->column_center) * scan->column_pitch * v->column_axis[a] -
		       v->source[a];
	const double off = (v->source[0] * d[1] - v->source[1] * d[0]) / hypot(d[0], d[1]);
	return fabs(off) < radius ? 2 * sqrt(radius * radius - off * off) : 0;
}

/* A disc whose line integrals are p - 0.05 p^2 to the second order: a of about 0.05 makes it flat. */
GT_TEST(flatness)
{
	gt_projections *p = fan(90, 1, 96);
	float *x = gt_projections_data(p);
	double worst = 0;
	for (size_t i = 0; i < 90 * 96; i++) {
		/* measured q: q + 0.05 q^2 is the true line integral */
		const double right = 0.02 * chord(gt_projections_scan(p), i, 80);
		x[i] = (float)((sqrt(1 + 0.2 * right) - 1) / 0.1);
	}
	ck_ok(gt_prepare(&p, "beam-hardening:method=flatness", NULL));
	for (size_t i = 0; i < 90 * 96; i++) {
		const double q = x[i];
		worst = fmax(worst, q);
	}
	ck_assert_double_eq_tol(worst, 3.2, 0.05);
	gt_projections_free(p);
}

/* Mean at the centre of a disc of 100 mm over the mean at 80 to 90 mm, minus 1. */
static double cupping(const gt_projections *p)
{
	const gt_grid grid = { { 110, 110, 1 }, { 2, 2, 2 }, { 0, 0, 0 } };
	gt_recon *r = NULL;
	gt_volume *v = NULL;
	double sum[2] = { 0, 0 }, n[2] = { 0, 0 };
	ck_ok(gt_volume_new(&grid, &v));
	ck_ok(gt_recon_new(p, &r));
	ck_ok(gt_recon_set(r, "solver", "fdk"));
	ck_ok(gt_recon_set(r, "backend", "cpu:1"));
	ck_ok(gt_recon_set(r, "check", "no"));
	ck_ok(gt_recon_run(r, v));
	for (size_t i = 0; i < 110 * 110; i++) {
		const double at = 2 * hypot((double)(i % 110) - 54.5, (double)(i / 110) - 54.5);
		const int which = at < 30 ? 0 : at > 80 && at < 90 ? 1 : -1;
		if (which >= 0) {
			sum[which] += gt_volume_data(v)[i];
			n[which]++;
		}
	}
	gt_recon_free(r);
	gt_volume_free(v);
	return sum[0] / n[0] / (sum[1] / n[1]) - 1;
}

/* 200 mm of water, whose curve is not a parabola. */
GT_TESTS(flat_water, 2)
{
	const char *const kv[] = { "kv=120,aluminium=3", "kv=80,aluminium=1" }, *const body[] = { "water" };
	gt_projections *p = fan(180, 1, 96);
	float *x = gt_projections_data(p), *length = malloc(180 * 96 * sizeof *length);
	const float *lengths[] = { length };
	for (size_t i = 0; i < 180 * 96; i++)
		length[i] = (float)chord(gt_projections_scan(p), i, 100);
	ck_ok(gt_mix_spectrum(kv[_i], body, 1, lengths, 180 * 96, NULL, x));
	const double before = cupping(p);
	ck_ok(gt_prepare(&p, "beam-hardening:method=flatness", NULL));
	const double after = cupping(p);
	fprintf(stderr, "%s: centre against edge %.2f %%, after flatness %.2f %%\n", kv[_i], 100 * before, 100 * after);
	ck_assert_double_lt(before, -0.03);
	ck_assert_double_lt(fabs(after), 0.003);
	gt_projections_free(p);
	free(length);
}

/* A uniform scatter of 7 %: removed to 1 % of itself. */
GT_TEST(scatter)
{
	gt_projections *p = fan(2, 3, 100);
	float *x = gt_projections_data(p);
	for (size_t i = 0; i < 600; i++)
		x[i] = (float)-log(exp(-(double)i / 150) * 0.93 + 0.07);
	ck_ok(gt_prepare(&p, "scatter:fraction=0.07", NULL));
	for (size_t i = 0; i < 600; i++)
		ck_assert_double_eq_tol(exp(-x[i]), exp(-(double)i / 150), 7e-4);
	ck_refused(gt_prepare(&p, "scatter:fraction=2", NULL), GT_ERR_ARG, "fraction=2");
	gt_projections_free(p);
}

/* Scatter of an object by a kernel, as sums over all pixels, is subtracted to a fiftieth. Rows and columns have
 * different pitches, and the object is off the centre in air. Then on a coarse view whose last column and row have
 * fewer pixels. */
GT_TESTS(scatter_of_a_body, 2)
{
	enum { ROWS = 41, COLUMNS = 59, CELLS = ROWS * COLUMNS };
	static const double pitches[2][2] = { { 2, 3 }, { 0.7, 0.9 } }, offset[2] = { 0, 0 }, sigma = 14, amplitude = 0.35, power = 1.2;
	const double *pitch = pitches[_i];
	gt_projections *p = half_turn((const size_t[3]){ 3, ROWS, COLUMNS }, pitch, offset);
	float *x = gt_projections_data(p);
	double primary[CELLS], spread[CELLS], sum = 0, off = 0, darkest = 1, fraction = 0;
	char spec[128];
	for (int i = 0; i < CELLS; i++) {
		const double u = (i % COLUMNS - 27) / 20.0, v = (i / COLUMNS - 21) / 13.0, inside = 1 - u * u - v * v;
		primary[i] = exp(-(inside > 0 ? 3 * sqrt(inside) : 0));
	}
	for (int i = 0; i < CELLS; i++) {
		spread[i] = 0;
		for (int j = 0; j < CELLS; j++) {
			const double dx = (i % COLUMNS - j % COLUMNS) * pitch[0], dy = (i / COLUMNS - j / COLUMNS) * pitch[1];
			spread[i] += amplitude * primary[j] * pow(-log(primary[j]), power) *
			             exp(-(dx * dx + dy * dy) / (2 * sigma * sigma)) / (2 * GT_PI * sigma * sigma) * pitch[0] * pitch[1];
		}
	}
	for (int i = 0; i < CELLS; i++)
		if (primary[i] + spread[i] < darkest) {
			fraction = spread[i] / (darkest = primary[i] + spread[i]);
		}
	for (int i = 0; i < 3 * CELLS; i++)
		x[i] = (float)-log(primary[i % CELLS] + spread[i % CELLS]);
	snprintf(spec, sizeof spec, "scatter:method=kernel,fraction=%.6f,width=%g,power=%g", fraction, sigma, power);
	ck_ok(gt_prepare(&p, spec, NULL));
	x = gt_projections_data(p);
	for (int i = 0; i < 3 * CELLS; i++) {
		sum += pow(spread[i % CELLS], 2);
		off += pow(exp(-x[i]) - primary[i % CELLS], 2);
	}
	ck_assert_double_gt(fraction, 0.3);
	ck_assert_double_lt(sqrt(off / sum), _i ? 0.03 : 0.002);
	ck_refused(gt_prepare(&p, "scatter:method=kernel,fraction=0.1", NULL), GT_ERR_ARG, "width=0: expected a pixel of ");
	ck_refused(gt_prepare(&p, "scatter:method=kernel,width=14", NULL), GT_ERR_ARG, "fraction=0: ");
	ck_refused(gt_prepare(&p, "scatter:fraction=0.1,width=3", NULL), GT_ERR_ARG, "method=kernel alone");
	memset(x, 0, 3 * CELLS * sizeof(float));
	x[CELLS + 20 * COLUMNS + 30] = 9;
	ck_refused(gt_prepare(&p, "scatter:method=kernel,fraction=0.8,width=4", NULL), GT_ERR_ARG, "fraction=0.8: this width and power");
	x[CELLS + 20 * COLUMNS + 30] = 0;
	ck_refused(gt_prepare(&p, "scatter:method=kernel,fraction=0.1,width=14", NULL), GT_ERR_FORMAT, "no object that scatters");
	gt_projections_free(p);
}

/* Intensities seen through the lag of two exponentials, against flat fields at constant intensity. */
GT_TEST(lag)
{
	enum { VIEWS = 50, PIXELS = 6 };
	static const double pitch[2] = { 1, 1 }, offset[2] = { 0, 0 }, rate[2] = { 0.4, 0.03 }, amount[2] = { 0.02, 0.002 };
	for (int lit = 0; lit < 2; lit++) {
		gt_projections *p = half_turn((const size_t[3]){ VIEWS, 2, PIXELS / 2 }, pitch, offset);
		float *x = gt_projections_data(p);
		double steady = 1, before = 0;
		for (int n = 0; n < 2; n++)
			steady += amount[n] / (1 - exp(-rate[n]));
		for (int i = 0; i < PIXELS; i++)
			for (int v = 0; v < VIEWS; v++) {
				double seen = exp(-1 - sin(0.3 * v + i));
				for (int n = 0; n < 2; n++)
					/* With earlier intensity: as if the first view had lasted 3000 frames. */
					for (int k = 0; k <= v + (lit ? 3000 : 0); k++)
						seen += amount[n] * exp(-rate[n] * k) * exp(-1 - sin(0.3 * (v > k ? v - k : 0) + i));
				x[v * PIXELS + i] = (float)-log(seen / steady);
				before = fmax(before, fabs(x[v * PIXELS + i] - 1 - sin(0.3 * v + i)));
			}
		ck_ok(gt_prepare(&p, lit ? "lag:rates=0.4:0.03,amounts=0.02:0.002,lit" : "lag:rates=0.4:0.03,amounts=0.02:0.002", NULL));
		x = gt_projections_data(p);
		ck_assert_double_gt(before, 0.05);
		for (int i = 0; i < PIXELS * VIEWS; i++)
			ck_assert_double_eq_tol(x[i], 1 + sin(0.3 * (i / PIXELS) + i % PIXELS), 1e-6);
		ck_refused(gt_prepare(&p, "lag:rates=0.4:0.03,amounts=0.02", NULL), GT_ERR_ARG, "2 rates and 1 amounts");
		ck_refused(gt_prepare(&p, "lag:rates=0.4", NULL), GT_ERR_ARG, "expected both");
		ck_refused(gt_prepare(&p, "lag:rates=0.4:,amounts=0.1", NULL), GT_ERR_ARG, "rates=0.4:: expected numbers");
		ck_refused(gt_prepare(&p, "lag:rates=-1,amounts=0.1", NULL), GT_ERR_ARG, "rate -1, amount 0.1");
		ck_refused(gt_prepare(&p, "lag:rates=1e-18,amounts=0.01", NULL), GT_ERR_ARG,
		           "1 of the signal at constant intensity, expected less than half");
		gt_projections_free(p);
	}
}

/* A fringe t = 0.5 + 0.1 cos k u along columns: its amplitude falls by 1 + alpha k^2, the mean stays. */
GT_TEST(fringe)
{
	const gt_orbit orbit = {
		.shape = GT_PARALLEL, .views = 2, .rows = 9, .columns = 200, .column_pitch = 0.001, .row_pitch = 0.002, .turn = 3
	};
	gt_scan *scan = NULL;
	gt_projections *p = NULL;
	ck_ok(gt_scan_orbit(&orbit, &scan));
	ck_ok(gt_projections_new(scan, &p));
	float *x = gt_projections_data(p);
	const double k = 2 * GT_PI / 0.020, alpha = 100 * 1.239841984e-6 / 20 * 500 / (4 * GT_PI);
	for (size_t i = 0; i < 2 * 9 * 200; i++)
		x[i] = (float)-log(0.5 + 0.1 * cos(k * 0.001 * (double)(i % 200)));
	ck_ok(gt_prepare(&p, "phase:energy=20,distance=100,delta-beta=500", NULL));
	ck_assert_double_gt(alpha * k * k, 10);
	/* Far from the edges, where the fringe was padded by a constant. */
	for (size_t i = 0; i < 2 * 9 * 200; i++)
		if (i % 200 > 80 && i % 200 < 120)
			ck_assert_double_eq_tol(exp(-x[i]), 0.5 + 0.1 / (1 + alpha * k * k) * cos(k * 0.001 * (double)(i % 200)), 5e-4);
	ck_refused(gt_prepare(&p, "phase:energy=20,distance=100", NULL), GT_ERR_ARG, "delta-beta=0");
	ck_refused(gt_prepare(&p, "phase:energy=20,delta-beta=10", NULL), GT_ERR_ARG, "distance=0");
	ck_refused(gt_prepare(&p, "phase:energy=1e-3,distance=1e6,delta-beta=1e6", NULL), GT_ERR_ARG, "pixels");
	gt_scan_free(scan);
	gt_projections_free(p);
}

/* A point projects to the same position on the detector, in mm, before and after. */
static void same_place(const gt_scan *a, size_t view_a, const gt_scan *b, size_t view_b, size_t column, size_t row, double column_b,
                       double row_b)
{
	for (int k = 0; k < 3; k++) {
		const double pa = a->view[view_a].detector[k] +
		                  ((double)column - a->column_center) * a->column_pitch * a->view[view_a].column_axis[k] +
		                  ((double)row - a->row_center) * a->row_pitch * a->view[view_a].row_axis[k];
		const double pb = b->view[view_b].detector[k] +
		                  (column_b - b->column_center) * b->column_pitch * b->view[view_b].column_axis[k] +
		                  (row_b - b->row_center) * b->row_pitch * b->view[view_b].row_axis[k];
		ck_assert_double_eq_tol(pa, pb, 1e-9);
	}
}

GT_TEST(sizes)
{
	gt_projections *p = fan(9, 7, 11);
	gt_scan *before = NULL;
	float first[9 * 7 * 11];
	gt_test_random(5, 9 * 7 * 11, gt_projections_data(p));
	memcpy(first, gt_projections_data(p), sizeof first);
	ck_ok(gt_projections_set_photons(p, (float[9 * 7 * 11]){ [0] = 5, [1] = 7, [11] = 1, [12] = 2 }));
	ck_ok(gt_scan_clone(gt_projections_scan(p), &before));
	ck_ok(gt_prepare(&p, "views:range=1:8:3", NULL));
	ck_assert_uint_eq(gt_projections_scan(p)->views, 3);
	ck_assert_float_eq(gt_projections_data(p)[2 * 77 + 5], first[7 * 77 + 5]);
	same_place(before, 4, gt_projections_scan(p), 1, 3, 2, 3, 2);
	ck_ok(gt_prepare(&p, "crop:first-rows=1,last-rows=2,first-columns=3", NULL));
	ck_assert_uint_eq(gt_projections_scan(p)->rows, 4);
	ck_assert_uint_eq(gt_projections_scan(p)->columns, 8);
	ck_assert_float_eq(gt_projections_data(p)[(1 * 4 + 2) * 8 + 5], first[(4 * 7 + 3) * 11 + 8]);
	same_place(before, 4, gt_projections_scan(p), 1, 8, 3, 5, 2);
	ck_ok(gt_prepare(&p, "bin:rows=2,columns=3", NULL));
	ck_assert_uint_eq(gt_projections_scan(p)->columns, 2);
	/* The centre of new pixel (0, 1) was that of old pixel (0.5, 4) of the part: (1.5, 7) of the whole. */
	same_place(before, 4, gt_projections_scan(p), 1, 7, 2, 1, 0.25);
	double t = 0;
	for (int r = 0; r < 2; r++)
		for (int c = 3; c < 6; c++)
			t += exp(-first[(4 * 7 + 1 + r) * 11 + 3 + c]) / 6;
	ck_assert_float_eq_tol(gt_projections_data(p)[(1 * 2 + 0) * 2 + 1], (float)-log(t), 1e-6f);
	ck_refused(gt_prepare(&p, "crop:first-rows=2", NULL), GT_ERR_ARG, "2 and 0 rows");
	ck_refused(gt_prepare(&p, "views:range=3:", NULL), GT_ERR_ARG, "expected a part of 0 to 2");
	ck_refused(gt_prepare(&p, "rins", NULL), GT_ERR_UNKNOWN, "did you mean 'rings'");
	gt_scan_free(before);
	gt_projections_free(p);
}

int main(void) { return gt_test_main("spectrum", NULL); }
