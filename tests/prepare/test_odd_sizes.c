/* Every step on single rows or columns, few views, and windows wider than the detector: finite results or refusals
 * with a message. NaN and infinite values are refused before anything changes.
 * labels: unit property  backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/prepare.h>
#include "prepare/bad_pixels.h"
#include "tests/support/support.h"

static const char *const specs[] = {
	"lag:rates=0.7:0.1,amounts=0.003:0.0005",
	"lag:rates=0.7,amounts=0.01,lit",
	"views:range=::2",
	"crop:last-rows=1",
	"crop:first-columns=1",
	"bad-pixels:method=views",
	"bad-pixels:method=fields",
	"dynamic-flats",
	"air",
	"air:left=2,right=1",
	"zingers",
	"zingers:photons=1000,dark",
	"scatter:fraction=0.02",
	"scatter:method=kernel,fraction=0.05,width=2.5",
	"phase:energy=20,distance=100,delta-beta=0.5",
	"phase:energy=20,delta-beta=1e-6,method=generalised",
	"bin:rows=2,columns=3",
	"beam-hardening:kv=120,aluminium=3",
	"beam-hardening:method=flatness",
	"beam-hardening:kv=120,aluminium=3,dense=bone",
	"rings:method=gain",
	"rings:method=gain,window=63",
	"rings:method=sorting,window=1001",
	"rings:method=large,drop=0.49",
	"rings:method=large,window=1001",
	"rings:method=dead",
	"rings:method=all",
	"metal:method=li,threshold=1.5",
	"metal:method=nmar,threshold=1.5",
	"metal:method=weights,threshold=1.5",
	"extend",
	"extend:columns=3,water=0.3",
};
enum { SPECS = sizeof specs / sizeof *specs, FIELDS = 6 };

/* Views, rows, columns. */
static const size_t sizes[][3] = { { 1, 1, 1 }, { 1, 1, 30 }, { 3, 1, 30 }, { 1, 7, 1 },  { 3, 2, 1 },  { 2, 3, 2 },  { 1, 9, 11 },
	                           { 3, 5, 9 }, { 4, 1, 5 },  { 5, 3, 7 },  { 9, 1, 24 }, { 8, 4, 25 }, { 17, 2, 33 } };
enum { SIZES = sizeof sizes / sizeof *sizes };

static gt_projections *random_scan(gt_shape shape, const size_t n[3], uint64_t seed)
{
	const gt_orbit orbit = { .shape = shape,
		                 .views = n[0],
		                 .rows = n[1],
		                 .columns = n[2],
		                 .column_pitch = 1.3,
		                 .row_pitch = 1.7,
		                 .column_offset = 0.4,
		                 .row_offset = -0.3,
		                 .source_to_axis = 400,
		                 .source_to_detector = 700,
		                 .turn = 2 * GT_PI };
	gt_scan *s = NULL;
	gt_projections *p = NULL;
	ck_ok(gt_scan_orbit(&orbit, &s));
	ck_ok(gt_projections_new(s, &p));
	gt_test_random(seed, gt_scan_size(s), gt_projections_data(p));
	/* Attenuation of an object, with noise below 0 in air. */
	for (size_t i = 0; i < gt_scan_size(s); i++) {
		const double u = (double)(i % n[2]) - 0.47 * (double)(n[2] - 1), half = 0.45 * (double)n[2];
		gt_projections_data(p)[i] = (float)(2 * sqrt(fmax(0, 1 - u * u / (half * half))) + 0.1 * gt_projections_data(p)[i]);
	}
	gt_scan_free(s);
	return p;
}

static void check_finite(const gt_projections *p, const char *spec, const size_t n[3])
{
	const size_t size = gt_scan_size(gt_projections_scan(p));
	const float *x = gt_projections_data(p), *w = gt_projections_weights(p);
	ck_ok(gt_scan_check(gt_projections_scan(p)));
	for (size_t i = 0; i < size; i++)
		ck_assert_msg(isfinite(x[i]) && (!w || (w[i] >= 0 && isfinite(w[i]))), "%s of %zu x %zu x %zu: value %zu is %g", spec, n[0],
		              n[1], n[2], i, (double)x[i]);
}

/* Flat and dark fields of the detector, with noise. */
static void make_fields(size_t pixels, float **data, gt_prepare_options *o)
{
	*data = malloc(2 * FIELDS * pixels * sizeof **data);
	for (size_t i = 0; i < FIELDS * pixels; i++) {
		(*data)[i] = (float)(1000 + 30 * gt_test_normal(3, i));
		(*data)[FIELDS * pixels + i] = (float)(50 + 2 * gt_test_normal(4, i));
	}
	o->flats = (gt_field_images){ *data, FIELDS };
	o->darks = (gt_field_images){ *data + FIELDS * pixels, FIELDS };
}

GT_TESTS_ALIKE(finite_or_refused, 3 * SIZES)
{
	static const gt_shape shapes[] = { GT_PARALLEL, GT_FLAT, GT_ARC };
	const size_t *n = sizes[_i % SIZES];
	const gt_shape shape = shapes[_i / SIZES];
	size_t done = 0;
	for (int k = 0; k < SPECS; k++) {
		gt_prepare_options o = gt_prepare_defaults;
		gt_projections *p = random_scan(shape, n, (uint64_t)k + 1);
		float *fields;
		o.threads = 2;
		o.backend = "cpu:1";
		make_fields(n[1] * n[2], &fields, &o);
		const gt_status st = gt_prepare(&p, specs[k], &o);
		if (st == GT_OK)
			check_finite(p, specs[k], n);
		else
			ck_assert_msg((st == GT_ERR_ARG || st == GT_ERR_UNSUPPORTED || st == GT_ERR_FORMAT) && strlen(gt_error()) > 20,
			              "%s of %zu x %zu x %zu: status %d, %s", specs[k], n[0], n[1], n[2], (int)st, gt_error());
		done += st == GT_OK;
		gt_projections_free(p);
		free(fields);
	}
	/* Otherwise a step that refuses everything would pass. */
	ck_assert_uint_ge(done, n[2] > 3 ? 8 : 4);
}

/* NaN and infinity in memory: every step refuses them and leaves the other values unchanged. */
GT_TEST(not_finite)
{
	static const float bad[] = { NAN, INFINITY, -INFINITY };
	static const size_t n[3] = { 8, 3, 25 }, at = (5 * 3 + 2) * 25 + 7;
	gt_prepare_options o = gt_prepare_defaults;
	for (int k = 0; k < SPECS; k++)
		for (int b = 0; b < 3; b++) {
			gt_projections *p = random_scan(GT_FLAT, n, 5), *q = random_scan(GT_FLAT, n, 5);
			gt_projections_data(p)[at] = gt_projections_data(q)[at] = bad[b];
			gt_projections_data(p)[at + 9] = gt_projections_data(q)[at + 9] = bad[b];
			ck_refused(gt_prepare(&p, specs[k], &o), GT_ERR_FORMAT, "2 values are not finite, the first ");
			ck_refused(gt_prepare(&p, specs[k], &o), GT_ERR_FORMAT, "in view 5, row 2, column 7");
			ck_assert_int_eq(memcmp(gt_projections_data(p), gt_projections_data(q), 8 * 3 * 25 * sizeof(float)), 0);
			gt_projections_free(p);
			gt_projections_free(q);
		}
	gt_projections *p = random_scan(GT_PARALLEL, n, 6);
	size_t steps;
	gt_projections_data(p)[0] = NAN;
	ck_refused(gt_prepare_auto(&p, &o, &steps), GT_ERR_FORMAT, "in view 0, row 0, column 0");
	gt_projections_data(p)[0] = 0;
	ck_ok(gt_prepare_auto(&p, &o, &steps));
	gt_projections_free(p);
}

/* Fields are checked as well. */
GT_TEST(fields_not_finite)
{
	static const size_t n[3] = { 8, 5, 25 };
	unsigned char found[5 * 25];
	double gain;
	for (int dark = 0; dark < 2; dark++) {
		gt_prepare_options o = gt_prepare_defaults;
		gt_projections *p = random_scan(GT_FLAT, n, 5);
		const char *const what = dark ? "dark field 2 is nan at pixel 31 of 125" : "flat field 2 is nan at pixel 31 of 125";
		float *fields;
		o.backend = "cpu:1";
		make_fields(n[1] * n[2], &fields, &o);
		ck_ok(gt_bad_pixels_of_fields(&o.flats, &o.darks, n[1], n[2], found, NULL));
		fields[(size_t)(dark * FIELDS + 2) * n[1] * n[2] + 31] = NAN;
		ck_refused(gt_prepare(&p, "bad-pixels:method=fields", &o), GT_ERR_FORMAT, what);
		ck_refused(gt_prepare(&p, "dynamic-flats", &o), GT_ERR_FORMAT, what);
		ck_refused(gt_bad_pixels_of_fields(&o.flats, &o.darks, n[1], n[2], found, NULL), GT_ERR_FORMAT, what);
		ck_refused(gt_detector_gain(&o.flats, &o.darks, n[1] * n[2], &gain, NULL), GT_ERR_FORMAT, what);
		gt_projections_free(p);
		free(fields);
	}
}

int main(void) { return gt_test_main("odd_sizes", NULL); }
