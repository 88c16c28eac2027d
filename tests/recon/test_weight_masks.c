/* Masks of corrected pixels: the noise and the weights of all other rays stay, for each source of the variance.
 * labels: unit property backend: none */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/random.h"
#include "geometry/projections.h"
#include "recon/data_weights.h"
#include "recon/noise/noise_estimate.h"
#include "recon/weights/weight_mask.h"
#include "tests/support/support.h"

enum { VIEWS = 40, ROWS = 12, COLUMNS = 70, N = VIEWS * ROWS * COLUMNS, AIR = 22 };
/* Pixels in the air that no sample of the noise estimate holds. */
enum { DEAD = (20 * ROWS + 5) * COLUMNS, FILLED = (7 * ROWS + 3) * COLUMNS + 1 };
/* A pixel of the densest part. */
enum { STARVED = (9 * ROWS + 4) * COLUMNS + 40 };

/* Noise of 1e4 photons; AIR columns of air at the left. */
static gt_projections *projections(int photons, int mask)
{
	gt_projections *p = gt_projections_blank();
	ck_ok(gt_scan_new(GT_FLAT, VIEWS, ROWS, COLUMNS, &p->scan));
	p->data = malloc(N * sizeof *p->data);
	p->weight = mask ? malloc(N * sizeof *p->weight) : NULL;
	p->photons = photons ? malloc(N * sizeof *p->photons) : NULL;
	for (size_t i = 0; i < N; i++) {
		const size_t c = i % COLUMNS;
		const double line = c < AIR ? 0 : 2 + sin(0.04 * (double)c + 0.002 * (double)(i / COLUMNS));
		gt_random r;
		gt_random_at(11, i, &r);
		p->data[i] = (float)(line + sqrt(exp(line) / 1e4) * gt_normal(&r));
		if (photons)
			p->photons[i] = (float)(9000 + 2 * (double)c + (double)(i % 97));
		if (mask)
			p->weight[i] = i == DEAD ? 0 : i == FILLED ? 0.1f : 1;
	}
	return p;
}

static const struct {
	gt_counting known;
	int photons;
} sources[] = { { { NULL, 0, 0 }, 0 }, { { NULL, 0, 0 }, 1 }, { { NULL, 300, 0 }, 0 }, { { NULL, 300, 12 }, 1 } };
enum { SOURCES = sizeof sources / sizeof *sources };

GT_TESTS(noise_of_other_rays, SOURCES)
{
	gt_projections *p[2];
	gt_noise_model *m[2] = { NULL, NULL };
	double *line = malloc(N * sizeof *line), *variance[2];
	for (int k = 0; k < 2; k++) {
		gt_counting known = sources[_i].known;
		p[k] = projections(sources[_i].photons, k);
		known.photons = known.count > 0 ? NULL : p[k]->photons;
		ck_ok(gt_noise_estimate(p[k], &known, NULL, &m[k]));
		variance[k] = malloc(N * sizeof **variance);
		for (size_t i = 0; i < N; i++)
			line[i] = p[k]->data[i];
		gt_noise_variances(m[k], 0, N, line, variance[k]);
	}
	ck_assert(gt_noise_scale(m[1]) == gt_noise_scale(m[0]) && gt_noise_photons(m[1]) == gt_noise_photons(m[0]));
	ck_assert_str_eq(gt_noise_source(m[1]), gt_noise_source(m[0]));
	for (size_t i = 0; i < N; i++) {
		const double part = p[1]->weight[i], v = gt_noise_variance(m[0], i);
		const double expected = part > 0 ? (float)(v / part) : 0, each = part > 0 ? (float)(variance[0][i] / part) : 0;
		ck_assert(v > 0 && gt_noise_variance(m[1], i) == expected);
		ck_assert(variance[1][i] == each);
		ck_assert_int_eq(gt_noise_weights(m[1])[i] > 0, i != DEAD);
	}
	for (int k = 0; k < 2; k++) {
		free(variance[k]);
		gt_noise_free(m[k]);
		gt_projections_free(p[k]);
	}
	free(line);
}

static const struct {
	const char *spec, *record;
	int photons, model;
} kinds[] = {
	{ "auto", "photons:count=0,", 1, 0 },
	{ "photons:electronic=20", "photons:count=0,", 1, 0 },
	{ "photons:count=300,electronic=12", "photons:count=300,", 1, 0 },
	{ "noise", "noise/", 0, 0 },
	{ "model:slope=0,even=0", "model:", 0, 0 },
	{ "model:slope=0,even=0", "model:", 1, 0 },
	{ "model:slope=0,even=0,count=300,electronic=12", "model:", 1, 0 },
	{ "model:slope=0.05,even=0", "model:", 0, 1 },
	{ "model:slope=0.05,even=0", "model:", 1, 1 },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The factor returns weights to their unit before the division by the mean. */
static float *weights(const char *spec, const gt_projections *p, const char *record, double *factor)
{
	float *w = NULL;
	char *text = NULL;
	ck_ok(gt_weights_on_grid(spec, p, NULL, NULL, &w, &text));
	ck_assert_msg(!strncmp(text, record, strlen(record)), "%s", text);
	*factor = atof(strchr(text, '/') + 1);
	free(text);
	return w;
}

/* Rays whose smoothed value or slope contains the dead pixel in a scan without a mask. */
static int beside_dead(size_t i)
{
	const long away = (long)i - DEAD, rows = lround((double)away / COLUMNS), columns = away - rows * COLUMNS;
	return away && labs(rows) < 2 && labs(columns) < 3;
}

GT_TESTS(weights_of_other_rays, KINDS)
{
	gt_projections *whole = projections(kinds[_i].photons, 0), *p = projections(kinds[_i].photons, 1);
	double factor[2], mean = 0;
	float *w[2] = { weights(kinds[_i].spec, whole, kinds[_i].record, &factor[0]),
		        weights(kinds[_i].spec, p, kinds[_i].record, &factor[1]) };
	const double ratio = w[0][1] / (double)w[1][1];
	ck_assert_double_eq_tol(factor[1] / factor[0], ratio, 2e-5);
	for (size_t i = 0; i < N; i++) {
		mean += w[1][i] / N;
		if (i != FILLED && !beside_dead(i))
			ck_assert_double_eq_tol(w[1][i] * ratio, i == DEAD ? 0 : w[0][i], 1e-6 * w[0][i]);
	}
	ck_assert_double_eq_tol(mean, 1, 1e-6);
	/* The error of the model is not divided by the mask. */
	const double filled = w[1][FILLED] * ratio / w[0][FILLED];
	ck_assert(kinds[_i].model ? filled > 0.1 && filled < 1 : fabs(filled - 0.1) < 1e-7);
	for (int k = 0; k < 2; k++)
		free(w[k]);
	gt_projections_free(p);
	gt_projections_free(whole);
}

/* Without photons auto is the mask itself, as are weights of the file. */
GT_TEST(mask_as_weights)
{
	gt_projections *p = projections(0, 1);
	double factor;
	for (int k = 0; k < 2; k++) {
		float *w = weights(k ? "file" : "auto", p, "file/", &factor);
		for (size_t i = 0; i < N; i++)
			ck_assert_double_eq_tol(w[i] * factor, p->weight[i], 1e-6);
		free(w);
	}
	gt_projections_free(p);
}

GT_TEST(counts_of_masked_pixels)
{
	gt_projections *p = projections(1, 1);
	float *w = NULL;
	double factor;
	p->photons[DEAD] = 0;
	w = weights("photons", p, "photons:", &factor);
	ck_assert(w[DEAD] == 0);
	free(w);
	p->photons[FILLED] = 0;
	ck_refused(gt_weights_on_grid("photons", p, NULL, NULL, &w, NULL), GT_ERR_ARG, "variable photons: 1 of ");
	gt_projections_free(p);
}

/* Values of pixels of mask 0 reach no other pixel. */
GT_TESTS(values_of_masked_pixels, KINDS)
{
	float *w[3];
	double factor;
	for (int k = 0; k < 3; k++) {
		gt_projections *p = projections(kinds[_i].photons, 1);
		p->data[DEAD + 20] = k == 0 ? 0.1f : k == 1 ? 40 : NAN;
		p->weight[DEAD + 20] = 0;
		w[k] = weights(kinds[_i].spec, p, kinds[_i].record, &factor);
		ck_assert(w[k][DEAD + 20] == 0);
		gt_projections_free(p);
	}
	ck_assert_mem_eq(w[1], w[0], N * sizeof *w[0]);
	ck_assert_mem_eq(w[2], w[0], N * sizeof *w[0]);
	for (int k = 0; k < 3; k++)
		free(w[k]);
}

GT_TESTS(weights_that_are_none, KINDS)
{
	static const float bad[] = { -1, NAN, INFINITY };
	for (int k = 0; k < 3; k++) {
		gt_projections *p = projections(kinds[_i].photons, 1);
		float *w = NULL;
		p->weight[FILLED] = bad[k];
		ck_refused(gt_weights_on_grid(kinds[_i].spec, p, NULL, NULL, &w, NULL), GT_ERR_ARG,
		           "in view 7, row 3, column 1: expected 0");
		ck_assert_ptr_null(w);
		gt_projections_free(p);
	}
}

/* A mask makes no ray starve of photons. */
GT_TEST(starvation)
{
	gt_projections *p[2] = { projections(0, 0), projections(0, 1) };
	const gt_counting count = { NULL, 200, 0 };
	float *out = malloc(N * sizeof *out);
	gt_photon_starvation few[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
	for (int k = 0; k < 2; k++) {
		gt_noise_model *m = NULL;
		if (k)
			p[k]->weight[STARVED] = 0.5f;
		ck_ok(gt_noise_estimate(p[k], &count, NULL, &m));
		ck_ok(gt_noise_deviations(m, 0.03, NULL, 0, N, out, &few[k]));
		for (size_t i = 0; i < N; i++)
			ck_assert_float_eq_tol(out[i], k && i == DEAD ? 0 : sqrtf((float)exp(p[k]->data[i]) / 200), 1e-5);
		gt_noise_free(m);
		gt_projections_free(p[k]);
	}
	ck_assert(few[0].pixels > 1000 && few[1].pixels == few[0].pixels);
	ck_assert(few[1].variance == few[0].variance && few[1].line == few[0].line);
	free(out);
}

/* The mask is recognised by its ones, besides zeros. */
GT_TEST(masks_and_weights)
{
	gt_projections *p = projections(0, 0);
	for (size_t i = 0; i < N; i++)
		p->data[i] = 0.1f;
	ck_assert_ptr_null(gt_projections_mask(p));
	p->weight = calloc(N, sizeof *p->weight);
	ck_assert_ptr_null(gt_projections_mask(p));
	p->weight[7] = 1;
	ck_assert_ptr_eq(gt_projections_mask(p), p->weight);
	p->weight[8] = 2;
	ck_assert_ptr_null(gt_projections_mask(p));
	p->weight[9] = 1;
	ck_assert_ptr_eq(gt_projections_mask(p), p->weight);
	for (size_t i = 0; i < N; i++)
		p->weight[i] = 0.5f + (float)(i % 3) / 2;
	ck_assert_ptr_null(gt_projections_mask(p));
	gt_projections_free(p);
}

/* Noiseless weights exp(-p) are 1 in air, here in 60 of 70 columns. */
GT_TEST(weights_of_much_air)
{
	gt_projections *p = projections(1, 1);
	double factor;
	for (size_t i = 0; i < N; i++) {
		const size_t c = i % COLUMNS;
		p->data[i] = c < 60 ? 0 : (float)(0.2 * (double)(c - 59));
		p->weight[i] = expf(-p->data[i]);
	}
	ck_assert_ptr_null(gt_projections_mask(p));
	free(weights("auto", p, "file/", &factor));
	for (size_t i = 0; i < N; i++)
		p->weight[i] = i % COLUMNS == 63 ? 0.1f : 1;
	p->data[0] = NAN;
	ck_assert_ptr_eq(gt_projections_mask(p), p->weight);
	gt_projections_free(p);
}

int main(void) { return gt_test_main("weight masks", NULL); }
