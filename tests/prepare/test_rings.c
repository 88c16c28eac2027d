/* Removal of rings: a tube about the axis stays, strong stripes go. labels: unit physics slow  backend: cpu */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/phantom.h>
#include <gantry/prepare.h>
#include "tests/prepare/half_turn.h"
#include "tests/support/support.h"

/* Tubes about the axis: wall width in pixels, attenuation, standard deviation of the column gains, offset of the
 * axis in pixels. */
enum { TUBES = 7 };
static const struct {
	double wall, mu, gain, offset;
} tubes[TUBES] = { { 6, 0.02, 0, 0 },       { 6, 0.02, 0, 0.3 },  { 6, 0.004, 0, -0.45 }, { 3, 0.01, 0, 0.2 },
	           { 6, 0.02, 0.003, 0.3 }, { 8, 0.012, 0, 0.3 }, { 7.2, 0.02, 0, 0.1 } };

/* A tube resembles a ring: its wall must stay within 2 %. */
GT_TESTS(a_tube_keeps_its_wall, 4 * TUBES)
{
	enum { VIEWS = 180, COLUMNS = 128 };
	static const char *const methods[] = { "gain", "sorting", "large", "all" };
	const char *method = methods[_i / TUBES];
	char spec[64];
	const double outer = 40, inner = 40 - tubes[_i % TUBES].wall, offset = tubes[_i % TUBES].offset;
	gt_projections *p = half_turn((const size_t[]){ VIEWS, 1, COLUMNS }, (const double[]){ 1, 1 }, (const double[]){ offset, 0 });
	float *x = gt_projections_data(p), *slice = malloc(2 * COLUMNS * COLUMNS * sizeof *slice), *after = slice + COLUMNS * COLUMNS;
	double wall[2] = { 0, 0 }, n = 0;
	for (size_t i = 0; i < VIEWS * COLUMNS; i++) {
		double sum = 0;
		for (int k = 0; k < 9; k++) {
			const double u = (double)(i % COLUMNS) - gt_projections_scan(p)->column_center + (k - 4) / 9.;
			sum += 2 * (sqrt(fmax(0, outer * outer - u * u)) - sqrt(fmax(0, inner * inner - u * u))) / 9;
		}
		x[i] = (float)(tubes[_i % TUBES].mu * sum + 0.003 * gt_test_normal(3, i));
	}
	slice_of(p, COLUMNS, slice);
	for (size_t i = 0; i < VIEWS * COLUMNS; i++)
		x[i] += (float)(tubes[_i % TUBES].gain * gt_test_normal(6, i % COLUMNS));
	snprintf(spec, sizeof spec, "rings:method=%s", method);
	ck_ok(gt_prepare(&p, spec, NULL));
	slice_of(p, COLUMNS, after);
	for (size_t i = 0; i < COLUMNS * COLUMNS; i++) {
		const double r = hypot((double)(i % COLUMNS) - (COLUMNS - 1) / 2., (double)(i / COLUMNS) - (COLUMNS - 1) / 2.);
		if (r > inner + 0.7 && r < outer - 0.7) {
			wall[0] += slice[i];
			wall[1] += after[i];
			n++;
		}
	}
	fprintf(stderr, "tube, %s: wall of %.1f pixels %.5f before, %.5f after (%+.2f %%)\n", method, tubes[_i % TUBES].wall, wall[0] / n,
	        wall[1] / n, 100 * (wall[1] / wall[0] - 1));
	ck_assert_double_eq_tol(wall[1] / wall[0], 1, 0.02);
	free(slice);
	gt_projections_free(p);
}

/* A pattern that some columns lack is found for all sizes: every 20th value is sampled, and there are 20 columns. */
GT_TEST(a_pattern_is_looked_for_in_all_columns)
{
	enum { VIEWS = 38000, ROWS = 5, COLUMNS = 20 };
	for (int planted = 0; planted < 2; planted++) {
		gt_projections *p = half_turn((const size_t[]){ VIEWS, ROWS, COLUMNS }, (const double[]){ 1, 1 }, (const double[]){ 0, 0 });
		float *x = gt_projections_data(p);
		size_t steps = 0;
		gt_test_random(17, gt_scan_size(gt_projections_scan(p)), x);
		for (size_t i = 0; i < gt_scan_size(gt_projections_scan(p)); i++)
			x[i] = 1 + 0.01f * x[i] + (planted && i % COLUMNS > 3 ? 0.05f * (float)gt_test_normal(2, i % COLUMNS) : 0);
		ck_ok(gt_prepare_auto(&p, NULL, &steps));
		const char *done = gt_projections_provenance(p)->parameters;
		ck_assert_msg(!planted == !(done && strstr(done, "prepare=rings:method=gain")), "pattern %d: %s", planted, done);
		gt_projections_free(p);
	}
}

/* A stripe as broad as half of the window is removed, whatever the lines from its sides. */
GT_TEST(a_broad_stripe_goes_with_a_wide_window)
{
	enum { VIEWS = 60, COLUMNS = 128, FIRST = 71, BROAD = 5 };
	static const char *const spec[] = { "rings", "rings:window=11", "rings:window=21" };
	double left[3];
	for (int w = 0; w < 3; w++) {
		gt_projections *p = half_turn((const size_t[]){ VIEWS, 1, COLUMNS }, (const double[]){ 1, 1 }, (const double[]){ 0.3, 0 });
		float *x = gt_projections_data(p);
		for (size_t i = 0; i < VIEWS * COLUMNS; i++) {
			const size_t k = i % COLUMNS;
			x[i] = (float)(1 + 0.001 * (double)k + (k >= FIRST && k < FIRST + BROAD ? 0.03 : 0) + 1e-3 * gt_test_normal(4, i));
		}
		ck_ok(gt_prepare(&p, spec[w], NULL));
		x = gt_projections_data(p);
		left[w] = 0;
		for (size_t i = 0; i < VIEWS * COLUMNS; i++)
			if (i % COLUMNS >= FIRST && i % COLUMNS < FIRST + BROAD)
				left[w] += ((double)x[i] - 1 - 0.001 * (double)(i % COLUMNS)) / (VIEWS * BROAD);
		gt_projections_free(p);
	}
	ck_assert_msg(left[0] > 0.02 && left[1] < 0.005 && left[2] < 0.005, "%.4f, %.4f, %.4f of 0.03 are left", left[0], left[1], left[2]);
}

/* Strong positive and negative stripes on a slope, wider than the median around a column detects, with and without
 * column gains. On a tenfold slope the object curves by more than the height of a stripe; there stripes have at least
 * three columns. Residuals of the mean over the views, in the stripes and elsewhere. */
enum { STRIPES = 3, STRIPED = 48 };
static const struct {
	size_t at[STRIPES], narrowest;
	double width, gain, left;
} slopes[4] = { { { 60, 101, 187 }, 1, 180, 0, 0.006 },
	        { { 60, 101, 187 }, 1, 180, 0.003, 0.006 },
	        { { 91, 108, 139 }, 3, 18, 0, 0.006 },
	        { { 91, 108, 139 }, 3, 18, 0.003, 0.009 } };

GT_TESTS(strong_stripes_of_several_columns, STRIPED)
{
	enum { VIEWS = 90, COLUMNS = 256 };
	static const char *const methods[] = { "sorting", "large", "all" };
	const int slope = _i < 30 ? _i / 15 : 2 + (_i - 30) / 9, among = _i < 30 ? _i % 15 : (_i - 30) % 9;
	const size_t broad = slopes[slope].narrowest + (size_t)among / 3, *at = slopes[slope].at;
	const double gain = slopes[slope].gain;
	char spec[64];
	gt_projections *p = half_turn((const size_t[]){ VIEWS, 1, COLUMNS }, (const double[]){ 1, 1 }, (const double[]){ -0.3, 0 });
	float *x = gt_projections_data(p), *truth = malloc(VIEWS * COLUMNS * sizeof *truth);
	double left = 0, elsewhere = 0;
	for (size_t i = 0; i < VIEWS * COLUMNS; i++) {
		const double u = (double)(i % COLUMNS) - 120, shift = 8 * sin((double)(i / COLUMNS) / 25);
		truth[i] = (float)(1.5 * exp(-pow((u - shift) / slopes[slope].width, 2)) + 0.004 * gt_test_normal(12, i));
		x[i] = truth[i] + (float)(gain * gt_test_normal(31, i % COLUMNS));
		for (size_t j = 0; j < STRIPES; j++)
			x[i] += i % COLUMNS >= at[j] && i % COLUMNS < at[j] + broad ? (j % 2 ? -0.1f : 0.1f) : 0;
	}
	snprintf(spec, sizeof spec, "rings:method=%s", methods[among % 3]);
	ck_ok(gt_prepare(&p, spec, NULL));
	x = gt_projections_data(p);
	for (size_t k = 0; k < COLUMNS; k++) {
		double off = 0;
		int stripe = 0;
		for (size_t j = 0; j < STRIPES; j++)
			stripe |= k >= at[j] && k < at[j] + broad;
		for (size_t v = 0; v < VIEWS; v++)
			off += (x[v * COLUMNS + k] - truth[v * COLUMNS + k]) / VIEWS;
		*(stripe ? &left : &elsewhere) += off * off / (double)(stripe ? STRIPES * broad : COLUMNS - STRIPES * broad);
	}
	fprintf(stderr, "%s, stripes of %zu columns, width %.0f, gains of %.3f: %.4f of 0.1 is left, %.5f elsewhere\n", methods[among % 3],
	        broad, slopes[slope].width, gain, sqrt(left), sqrt(elsewhere));
	ck_assert_double_lt(sqrt(left), slopes[slope].left);
	ck_assert_double_lt(sqrt(elsewhere), gain > 0 ? 1.05 * gain : 0.0007);
	free(truth);
	gt_projections_free(p);
}

/* A noisy head off the axis, with unstable and constant columns. */
static gt_projections *head_with(double scale, size_t broad, const size_t at[3], int stuck)
{
	enum { VIEWS = 120, COLUMNS = 256 };
	gt_projections *p = half_turn((const size_t[]){ VIEWS, 1, COLUMNS }, (const double[]){ 1, 1 }, (const double[]){ 0.3, 0 });
	float *x = gt_projections_data(p);
	gt_phantom_options o = gt_phantom_defaults;
	gt_phantom *body = NULL;
	o.scale = scale;
	o.rotate = 0.2;
	o.shift[0] = 5;
	o.shift[1] = -3;
	ck_ok(gt_phantom_new("forbild-head", &o, &body));
	ck_ok(gt_phantom_project(body, gt_projections_scan(p), 1, NULL, NULL, NULL, x));
	gt_phantom_free(body);
	gt_add_photon_noise(5e4, 0, 4, 0, NULL, x, VIEWS * COLUMNS);
	for (size_t i = 0; i < VIEWS * 3 * broad; i++) {
		const size_t j = i / broad % 3, k = i % broad;
		float *to = x + i / broad / 3 * COLUMNS + at[j] + k;
		*to = stuck ? (float)(1 + 0.3 * (double)k) : *to + (float)(0.5 * gt_test_normal(7, i));
	}
	return p;
}

/* Only these columns and their neighbours are found: no edges of bone, and no quiet columns between them and the
 * object. */
enum { FLUCTUATING = 16 };
static const struct {
	double scale;
	size_t broad, at[3];
	int stuck;
} fluctuating[FLUCTUATING] = {
	{ 1, 0, { 0, 0, 0 }, 0 },       { 0.6, 0, { 0, 0, 0 }, 0 },     { 1, 1, { 86, 115, 179 }, 0 },   { 1, 2, { 86, 115, 179 }, 0 },
	{ 1, 3, { 86, 115, 179 }, 0 },  { 1, 4, { 86, 115, 179 }, 0 },  { 1, 5, { 86, 115, 179 }, 0 },   { 1, 6, { 86, 115, 179 }, 0 },
	{ 1, 1, { 86, 115, 179 }, 1 },  { 1, 2, { 86, 115, 179 }, 1 },  { 1, 3, { 86, 115, 179 }, 1 },   { 0.6, 1, { 0, 128, 255 }, 0 },
	{ 0.6, 2, { 0, 128, 254 }, 0 }, { 0.6, 1, { 16, 28, 244 }, 0 }, { 0.6, 4, { 44, 128, 244 }, 0 }, { 0.6, 4, { 0, 128, 252 }, 0 },
};

GT_TESTS(columns_that_fluctuate, FLUCTUATING)
{
	const size_t broad = fluctuating[_i].broad, *at = fluctuating[_i].at;
	gt_projections *p = head_with(fluctuating[_i].scale, broad, at, fluctuating[_i].stuck);
	ck_ok(gt_prepare(&p, "rings:method=dead", NULL));
	const float *w = gt_projections_weights(p);
	ck_assert(broad == 0 ? w == NULL : w != NULL);
	for (size_t k = 0; w && k < gt_projections_scan(p)->columns; k++) {
		int bad = 0, beside = 0;
		for (size_t j = 0; j < 3; j++) {
			bad |= k >= at[j] && k < at[j] + broad;
			beside |= k + 1 >= at[j] && k < at[j] + broad + 1;
		}
		ck_assert_msg(bad ? w[k] == 0.1f : beside || w[k] == 1, "case %d: column %zu has the weight %g", _i, k, w[k]);
	}
	gt_projections_free(p);
}

/* Without noise no column is unstable, whatever the size. */
GT_TESTS(what_is_constant_stays, 2)
{
	static const char *const methods[] = { "dead", "all" };
	for (size_t columns = 5; columns < 12; columns++) {
		gt_projections *p = half_turn((const size_t[]){ columns - 1, 2, columns }, (const double[]){ 1, 1 },
		                              (const double[]){ 0.2, 0 });
		float *x = gt_projections_data(p);
		char spec[64];
		for (size_t i = 0; i < gt_scan_size(gt_projections_scan(p)); i++)
			x[i] = 0.7f;
		snprintf(spec, sizeof spec, "rings:method=%s", methods[_i]);
		ck_ok(gt_prepare(&p, spec, NULL));
		ck_assert_ptr_null(gt_projections_weights(p));
		for (size_t i = 0; i < gt_scan_size(gt_projections_scan(p)); i++)
			ck_assert_float_eq_tol(gt_projections_data(p)[i], 0.7f, 1e-6f);
		gt_projections_free(p);
	}
}

/* "all" sorts the columns once and equals its three parts in sequence. Quantised values have many equal ones; columns
 * without stripes stay, also next to stripes. */
enum { TOGETHER = 6 };
static const struct {
	size_t views, rows, columns;
	double step;
} together[TOGETHER] = {
	{ 61, 3, 97, 0 }, { 61, 3, 97, 1.0 / 64 }, { 4, 2, 5, 0 }, { 33, 2, 257, 0.1 }, { 128, 1, 144, 0 }, { 17, 2, 31, 0.5 },
};

static gt_projections *striped(const size_t n[3], double step)
{
	gt_projections *p = half_turn(n, (const double[]){ 1.1, 0.9 }, (const double[]){ -0.3, 0.4 });
	float *x = gt_projections_data(p);
	for (size_t i = 0; i < n[0] * n[1] * n[2]; i++) {
		const size_t k = i % n[2], v = i / n[2] / n[1];
		const double u = (double)k / (double)n[2] - 0.45 - 0.03 * sin((double)v / 5);
		double here = 2 * exp(-12 * u * u) + 0.02 * gt_test_normal(21, i) + 0.01 * gt_test_normal(22, i / n[2] % n[1] * n[2] + k);
		here += k % 29 == 11 || k % 41 == 17 || k % 41 == 18 ? 0.2 : k % 37 == 23 ? -0.15 * (v % 3 == 0) : 0;
		here += k % 89 == 61 ? 0.4 * gt_test_normal(23, i) : 0;
		x[i] = (float)(step > 0 ? step * floor(here / step) : here);
	}
	return p;
}

GT_TESTS(all_is_its_parts, TOGETHER)
{
	static const char *const parts[] = { "rings:method=dead", "rings:method=large", "rings:method=sorting" };
	const size_t n[3] = { together[_i].views, together[_i].rows, together[_i].columns }, size = n[0] * n[1] * n[2];
	gt_projections *p = striped(n, together[_i].step), *q = striped(n, together[_i].step), *was = striped(n, together[_i].step);
	double change = 0, max = 0;
	ck_ok(gt_prepare(&p, "rings:method=all", NULL));
	for (int i = 0; i < 3; i++)
		ck_ok(gt_prepare(&q, parts[i], NULL));
	for (size_t i = 0; i < size; i++) {
		const double a = gt_projections_data(p)[i];
		change = fmax(change, fabs(a - gt_projections_data(was)[i]));
		max = fmax(max, fabs(a - gt_projections_data(q)[i]));
	}
	fprintf(stderr, "%zu views of %zu x %zu, steps of %.3f: changed by up to %.3f, by %.2e otherwise than by its parts\n", n[0], n[1],
	        n[2], together[_i].step, change, max);
	ck_assert(n[2] < 9 || change > 0.01);
	ck_assert_double_le(max, 1e-6);
	gt_projections_free(p);
	gt_projections_free(q);
	gt_projections_free(was);
}

GT_TEST(windows)
{
	static const char *const even[] = { "rings:window=4", "rings:method=sorting,window=1" };
	gt_projections *p = half_turn((const size_t[]){ 5, 2, 9 }, (const double[]){ 1, 1 }, (const double[]){ 0, 0 });
	gt_test_random(3, 90, gt_projections_data(p));
	ck_refused(gt_prepare(&p, even[0], NULL), GT_ERR_ARG, "window=4: expected an odd number from 3 to 63");
	ck_refused(gt_prepare(&p, even[1], NULL), GT_ERR_ARG, "window=1: expected an odd number from 3 to 1001");
	ck_refused(gt_prepare(&p, "rings:window=65", NULL), GT_ERR_ARG, "from 3 to 63");
	gt_projections_free(p);
}

int main(void) { return gt_test_main("rings", NULL); }
