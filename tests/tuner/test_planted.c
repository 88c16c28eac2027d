/* A variant that is wrong, writes outside, differs from run to run or hangs cannot win: faults are planted in the
 * source of a kernel, on a GPU, and must be found; what has none must pass.
 * labels: slow */
#include <stdio.h>
#include <string.h>
#include <gantry/scan.h>
#include "core/variant/variant.h"
#include "tests/support/support.h"
#include "tuner/check.h"

static gt_scan *scan;
static gt_grid grid;

static void make_problem(void)
{
	const gt_orbit orbit = { .shape = GT_ARC,
		                 .source_to_axis = 541,
		                 .source_to_detector = 949,
		                 .columns = 111,
		                 .rows = 37,
		                 .views = 41,
		                 .column_pitch = 8.1912,
		                 .row_pitch = 2,
		                 .turn = 6.283185307179586 };
	const size_t n[3] = { 61, 67, 33 };
	ck_assert_int_eq(gt_scan_orbit(&orbit, &scan), GT_OK);
	memset(&grid, 0, sizeof grid);
	for (int a = 0; a < 3; a++) {
		grid.n[a] = n[a];
		grid.pitch[a] = a < 2 ? 7.8 : 1.3;
	}
}

/* Tries the built-in values, compiled anew with that fault. */
static void try_it(const char *from, const char *to, double limit, gt_tune_trial *t)
{
	gt_tune_options o;
	gt_check *check;
	gt_child *child;
	make_problem();
	gt_tune_defaults(&o);
	o.scan = scan;
	o.grid = &grid;
	ck_assert_int_eq(gt_check_new(&o, &check), GT_OK);
	gt_variant_plant(from, to);
	ck_assert_int_eq(gt_child_new(gt_check_try, check, limit, limit < 60 ? 15 : 0, &child), GT_OK);
	gt_child_try(child, "WHOLE=96", t);
	gt_child_free(child);
	gt_variant_plant(NULL, NULL);
	gt_check_free(check);
	gt_scan_free(scan);
}

static const char write_out[] = "*y = j.add ? *y + value : value;";
static const struct {
	const char *what, *from, *to, *why;
} faults[] = {
	{ "a row that is missing", write_out, "*y = l == 3 ? 0 : value;", "off the CPU" },
	{ "an entry off by 1e-4", write_out, "*y = value * (l == 3 && k0 + c == 7 ? 1.0002f : 1.f);", "off the CPU" },
	{ "a row that is not written", write_out, "if (l != 3) *y = value;", "not finite" },
	{ "a write before the result", write_out, "*y = value; if (view == 0 && l == 0) j.y[-1] = 0;", "outside" },
	{ "bits that differ", write_out, "*y = value * (1 + (float)(clock64() & 7) * 1e-7f);", "different bits" },
	{ "text that does not compile", write_out, "*y = value + no_such_thing;", "does not compile" },
};

START_TEST(planted_faults_are_found)
{
	gt_tune_trial t;
	try_it(faults[_i].from, faults[_i].to, 60, &t);
	printf("%s: %s, %s\n", faults[_i].what, gt_tune_verdict_text(t.verdict), t.why);
	ck_assert_msg(t.verdict != GT_TUNE_OK && strstr(t.why, faults[_i].why), "%s: %s, %s", faults[_i].what,
	              gt_tune_verdict_text(t.verdict), t.why);
}
END_TEST

START_TEST(what_hangs_is_ended)
{
	gt_tune_trial t;
	try_it(write_out, "*y = value; for (;;) if (clock64() == 0) break;", 2, &t);
	printf("hangs: %s, %s\n", gt_tune_verdict_text(t.verdict), t.why);
	ck_assert_int_eq(t.verdict, GT_TUNE_ENDED);
	ck_assert_ptr_nonnull(strstr(t.why, "did not end"));
}
END_TEST

START_TEST(what_is_right_passes)
{
	gt_tune_trial t;
	try_it(write_out, "*y = j.add ? value + *y : value;", 60, &t);
	printf("right: %s, %s, %g ms, built-in %g ms, off %g\n", gt_tune_verdict_text(t.verdict), t.why, t.ms, t.built_in_ms, t.error);
	ck_assert_msg(t.verdict == GT_TUNE_OK, "%s: %s", gt_tune_verdict_text(t.verdict), t.why);
	ck_assert(t.ms > 0 && t.built_in_ms > 0 && t.error > 0);
}
END_TEST

static void fill(TCase *t)
{
	if (!gt_test_is_gpu() || gt_variant_no_compiler())
		return;
	tcase_add_loop_test(t, planted_faults_are_found, 0, sizeof faults / sizeof *faults);
	tcase_add_test(t, what_hangs_is_ended);
	tcase_add_test(t, what_is_right_passes);
}
int main(void) { return gt_test_main("planted faults", fill); }
