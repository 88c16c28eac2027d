/* Transpose of filtered backprojection on random volumes, on the problems of back_problems.h. Compares gather.h and
 * gather_lines.h with a scatter of voxels, and the operator of a GPU with the CPU in double, and counts transfers. */
/* labels: property slow */
#include <math.h>
#include "analytic/fbp/fbp.h"
#include "analytic/fbp/gather_lines.h"
#include "tests/analytic/back_problems.h"

static gt_fbp_options options_of(const problem *p, const gt_analytic *m)
{
	gt_fbp_options o;
	ck_assert_uint_eq(m->options_size, sizeof o);
	memcpy(&o, m->defaults, sizeof o);
	ck_ok(gt_params_parse(m->params, p->text, &o));
	return o;
}

/* Gather -------------------------------------------------------------------- */

/* Position of a voxel in the view; returns 0 if it does not see it. */
static int see(const struct gt_back_grid *g, const struct gt_back_view *w, const double x[3], double *column, double *row, double *lambda)
{
	if (hypot(x[0] - g->center[0], x[1] - g->center[1]) > g->radius)
		return 0;
	if (g->tilted)
		return gt_back_point(w, x[0], x[1], x[2], column, row, lambda) &&
		       gt_back_sees(*column, *row, g->wide, g->rows, g->clamp_rows);
	if (!gt_back_column(g->shape, w, x[0], x[1], column, lambda))
		return 0;
	*row = w->row0 + *lambda * (x[2] - w->z0) * w->per_row;
	return gt_back_sees(*column, *row, g->wide, g->rows, g->clamp_rows);
}

static void scatter(const struct gt_back_grid *g, const struct gt_back_view *w, const double *x, double *filtered)
{
	for (size_t i = 0; i < g->n[0] * g->n[1] * g->n[2]; i++) {
		const size_t n[3] = { i % g->n[0], i / g->n[0] % g->n[1], i / g->n[0] / g->n[1] };
		double at[3], column, row, lambda;
		for (int a = 0; a < 3; a++)
			at[a] = g->first[a] + (double)n[a] * g->pitch[a];
		if (!see(g, w, at, &column, &row, &lambda))
			continue;
		row = fmin(fmax(row, 0), (double)g->rows - 1);
		const size_t k = column < (double)(g->wide - 1) ? (size_t)column : g->wide - 2, l = (size_t)row;
		const double right = column - (double)k, above = row - (double)l, value = lambda * lambda * x[i];
		double *low = filtered + l * g->wide + k, *high = l + 1 < g->rows ? low + g->wide : low;
		low[0] += (1 - right) * (1 - above) * value;
		low[1] += right * (1 - above) * value;
		high[0] += (1 - right) * above * value;
		high[1] += right * above * value;
	}
}

static void gather(const struct gt_back_grid *g, const struct gt_back_view *w, const double *x, double *found)
{
	for (size_t l = 0; l < g->rows; l += GT_GATHER_ROWS)
		for (size_t k = 0; k < g->wide; k++) {
			double sum[GT_GATHER_ROWS];
			gt_gather(&(struct gt_gather){ g, w, x, GT_F64, k, l }, sum);
			for (size_t j = 0; j < GT_GATHER_ROWS && l + j < g->rows; j++)
				found[(l + j) * g->wide + k] = sum[j];
		}
}

/* One row of a tile, as a lane computes it, with the tails in the outer rows. */
static float resampled(const struct gt_lines *a, const struct gt_lines_pixel *p, const float *copy, size_t j)
{
	const struct gt_back_grid *g = a->grid;
	const int slices = (int)g->n[2];
	const float at = fmaf((float)j - GT_LINES_CENTER, p->slices, p->shift), *line = copy + p->at - p->base;
	float r = 0;
	if (p->kind == GT_LINES_INSIDE || p->kind == GT_LINES_EDGE)
		r = gt_lines_three(p, copy + p->at - gt_lines_origin(), p->kind == GT_LINES_EDGE, at);
	else if (p->kind == GT_LINES_ANY)
		r = gt_lines_any(p, line, slices, at);
	for (int lane = 0; lane < 32; lane++) {
		if (p->tails & 1 && a->row + j == 0)
			r += gt_lines_beyond(p, line, slices, 0, lane, 32);
		if (p->tails & 2 && a->row + j == g->rows - 1)
			r += gt_lines_beyond(p, line, slices, 1, lane, 32);
	}
	return r;
}

static void add_pixel(const struct gt_lines *a, const struct gt_lines_pixel *p, const float *copy, double *found)
{
	const struct gt_back_grid *g = a->grid;
	for (size_t j = 0; j < GT_LINES_ROWS && a->row + j < g->rows; j++) {
		const float r = resampled(a, p, copy, j);
		const int interval = (int)(p->which % GT_LINES_SPECIAL);
		double *out = found + (a->row + j) * g->wide + a->column + (size_t)interval;
		if (interval > 0)
			out[-1] += p->left * r;
		if (interval < GT_LINES_COLUMNS && a->column + (size_t)interval < g->wide)
			out[0] += p->right * r;
	}
}

/* In two slabs along y. */
static void gather_lines(const struct gt_back_grid *g, const struct gt_back_view *w, const double *x, double *found)
{
	const size_t line = g->n[2] + 2 * GT_LINES_PAD;
	float *copy = calloc(g->n[0] * g->n[1] * line, sizeof *copy);
	ck_assert_ptr_nonnull(copy);
	for (size_t i = 0; i < g->n[0] * g->n[1]; i++)
		for (size_t z = 0; z < g->n[2]; z++)
			copy[i * line + GT_LINES_PAD + z] = (float)x[z * g->n[0] * g->n[1] + i];
	for (size_t row = 0; row < g->rows; row += GT_LINES_ROWS)
		for (size_t column = 0; column < g->wide; column += GT_LINES_COLUMNS)
			for (int half = 0; half < 2; half++) {
				struct gt_lines a;
				size_t plane, planes, i, end;
				gt_lines_set(&a, g, w, column, row);
				a.y[0] = half ? g->n[1] / 3 : 0;
				a.y[1] = half ? g->n[1] : g->n[1] / 3;
				for (gt_lines_planes(&a, &plane, &planes); plane < planes; plane++)
					for (gt_lines_range(&a, plane, &i, &end); i < end; i++) {
						struct gt_lines_pixel p;
						if (gt_lines_pixel(&a, plane, i, &p))
							add_pixel(&a, &p, copy + a.y[0] * g->n[0] * line, found);
					}
			}
	free(copy);
}

static void as_the_scatter(int i, int lines)
{
	const problem *p = &problems[i];
	gt_grid g;
	gt_scan *s = scan_of(p, &g);
	const gt_fbp_options o = options_of(p, gt_analytic_for(s));
	gt_backend *be = gt_test_backend_alone();
	gt_fbp_plan *plan;
	ck_ok(gt_fbp_plan_new(p->name, &g, s, &o, be->pool, &plan));
	const struct gt_back_grid grid = gt_plan_grid(plan);
	const struct gt_back_view *w = &plan->view[plan->views / 3];
	const size_t pixels = grid.rows * grid.wide;
	double *x = random_data(gt_grid_voxels(&g)), *expected = calloc(pixels, sizeof *expected), *found = calloc(pixels, sizeof *found);
	ck_assert(expected && found);
	scatter(&grid, w, x, expected);
	if (lines)
		gather_lines(&grid, w, x, found);
	else
		gather(&grid, w, x, found);
	const double d = difference(found, expected, pixels);
	ck_assert_msg(d < (lines ? 5e-6 : 1e-12), "%s: differs from the scatter by %g", p->name, d);
	free(x);
	free(expected);
	free(found);
	gt_fbp_plan_free(plan);
	gt_backend_close(be);
	gt_scan_free(s);
}

START_TEST(gathers_as_the_scatter)
{
	as_the_scatter(_i, 0);
	if (!problems[_i].tilt && !problems[_i].axis_tilt)
		as_the_scatter(_i, 1);
}
END_TEST

/* Operators ----------------------------------------------------------------- */

static double *doubles_of(const gt_array *a)
{
	const size_t n = gt_array_size(a);
	double *values = malloc(n * sizeof *values);
	float *single = malloc(n * sizeof *single);
	ck_assert(values && single);
	gt_array_get(a, gt_array_type(a) == GT_F32 ? (void *)single : values);
	for (size_t i = 0; gt_array_type(a) == GT_F32 && i < n; i++)
		values[i] = single[i];
	free(single);
	return values;
}

/* Transpose of a random volume. The second call of both directions transfers nothing. */
static double *adjoint_as(gt_backend *be, gt_type type, const problem *p)
{
	gt_grid g;
	gt_scan *s = scan_of(p, &g);
	const gt_analytic *m = gt_analytic_for(s);
	const gt_fbp_options o = options_of(p, m);
	gt_linop *A;
	gt_array *x = gt_test_array(be, type, gt_grid_voxels(&g), 5), *y = gt_test_array(be, type, gt_scan_size(s), 6);
	gt_array *z = gt_test_array(be, type, gt_grid_voxels(&g), 7);
	ck_ok(gt_analytic_linop(m, be, type, &g, s, &o, &A));
	gt_forward(A, y, z);
	gt_adjoint(A, x, y);
	const gt_counters before = gt_test_counters(be);
	gt_forward(A, y, z);
	gt_adjoint(A, x, y);
	const gt_counters after = gt_test_counters(be);
	ck_assert_uint_eq(after.put_bytes, before.put_bytes);
	ck_assert_uint_eq(after.get_bytes, before.get_bytes);
	double *values = doubles_of(y);
	ck_ok(gt_backend_status(be));
	gt_array_free(x);
	gt_array_free(y);
	gt_array_free(z);
	gt_linop_free(A);
	gt_scan_free(s);
	return values;
}

static void devices_agree_of(int i)
{
	const problem *p = &problems[i];
	gt_backend *be = gt_test_backend(), *cpu;
	gt_grid g;
	gt_scan *s = scan_of(p, &g);
	ck_ok(gt_backend_open("cpu", &cpu));
	double *expected = adjoint_as(cpu, GT_F64, p);
	for (int k = 0; k < 2; k++) {
		const gt_type type = k ? GT_F64 : GT_F32;
		double *found = adjoint_as(be, type, p);
		const double d = difference(found, expected, gt_scan_size(s));
		printf("%-46s %s: %.2e\n", p->name, gt_type_name(type), d);
		ck_assert_msg(d < (k ? 1e-12 : 1e-5), "%s, %s: differs from the CPU in double by %g", p->name, gt_type_name(type), d);
		free(found);
	}
	free(expected);
	gt_backend_close(cpu);
	gt_backend_close(be);
	gt_scan_free(s);
}

START_TEST(devices_agree)
{
	for (int i = 0; i < PROBLEMS; i++)
		devices_agree_of(i);
}
END_TEST

static void fill(TCase *tc)
{
	if (!gt_test_is_gpu())
		gt_add_alike(tc, gathers_as_the_scatter, PROBLEMS);
	else
		tcase_add_test(tc, devices_agree);
}

int main(void) { return gt_test_main("fbp_transpose", fill); }
