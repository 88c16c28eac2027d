/* HU in penalties and in the target noise refer to the water of the scan; thresholds of edges from the noise.
 * labels: unit */
#include <stdlib.h>
#include <string.h>
#include "recon/penalty/edge_threshold.h"
#include "tests/recon/small_recon.h"

/* Recorded penalty after one iteration; malloc'ed. */
static char *penalty_of(const gt_projections *p, const char *penalty, const char *water)
{
	const char *const set[][2] = { { "solver", "os-sqs:iterations=1,subsets=2" },
		                       { "penalty", penalty },
		                       { "water", water },
		                       { "init", "fdk" },
		                       { "check", "no" },
		                       { NULL, NULL } };
	gt_volume *v = NULL;
	gt_recon *r = recon(p, set);
	ck_ok(gt_volume_new(&grid, &v));
	ck_ok(gt_recon_run(r, v));
	char *text = strdup(gt_recon_text(r, "penalty"));
	gt_volume_free(v);
	gt_recon_free(r);
	return text;
}

/* 10 HU are 3e-4 mm^-1 if water has 0.03 mm^-1, and 2e-4 if it has 0.02. */
GT_TEST(hu_refer_to_the_water_of_the_scan)
{
	gt_projections *p = projections();
	char *hu = penalty_of(p, "huber:delta=10HU,noise=1.2HU", "0.03"), *mm = penalty_of(p, "huber:delta=0.0003,noise=0.000036", "0.03");
	char *half = penalty_of(p, "huber:delta=15HU,noise=1.8HU", "0.02"), *usual = penalty_of(p, "huber:delta=10HU,noise=1.2HU", "0.02");
	ck_assert_str_eq(hu, mm);
	ck_assert_msg(!strncmp(hu, "huber:delta=0.0003,strength=", 28) && strstr(hu, "asked:1.2HU"), "%s", hu);
	ck_assert_msg(!strncmp(half, "huber:delta=15HU,strength=", 26) && strstr(half, "asked:1.8HU"), "%s", half);
	ck_assert_msg(strcmp(strstr(usual, "strength="), strstr(hu, "strength=")) != 0, "%s", usual);
	free(hu);
	free(mm);
	free(half);
	free(usual);
	gt_projections_free(p);
}

/* delta=auto: three times the target noise, six times for uniform noise, at least 10 HU. */
GT_TEST(threshold_from_the_target)
{
	static const char *const cases[][2] = {
		{ "huber:delta=auto,noise=21HU", "delta=63HU" },
		{ "huber:delta=auto,kappa=noise,noise=21HU", "delta=130HU" },
		{ "qggmrf:c=auto,noise=2HU", "c=10HU" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gt_penalty_spec o;
		char *spec = NULL;
		ck_ok(gt_penalty_spec_parse(cases[i][0], &o));
		ck_ok(gt_edge_threshold(NULL, &o, o.noise, &(gt_penalty_problem){ .water = 0.02 }, &spec));
		ck_assert_msg(strstr(spec, cases[i][1]) != NULL, "%s: %s", cases[i][0], spec);
		free(spec);
		gt_penalty_spec_free(&o);
	}
}

/* Without a target the threshold is a multiple of the noise of the start, here 39 HU. */
GT_TEST(threshold_from_the_start)
{
	gt_projections *p = projections_on(&small_orbit, 1e4);
	char *text = penalty_of(p, "huber:delta=auto,strength=3", "0.02");
	const char *found = strstr(text, "delta=");
	const double delta = found ? strtod(found + 6, NULL) : 0;
	ck_assert_msg(delta > 40 && delta < 54, "%s", text);
	free(text);
	gt_projections_free(p);
}

int main(void) { return gt_test_main("penalty water", NULL); }
