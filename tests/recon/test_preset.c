/* Presets: settings, overrides, subsets by the number of views, exclusions and help.
 * labels: unit backend: none */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "recon/penalty/penalty_spec.h"
#include "recon/preset.h"
#include "recon/spec_merge.h"
#include "tests/support/support.h"

#define OWN "qggmrf:c=10HU,strength=auto,kappa=yes"
static const struct {
	size_t views;
	gt_preset_settings asked;
	const char *solver, *weights, *penalty, *changed;
	int is_replaced;
} cases[] = {
	{ 984, { NULL, "auto", NULL }, "os-sqs:iterations=20,subsets=12", "model", OWN, NULL, 0 },
	{ 192, { NULL, NULL, NULL }, "os-sqs:iterations=20,subsets=12", "model", OWN, NULL, 0 },
	{ 191, { NULL, "auto", "tv" }, "os-sqs:iterations=20,subsets=11", "model", "tv", " --penalty tv", 0 },
	{ 112, { NULL, NULL, NULL }, "os-sqs:iterations=20,subsets=7", "model", OWN, NULL, 0 },
	{ 111, { NULL, NULL, NULL }, "os-sqs:iterations=24,subsets=6", "model", OWN, NULL, 0 },
	{ 61, { NULL, NULL, NULL }, "os-sqs:iterations=47,subsets=3", "model", OWN, NULL, 0 },
	{ 61, { "os-sqs:iterations=5", NULL, NULL }, "os-sqs:subsets=3,iterations=5", "model", OWN, " --solver os-sqs:iterations=5", 0 },
	{ 48, { NULL, NULL, NULL }, "os-sqs:iterations=47,subsets=3", "model", OWN, NULL, 0 },
	{ 47, { NULL, NULL, NULL }, "os-sqs:iterations=70,subsets=2", "model", OWN, NULL, 0 },
	{ 32, { NULL, "uniform", NULL }, "os-sqs:iterations=70,subsets=2", "uniform", OWN, " --weights uniform", 0 },
	{ 31, { NULL, NULL, NULL }, "os-sqs:iterations=140,subsets=1", "model", OWN, NULL, 0 },
	{ 3,
	  { NULL, "photons:count=5", "huber:noise=3HU" },
	  "os-sqs:iterations=140,subsets=1",
	  "photons:count=5",
	  "huber:noise=3HU",
	  " --weights photons:count=5 --penalty huber:noise=3HU",
	  0 },
	/* requested subsets count */
	{ 984, { "os-sqs:subsets=5", NULL, NULL }, "os-sqs:iterations=28,subsets=5", "model", OWN, " --solver os-sqs:subsets=5", 0 },
	{ 40, { "os-sqs:subsets=10", NULL, NULL }, "os-sqs:iterations=20,subsets=10", "model", OWN, " --solver os-sqs:subsets=10", 0 },
	{ 984,
	  { "os-sqs:subsets=2,iterations=9", NULL, NULL },
	  "os-sqs:subsets=2,iterations=9",
	  "model",
	  OWN,
	  " --solver os-sqs:subsets=2,iterations=9",
	  0 },
	{ 984, { "os-sqs:subsets=0", NULL, NULL }, "os-sqs:iterations=20,subsets=0", "model", OWN, " --solver os-sqs:subsets=0", 0 },
	/* keys replace keys of the preset; noise= replaces strength= */
	{ 984,
	  { NULL, NULL, "qggmrf:noise=4HU" },
	  "os-sqs:iterations=20,subsets=12",
	  "model",
	  "qggmrf:c=10HU,kappa=yes,noise=4HU",
	  " --penalty qggmrf:noise=4HU",
	  0 },
	{ 984,
	  { "os-sqs:iterations=40", "model:even=0.1", "qggmrf:kappa=no,c=5HU" },
	  "os-sqs:subsets=12,iterations=40",
	  "model:even=0.1",
	  "qggmrf:strength=auto,kappa=no,c=5HU",
	  " --solver os-sqs:iterations=40 --weights model:even=0.1 --penalty qggmrf:kappa=no,c=5HU",
	  0 },
	{ 984,
	  { "pcg", "noise", "tv:strength=1" },
	  "pcg",
	  "noise",
	  "tv:strength=1",
	  " --solver pcg --weights noise --penalty tv:strength=1",
	  1 },
};
enum { CASES = sizeof cases / sizeof *cases };

START_TEST(iterative)
{
	gt_preset_made made;
	ck_ok(gt_preset_check(GT_PRESET_ITERATIVE, &cases[_i].asked));
	ck_ok(gt_preset_make(GT_PRESET_ITERATIVE, cases[_i].views, &cases[_i].asked, &made));
	ck_assert_str_eq(made.solver, cases[_i].solver);
	ck_assert_str_eq(made.weights, cases[_i].weights);
	ck_assert_str_eq(made.penalty, cases[_i].penalty);
	ck_assert(!made.changed == !cases[_i].changed);
	if (made.changed)
		ck_assert_str_eq(made.changed, cases[_i].changed);
	ck_assert_int_eq(made.is_replaced, cases[_i].is_replaced);
	ck_ok(gt_penalty_spec_check(made.penalty));
	gt_preset_made_free(&made);
	ck_assert_ptr_null(made.solver);
}
END_TEST

START_TEST(others_make_nothing)
{
	for (int q = GT_PRESET_NONE; q <= GT_PRESET_FAST; q++) {
		const gt_preset_settings asked = { NULL, "auto", NULL };
		gt_preset_made made;
		ck_ok(gt_preset_make((gt_preset)q, 100, &asked, &made));
		ck_assert(made.solver == NULL && made.weights == NULL && made.penalty == NULL && made.changed == NULL);
		gt_preset_made_free(&made);
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
	ck_refused(gt_preset_check(GT_PRESET_FAST, &solver), GT_ERR_ARG, "cannot be combined with --solver=fdk");
	ck_refused(gt_preset_check(GT_PRESET_FAST, &penalty), GT_ERR_ARG, "--preset=fast is the direct method, which takes no penalty");
}
END_TEST

static const struct {
	const char *base, *asked, *merged;
} texts[] = {
	{ "a:x=1,y=2", NULL, "a:x=1,y=2" },
	{ "a:x=1,y=2", "a", "a:x=1,y=2" },
	{ "a:x=1,y=2", "a:y=3", "a:x=1,y=3" },
	{ "a:x=1,y=2", "a:y=3,x=4", "a:y=3,x=4" },
	{ "a:x=1,y=2", "ab:y=3", "ab:y=3" },
	{ "ab:x=1,y=2", "a", "a" },
	{ "a:x=1,xy=2", "a:x=3", "a:xy=2,x=3" },
	{ "a:xy=2,x=1", "a:x=3", "a:xy=2,x=3" },
	{ "a", "a:x=1", "a:x=1" },
	{ "a:x=1", "a:", "a:x=1" },
	{ "a:old=1,x=2", "a:new=3", "a:x=2,new=3" },
	{ "a:new=1,x=2", "a:old=3", "a:x=2,old=3" },
	{ "a:old=1,x=2", "a:newer=3", "a:old=1,x=2,newer=3" },
	{ NULL, "a:x=1", "a:x=1" },
};
enum { TEXTS = sizeof texts / sizeof *texts };

START_TEST(merged_texts)
{
	static const char *const rivals[] = { "old", "new", NULL };
	char *merged;
	ck_ok(gt_spec_merge(texts[_i].base, texts[_i].asked, rivals, &merged));
	ck_assert_str_eq(merged, texts[_i].merged);
	free(merged);
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
	ck_assert(strstr(all, "--solver os-sqs:iterations=20,subsets=12 (fewer below 192 views, and more iterations below 112)"));
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
	tcase_add_loop_test(tc, merged_texts, 0, TEXTS);
	tcase_add_test(tc, others_make_nothing);
	tcase_add_test(tc, combinations);
	tcase_add_test(tc, names_and_help);
}

int main(void) { return gt_test_main("presets", fill_suite); }
