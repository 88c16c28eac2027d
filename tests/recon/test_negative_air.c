/* Air below 0: noise alone is none, an offset of one side is. labels: unit backend: none */
#include <math.h>
#include "recon/negative_air.h"
#include "tests/prepare/half_turn.h"
#include "tests/support/support.h"

enum { VIEWS = 40, ROWS = 3, COLUMNS = 120 };

/* A disc of 30 pixels with noise in all pixels, and an offset of the pixels from column 80 on. */
static gt_negative_air air_of(double noise, double offset)
{
	gt_projections *p = half_turn((const size_t[]){ VIEWS, ROWS, COLUMNS }, (const double[]){ 1, 1 }, (const double[]){ 0, 0 });
	float *x = gt_projections_data(p);
	for (size_t i = 0; i < (size_t)VIEWS * ROWS * COLUMNS; i++) {
		const double t = (double)(i % COLUMNS) - 50;
		x[i] = (float)(0.04 * sqrt(fmax(0, 900 - t * t)) + noise * gt_test_normal(5, i) + (i % COLUMNS >= 80 ? offset : 0));
	}
	const gt_negative_air air = gt_negative_air_of(p);
	gt_projections_free(p);
	return air;
}

START_TEST(noise_is_none)
{
	for (int k = 0; k < 3; k++) {
		const gt_negative_air air = air_of((const double[]){ 0, 0.01, 0.1 }[k], 0);
		ck_assert_msg(air.part < 0.005, "%g of the air", air.part);
		ck_assert(!gt_negative_air_matters(&air));
	}
}
END_TEST

START_TEST(an_offset_is_found)
{
	const gt_negative_air air = air_of(0.01, -0.03);
	ck_assert(gt_negative_air_matters(&air));
	ck_assert_double_eq_tol(air.mean, -0.03, 0.005);
	const gt_negative_air bright = air_of(0.01, 0.03);
	ck_assert(!gt_negative_air_matters(&bright));
}
END_TEST

/* Rows 0 are zeros. If these are all that is sampled, as at a step of 2 of these 2048 rows, there is no negative air. */
START_TEST(all_rows_of_a_view_are_sampled)
{
	enum { MANY = 1024, TWO = 2, WIDE = 2048 };
	gt_projections *p = half_turn((const size_t[]){ MANY, TWO, WIDE }, (const double[]){ 1, 1 }, (const double[]){ 0, 0 });
	float *x = gt_projections_data(p);
	for (size_t i = 0; i < (size_t)MANY * TWO * WIDE; i++)
		x[i] = i / WIDE % TWO == 0 ? 0 : i % WIDE < 1024 ? 1 : -0.03f;
	const gt_negative_air air = gt_negative_air_of(p);
	gt_projections_free(p);
	ck_assert(gt_negative_air_matters(&air));
	ck_assert_double_eq_tol(air.mean, -0.03, 1e-6);
}
END_TEST

/* An interior scan without air, in which one tile of the detector is too bright. */
START_TEST(a_bright_tile_is_no_air)
{
	enum { SIDE = 512, TILE = 32 };
	gt_projections *p = half_turn((const size_t[]){ 2, SIDE, SIDE }, (const double[]){ 1, 1 }, (const double[]){ 0, 0 });
	float *x = gt_projections_data(p);
	for (size_t i = 0; i < (size_t)2 * SIDE * SIDE; i++)
		x[i] = i % SIDE < TILE && i / SIDE % SIDE < TILE ? -0.18f : 2;
	const gt_negative_air air = gt_negative_air_of(p);
	gt_projections_free(p);
	ck_assert(!gt_negative_air_matters(&air));
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_test(tc, noise_is_none);
	tcase_add_test(tc, an_offset_is_found);
	tcase_add_test(tc, a_bright_tile_is_no_air);
	tcase_add_test(tc, all_rows_of_a_view_are_sampled);
}

int main(void) { return gt_test_main("negative air", fill); }
