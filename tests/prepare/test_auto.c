/* Steps that --auto selects: projections without noise stay, zingers and unstable columns go.
 * labels: unit physics slow  backend: none */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/phantom.h>
#include <gantry/prepare.h>
#include "io/plausibility.h"
#include "tests/prepare/half_turn.h"
#include "tests/support/support.h"

static gt_projections *parallel(const size_t size[3]) { return half_turn(size, (const double[]){ 1, 1 }, (const double[]){ 0.3, 0 }); }

/* Returns the number of values in which a step changes projections. */
static size_t changed_by(const char *spec, gt_projections *p)
{
	const size_t n = gt_scan_size(gt_projections_scan(p));
	float *before = malloc(n * sizeof *before);
	size_t changed = 0;
	memcpy(before, gt_projections_data(p), n * sizeof *before);
	ck_ok(gt_prepare(&p, spec, NULL));
	for (size_t i = 0; i < n; i++)
		changed += gt_projections_data(p)[i] != before[i];
	memcpy(gt_projections_data(p), before, n * sizeof *before);
	free(before);
	return changed;
}

/* Projections without noise have no faults: air that never changes, sharp corners and smooth peaks stay. */
GT_TESTS(projections_without_noise_stay, 4)
{
	static const size_t size[][3] = { { 60, 1, 96 }, { 60, 3, 96 }, { 60, 24, 96 }, { 60, 24, 40 } };
	gt_phantom_options o = gt_phantom_defaults;
	gt_phantom *head = NULL;
	gt_projections *p = parallel(size[_i]);
	o.scale = 0.3;
	ck_ok(gt_phantom_new("forbild-head", &o, &head));
	ck_ok(gt_phantom_project(head, gt_projections_scan(p), 2, NULL, NULL, NULL, gt_projections_data(p)));
	ck_assert_uint_eq(changed_by("bad-pixels:method=views", p), 0);
	ck_assert_uint_eq(changed_by("zingers", p), 0);
	gt_phantom_free(head);
	gt_projections_free(p);
}

/* --auto removes zingers and interpolates each column that recon would name; noise alone needs neither. */
static void note_stray(void *self, const gt_message *m)
{
	(void)m;
	++*(size_t *)self;
}

GT_TEST(auto_finds_zingers_and_unstable_columns)
{
	enum { VIEWS = 90, ROWS = 4, COLUMNS = 96, N = ROWS * COLUMNS };
	gt_projections *p = parallel((const size_t[]){ VIEWS, ROWS, COLUMNS });
	float *x = gt_projections_data(p), *truth = malloc(VIEWS * N * sizeof *truth);
	size_t stray = 0, left = 0;
	const gt_listener count = { note_stray, &stray };
	for (size_t i = 0; i < VIEWS * N; i++) {
		const double u = (double)(i % COLUMNS) - 50;
		truth[i] = (float)(fabs(u) < 40 ? 0.03 * sqrt(1600 - u * u) : 0);
		x[i] = truth[i] + (float)(0.004 * gt_test_normal(21, i));
	}
	ck_ok(gt_prepare_auto(&p, NULL, NULL));
	const char *done = gt_projections_provenance(p)->parameters;
	ck_assert_msg(!done || (!strstr(done, "prepare=zingers") && !strstr(done, "method=dead")), "noise alone: %s", done);
	for (size_t i = 0; i < VIEWS * N; i++)
		x[i] += i % COLUMNS == 61 && i / N % 3 == 0 ? 4 * (float)fabs(gt_test_normal(22, i)) : 0;
	for (size_t k = 0; k < 12; k++)
		x[(5 + 7 * k) * N + k % ROWS * COLUMNS + 20 + 3 * k] -= 1.2f;
	gt_projections_outlier_columns(p, &count, "p");
	ck_assert_uint_eq(stray, 1);
	ck_ok(gt_prepare_auto(&p, NULL, NULL));
	stray = 0;
	gt_projections_outlier_columns(p, &count, "p");
	ck_assert_msg(!stray, "recon still names a column after %s", gt_projections_provenance(p)->parameters);
	for (size_t i = 0; i < VIEWS * N; i++)
		left += fabsf(gt_projections_data(p)[i] - truth[i]) > 0.06f;
	ck_assert_msg(!left, "%zu values are off after %s", left, gt_projections_provenance(p)->parameters);
	free(truth);
	gt_projections_free(p);
}

int main(void) { return gt_test_main("auto", NULL); }
