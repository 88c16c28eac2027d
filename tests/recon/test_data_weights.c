/* Specs of data weights: values of each kind, auto, help and refusals.
 * labels: unit backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "geometry/projections.h"
#include "recon/data_weights.h"
#include "recon/weights/photon_weights.h"
#include "tests/support/support.h"

enum { VIEWS = 3, ROWS = 2, COLUMNS = 5, N = VIEWS * ROWS * COLUMNS };

static gt_projections *projections(int weight, int photons)
{
	gt_projections *p = gt_projections_blank();
	ck_ok(gt_scan_new(GT_FLAT, VIEWS, ROWS, COLUMNS, &p->scan));
	p->data = malloc(N * sizeof *p->data);
	p->weight = weight ? malloc(N * sizeof *p->weight) : NULL;
	p->photons = photons ? malloc(N * sizeof *p->photons) : NULL;
	gt_test_random(4, N, p->data);
	for (int i = 0; i < N; i++) {
		if (weight)
			p->weight[i] = (float)(1 + i);
		if (photons)
			p->photons[i] = (float)(1000 + 10 * i);
	}
	return p;
}

/* Row filter 1/4, 1/2, 1/4 with repeated border pixels. */
static double smoothed(const gt_projections *p, int i)
{
	const int c = i % COLUMNS;
	return 0.5 * p->data[i] + 0.25 * p->data[c ? i - 1 : i] + 0.25 * p->data[c < COLUMNS - 1 ? i + 1 : i];
}

static double counts(const gt_projections *p, int i, double photons, double electronic)
{
	const double n = photons * exp(-smoothed(p, i));
	return n * n / (n + electronic * electronic);
}

static double by_count(const gt_projections *p, int i) { return counts(p, i, 1e3, 20); }
static double by_file(const gt_projections *p, int i) { return p->weight[i]; }
static double by_photons(const gt_projections *p, int i) { return counts(p, i, p->photons[i], 0); }
static double by_electronic(const gt_projections *p, int i) { return counts(p, i, p->photons[i], 7); }
static double by_noise(const gt_projections *p, int i) { return exp(-smoothed(p, i)); }

static const struct {
	const char *spec;
	int weight, photons;
	double (*expected)(const gt_projections *p, int i);
	const char *record;
} cases[] = {
	{ "photons:count=1e3,electronic=20", 1, 1, by_count, "photons:count=1000,electronic=20/" },
	{ "photons", 0, 1, by_photons, "photons:count=0,electronic=0/" },
	{ "photons:electronic=7", 0, 1, by_electronic, "photons:count=0,electronic=7/" },
	{ "file", 1, 1, by_file, "file/15.5" },
	{ "noise", 1, 1, by_noise, "noise/" },
	{ "auto", 1, 1, by_file, "file/" },
	{ "auto", 0, 1, by_photons, "photons:" },
	{ NULL, 0, 1, by_photons, "photons:" },
	{ "auto", 0, 0, NULL, "uniform" },
	{ "uniform", 1, 1, NULL, "uniform" },
	{ "model:slope=0,even=0,count=1e3,electronic=20", 1, 1, by_count, "model:slope=0,even=0,count=1000,electronic=20/" },
	{ "model:slope=0,even=0", 0, 1, by_photons, "model:slope=0,even=0,count=0,electronic=0/" },
};
enum { CASES = sizeof cases / sizeof *cases };

START_TEST(of_each_kind)
{
	gt_projections *p = projections(cases[_i].weight, cases[_i].photons);
	float *w = NULL;
	char *record = NULL;
	double sum = 0, mean = 0;
	ck_ok(gt_weights_on_grid(cases[_i].spec, p, NULL, NULL, &w, &record));
	ck_assert_msg(!strncmp(record, cases[_i].record, strlen(cases[_i].record)), "%s", record);
	ck_assert((w != NULL) == (cases[_i].expected != NULL));
	for (int i = 0; w && i < N; i++) {
		sum += cases[_i].expected(p, i) / N;
		mean += w[i] / N;
	}
	for (int i = 0; w && i < N; i++)
		ck_assert_double_eq_tol(w[i], cases[_i].expected(p, i) / sum, 1e-6 * w[i]);
	if (w) {
		ck_assert_double_eq_tol(mean, 1, 1e-6);
		ck_assert_double_eq_tol(atof(strchr(record, '/') + 1) / sum, 1, 1e-5);
	}
	free(w);
	free(record);
	ck_ok(gt_weights_on_grid(cases[_i].spec, p, NULL, NULL, &w, NULL));
	free(w);
	gt_projections_free(p);
}
END_TEST

START_TEST(refused)
{
	gt_projections *p = projections(0, 0);
	float *w = NULL;
	ck_refused(gt_weights_on_grid("fiel", p, NULL, NULL, &w, NULL), GT_ERR_UNKNOWN, "unknown weights 'fiel': did you mean 'file'");
	ck_refused(gt_weights_on_grid("photon:count=1", p, NULL, NULL, &w, NULL), GT_ERR_UNKNOWN, "'photon': did you mean 'photons'");
	ck_refused(gt_weights_on_grid("file", p, NULL, NULL, &w, NULL), GT_ERR_ARG, "the file has no variable weight");
	ck_refused(gt_weights_on_grid("photons", p, NULL, NULL, &w, NULL), GT_ERR_ARG, "the file has no variable photons");
	ck_refused(gt_weights_on_grid("photons:electronic=3", p, NULL, NULL, &w, NULL), GT_ERR_ARG, "the file has no variable photons");
	gt_projections *dark = projections(0, 1);
	dark->photons[7] = 0;
	ck_refused(gt_weights_on_grid("auto", dark, NULL, NULL, &w, NULL), GT_ERR_ARG, "variable photons: 1 of ");
	ck_assert_ptr_nonnull(strstr(gt_error(), "counts are not positive and finite, the first 0 in view "));
	gt_projections_free(dark);
	ck_refused(gt_weights_on_grid("photons:count=-1", p, NULL, NULL, &w, NULL), GT_ERR_ARG, "--weights photons");
	ck_refused(gt_weights_on_grid("photons:electronic=-1", p, NULL, NULL, &w, NULL), GT_ERR_ARG, "electronic");
	ck_refused(gt_weights_on_grid("noise:count=3", p, NULL, NULL, &w, NULL), GT_ERR_ARG, "--weights noise");
	ck_refused(gt_weights_on_grid("model", p, NULL, NULL, &w, NULL), GT_ERR_ARG, "the width of voxels is unknown");
	ck_refused(gt_weights_on_grid("model:slope=0.1", p, NULL, NULL, &w, NULL), GT_ERR_ARG, "expected model:slope=X,even=Y");
	ck_refused(gt_weights_on_grid("model:slope=-3", p, NULL, NULL, &w, NULL), GT_ERR_ARG, "--weights model");
	ck_refused(gt_weights_on_grid("model:slope=0,even=0", p, NULL, NULL, &w, NULL), GT_ERR_UNSUPPORTED, "too few neighbouring pixels");
	p->data[7] = NAN;
	ck_refused(gt_weights_on_grid("noise", p, NULL, NULL, &w, NULL), GT_ERR_ARG, "cannot weight");
	ck_assert_ptr_null(w);
	gt_projections_free(p);
}
END_TEST

/* auto accepts a solver without weights; other kinds are refused. */
START_TEST(solver_without_weights)
{
	static const char *const specs[] = { "file", "photons", "noise", "model" };
	gt_projections *p = projections(1, 1);
	gt_weights_spec o = { .kind = GT_WEIGHTS_AUTO };
	const gt_weights_problem q = { p, NULL, 0, "art", NULL, 0, NULL };
	float *w = NULL;
	char *text = NULL;
	ck_ok(gt_weights_from_spec(&o, &q, &w, &text));
	ck_assert_ptr_null(w);
	ck_assert_str_eq(text, "uniform");
	free(text);
	for (int i = 0; i < 4; i++) {
		ck_ok(gt_weights_spec_parse(specs[i], &o));
		ck_refused(gt_weights_from_spec(&o, &q, &w, &text), GT_ERR_ARG, "solver 'art' cannot take weights");
		ck_assert(strstr(gt_error(), specs[i]) != NULL);
		ck_assert(w == NULL && text == NULL);
	}
	gt_projections_free(p);
}
END_TEST

/* The noise of "model" serves its caller, who frees it; other kinds estimate none. */
GT_TEST(noise_of_the_model)
{
	gt_projections *p = projections(0, 1);
	gt_noise_model *given = NULL, *own = NULL;
	const gt_weights_problem q = { p, NULL, GT_SUPPORTS_WEIGHTS, "", NULL, 0, &given };
	gt_weights_spec o = { .kind = GT_WEIGHTS_AUTO };
	for (int k = 0; k < 2; k++) {
		float *w = NULL;
		char *text = NULL;
		ck_ok(gt_weights_spec_parse(k ? "model:slope=0,even=0" : "photons", &o));
		ck_ok(gt_weights_from_spec(&o, &q, &w, &text));
		ck_assert_int_eq(given != NULL, k);
		free(w);
		free(text);
	}
	ck_ok(gt_noise_estimate(p, NULL, NULL, &own));
	for (size_t i = 0; i < N; i++)
		ck_assert(gt_noise_variance(given, i) == gt_noise_variance(own, i) && gt_noise_variance(own, i) > 0);
	gt_noise_free(given);
	gt_noise_free(own);
	gt_projections_free(p);
}

START_TEST(counting_of_the_spec)
{
	gt_projections *p = projections(0, 1);
	const gt_weights_spec given = { .kind = GT_WEIGHTS_PHOTONS, .count = 50, .electronic = 3 }, none = { .kind = GT_WEIGHTS_NOISE };
	gt_counting c = gt_weights_spec_counting(&given, p);
	ck_assert(c.photons == NULL && c.count == 50 && c.electronic == 3);
	c = gt_weights_spec_counting(&none, p);
	ck_assert(c.photons == p->photons && c.count == 0);
	gt_projections_free(p);
}
END_TEST

static char *help(const char *name, gt_status expected)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	ck_assert_int_eq(gt_weights_spec_help(name, out), expected);
	fclose(out);
	return text;
}

START_TEST(help_on_kinds)
{
	char *all = help(NULL, GT_OK), *one = help("noise", GT_OK), *none = help("nois", GT_ERR_UNKNOWN);
	ck_assert(strstr(all, "\nuniform    1 for all pixels\n") && strstr(all, "electronic") && strstr(all, "noise      exp(-p)"));
	ck_assert(!strncmp(one, "noise      exp(-p)", 18) && !strstr(one, "uniform "));
	ck_assert_str_eq(none, "");
	free(all);
	free(one);
	free(none);
}
END_TEST

static void fill_suite(TCase *tc)
{
	tcase_add_loop_test(tc, of_each_kind, 0, CASES);
	tcase_add_test(tc, refused);
	tcase_add_test(tc, solver_without_weights);
	tcase_add_test(tc, counting_of_the_spec);
	tcase_add_test(tc, help_on_kinds);
}

int main(void) { return gt_test_main("data weights", fill_suite); }
