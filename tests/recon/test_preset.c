/* Presets: what they fill in and leave as asked, subsets by the views, what cannot be combined, help.
 * labels: unit  backend: none */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "geometry/projections.h"
#include "recon/penalty_spec.h"
#include "recon/preset.h"
#include "tests/support/support.h"

static const struct {
	size_t views;
	int known; /* 1: weights, 2: photons */
	const char *weights, *penalty, *solver, *use_weights, *use_penalty;
} cases[] = {
	{ 984, 0, "auto", NULL, "os-sqs:iterations=20,subsets=12", "noise", "qggmrf:c=10HU,strength=auto,kappa=yes" },
	{ 192, 1, "auto", NULL, "os-sqs:iterations=20,subsets=12", "auto", "qggmrf:c=10HU,strength=auto,kappa=yes" },
	{ 191, 2, "auto", "tv", "os-sqs:iterations=20,subsets=11", "auto", "tv" },
	{ 32, 0, "uniform", NULL, "os-sqs:iterations=20,subsets=2", "uniform", "qggmrf:c=10HU,strength=auto,kappa=yes" },
	{ 31, 0, NULL, NULL, "os-sqs:iterations=20,subsets=1", "noise", "qggmrf:c=10HU,strength=auto,kappa=yes" },
	{ 3, 1, "photons:count=5", "huber:noise=3HU", "os-sqs:iterations=20,subsets=1", "photons:count=5", "huber:noise=3HU" },
};
enum { CASES = sizeof cases / sizeof *cases };

START_TEST(iterative)
{
	float one = 1;
	gt_scan scan = { .views = cases[_i].views };
	const gt_projections p = { .scan = &scan,
		                   .weight = cases[_i].known == 1 ? &one : NULL,
		                   .photons = cases[_i].known == 2 ? &one : NULL };
	gt_preset_settings s = { NULL, cases[_i].weights, cases[_i].penalty };
	char *solver = NULL;
	ck_ok(gt_preset_check(GT_PRESET_ITERATIVE, &s));
	ck_ok(gt_preset_set(GT_PRESET_ITERATIVE, &p, &s, &solver));
	ck_assert_str_eq(s.solver, cases[_i].solver);
	ck_assert_ptr_eq(s.solver, solver);
	ck_assert_str_eq(s.weights, cases[_i].use_weights);
	ck_assert_str_eq(s.penalty, cases[_i].use_penalty);
	ck_ok(gt_penalty_spec_check(s.penalty));
	free(solver);
}
END_TEST

START_TEST(others_change_nothing)
{
	gt_scan scan = { .views = 100 };
	const gt_projections p = { .scan = &scan };
	for (int q = GT_PRESET_NONE; q <= GT_PRESET_FAST; q++) {
		gt_preset_settings s = { NULL, "auto", NULL };
		char *solver = (char *)"";
		ck_ok(gt_preset_set((gt_preset)q, &p, &s, &solver));
		ck_assert(solver == NULL && s.solver == NULL && s.penalty == NULL);
		ck_assert_str_eq(s.weights, "auto");
	}
}
END_TEST

START_TEST(combinations)
{
	const gt_preset_settings solver = { "fdk", "auto", NULL }, penalty = { NULL, "auto", "tv" }, weights = { NULL, "noise", NULL };
	ck_ok(gt_preset_check(GT_PRESET_NONE, &solver));
	ck_ok(gt_preset_check(GT_PRESET_NONE, &penalty));
	ck_ok(gt_preset_check(GT_PRESET_ITERATIVE, &penalty));
	ck_ok(gt_preset_check(GT_PRESET_ITERATIVE, &weights));
	ck_refused(gt_preset_check(GT_PRESET_ITERATIVE, &solver), GT_ERR_ARG, "--preset=iterative chooses the solver");
	ck_refused(gt_preset_check(GT_PRESET_FAST, &solver), GT_ERR_ARG, "cannot be combined with --solver=fdk");
	ck_refused(gt_preset_check(GT_PRESET_FAST, &penalty), GT_ERR_ARG, "--preset=fast is the direct method, which takes no penalty");
}
END_TEST

static char *help(const char *name, gt_status expected)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	ck_assert_int_eq(gt_preset_help(name, out), expected);
	fclose(out);
	return text;
}

START_TEST(names_and_help)
{
	char *all = help(NULL, GT_OK), *fast = help("fast", GT_OK), *none = help("slow", GT_ERR_UNKNOWN);
	ck_assert_str_eq(gt_preset_names[GT_PRESET_FAST], "fast");
	ck_assert_str_eq(gt_preset_names[GT_PRESET_ITERATIVE], "iterative");
	ck_assert_ptr_null(gt_preset_names[GT_NPRESETS]);
	ck_assert(!strncmp(all, "none       no preset: the default", 33) && strstr(all, "\nfast       the analytic method"));
	ck_assert(strstr(all, "--solver os-sqs:iterations=20,subsets=12 (fewer for less than 192 views) --penalty qggmrf"));
	ck_assert(!strncmp(fast, "fast ", 5) && !strstr(fast, "os-sqs"));
	ck_assert_str_eq(none, "");
	free(all);
	free(fast);
	free(none);
}
END_TEST

static void fill_suite(TCase *tc)
{
	tcase_add_loop_test(tc, iterative, 0, CASES);
	tcase_add_test(tc, others_change_nothing);
	tcase_add_test(tc, combinations);
	tcase_add_test(tc, names_and_help);
}

int main(void) { return gt_test_main("presets", fill_suite); }
