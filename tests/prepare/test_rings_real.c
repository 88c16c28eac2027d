/* Rings of a real scan in the folder GT_DATA: a measure of the residual, also for known rings.
 * labels: unit physics slow  backend: cpu */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/author/constants.h>
#include <gantry/io.h>
#include <gantry/prepare.h>
#include "core/order_statistics.h"
#include "tests/prepare/half_turn.h"
#include "tests/support/support.h"

enum { AROUND = 15, INNERMOST = 4 };

/* ring[side / 2]: azimuthal median of each radius minus its running median over 15 pixels, from the first radius with
 * enough neighbours. Returns the end of the radii. */
static size_t rings_of(const float *slice, size_t side, double *ring)
{
	const size_t radii = side / 2 - 2, max = 8 * side;
	const double middle = ((double)side - 1) / 2;
	double *along = malloc((max + radii) * sizeof *along), *median = along + max, few[AROUND];
	for (size_t r = INNERMOST; r < radii; r++) {
		const size_t steps = (size_t)(2 * GT_PI * (double)r);
		for (size_t i = 0; i < steps; i++) {
			const double a = 2 * GT_PI * (double)i / (double)steps, x = middle + (double)r * cos(a),
				     y = middle + (double)r * sin(a);
			const size_t k = (size_t)x, l = (size_t)y;
			const double u = x - (double)k, v = y - (double)l;
			const float *at = slice + l * side + k;
			along[i] = (1 - v) * ((1 - u) * at[0] + u * at[1]) + v * ((1 - u) * at[side] + u * at[side + 1]);
		}
		median[r] = gt_median(along, steps);
	}
	for (size_t r = INNERMOST + AROUND / 2; r + AROUND / 2 < radii; r++) {
		memcpy(few, median + r - AROUND / 2, sizeof few);
		ring[r] = median[r] - gt_median(few, AROUND);
	}
	free(along);
	return radii - AROUND / 2;
}

/* Root-mean-square difference of the rings of two slices from a radius on; NULL: of one slice. */
static double ring_metric(const float *slice, const float *other, size_t side, size_t first)
{
	double *ring = calloc(side, sizeof *ring), *of = ring + side / 2, squares = 0;
	const size_t end = rings_of(slice, side, ring), start = first + AROUND / 2;
	if (other)
		rings_of(other, side, of);
	for (size_t r = start; r < end; r++)
		squares += pow(ring[r] - of[r], 2);
	free(ring);
	return sqrt(squares / (double)(end - start));
}

/* Standard deviation of the slice within half of the radius. */
static double texture_of(const float *slice, size_t side)
{
	const double middle = ((double)side - 1) / 2;
	double sum = 0, squares = 0, n = 0;
	for (size_t y = 0; y < side; y++)
		for (size_t x = 0; x < side; x++)
			if (hypot((double)x - middle, (double)y - middle) < (double)side / 4) {
				sum += slice[y * side + x];
				squares += pow(slice[y * side + x], 2);
				n++;
			}
	return sqrt(squares / n - sum * sum / n / n);
}

/* Near the axis the tooth itself is round, and a ring has few pixels: most of the residual there is not a ring. The
 * residual of known rings comes from the rings of the scan, added with the columns in reverse order. */
GT_TEST(a_real_scan_without_rings)
{
	enum { SIDE = 512, OUTSIDE = 120 };
	static const char *const methods[] = { "rings:method=gain", "rings:method=sorting", "rings:method=large", "rings:method=all" };
	static const double max[] = { 0.42, 0.75, 0.65, 0.65 };
	const char *data = getenv("GT_DATA");
	char path[1024];
	gt_projections *p = NULL;
	float *before = malloc(3 * SIDE * SIDE * sizeof *before), *clean = before + SIDE * SIDE, *after = clean + SIDE * SIDE;
	snprintf(path, sizeof path, "%s/tooth.h5", data ? data : "");
	if (data && access(path, R_OK) == 0) {
		ck_ok(gt_read_projections(path, NULL, &p));
		float *x = gt_projections_data(p);
		const gt_scan *scan = gt_projections_scan(p);
		const size_t size = gt_scan_size(scan), columns = scan->columns, line = scan->rows * columns;
		float *was = malloc(2 * size * sizeof *was), *planted = was + size;
		memcpy(was, x, size * sizeof *was);
		slice_of(p, SIDE, before);
		ck_ok(gt_prepare(&p, "rings", NULL));
		x = gt_projections_data(p);
		slice_of(p, SIDE, clean);
		const double all = ring_metric(clean, NULL, SIDE, INNERMOST) / ring_metric(before, NULL, SIDE, INNERMOST),
			     outside = ring_metric(clean, NULL, SIDE, OUTSIDE) / ring_metric(before, NULL, SIDE, OUTSIDE),
			     texture = texture_of(clean, SIDE) / texture_of(before, SIDE);
		fprintf(stderr, "tooth.h5: rings %.3f of what they were, %.3f from %d pixels on; texture %.3f\n", all, outside, OUTSIDE,
		        texture);
		ck_assert_double_lt(all, 0.7);
		ck_assert_double_lt(outside, 0.4);
		ck_assert_double_gt(texture, 0.97);
		for (size_t i = 0; i < size; i++) {
			const size_t other = i - i % columns + columns - 1 - i % columns;
			planted[i] = x[i] + was[other % line] - x[other % line];
		}
		memcpy(was, x, size * sizeof *was);
		memcpy(x, planted, size * sizeof *x);
		slice_of(p, SIDE, before);
		for (int m = 0; m < 4; m++) {
			memcpy(x, planted, size * sizeof *x);
			ck_ok(gt_prepare(&p, methods[m], NULL));
			x = gt_projections_data(p);
			slice_of(p, SIDE, after);
			const double left = ring_metric(after, clean, SIDE, INNERMOST) / ring_metric(before, clean, SIDE, INNERMOST);
			fprintf(stderr, "tooth.h5 with known rings, %s: %.3f of them are left; the measure without them %.3f\n", methods[m],
			        left, ring_metric(clean, NULL, SIDE, INNERMOST) / ring_metric(before, NULL, SIDE, INNERMOST));
			ck_assert_double_lt(left, max[m]);
		}
		free(was);
		gt_projections_free(p);
	}
	free(before);
}

int main(void) { return gt_test_main("rings_real", NULL); }
