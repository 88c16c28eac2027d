/* Specs of penalties: keys of the engine and of the regularizer, units and refusals.
 * labels: unit backend: none */
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "recon/penalty/penalty_spec.h"
#include "regularizers/spec_of_water.h"
#include "tests/support/support.h"

static const struct {
	const char *text, *spec;
	int automatic, kappa;
	double noise, factor;
} good[] = {
	{ "tv", "tv", 1, 0, 0, 1 },
	{ "tgv:strength=3", "tgv:strength=3", 0, 0, 0, 1 },
	{ "huber:", "huber:", 1, 0, 0, 1 },
	{ "huber:delta=5HU,noise=10HU,kappa=yes", "huber:delta=5HU", 1, 1, 2e-4, 1 },
	{ "huber:noise=3e-4,delta=5HU", "huber:delta=5HU", 1, 0, 3e-4, 1 },
	{ "huber:strength=2e4", "huber:strength=2e4", 0, 0, 0, 1 },
	{ "huber:delta=5HU,strength=7,kappa", "huber:delta=5HU,strength=7", 0, 1, 0, 1 },
	{ "huber:kappa=no,strength=auto", "huber", 1, 0, 0, 1 },
	{ "huber:delta=60HU,kappa=noise,noise=10HU", "huber:delta=60HU", 1, GT_KAPPA_NOISE, 2e-4, 1 },
	{ "huber:strength=2x,kappa=noise", "huber", 1, GT_KAPPA_NOISE, 0, 2 },
	{ "qggmrf:strength=1.5x,c=10HU", "qggmrf:c=10HU", 1, 0, 0, 1.5 },
	{ "qggmrf:strength=1e-6x", "qggmrf", 1, 0, 0, 1e-6 },
	{ "qggmrf:c=auto,noise=10HU", "qggmrf", 1, 0, 2e-4, 1 },
	{ "huber:strength=7,delta=auto", "huber:strength=7", 0, 0, 0, 1 },
};
enum { GOOD = sizeof good / sizeof *good };

START_TEST(is_taken_apart)
{
	gt_penalty_spec p;
	ck_ok(gt_penalty_spec_parse(good[_i].text, &p));
	ck_assert_str_eq(p.spec, good[_i].spec);
	ck_assert_int_eq(p.automatic, good[_i].automatic);
	ck_assert_int_eq(p.kappa, good[_i].kappa);
	ck_assert_double_eq_tol(p.noise, good[_i].noise, 1e-12);
	ck_assert_double_eq(p.factor, good[_i].factor);
	gt_penalty_spec_free(&p);
	ck_assert_ptr_null(p.spec);
	ck_ok(gt_penalty_spec_check(good[_i].text));
}
END_TEST

/* The threshold's key is kept apart, and freed. */
START_TEST(automatic_threshold)
{
	gt_penalty_spec p;
	ck_ok(gt_penalty_spec_parse("huber:strength=7,delta=auto", &p));
	ck_assert_str_eq(p.edges, "delta");
	gt_penalty_spec_free(&p);
	ck_assert_ptr_null(p.edges);
	ck_ok(gt_penalty_spec_parse("huber:delta=5HU", &p));
	ck_assert_ptr_null(p.edges);
	gt_penalty_spec_free(&p);
}
END_TEST

static const struct {
	const char *text;
	gt_status status;
	const char *message;
} bad[] = {
	{ "hubert", GT_ERR_UNKNOWN, "unknown penalty 'hubert': did you mean 'huber'" },
	{ "", GT_ERR_UNKNOWN, "unknown penalty ''" },
	{ "hubert:noise=10HU", GT_ERR_UNKNOWN, "did you mean 'huber'" },
	{ "huber:noise=10HU,strength=3", GT_ERR_ARG, "strength= cannot be combined with noise=, which determines it" },
	{ "huber:strength=auto,noise=10HU", GT_ERR_ARG, "cannot be combined" },
	{ "huber:noise=0", GT_ERR_ARG, "penalty huber: noise=0" },
	{ "huber:noise=-5HU", GT_ERR_ARG, "noise=-5HU" },
	{ "huber:noise=2", GT_ERR_ARG, "noise=2" },
	{ "huber:noise", GT_ERR_ARG, "noise" },
	{ "huber:kappa=perhaps", GT_ERR_ARG, "kappa=perhaps: expected yes (uniform resolution), noise (uniform noise) or no" },
	{ "huber:kappa=noise,strength=7", GT_ERR_ARG,
	  "penalty huber: kappa=noise and a fixed strength: expected noise=10HU or strength=auto" },
	{ "tgv:kappa=noise", GT_ERR_ARG, "strength cannot be found" },
	{ "huber:strength=x", GT_ERR_ARG, "strength=x: expected a number, auto, or a factor" },
	{ "huber:strength=0x", GT_ERR_ARG, "strength=0x" },
	{ "huber:strength=1e7x", GT_ERR_ARG, "from 1e-06x to 1e+06x" },
	{ "huber:strength=-3", GT_ERR_ARG, "penalty huber" },
	{ "huber:strength=", GT_ERR_ARG, "strength" },
	{ "huber:colour=red", GT_ERR_ARG, "colour" },
	{ "huber:delta=5HU,", GT_ERR_ARG, "penalty huber" },
	{ "huber:noise=1HU,noise=2HU", GT_ERR_ARG, "penalty huber: noise=1HU and noise=2HU: the parameter is given twice" },
	{ "huber:kappa,delta=5HU,kappa=no", GT_ERR_ARG, "penalty huber: kappa and kappa=no: the parameter is given twice" },
	{ "huber:strength=auto,strength=2x", GT_ERR_ARG, "strength=auto and strength=2x: the parameter is given twice" },
	{ "huber:delta=1HU,noise=1HU,delta=2HU", GT_ERR_ARG, "penalty huber: delta=1HU and delta=2HU: the parameter is given twice" },
	{ "tgv", GT_ERR_ARG, "penalty tgv: its strength cannot be found from the noise: expected strength=NUMBER" },
	{ "piccs:prior=a.nc", GT_ERR_ARG, "penalty piccs: its strength cannot be found" },
	{ "qggmrf:map=a.nc", GT_ERR_ARG, "penalty qggmrf: its strength cannot be found" },
	{ "huber:c=auto", GT_ERR_ARG, "unknown parameter 'c'" },
	{ "qggmrf:c=wrong", GT_ERR_ARG, "c=wrong: expected c=auto (a multiple of the noise), HU as in c=10HU, or mm^-1 as in c=2e-4mm-1" },
	{ "huber:delta=-3HU", GT_ERR_ARG, "delta=-3HU: expected delta=auto (a multiple of the noise), HU as in delta=10HU" },
	{ "qggmrf:p=auto", GT_ERR_ARG, "p=auto" },
	{ "qggmrf:c=auto,c=10HU", GT_ERR_ARG, "c=auto and c=10HU: the parameter is given twice" },
	{ "tgv:noise=10HU", GT_ERR_ARG, "penalty tgv: its strength cannot be found" },
};
enum { BAD = sizeof bad / sizeof *bad };

START_TEST(is_refused)
{
	gt_penalty_spec p;
	ck_refused(gt_penalty_spec_parse(bad[_i].text, &p), bad[_i].status, bad[_i].message);
	ck_assert_ptr_null(p.spec);
	ck_refused(gt_penalty_spec_check(bad[_i].text), bad[_i].status, bad[_i].message);
}
END_TEST

static const struct {
	const char *spec;
	double water;
	const char *expected;
} waters[] = {
	{ "qggmrf:c=10HU,q=1.2", 0.625, "qggmrf:c=0.00625,q=1.2" },
	{ "qggmrf:c=10HU,q=1.2", 0.02, "qggmrf:c=10HU,q=1.2" },
	{ "huber:strength=3,delta=-2.5HU", 0.03, "huber:strength=3,delta=-7.5e-05" },
	{ "huber:delta=2e-4", 0.625, "huber:delta=2e-4" },
	{ "piccs:prior=ofHU,strength=3", 0.625, "piccs:prior=ofHU,strength=3" },
	{ "nlm:h=20HU", 0.5, "nlm:h=0.01" },
	{ "tv", 0.5, "tv" },
	{ "unknown:c=10HU", 0.5, "unknown:c=10HU" },
};
enum { WATERS = sizeof waters / sizeof *waters };

/* HU refer to the water of the scan; file names that end in HU are not values. */
START_TEST(hu_of_water)
{
	char *text = gt_penalty_spec_of_water(waters[_i].spec, waters[_i].water);
	ck_assert_str_eq(text, waters[_i].expected);
	free(text);
}
END_TEST

START_TEST(noise_in_hu)
{
	gt_penalty_spec p;
	ck_ok(gt_penalty_spec_parse("huber:delta=5HU,noise=10HU", &p));
	ck_assert_int_eq(p.noise_in_hu, 1);
	gt_penalty_spec_free(&p);
	ck_ok(gt_penalty_spec_parse("huber:delta=5HU,noise=2e-4", &p));
	ck_assert_int_eq(p.noise_in_hu, 0);
	gt_penalty_spec_free(&p);
}
END_TEST

static void fill_suite(TCase *tc)
{
	tcase_add_loop_test(tc, hu_of_water, 0, WATERS);
	tcase_add_test(tc, noise_in_hu);
	tcase_add_test(tc, automatic_threshold);
	tcase_add_loop_test(tc, is_taken_apart, 0, GOOD);
	tcase_add_loop_test(tc, is_refused, 0, BAD);
}

int main(void) { return gt_test_main("penalty spec", fill_suite); }
