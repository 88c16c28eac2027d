/* Redundancy weights of rays and angular weights of views. */
/* labels: unit; backend: none */
#include "analytic/fbp/redundancy.h"
#include "core/random.h"
#include "tests/analytic/bodies.h"

/* Conjugates of (t, beta) in a range: (t + pi + 2 beta, -beta), also one rotation earlier. */
static double sum_of_conjugates(double t, double beta, double range)
{
	double sum = gt_parker_weight(t, beta, range);
	for (int turn = -1; turn <= 1; turn++)
		sum += gt_parker_weight(t + GT_PI + 2 * beta + 2 * GT_PI * turn, -beta, range);
	return sum;
}

GT_TEST(parker_conjugates_sum_to_one)
{
	static const double fan[] = { 0.05, 0.2, 0.48 }, over[] = { 0, 0.03, 0.4, 1.2 };
	for (size_t f = 0; f < 3; f++)
		for (size_t o = 0; o < 4; o++) {
			const double range = fmin(GT_PI + 2 * (fan[f] + over[o]), 2 * GT_PI - 1e-6);
			for (int i = 0; i <= 500; i++)
				/* at delta itself the wedges have no width: their tips depend on rounding */
				for (int k = -19; k <= 19; k++) {
					const double sum = sum_of_conjugates(range * i / 500, fan[f] * k / 20, range);
					ck_assert_msg(fabs(sum - 1) < 1e-12, "t %g beta %g range %g: %.15g", range * i / 500,
					              fan[f] * k / 20, range, sum);
				}
		}
}

GT_TEST(parker_is_zero_outside_and_smooth_inside)
{
	const double range = GT_PI + 0.6;
	ck_assert(gt_parker_weight(-1e-9, 0.1, range) == 0 && gt_parker_weight(range + 1e-9, 0.1, range) == 0);
	ck_assert(gt_parker_weight(0, 0.1, range) == 0 && gt_parker_weight(GT_PI / 2, 0.1, range) == 1);
	for (int k = -20; k <= 20; k++)
		for (int i = 0; i < 4000; i++) {
			const double beta = 0.3 * k / 20, a = gt_parker_weight(range * i / 4000, beta, range);
			const double b = gt_parker_weight(range * (i + 1) / 4000, beta, range);
			/* the steepest wedge is 2 (delta - |beta|) wide; its tip is a step */
			ck_assert(a >= 0 && a <= 1 && (abs(k) > 18 || fabs(a - b) < 0.06));
		}
	/* a fan beyond the range has the weight of its edge, which is finite */
	ck_assert(isfinite(gt_parker_weight(range, -0.3, range)) && isfinite(gt_parker_weight(0, 0.3, range)));
	ck_assert(gt_parker_weight(1, 0.5, range) == gt_parker_weight(1, 0.3, range));
}

GT_TEST(offset_conjugates_sum_to_two)
{
	for (int k = -100; k <= 100; k++) {
		const double beta = k / 200.0;
		ck_assert(fabs(gt_offset_weight(beta, 0.2) + gt_offset_weight(-beta, 0.2) - 2) < 1e-12);
		ck_assert(gt_offset_weight(beta, 0.2) <= gt_offset_weight(beta + 0.005, 0.2));
	}
	ck_assert(gt_offset_weight(-0.2, 0.2) == 0 && gt_offset_weight(0.21, 0.2) == 2 && gt_offset_weight(0, 0.2) == 1);
}

enum { MOST = 400 };
static struct {
	double direction[MOST], weight[MOST];
	gt_coverage c;
	size_t n;
} of;

static void cover(size_t n, double start, double step, double period)
{
	of.n = n;
	for (size_t i = 0; i < n; i++)
		of.direction[i] = start + step * (double)i;
	ck_ok(gt_directions_cover(of.direction, n, period, 0, &of.c, of.weight));
}

static double sum_of_weights(void)
{
	double sum = 0;
	for (size_t i = 0; i < of.n; i++)
		sum += of.weight[i];
	return sum;
}

#define CLOSE(x, y) ck_assert_msg(fabs((x) - (y)) < 1e-9, "%s = %.15g, not %.15g", #x, (double)(x), (double)(y))

GT_TEST(full_turns_are_seen)
{
	static const double start[] = { 0, 1, -3, 40 };
	for (int sense = -1; sense <= 1; sense += 2)
		for (size_t s = 0; s < 4; s++)
			for (int turns = 1; turns <= 3; turns++)
				for (int end = 0; end <= 1; end++) {
					cover((size_t)(90 * turns + end), start[s], sense * 2 * GT_PI / 90, 2 * GT_PI);
					ck_assert(of.c.full);
					CLOSE(of.c.range, 2 * GT_PI);
					CLOSE(sum_of_weights(), 2 * GT_PI);
					/* views at one angle share the weight, and the end view shares it with the
					 * first */
					CLOSE(of.weight[5], 2 * GT_PI / 90 / turns);
					CLOSE(of.weight[0], 2 * GT_PI / 90 / (turns + end));
				}
	/* 2.3 rotations: every direction counts once */
	cover(230, 0.1, 2 * GT_PI / 100, 2 * GT_PI);
	ck_assert(of.c.full);
	CLOSE(sum_of_weights(), 2 * GT_PI);
	CLOSE(of.weight[10], 2 * GT_PI / 100 / 3);
	CLOSE(of.weight[50], 2 * GT_PI / 100 / 2);
	/* the golden angle closes the circle too */
	cover(377, 0.2, GT_PI * (3 - sqrt(5)), 2 * GT_PI);
	ck_assert(of.c.full);
	CLOSE(sum_of_weights(), 2 * GT_PI);
}

GT_TEST(parts_of_a_turn_are_measured)
{
	for (int sense = -1; sense <= 1; sense += 2)
		for (double start = -4; start < 8; start += 0.7) {
			cover(111, start, sense * 0.03, 2 * GT_PI);
			ck_assert(!of.c.full);
			CLOSE(of.c.range, 111 * 0.03);
			CLOSE(sum_of_weights(), 111 * 0.03);
			CLOSE(of.c.step, 0.03);
			CLOSE(of.c.hole, 0.03);
			const double low = sense > 0 ? start : start - 110 * 0.03;
			CLOSE(remainder(of.c.first - (low - 0.015), 2 * GT_PI), 0);
			CLOSE(of.weight[0], 0.03);
			CLOSE(of.weight[60], 0.03);
		}
	/* five views 50 degrees apart are no full rotation */
	cover(5, 0, 50 * GT_PI / 180, 2 * GT_PI);
	ck_assert(!of.c.full);
	CLOSE(of.c.range, 250 * GT_PI / 180);
	cover(1, 2, 0, 2 * GT_PI);
	ck_assert(!of.c.full && of.c.range == 0 && of.weight[0] == 0);
}

/* A gap that may be closed: each neighbour stands for half of it. */
GT_TEST(gaps_are_closed_up_to_a_limit)
{
	cover(170, 0.2, 2 * GT_PI / 180, 2 * GT_PI);
	ck_assert(!of.c.full);
	ck_ok(gt_directions_cover(of.direction, 170, 2 * GT_PI, 21 / GT_DEGREES, &of.c, of.weight));
	ck_assert(!of.c.full);
	ck_ok(gt_directions_cover(of.direction, 170, 2 * GT_PI, 22.001 / GT_DEGREES, &of.c, of.weight));
	ck_assert(of.c.full);
	CLOSE(of.c.hole, 22 / GT_DEGREES);
	CLOSE(of.weight[0], 12 / GT_DEGREES);
	CLOSE(of.weight[169], 12 / GT_DEGREES);
	CLOSE(of.weight[80], 2 / GT_DEGREES);
	CLOSE(sum_of_weights(), 2 * GT_PI);
}

GT_TEST(half_turns_of_parallel_beams)
{
	cover(180, 0.3, GT_PI / 180, GT_PI);
	ck_assert(of.c.full);
	CLOSE(of.weight[0], GT_PI / 180);
	cover(181, 0.3, GT_PI / 180, GT_PI);
	ck_assert(of.c.full);
	CLOSE(of.weight[0], GT_PI / 360);
	CLOSE(of.weight[180], GT_PI / 360);
	CLOSE(of.weight[90], GT_PI / 180);
	cover(360, -0.3, -GT_PI / 180, GT_PI);
	ck_assert(of.c.full);
	CLOSE(of.weight[17], GT_PI / 360);
	cover(361, 0, 2 * GT_PI / 361, GT_PI);
	ck_assert(of.c.full);
	CLOSE(of.weight[17], GT_PI / 361);
	cover(150, 0, GT_PI / 180, GT_PI);
	ck_assert(!of.c.full);
	CLOSE(of.c.range, 150 * GT_PI / 180);
}

GT_TEST(uneven_steps_weigh_what_they_stand_for)
{
	const double at[] = { 0.2, 1.1, 1.7, 2.9, 3.5, 4.6, 5.5 };
	const double shuffled[] = { at[3], at[0], at[6], at[1], at[5], at[2], at[4] };
	memcpy(of.direction, shuffled, sizeof shuffled);
	of.n = 7;
	ck_ok(gt_directions_cover(of.direction, 7, 2 * GT_PI, 0, &of.c, of.weight));
	CLOSE(of.weight[0], (3.5 - 1.7) / 2);
	CLOSE(of.weight[2], (0.2 + 2 * GT_PI - 4.6) / 2);
	CLOSE(sum_of_weights(), of.c.range);
	/* a hole inside a range is reported */
	cover(100, 0, 0.01, 2 * GT_PI);
	for (size_t i = 50; i < 100; i++)
		of.direction[i] += 0.5;
	ck_ok(gt_directions_cover(of.direction, 100, 2 * GT_PI, 0, &of.c, of.weight));
	CLOSE(of.c.hole, 0.51);
	CLOSE(of.c.range, 1.5);
}

int main(void) { return gt_test_main("redundancy", NULL); }
