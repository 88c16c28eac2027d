/* The proximal step of total variation against plain loops in double, closed forms, and its duality gap.
 * labels: unit property */
#include "tests/regularizers/tv_model.h"

/* Proximal step ---------------------------------------------------------- */

/* Two calls, the second from the end of the first, against plain loops. */
GT_TEST(prox_follows_the_plain_loops)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 4 * GRIDS; k++) {
		struct subject s = subject(be, k % 2 ? GT_F64 : GT_F32, &grids[k / 4], k / 2 % 2, ",inner=7");
		const size_t n = s.m.voxels;
		double *z = numbers(n, 50, 1), *p = calloc(3 * n, sizeof *p), *want = malloc(n * sizeof *want);
		for (int call = 0; call < 2; call++) {
			const double t = call ? 0.11 : 0.07, lo = call ? -0.4 : -INFINITY, hi = call ? 0.5 : INFINITY;
			plain_prox(&s.m, t * s.m.strength, lo, hi, n > 1 ? 7 : 0, z, p, want);
			double *got = prox(&s, t, lo, hi, z);
			ck_assert_double_lt(farthest(got, want, n), k % 2 ? 1e-13 : 2e-6);
			free(got);
		}
		free(z), free(p), free(want);
		drop(&s);
	}
	gt_backend_close(be);
}

/* Without bounds u = z - tau D'p, so the dual value is (|z|^2 - |u|^2)/2. The duality gap is |u|^2 - <u, z> + tau
 * TV(u) >= 0, an upper bound of |u - minimiser|^2/2. */
static double gap(const struct subject *s, double t, const double *z, const double *u)
{
	return dot(u, u, s->m.voxels) - dot(u, z, s->m.voxels) + t * variation(&s->m, 0, u);
}

GT_TEST(duality_gap_closes)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 8; k++) {
		struct subject s = subject(be, GT_F64, &grids[k / 2], k % 2, ",inner=50");
		double *z = numbers(s.m.voxels, 60, 1), t = 0.15, first = gap(&s, t, z, z), last = first;
		for (int call = 0; call < 60; call++) {
			double *u = prox(&s, t, -INFINITY, INFINITY, z);
			last = gap(&s, t, z, u);
			ck_assert_double_ge(last, -1e-12 * first);
			free(u);
		}
		ck_assert_double_gt(first, 0.1);
		ck_assert_double_lt(last, 1e-6 * first);
		free(z);
		drop(&s);
	}
	gt_backend_close(be);
}

/* No step from the result within the bounds lowers R(u) + |u - z|^2/(2t). */
GT_TEST(bounded_prox_is_the_least)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 4; k++) {
		struct subject s = subject(be, GT_F64, &grids[k / 2], k % 2, ",inner=3000");
		const size_t n = s.m.voxels;
		const double t = 0.1, lo = -0.2, hi = 0.15;
		double *z = numbers(n, 70, 1), *u = prox(&s, t, lo, hi, z), *v = malloc(n * sizeof *v);
		size_t at_bounds = 0, within = 0;
		for (size_t i = 0; i < n; i++) {
			ck_assert(u[i] >= lo && u[i] <= hi);
			at_bounds += u[i] == lo || u[i] == hi;
			within += u[i] > lo && u[i] < hi;
		}
		ck_assert(at_bounds > 0 && within > 0);
		double min = 0;
		for (size_t i = 0; i < n; i++)
			min += (u[i] - z[i]) * (u[i] - z[i]) / (2 * t);
		min += variation(&s.m, 0, u);
		for (unsigned seed = 71; seed < 111; seed++) {
			double *h = numbers(n, seed, pow(10, -(double)(seed % 4))), cost = 0, moved = 0;
			for (size_t i = 0; i < n; i++) {
				const double towards = seed % 3   ? u[i] + h[i]
				                       : seed % 2 ? u[i] + h[0]
				                                  : (1 - fabs(h[0])) * u[i] + fabs(h[0]) * z[i];
				v[i] = fmax(lo, fmin(hi, towards));
				cost += (v[i] - z[i]) * (v[i] - z[i]) / (2 * t);
				moved += (v[i] - u[i]) * (v[i] - u[i]) / (2 * t);
			}
			/* Strong convexity: the cost exceeds the minimum by |v - u|^2/(2t). */
			ck_assert_double_ge(cost + variation(&s.m, 0, v), min + moved - 1e-6 * min);
			free(h);
		}
		free(z), free(u), free(v);
		drop(&s);
	}
	gt_backend_close(be);
}

/* The anisotropic form is separable into level sets: bounds only clip its result. */
GT_TEST(bounds_cut_the_anisotropic_result)
{
	gt_backend *be = gt_test_backend();
	struct subject free_ = subject(be, GT_F64, &grids[1], 1, ",inner=4000"), bound = subject(be, GT_F64, &grids[1], 1, ",inner=4000");
	const size_t n = free_.m.voxels;
	double *z = numbers(n, 80, 1), *u = prox(&free_, 0.1, -INFINITY, INFINITY, z), *v = prox(&bound, 0.1, -0.1, 0.2, z);
	size_t cut = 0;
	for (size_t i = 0; i < n; i++) {
		cut += u[i] < -0.1 || u[i] > 0.2;
		u[i] = fmax(-0.1, fmin(0.2, u[i]));
	}
	ck_assert(cut > 0 && cut < n);
	ck_assert_double_lt(farthest(u, v, n), 1e-4);
	free(z), free(u), free(v);
	drop(&free_);
	drop(&bound);
	gt_backend_close(be);
}

GT_TEST(constant_images_stay)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 2 * GRIDS; k++) {
		struct subject s = subject(be, k % 2 ? GT_F64 : GT_F32, &grids[k / 2], 0, "");
		gt_fill(0.75, s.x);
		gt_penalty_prox(s.R, 3, -INFINITY, INFINITY, s.x, s.y);
		ck_assert(gt_min(s.y) == 0.75 && gt_max(s.y) == 0.75);
		gt_penalty_prox(s.R, 3, 0, 0.5, s.x, s.y);
		ck_assert(gt_min(s.y) == 0.5 && gt_max(s.y) == 0.5);
		drop(&s);
	}
	gt_backend_close(be);
}

/* Along each axis: two voxels approach each other by tau w each until they meet. */
GT_TEST(two_voxels)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 12; k++) {
		gt_grid g = { { 1, 1, 1 }, { 0.6, 1.1, 0.9 }, { 0, 0, 0 } };
		g.n[k % 3] = 2;
		struct subject s = subject(be, k / 3 % 2 ? GT_F64 : GT_F32, &g, k / 6, ",inner=200");
		const double z[2] = { -0.3, 0.9 }, w = g.pitch[0] / g.pitch[k % 3];
		for (double t = 0.01; t < 2; t *= 3) {
			const double move = fmin(t * s.m.strength * w, 0.6), want[2] = { -0.3 + move, 0.9 - move };
			double *u = prox(&s, t, -INFINITY, INFINITY, z);
			ck_assert_double_lt(farthest(u, want, 2), s.type == GT_F64 ? 1e-12 : 1e-6);
			free(u);
		}
		drop(&s);
	}
	gt_backend_close(be);
}

/* A step edge along one axis: a level of n voxels moves by tau w/n. */
GT_TEST(step_shrinks_as_known)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 6; k++) {
		const int a = k % 3;
		gt_grid g = { { 3, 2, 4 }, { 0.5, 0.8, 1.25 }, { 0, 0, 0 } };
		g.n[a] = 9;
		struct subject s = subject(be, GT_F64, &g, k / 3, ",inner=3000");
		const size_t n = s.m.voxels;
		double *z = malloc(n * sizeof *z), *want = malloc(n * sizeof *want), t = 0.2;
		const double tau = t * s.m.strength * s.m.w[a];
		for (size_t v = 0; v < n; v++) {
			const int high = v / s.m.stride[a] % 9 >= 6;
			z[v] = high ? 1 : -0.5;
			want[v] = high ? 1 - tau / 3 : -0.5 + tau / 6;
		}
		double *u = prox(&s, t, -INFINITY, INFINITY, z);
		ck_assert_double_lt(farthest(u, want, n), 1e-5);
		free(z), free(u), free(want);
		drop(&s);
	}
	gt_backend_close(be);
}

GT_TEST(small_and_large_steps)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 2; k++) {
		struct subject s = subject(be, GT_F64, &grids[1], k, ",inner=3000");
		const size_t n = s.m.voxels;
		double *z = numbers(n, 90, 1), mean = 0, *level = malloc(n * sizeof *level);
		for (size_t i = 0; i < n; i++)
			mean += z[i] / (double)n;
		for (size_t i = 0; i < n; i++)
			level[i] = mean;
		double *same = prox(&s, 0, -INFINITY, INFINITY, z), *near = prox(&s, 1e-9, -INFINITY, INFINITY, z),
		       *flat = prox(&s, 1e3, -INFINITY, INFINITY, z);
		ck_assert_double_eq(farthest(same, z, n), 0);
		ck_assert_double_lt(farthest(near, z, n), 1e-7);
		ck_assert_double_gt(farthest(near, z, n), 1e-10);
		ck_assert_double_lt(farthest(flat, level, n), 1e-6);
		/* x and z may be equal. */
		put(z, s.x);
		gt_penalty_prox(s.R, 1e3, -INFINITY, INFINITY, s.x, s.x);
		double *in_place = get(s.x);
		ck_assert_double_lt(farthest(in_place, level, n), 1e-6);
		free(z), free(same), free(near), free(flat), free(level), free(in_place);
		drop(&s);
	}
	gt_backend_close(be);
}

/* Calls of five iterations until the gap is small: the second image differs little from the first. */
static int calls_needed(const struct subject *s, const double *z)
{
	int calls = 0;
	const double t = 0.15, enough = 1e-4 * gap(s, t, z, z);
	for (double now = INFINITY; now > enough; calls++) {
		double *u = prox(s, t, -INFINITY, INFINITY, z);
		now = gap(s, t, z, u);
		free(u);
		ck_assert_int_lt(calls, 1000);
	}
	return calls;
}

GT_TEST(warm_start_saves_iterations)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 2; k++) {
		struct subject warm = subject(be, GT_F64, &grids[1], k, ",inner=5"), cold = subject(be, GT_F64, &grids[1], k, ",inner=5");
		const size_t n = warm.m.voxels;
		double *z = numbers(n, 91, 1), *change = numbers(n, 92, 0.01);
		calls_needed(&warm, z);
		for (size_t i = 0; i < n; i++)
			z[i] += change[i];
		const int from_warm = calls_needed(&warm, z), from_cold = calls_needed(&cold, z);
		ck_assert_msg(2 * from_warm <= from_cold, "%d calls warm, %d cold", from_warm, from_cold);
		free(z), free(change);
		drop(&warm);
		drop(&cold);
	}
	gt_backend_close(be);
}

int main(void) { return gt_test_main("tv proximal step", NULL); }
