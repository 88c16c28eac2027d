/* Every row of the table of penalties: its functions are consistent to 1e-6 in double.
 * labels: unit property */
#include "tests/regularizers/smooth_model.h"
#include "tests/support/loose.h"

static const gt_param *key(const gt_regularizer *r, const char *name)
{
	for (const gt_param *p = r->params; p && p->key; p++)
		if (!strcmp(p->key, name))
			return p;
	return NULL;
}

/* Sets parameters by name to the scale of the voxel values, so that new rows need no entry here. */
static void spec_of(const gt_regularizer *r, double strength, int inner, char text[256])
{
	static const struct {
		const char *key, *value;
	} known[] = { { "delta", "0.8" }, { "c", "0.8" }, { "smooth", "0.3" }, { "h", "0.9" }, { "alpha", "0.3" } };
	int n = snprintf(text, 256, "%s:strength=%.17g", r->name, strength);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (key(r, known[i].key))
			n += snprintf(text + n, 256 - (size_t)n, ",%s=%s", known[i].key, known[i].value);
	if (key(r, "inner"))
		n += snprintf(text + n, 256 - (size_t)n, ",inner=%d", inner);
	if (key(r, "prior"))
		snprintf(text + n, 256 - (size_t)n, ",prior=PRIOR");
}

/* If a row has a proximal step and a gradient (tv), its value belongs to the step and its gradient to the smoothed
 * value. Without inner iterations it has the gradient alone. */
static struct prior row_on(gt_backend *be, const gt_regularizer *r, const gt_grid *g, double strength, int for_gradient)
{
	char text[256];
	const gt_param *inner = key(r, "inner");
	const int both = for_gradient && inner && inner->min < 1;
	spec_of(r, strength, both ? 0 : 3000, text);
	if (both && key(r, "smooth"))
		snprintf(strstr(text, "smooth=") + strlen("smooth="), 32, "1e-7,inner=0");
	return prior_on(be, GT_F64, text, g);
}

static double difference(const struct prior *p, double a, const gt_array *u)
{
	const double h = 1e-4;
	return (8 * (at(p, p->x, a + h, u) - at(p, p->x, a - h, u)) - at(p, p->x, a + 2 * h, u) + at(p, p->x, a - 2 * h, u)) / (12 * h);
}

static void gradient_is_the_value_s(struct prior *p)
{
	const char *name = gt_penalty_name(p->R);
	gt_penalty_gradient(p->R, p->x, p->g, NULL);
	for (unsigned seed = 3; seed < 9; seed++) {
		gt_array *u = gt_test_array(p->be, GT_F64, p->n, seed);
		const double slope = gt_dot(p->g, u), found = difference(p, 0, u), size = sqrt(gt_dot(p->g, p->g) * gt_dot(u, u));
		ck_assert_msg(size > 1e-3 && fabs(slope - found) <= 1e-6 * size, "%s: slope %.12g, by differences %.12g", name, slope,
		              found);
		gt_array_free(u);
	}
}

/* From x along a direction, by these step lengths and shorter ones. */
static void majorizers_hold(struct prior *p, const gt_array *u, double length)
{
	const char *name = gt_penalty_name(p->R);
	gt_array *all;
	ck_ok(gt_array_like(p->x, &all));
	gt_fill(0, all), gt_fill(0, p->g), gt_fill(0, p->d);
	gt_penalty_gradient(p->R, p->x, p->g, p->d);
	gt_penalty_majorize(p->R, all);
	const double here = gt_penalty_value(p->R, p->x);
	for (const double min = length / 400; length > min; length /= 4) {
		const double there = at(p, p->x, length, u), line = here + length * gt_dot(p->g, u);
		for (int k = 0; k < 2; k++) {
			const double above = line + length * length / 2 * gt_weighted_norm2(u, k ? all : p->d) - there;
			ck_assert_msg(above >= -1e-6 * (here + there), "%s: %s is %g below %g", name, k ? "majorize" : "gradient", -above,
			              there);
		}
	}
	gt_array_free(all);
}

/* Alternates between voxels, the worst case for majorizers of differences. */
static gt_array *checkered(const struct prior *p, const gt_grid *g)
{
	double *host = malloc(p->n * sizeof *host);
	gt_array *u;
	for (size_t i = 0; i < p->n; i++)
		host[i] = (i % g->n[0] + i / g->n[0] % g->n[1] + i / g->n[0] / g->n[1]) % 2 ? 1 : -0.9;
	ck_ok(gt_array_like(p->x, &u));
	gt_array_put(host, u);
	free(host);
	return u;
}

/* From random volumes and from a nearly flat one, which has the largest curvatures. */
static void majorizers_are_above(struct prior *p, const gt_grid *g)
{
	gt_array *flat = checkered(p, g);
	for (unsigned seed = 3; seed < 7; seed++) {
		gt_array *u = gt_test_array(p->be, GT_F64, p->n, seed);
		majorizers_hold(p, u, 4);
		gt_array_free(u);
	}
	gt_scale(1e-4, p->x);
	majorizers_hold(p, flat, 0.05);
	gt_scale(1e4, p->x);
	gt_array_free(flat);
}

static void lines_fit(struct prior *p)
{
	for (double a = -0.8; a < 1; a += 0.8) {
		double slope, curvature;
		gt_penalty_line(p->R, p->x, p->u, a, &slope, &curvature);
		const double found = difference(p, a, p->u), here = at(p, p->x, a, p->u);
		ck_assert_msg(fabs(slope - found) <= 1e-6 * (fabs(found) + here), "%s: slope %.12g along a line, by differences %.12g",
		              gt_penalty_name(p->R), slope, found);
		for (double b = -2; b < 2; b += 0.41)
			ck_assert_double_ge(here + slope * b + curvature * b * b / 2, at(p, p->x, a + b, p->u) - 1e-6 * here);
	}
}

/* For a convex R a proximal step u satisfies R(v) + |v - z|^2/(2t) >= R(u) + |u - z|^2/(2t) + |v - u|^2/(2t) for all
 * v. */
static void check_least(const struct prior *p, double t, const gt_array *z, const gt_array *u, const gt_array *v, double value)
{
	const double here = value + gt_distance2(u, z) / (2 * t), there = gt_penalty_value(p->R, v) + gt_distance2(v, z) / (2 * t),
		     apart = gt_distance2(u, v) / (2 * t), min = here + apart;
	ck_assert_msg(there >= min - 1e-6 * (here + 2 * sqrt(apart * here)), "%s: a volume %g away has %.12g, expected at least %.12g",
	              gt_penalty_name(p->R), sqrt(2 * t * apart), there, min);
}

static void prox_is_the_least(struct prior *p)
{
	const double t = 0.2;
	gt_array *v;
	ck_ok(gt_array_like(p->x, &v));
	gt_penalty_prox(p->R, t, -INFINITY, INFINITY, p->x, p->g);
	ck_ok(gt_backend_status(p->be));
	const double value = gt_penalty_value(p->R, p->g);
	ck_assert_double_gt(gt_distance2(p->g, p->x), 1e-6 * gt_dot(p->x, p->x));
	for (unsigned seed = 3; seed < 9; seed++) {
		gt_array *h = gt_test_array(p->be, GT_F64, p->n, seed);
		for (double length = 1; length > 1e-3; length /= 3)
			for (int sign = -1; sign < 2; sign += 2) {
				gt_copy(p->g, v);
				gt_axpy(sign * length, h, v);
				check_least(p, t, p->x, p->g, v, value);
			}
		gt_array_free(h);
	}
	for (double part = -0.5; part < 1.1; part += 0.1) { /* towards its input, and beyond */
		gt_copy(p->g, v);
		gt_scale(1 - part, v);
		gt_axpy(part, p->x, v);
		check_least(p, t, p->x, p->g, v, value);
	}
	gt_array_free(v);
}

/* A row without a value is a denoiser: a flat volume stays, and values stay within their range. */
static void denoises(struct prior *p)
{
	ck_assert(!gt_penalty_is_convex(p->R));
	gt_penalty_prox(p->R, 1, -INFINITY, INFINITY, p->x, p->g);
	ck_assert_double_gt(gt_distance2(p->g, p->x), 1e-6 * gt_dot(p->x, p->x));
	ck_assert_double_ge(gt_min(p->g), gt_min(p->x) - 1e-12);
	ck_assert_double_le(gt_max(p->g), gt_max(p->x) + 1e-12);
	gt_fill(0.7, p->x);
	gt_penalty_prox(p->R, 1, -INFINITY, INFINITY, p->x, p->g);
	ck_assert_double_le(fmax(gt_max(p->g) - 0.7, 0.7 - gt_min(p->g)), 1e-12);
}

START_TEST(every_row)
{
	const gt_regularizer *r = gt_regularizers[_i];
	gt_backend *be = gt_test_backend();
	for (int i = 0; i < GRIDS; i++) {
		struct prior p = row_on(be, r, &grids[i], 0.4, 1), q = row_on(be, r, &grids[i], 0.4, 0);
		const unsigned has = gt_penalty_has(p.R) | gt_penalty_has(q.R);
		ck_assert_str_eq(gt_penalty_name(p.R), r->name);
		ck_assert_msg(has & (GT_HAS_GRADIENT | GT_HAS_PROX), "%s has nothing that a solver takes", r->name);
		if (gt_penalty_has(p.R) & GT_HAS_GRADIENT) {
			gradient_is_the_value_s(&p);
			majorizers_are_above(&p, &grids[i]);
		}
		if (gt_penalty_has(p.R) & GT_HAS_LINE)
			lines_fit(&p);
		if (gt_penalty_has(q.R) & GT_HAS_PROX && gt_penalty_is_convex(q.R))
			prox_is_the_least(&q);
		else if (gt_penalty_has(q.R) & GT_HAS_PROX)
			denoises(&q);
		prior_free(&p), prior_free(&q);
	}
	gt_backend_close(be);
}
END_TEST

/* Doubling the strength doubles the penalty, if the row has a value. */
START_TEST(strength_is_a_factor)
{
	const gt_regularizer *r = gt_regularizers[_i];
	gt_backend *be = gt_test_backend();
	struct prior one = row_on(be, r, &grids[0], 0.4, 1), two = row_on(be, r, &grids[0], 0.8, 1);
	if (gt_penalty_has(one.R) & GT_HAS_GRADIENT || gt_penalty_is_convex(one.R)) {
		const double a = gt_penalty_value(one.R, one.x), b = gt_penalty_value(two.R, one.x);
		ck_assert_double_gt(a, 1e-3);
		ck_assert_double_eq_tol(b, 2 * a, 1e-12 * b);
	}
	prior_free(&one), prior_free(&two);
	gt_backend_close(be);
}
END_TEST

/* Results of a penalty in single on the CPU for x along u: gradient, curvature, majorizer of all x, proximal step;
 * value, slope and curvature of the line. */
enum { GRADIENT, CURVATURE, MAJORANT, STEP, RESULTS };
struct results {
	gt_array *array[RESULTS];
	double value, slope, bend;
};

static void evaluate(const gt_penalty *R, const gt_array *x, const gt_array *u, struct results *r)
{
	for (int k = 0; k < RESULTS; k++)
		gt_fill(0.25, r->array[k]);
	if (gt_penalty_has(R) & GT_HAS_GRADIENT) {
		gt_penalty_gradient(R, x, r->array[GRADIENT], r->array[CURVATURE]);
		gt_penalty_majorize(R, r->array[MAJORANT]);
	}
	if (gt_penalty_has(R) & GT_HAS_PROX)
		gt_penalty_prox(R, 0.2, -INFINITY, INFINITY, x, r->array[STEP]);
	r->value = gt_penalty_value(R, x);
	if (gt_penalty_has(R) & GT_HAS_LINE)
		gt_penalty_line(R, x, u, 0.3, &r->slope, &r->bend);
}

/* Unaligned memory: bit-identical results, and nothing around it is written. */
static void check_loose(gt_backend *be, const gt_regularizer *r, const gt_grid *g, int for_gradient)
{
	char text[256];
	struct prior p[2];
	const gt_param *inner = key(r, "inner");
	spec_of(r, 0.4, for_gradient && inner && inner->min < 1 ? 0 : 7, text);
	for (int k = 0; k < 2; k++)
		p[k] = prior_on(be, GT_F32, text, g);
	struct gt_test_loose loose[RESULTS], x = gt_test_loose(be, p[0].n, 1), u = gt_test_loose(be, p[0].n, 2);
	struct results a = { .slope = 0 }, b = { .slope = 0 };
	for (int k = 0; k < RESULTS; k++) {
		ck_ok(gt_array_like(p[0].x, &a.array[k]));
		loose[k] = gt_test_loose(be, p[0].n, 3 - (size_t)k % 3);
		b.array[k] = loose[k].array;
	}
	gt_copy(p[0].x, x.array);
	gt_copy(p[0].u, u.array);
	evaluate(p[0].R, p[0].x, p[0].u, &a);
	evaluate(p[1].R, x.array, u.array, &b);
	ck_assert_msg((a.value == b.value || (isnan(a.value) && isnan(b.value))) && a.slope == b.slope && a.bend == b.bend,
	              "%s: value %g and %g, slope %g and %g, bend %g and %g", text, a.value, b.value, a.slope, b.slope, a.bend, b.bend);
	for (int k = 0; k < RESULTS; k++) {
		float *result = malloc(p[0].n * sizeof *result);
		gt_array_get(a.array[k], result);
		ck_assert_msg(!memcmp(result, gt_test_loose_values(&loose[k]), p[0].n * sizeof *result), "%s: other bits, result %d", text,
		              k);
		gt_array_free(a.array[k]);
		gt_test_loose_free(&loose[k]);
		free(result);
	}
	gt_test_loose_free(&x);
	gt_test_loose_free(&u);
	prior_free(&p[0]), prior_free(&p[1]);
}

START_TEST(loose_memory)
{
	const gt_regularizer *r = gt_regularizers[_i];
	gt_backend *be = gt_test_backend();
	for (int i = 0; i < 2 * GRIDS && !gt_test_is_gpu(); i++)
		check_loose(be, r, &grids[i / 2], i % 2);
	gt_backend_close(be);
}
END_TEST

/* Denormal numbers: gradient and proximal step agree in single and double, to their rounding. */
static void check_denormals(gt_backend *be, const char *text, const gt_grid *g)
{
	double *found[2][2];
	size_t n = gt_grid_voxels(g);
	float *values = malloc(n * sizeof *values);
	gt_test_random(5, n, values);
	for (size_t i = 0; i < n; i++)
		values[i] *= 1e-41f;
	for (int k = 0; k < 2; k++) {
		struct prior p = prior_on(be, k ? GT_F64 : GT_F32, text, g);
		gt_array_put_float(values, p.x);
		if (gt_penalty_has(p.R) & GT_HAS_GRADIENT)
			gt_penalty_gradient(p.R, p.x, p.g, NULL);
		else
			gt_copy(p.x, p.g);
		if (gt_penalty_has(p.R) & GT_HAS_PROX)
			gt_penalty_prox(p.R, 0.2, -INFINITY, INFINITY, p.x, p.d);
		else
			gt_copy(p.x, p.d);
		found[k][0] = gt_test_values(p.g);
		found[k][1] = gt_test_values(p.d);
		prior_free(&p);
	}
	const double gradient = gt_test_farthest(found[0][0], found[1][0], n), step = gt_test_farthest(found[0][1], found[1][1], n);
	ck_assert_msg(gradient <= 1e-2 && step <= 1e-2, "%s: gradient %.2e, proximal step %.2e of the largest from double", text, gradient,
	              step);
	for (int k = 0; k < 4; k++)
		free(found[k / 2][k % 2]);
	free(values);
}

START_TEST(denormals)
{
	static const char *const texts[] = { "qggmrf:strength=0.4,c=0.8", "huber:strength=0.4,delta=0.8",
		                             "tv:strength=0.4,smooth=0.3,inner=0", "tv:strength=0.4,inner=20" };
	gt_backend *be = gt_test_backend();
	for (int i = 0; i < GRIDS && !gt_test_is_gpu(); i++)
		check_denormals(be, texts[_i], &grids[i]);
	gt_backend_close(be);
}
END_TEST

static void fill(TCase *tc)
{
	int rows = 0;
	while (gt_regularizers[rows])
		rows++;
	tcase_add_loop_test(tc, every_row, 0, rows);
	tcase_add_loop_test(tc, strength_is_a_factor, 0, rows);
	tcase_add_loop_test(tc, loose_memory, 0, rows);
	tcase_add_loop_test(tc, denormals, 0, 4);
}

int main(void) { return gt_test_main("every_penalty", fill); }
