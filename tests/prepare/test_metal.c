/* Metal in an object of water and bone, with the rays of a spectrum: streaks before and after in HU. An object
 * without metal is unchanged. Wrong input is refused. labels: unit physics slow  backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/phantom.h>
#include <gantry/prepare.h>
#include <gantry/recon.h>
#include "core/random.h"
#include "prepare/materials.h"
#include "prepare/metal/metal_threshold.h"
#include "tests/prepare/half_turn.h"
#include "tests/support/support.h"

enum { VIEWS = 160, COLUMNS = 192, SIDE = 168, PARTS = 3, BINS = 3 };
#define PITCH 1.2
static const char *const shapes[PARTS] = {
	"combine replace\nellipsoid center=0,0,0 radii=90,70,50 density=1\n"
	"cylinder center=-45,25,0 radius=12 length=90 density=0\ncylinder center=40,30,0 radius=10 length=90 density=0\n"
	"cylinder center=-25,-20,0 radius=5 length=90 density=0\ncylinder center=30,-15,0 radius=5 length=90 density=0\n",
	"cylinder center=-45,25,0 radius=12 length=90 density=1\ncylinder center=40,30,0 radius=10 length=90 density=1\n",
	"cylinder center=-25,-20,0 radius=5 length=90 density=1\ncylinder center=30,-15,0 radius=5 length=90 density=1\n",
};
static const double energy[BINS] = { 50, 70, 95 }, part[BINS] = { 0.3, 0.4, 0.3 };

static gt_projections *parallel(void)
{
	return half_turn((const size_t[]){ VIEWS, 1, COLUMNS }, (const double[]){ PITCH, PITCH }, (const double[]){ 0.25, 0 });
}

static void image(const gt_projections *p, float *out)
{
	const gt_grid grid = { { SIDE, SIDE, 1 }, { PITCH, PITCH, PITCH }, { 0, 0, 0 } };
	gt_projections *q = NULL;
	gt_recon *r = NULL;
	gt_volume *v = NULL;
	ck_ok(gt_projections_wrap(gt_projections_scan(p), gt_projections_data(p), NULL, NULL, &q));
	ck_ok(gt_volume_wrap(&grid, out, NULL, NULL, &v));
	ck_ok(gt_recon_new(q, &r));
	ck_ok(gt_recon_set(r, "solver", "fbp"));
	ck_ok(gt_recon_set(r, "backend", "cpu:2"));
	ck_ok(gt_recon_set(r, "check", "no"));
	ck_ok(gt_recon_run(r, v));
	gt_recon_free(r);
	gt_volume_free(v);
	gt_projections_free(q);
}

static int in_circle(double x, double y, double cx, double cy, double r) { return hypot(x - cx, y - cy) < r; }

/* Root-mean-square error in HU, in the object and away from metal and edges. */
static double error(const float *f, double water, double bone)
{
	double sum = 0, n = 0;
	for (size_t i = 0; i < SIDE * SIDE; i++) {
		const double x = ((double)(i % SIDE) - (SIDE - 1) / 2.) * PITCH, y = ((double)(i / SIDE) - (SIDE - 1) / 2.) * PITCH;
		const double bone_edge = fmin(fabs(hypot(x + 45, y - 25) - 12), fabs(hypot(x - 40, y - 30) - 10));
		if (pow(x / 86, 2) + pow(y / 66, 2) > 1 || in_circle(x, y, -25, -20, 8) || in_circle(x, y, 30, -15, 8) || bone_edge < 2)
			continue;
		const double truth = in_circle(x, y, -45, 25, 12) || in_circle(x, y, 40, 30, 10) ? bone : water;
		sum += pow(1000 * (f[i] - truth) / water, 2);
		n++;
	}
	return sqrt(sum / n);
}

/* Mean attenuation at the centre of both pins. */
static double pins(const float *f)
{
	double sum = 0, n = 0;
	for (size_t i = 0; i < SIDE * SIDE; i++) {
		const double x = ((double)(i % SIDE) - (SIDE - 1) / 2.) * PITCH, y = ((double)(i / SIDE) - (SIDE - 1) / 2.) * PITCH;
		if (in_circle(x, y, -25, -20, 3.5) || in_circle(x, y, 30, -15, 3.5)) {
			sum += f[i];
			n++;
		}
	}
	return sum / n;
}

static double mu_of(const char *name, double kev)
{
	gt_material m;
	ck_ok(gt_material_new(name, &m));
	const double mu = gt_material_mu(&m, kev);
	gt_material_free(&m);
	return mu;
}

static void measure(int metal, gt_projections *p)
{
	static const char *const names[PARTS] = { "water", "bone", "copper" };
	const size_t n = gt_scan_size(gt_projections_scan(p));
	float *l[PARTS], *x = gt_projections_data(p);
	double mu[PARTS][BINS];
	for (int k = 0; k < PARTS; k++)
		for (int b = 0; b < BINS; b++)
			mu[k][b] = mu_of(k < 2 || metal ? names[k] : "water", energy[b]);
	for (int k = 0; k < PARTS; k++)
		l[k] = lengths(gt_projections_scan(p), shapes[k]);
	for (size_t i = 0; i < n; i++) {
		double t = 0;
		for (int b = 0; b < BINS; b++) {
			double line = 0;
			for (int k = 0; k < PARTS; k++)
				line += mu[k][b] * l[k][i];
			t += part[b] * exp(-line);
		}
		x[i] = (float)-log(t);
	}
	for (int k = 0; k < PARTS; k++)
		free(l[k]);
	gt_add_photon_noise(1e6, 0, 5, 0, NULL, x, n);
	FILE *file = fopen("bins.txt", "w");
	ck_assert_ptr_nonnull(file);
	for (int b = 0; b < BINS; b++)
		fprintf(file, "%g %g\n", energy[b], part[b]);
	fclose(file);
	ck_ok(gt_prepare(&p, "beam-hardening:spectrum=bins.txt,energy-weighted=no", NULL));
	remove("bins.txt");
}

static gt_projections *copy_of(const gt_projections *p)
{
	gt_projections *q = NULL;
	ck_ok(gt_projections_new(gt_projections_scan(p), &q));
	memcpy(gt_projections_data(q), gt_projections_data(p), gt_scan_size(gt_projections_scan(p)) * sizeof(float));
	return q;
}

/* Values of q above those of p, which are impossible if only metal was removed. */
static size_t above(const gt_projections *q, const gt_projections *p)
{
	const float *x = gt_projections_data(q), *y = gt_projections_data(p);
	size_t n = 0;
	for (size_t i = 0; i < gt_scan_size(gt_projections_scan(p)); i++)
		n += x[i] > y[i];
	return n;
}

GT_TEST(streaks)
{
	const double water = mu_of("water", 70), bone = mu_of("bone", 70);
	float *f = malloc(SIDE * SIDE * sizeof *f);
	gt_projections *p = parallel(), *q;
	char li[80], nmar[80], weights[80];
	snprintf(li, sizeof li, "metal:method=li,side=168,water=%g,put-back=no", water);
	snprintf(nmar, sizeof nmar, "metal:method=nmar,side=168,water=%g,put-back=no", water);
	snprintf(weights, sizeof weights, "metal:method=weights,side=168,water=%g", water);
	measure(0, p);
	image(p, f);
	const double without = error(f, water, bone);
	/* Without metal nothing changes. */
	q = copy_of(p);
	ck_ok(gt_prepare(&q, nmar, NULL));
	ck_assert_int_eq(memcmp(gt_projections_data(q), gt_projections_data(p), gt_scan_size(gt_projections_scan(p)) * sizeof(float)), 0);
	gt_projections_free(q);
	measure(1, p);
	image(p, f);
	const double none = error(f, water, bone);
	q = copy_of(p);
	ck_ok(gt_prepare(&q, li, NULL));
	image(q, f);
	const double by_li = error(f, water, bone);
	gt_projections_free(q);
	q = copy_of(p);
	ck_ok(gt_prepare(&q, nmar, NULL));
	image(q, f);
	const double by_nmar = error(f, water, bone);
	ck_assert_uint_eq(above(q, p), 0);
	gt_projections_free(q);
	q = copy_of(p);
	ck_ok(gt_prepare(&q, weights, NULL));
	const float *w = gt_projections_weights(q);
	ck_assert_ptr_nonnull(w);
	size_t zero = 0;
	for (size_t i = 0; i < VIEWS * COLUMNS; i++) {
		zero += w[i] == 0;
		ck_assert_float_eq(gt_projections_data(q)[i], gt_projections_data(p)[i]);
	}
	gt_projections_free(q);
	fprintf(stderr, "metal: %.1f HU rms with streaks, %.1f by li, %.1f by nmar; %.1f without metal; %zu rays of the trace\n", none,
	        by_li, by_nmar, without, zero);
	ck_assert_double_gt(none, 60);
	ck_assert_double_lt(by_li, 0.6 * none);
	ck_assert_double_lt(by_nmar, 0.25 * none);
	/* Two pins of 8.3 columns and an edge each. */
	ck_assert_uint_gt(zero, (size_t)VIEWS * 14);
	ck_assert_uint_lt(zero, (size_t)VIEWS * 26);
	ck_refused(gt_prepare(&p, "metal:threshold=0.1", NULL), GT_ERR_FORMAT, "expected less than half; use a higher threshold");
	ck_refused(gt_prepare(&p, "metal:image=none/metal.nc", NULL), GT_ERR_IO, "none");
	gt_projections_free(p);
	free(f);
}

/* By default the threshold is found, and the metal is put back as bright as without correction. */
GT_TEST(metal_is_put_back)
{
	const double water = mu_of("water", 70), bone = mu_of("bone", 70);
	static const char *const spec[] = { NULL, "metal", "metal:put-back=no" };
	double hu[3], pin[3];
	float *f = malloc(SIDE * SIDE * sizeof *f);
	gt_projections *p = parallel();
	measure(1, p);
	for (int k = 0; k < 3; k++) {
		gt_projections *q = copy_of(p);
		if (spec[k])
			ck_ok(gt_prepare(&q, spec[k], NULL));
		image(q, f);
		hu[k] = error(f, water, bone);
		pin[k] = pins(f);
		gt_projections_free(q);
	}
	fprintf(stderr, "metal: %.1f HU rms measured, %.1f put back, %.1f removed; pins of %.3f, %.3f, %.3f mm-1\n", hu[0], hu[1], hu[2],
	        pin[0], pin[1], pin[2]);
	ck_assert_double_lt(hu[1], 1.5 * hu[2]);
	ck_assert_double_eq_tol(pin[1], pin[0], 0.1 * pin[0]);
	ck_assert_double_lt(hu[2], 0.15 * hu[0]);
	ck_assert_double_lt(pin[2], 2 * bone);
	gt_projections_free(p);
	free(f);
}

/* Metal in a layer that the prior takes for air: rays next to its trace graze the prior. Sums of views are kept. */
GT_TEST(quotients_at_the_rim)
{
	static const char layer[] = "combine replace\ncylinder center=0,0,0 radius=88 length=90 density=0.35\n"
				    "cylinder center=-20,0,0 radius=35 length=90 density=1\n";
	gt_projections *p = parallel();
	float *object = lengths(gt_projections_scan(p), layer), *x = gt_projections_data(p);
	float *pin = lengths(gt_projections_scan(p), "cylinder center=30,0,0 radius=7 length=90 density=1\n");
	double before[VIEWS] = { 0 }, after[VIEWS] = { 0 };
	for (size_t i = 0; i < VIEWS * COLUMNS; i++)
		before[i / COLUMNS] += x[i] = 0.02f * object[i] + 0.3f * pin[i];
	ck_ok(gt_prepare(&p, "metal:water=0.02", NULL));
	for (size_t i = 0; i < VIEWS * COLUMNS; i++)
		after[i / COLUMNS] += gt_projections_data(p)[i];
	for (size_t v = 0; v < VIEWS; v++)
		ck_assert_double_eq_tol(after[v], before[v], 0.09 * before[v]);
	gt_projections_free(p);
	free(object);
	free(pin);
}

/* A pin in the upper three of six rows: rows below it keep their values, two rows from its end. */
GT_TEST(rows_below_the_metal)
{
	enum { ROWS = 6 };
	static const char disc[] = "combine replace\ncylinder center=0,0,0 radius=60 length=90 density=1\n";
	static const char pin[] = "combine replace\ncylinder center=20,10,0 radius=7 length=90 density=1\n";
	gt_projections *p = half_turn((const size_t[]){ VIEWS, ROWS, COLUMNS }, (const double[]){ PITCH, PITCH },
	                              (const double[]){ 0.25, 0 });
	const size_t n = VIEWS * ROWS * COLUMNS;
	float *object = lengths(gt_projections_scan(p), disc), *metal = lengths(gt_projections_scan(p), pin);
	float *x = gt_projections_data(p), *was = malloc(n * sizeof *was);
	double below = 0, inside = 0;
	for (size_t i = 0; i < n; i++)
		was[i] = x[i] = 0.02f * object[i] + (i / COLUMNS % ROWS >= ROWS / 2 ? 0.4f * metal[i] : 0);
	ck_ok(gt_prepare(&p, "metal", NULL));
	for (size_t i = 0; i < n; i++) {
		double *max = i / COLUMNS % ROWS < ROWS / 2 - 1 ? &below : &inside;
		*max = fmax(*max, fabs((double)gt_projections_data(p)[i] - was[i]));
	}
	ck_assert_double_gt(inside, 0.1);
	ck_assert_msg(below < 0.01, "rows below the metal changed by %g", below);
	gt_projections_free(p);
	free(object);
	free(metal);
	free(was);
}

/* The threshold is relative to the object: lengths 1000 times smaller give the same correction. */
GT_TEST(any_unit_of_length)
{
	const size_t n = VIEWS * COLUMNS;
	gt_projections *p = parallel();
	gt_projections *q = half_turn((const size_t[]){ VIEWS, 1, COLUMNS }, (const double[]){ PITCH / 1000, PITCH / 1000 },
	                              (const double[]){ 0.25, 0 });
	double changed = 0, apart = 0;
	measure(1, p);
	float *was = malloc(n * sizeof *was);
	memcpy(was, gt_projections_data(p), n * sizeof *was);
	memcpy(gt_projections_data(q), was, n * sizeof *was);
	ck_ok(gt_prepare(&p, "metal", NULL));
	ck_ok(gt_prepare(&q, "metal", NULL));
	for (size_t i = 0; i < n; i++) {
		changed = fmax(changed, fabs((double)gt_projections_data(p)[i] - was[i]));
		apart = fmax(apart, fabs((double)gt_projections_data(p)[i] - gt_projections_data(q)[i]));
	}
	ck_assert_double_gt(changed, 0.1);
	ck_assert_double_lt(apart, 0.01 * changed);
	free(was);
	gt_projections_free(p);
	gt_projections_free(q);
}

/* Bone of 80 kV, noise and air alone hold no metal; --auto finds the pins and corrects them once. */
GT_TEST(metal_is_found_where_it_is)
{
	const size_t n = VIEWS * COLUMNS;
	for (int metal = 0; metal < 2; metal++) {
		gt_projections *p = parallel();
		measure(metal, p);
		ck_ok(gt_prepare_auto(&p, NULL, NULL));
		const char *done = gt_projections_provenance(p)->parameters;
		ck_assert_msg(!metal == !strstr(done, "prepare=metal"), "metal %d: %s", metal, done);
		gt_projections_free(p);
	}
	for (int noise = 0; noise < 2; noise++) {
		gt_projections *p = parallel();
		float *x = gt_projections_data(p), *was = malloc(n * sizeof *was);
		for (size_t i = 0; i < n; i++)
			x[i] = noise ? (float)(0.02 * gt_test_normal(41, i)) : 0;
		memcpy(was, x, n * sizeof *was);
		ck_ok(gt_prepare(&p, "metal", NULL));
		ck_assert_int_eq(memcmp(gt_projections_data(p), was, n * sizeof *was), 0);
		free(was);
		gt_projections_free(p);
	}
}

/* 180 mm of water with two bones at 80 kV: HU between them, corrected as one material and as two. */
GT_TEST(bones)
{
	static const char *const text[2] = { "combine replace\ncylinder radius=90 length=90 density=1\n"
		                             "cylinder center=-55,0,0 radius=15 length=90 density=0\n"
		                             "cylinder center=55,0,0 radius=15 length=90 density=0\n",
		                             "cylinder center=-55,0,0 radius=15 length=90 density=1.92\n"
		                             "cylinder center=55,0,0 radius=15 length=90 density=1.92\n" };
	static const char *const materials[] = { "water", "bone" };
	static const char *const specs[] = { "beam-hardening:kv=80,aluminium=1", "beam-hardening:kv=80,aluminium=1,dense=bone,passes=2" };
	const double water = mu_of("water", 70);
	gt_projections *p = parallel();
	float *l[2], *f = malloc(SIDE * SIDE * sizeof *f);
	double off[2];
	for (int k = 0; k < 2; k++) {
		gt_projections *q = copy_of(p);
		for (int m = 0; m < 2; m++)
			l[m] = lengths(gt_projections_scan(p), text[m]);
		ck_ok(gt_mix_spectrum("kv=80,aluminium=1", materials, 2, (const float *const *)l, VIEWS * COLUMNS, NULL,
		                      gt_projections_data(q)));
		ck_ok(gt_prepare(&q, specs[k], NULL));
		image(q, f);
		double sum = 0, n = 0;
		for (size_t i = 0; i < SIDE * SIDE; i++)
			if (hypot((double)(i % SIDE) - (SIDE - 1) / 2., (double)(i / SIDE) - (SIDE - 1) / 2.) * PITCH < 15) {
				sum += 1000 * (f[i] / water - 1);
				n++;
			}
		off[k] = sum / n;
		gt_projections_free(q);
		free(l[0]);
		free(l[1]);
	}
	fprintf(stderr, "bones: %.1f HU between them as one material, %.1f as two\n", off[0], off[1]);
	ck_assert_double_lt(off[0], -25);
	ck_assert_double_lt(fabs(off[1]), 5);
	ck_refused(gt_mix_spectrum("kv=80", (const char *const[]){ "bnoe" }, 1, (const float *const *)&f, 1, NULL, f), GT_ERR_UNKNOWN,
	           "did you mean 'bone'");
	ck_refused(gt_prepare(&p, "beam-hardening:polynomial=1,dense=bone", NULL), GT_ERR_ARG, "expected a spectrum");
	gt_projections_free(p);
	free(f);
}

/* Air, a faint drum, rods and metal. A rod denser than the drum is above or below the threshold, never half metal. */
GT_TEST(materials_are_not_cut)
{
	enum { ROD = 186000, METAL = ROD + 2800, ALL = METAL + 2800 };
	float *image = malloc(ALL * sizeof *image);
	gt_random random;
	for (int step = 0; step < 4; step++) {
		const double rod = 0.0105 + 0.0015 * step;
		size_t metallic = 0;
		gt_random_at(7, (uint64_t)step, &random);
		for (size_t i = 0; i < ALL; i++) {
			const double level = i < 150000 ? 0 : i < 180000 ? 0.0021 : i < ROD ? 0.0082 : i < METAL ? rod : 0.035;
			const double noise = i < 150000 ? 0.0003 : i < 180000 ? 0.0004 : i < ROD ? 0.0005 : 0.0025;
			image[i] = (float)(level + noise * gt_normal(&random));
		}
		const gt_metal_levels found = gt_metal_levels_of(image, ALL);
		ck_assert_double_eq_tol(found.object, 0.0021, 1e-4);
		ck_assert_double_gt(found.threshold, rod);
		for (size_t i = ROD; i < METAL; i++)
			metallic += image[i] > found.threshold;
		ck_assert_msg(metallic < 60, "%zu of 2800 voxels of a rod at %g are above %g", metallic, rod, found.threshold);
	}
	free(image);
}

int main(void) { return gt_test_main("metal", NULL); }
