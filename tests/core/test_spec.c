/* Specs as text: ends of names, added keys, and duplicate keys.
 * labels: unit backend: none */
#include <stdlib.h>
#include <string.h>
#include "core/spec.h"
#include "tests/support/support.h"

static const struct {
	const char *spec;
	size_t name, file; /* lengths as a name and as a file name */
	const char *values, *of_file;
	const char *longer; /* with a=1 */
} specs[] = {
	{ "", 0, 0, NULL, NULL, ":a=1" },
	{ "tv", 2, 2, NULL, NULL, "tv:a=1" },
	{ "tv:", 2, 3, "", NULL, "tv:a=1" },
	{ "tv:b=2", 2, 2, "b=2", "b=2", "tv:b=2,a=1" },
	{ "C:x.ck", 1, 6, "x.ck", NULL, "C:x.ck,a=1" },
	{ "C:x.ck:every=3", 1, 6, "x.ck:every=3", "every=3", "C:x.ck:every=3,a=1" },
	{ "run=2:x.ck", 5, 10, "x.ck", NULL, "run=2:x.ck,a=1" },
};

GT_TESTS(cut, sizeof specs / sizeof *specs)
{
	const gt_spec name = gt_spec_cut(specs[_i].spec), file = gt_spec_cut_file(specs[_i].spec);
	char *longer = gt_spec_with(specs[_i].spec, "a=1");
	ck_assert_uint_eq(name.length, specs[_i].name);
	ck_assert_uint_eq(file.length, specs[_i].file);
	ck_assert_pstr_eq(name.values, specs[_i].values);
	ck_assert_pstr_eq(file.values, specs[_i].of_file);
	ck_assert_str_eq(longer, specs[_i].longer);
	free(longer);
}

GT_TEST(once)
{
	static const char *const good[] = { NULL, "", "a", "a=1", "a=1,b=1", "a=1,ab=1,b=a", "ab,a,b=ab" };
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		ck_ok(gt_spec_check_once(good[i]));
	ck_refused(gt_spec_check_once("a=1,a=1"), GT_ERR_ARG, "a=1 and a=1: the parameter is given twice, expected once");
	ck_refused(gt_spec_check_once("a,b=2,a=no"), GT_ERR_ARG, "a and a=no: the parameter is given twice");
	ck_refused(gt_spec_check_once("x,a=1,b=2,c,b"), GT_ERR_ARG, "b=2 and b: the parameter is given twice");
}

/* Large differences of attenuation need a unit; other keys and small values do not. */
GT_TEST(units)
{
	static const gt_param table[] = { { .key = "delta", .kind = GT_MU, .max = 1000 },
		                          { .key = "size", .kind = GT_REAL, .max = 1000 },
		                          { .key = NULL } };
	static const char *const good[] = { NULL,    "",         "size=10", "delta=0.09", "delta=10HU", "size=3,delta=10mm-1",
		                            "delta", "deltas=3", "delta=x" };
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		ck_ok(gt_spec_check_units(table, good[i]));
	ck_ok(gt_spec_check_units(NULL, "delta=10"));
	ck_refused(gt_spec_check_units(table, "delta=10"), GT_ERR_ARG,
	           "delta=10: a number without unit is mm-1, and this one would be 500000 HU: expected delta=10HU, or delta=10mm-1");
	ck_refused(gt_spec_check_units(table, "size=1,delta=0.1,size=2"), GT_ERR_ARG, "expected delta=0.1HU, or delta=0.1mm-1");
}

/* Compares key lists. Iterations and order may differ; a key missing in an older list may have its default. */
GT_TEST(difference)
{
	static const struct {
		const char *list, *other, *standard, *mine, *its; /* mine: NULL: none */
	} all[] = {
		{ "", "", "", NULL, NULL },
		{ "a=1,b=2", "a=1,b=2", "", NULL, NULL },
		{ "a=1,b=2", "b=2,a=1", "", NULL, NULL },
		{ "iterations=3,a=1", "iterations=5,a=1", "", NULL, NULL },
		{ "a=1,new=0", "a=1", "a=7,new=0", NULL, NULL },
		{ "a=1,new=4", "a=1", "a=7,new=0", "new=4", "new" },
		{ "a=1,new=0", "a=1", "a=7", "new=0", "new" },
		{ "a=1,b=2", "a=1,b=23", "b=2", "b=2", "b=23" },
		{ "a=12,b=2", "a=1,b=2", "", "a=12", "a=1" },
		{ "ab=1,a=2", "ab=1,a=3", "", "a=2", "a=3" },
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		char mine[128] = "", its[128] = "";
		const int differs = gt_spec_difference(all[i].list, all[i].other, all[i].standard, mine, its);
		ck_assert_int_eq(differs, all[i].mine != NULL);
		if (differs) {
			ck_assert_str_eq(mine, all[i].mine);
			ck_assert_str_eq(its, all[i].its);
		}
	}
}

int main(void) { return gt_test_main("spec", NULL); }
