/* Structural similarity against its definition, window by window; similar, opposite and constant images; regions,
 * strides, threads.
 * labels: unit property backend: none */
#include <math.h>
#include <string.h>
#include <stdlib.h>
#include <gantry/metrics.h>
#include "tests/support/support.h"

enum { SLICES = 4, LINES = 17, PIXELS = 14, N = SLICES * LINES * PIXELS };

struct images {
	float a[N], b[N];
	unsigned char inside[LINES * PIXELS];
	gt_image_pair p;
	gt_image_region all;
};

static void fill(struct images *s)
{
	gt_test_random(1, N, s->a);
	gt_test_random(2, N, s->b);
	for (size_t i = 0; i < N; i++)
		s->b[i] = 0.5f * s->a[i] + 0.4f * s->b[i] + 0.1f;
	for (size_t i = 0; i < LINES * PIXELS; i++)
		s->inside[i] = i % 3 != 0;
	s->p = (gt_image_pair){ s->a, s->b, SLICES, LINES, PIXELS, LINES * PIXELS, PIXELS };
	s->all = (gt_image_region){ 0, SLICES, NULL };
}

/* Moments of one window by sums about its means, as in the paper. */
static double window_at(const gt_image_pair *p, size_t slice, size_t line, size_t pixel, double range)
{
	const double c1 = pow(0.01 * range, 2), c2 = pow(0.03 * range, 2);
	double all = 0, mean[2] = { 0, 0 }, xx = 0, yy = 0, xy = 0;
	for (int pass = 0; pass < 2; pass++)
		for (int i = -5; i <= 5; i++)
			for (int j = -5; j <= 5; j++) {
				const double w = exp(-(i * i + j * j) / (2 * 1.5 * 1.5));
				const size_t at = slice * p->slice_stride + (size_t)((int)line + i) * p->line_stride +
				                  (size_t)((int)pixel + j);
				const double x = p->a[at], y = p->b[at];
				if (pass == 0) {
					all += w;
					mean[0] += w * x;
					mean[1] += w * y;
				} else {
					xx += w / all * (x - mean[0] / all) * (x - mean[0] / all);
					yy += w / all * (y - mean[1] / all) * (y - mean[1] / all);
					xy += w / all * (x - mean[0] / all) * (y - mean[1] / all);
				}
			}
	const double mx = mean[0] / all, my = mean[1] / all;
	return (2 * mx * my + c1) * (2 * xy + c2) / ((mx * mx + my * my + c1) * (xx + yy + c2));
}

static double by_definition(const gt_image_pair *p, const gt_image_region *r, double range)
{
	double sum = 0;
	size_t count = 0;
	for (size_t s = r->first_slice; s < r->first_slice + r->slices; s++)
		for (size_t l = 5; l + 5 < p->lines; l++)
			for (size_t c = 5; c + 5 < p->pixels; c++)
				if (!r->inside || r->inside[l * p->pixels + c]) {
					sum += window_at(p, s, l, c, range);
					count++;
				}
	return sum / (double)count;
}

static double ssim(const gt_image_pair *p, const gt_image_region *r, double range, gt_pool *pool)
{
	double mean;
	ck_ok(gt_ssim(p, r, range, pool, &mean));
	return mean;
}

START_TEST(is_its_definition)
{
	struct images s;
	fill(&s);
	const gt_image_region some = { 1, 2, s.inside };
	const double whole = by_definition(&s.p, &s.all, 1.7), part = by_definition(&s.p, &some, 1.7);
	ck_assert(whole > 0.2 && whole < 0.95 && fabs(whole - part) > 1e-4);
	ck_assert_double_eq_tol(ssim(&s.p, &s.all, 1.7, NULL), whole, 1e-12);
	ck_assert_double_eq_tol(ssim(&s.p, &some, 1.7, NULL), part, 1e-12);
	ck_assert(fabs(ssim(&s.p, &s.all, 3.4, NULL) - whole) > 1e-4);
}
END_TEST

/* Distant lines and near slices: rows of projections. */
START_TEST(by_strides)
{
	struct images s;
	fill(&s);
	const gt_image_pair p = { s.a, s.b, SLICES, LINES, PIXELS, PIXELS, SLICES * PIXELS };
	ck_assert_double_eq_tol(ssim(&p, &s.all, 2, NULL), by_definition(&p, &s.all, 2), 1e-12);
}
END_TEST

START_TEST(known_values)
{
	struct images s;
	fill(&s);
	gt_image_pair p = s.p;
	p.b = p.a;
	ck_assert_double_eq_tol(ssim(&p, &s.all, 1, NULL), 1, 1e-12);
	for (size_t i = 0; i < N; i++)
		s.b[i] = 10 - (s.a[i] += 5);
	ck_assert(ssim(&s.p, &s.all, 1, NULL) < -0.9);
	for (size_t i = 0; i < N; i++) {
		s.a[i] = 3;
		s.b[i] = 2;
	}
	ck_assert_double_eq_tol(ssim(&s.p, &s.all, 100, NULL), (2 * 3 * 2 + 1.) / (9 + 4 + 1.), 1e-12);
}
END_TEST

START_TEST(nothing_fits)
{
	struct images s;
	fill(&s);
	gt_image_pair narrow = s.p, low = s.p;
	narrow.pixels = 10;
	low.lines = 10;
	const gt_image_region none = { 1, 0, NULL };
	unsigned char outside[LINES * PIXELS] = { 1 };
	const gt_image_region corner = { 0, SLICES, outside };
	ck_assert(isnan(ssim(&narrow, &s.all, 1, NULL)));
	ck_assert(isnan(ssim(&low, &s.all, 1, NULL)));
	ck_assert(isnan(ssim(&s.p, &none, 1, NULL)));
	ck_assert(isnan(ssim(&s.p, &corner, 1, NULL)));
	narrow.pixels = 11;
	ck_assert(!isnan(ssim(&narrow, &s.all, 1, NULL)));
}
END_TEST

START_TEST(any_number_of_threads)
{
	struct images s;
	gt_pool *pool = NULL;
	fill(&s);
	ck_ok(gt_pool_new(3, &pool));
	ck_assert(ssim(&s.p, &s.all, 1, pool) == ssim(&s.p, &s.all, 1, NULL));
	gt_pool_free(pool);
}
END_TEST

static void fill_suite(TCase *tc)
{
	tcase_add_test(tc, is_its_definition);
	tcase_add_test(tc, by_strides);
	tcase_add_test(tc, known_values);
	tcase_add_test(tc, nothing_fits);
	tcase_add_test(tc, any_number_of_threads);
}

int main(void) { return gt_test_main("ssim", fill_suite); }
