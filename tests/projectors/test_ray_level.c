/* The sorted tables of level scans give the same rays as gt_ray_make().
 * labels: unit; backend: none */
#include <stdlib.h>
#include "projectors/ray/ray_impl.h"
#include "projectors/ray/ray_level.h"
#include "tests/projectors/ray_scans.h"

struct tables {
	gt_rays rays;
	gt_ray_view *view;
	gt_ray_column *column;
	gt_ray_frame *frame;
	double *S, *W;
	int *guess, is_level;
	gt_ray_level level;
};

static struct tables tables(const gt_scan *s, const gt_grid *g)
{
	const size_t columns = s->views * s->columns;
	struct tables t = { .view = malloc(s->views * sizeof *t.view),
		            .column = malloc(columns * sizeof *t.column),
		            .frame = calloc(2 * s->views, sizeof *t.frame),
		            .S = malloc(columns * sizeof *t.S),
		            .W = malloc(columns * sizeof *t.W),
		            .guess = malloc(columns * sizeof *t.guess) };
	gt_ray_fill(s, g, t.view, t.column, &t.rays);
	t.is_level = gt_ray_level_fill(&t.rays, t.frame, t.S, t.W, t.guess, &t.level);
	return t;
}

static void tables_free(struct tables *t)
{
	free(t->view);
	free(t->column);
	free(t->frame);
	free(t->S);
	free(t->W);
	free(t->guess);
}

static void same_ray(const struct tables *t, gt_ray_model model, size_t view, int axis, int entry, int q)
{
	const gt_rays *g = &t->rays;
	const gt_ray_frame *f = &t->frame[2 * view + (size_t)axis];
	const size_t at = view * (size_t)g->columns;
	const gt_ray_line l = gt_ray_level_line(model, f, t->S[at + (size_t)entry], t->W[at + (size_t)entry], g->n[axis]);
	gt_ray r;
	gt_ray_make(g, model, &g->view[view], &g->column[at + (size_t)gt_ray_level_column(f, entry)], gt_ray_level_row(f, g->rows, q), &r);
	ck_assert_int_eq(r.d, axis);
	ck_assert_int_eq(r.c, 2);
	for (int n = 0; n < g->n[axis]; n++) {
		const double x = fma(n, l.x_step, l.x), z = fma(n, l.z_step, l.z) + q * fma(n, l.row_step, l.row);
		ck_assert_double_eq_tol(x, gt_ray_at(&r, 0, n), 1e-10);
		const double edge = z + (model == GT_RAY_JOSEPH ? 0.5 : 0);
		ck_assert(n < f->first || n >= f->end || gt_ray_level_meets(f, g->rows, n, edge - 0.1, edge + 0.1));
		ck_assert_double_eq_tol(z, gt_ray_at(&r, 1, n), 2e-7); /* settled rays are moved into their face */
		ck_assert(model == GT_RAY_SIDDON || fabs(z - gt_ray_at(&r, 1, n)) < 1e-10);
		ck_assert(r.end == r.first || n < r.first || n >= r.end || fabs(x) > 2 * g->n[1 - axis] || (n >= f->first && n < f->end));
	}
	ck_assert_double_eq_tol(gt_ray_level_length(&l, q, g->pitch[axis], g->pitch[1 - axis], g->pitch[2]), r.length, 1e-10 * r.length);
}

GT_TESTS(same_rays, ray_scans())
{
	const struct gt_test_geometry g = ray_scan(_i);
	struct tables t = tables(g.scan, &g.grid);
	const int other = _i < 2 || _i >= RAY_BESIDE + gt_test_geometries(); /* sources near the grid; tilted */
	ck_assert_msg(t.is_level == !other, "%s: level %d", g.name, t.is_level);
	for (size_t view = 0; view < g.scan->views && t.is_level; view++) {
		int entries = 0;
		for (int axis = 0; axis < 2; axis++) {
			const gt_ray_frame *f = &t.frame[2 * view + (size_t)axis];
			for (int p = f->start; p < f->start + f->count; p++, entries++)
				for (int q = 0; q < t.rays.rows; q++) {
					same_ray(&t, GT_RAY_JOSEPH, view, axis, p, q);
					same_ray(&t, GT_RAY_SIDDON, view, axis, p, q);
				}
		}
		ck_assert_int_eq(entries, t.rays.columns);
	}
	tables_free(&t);
	gt_scan_free(g.scan);
}

/* Results of searches for targets before, between, at and after the entries. */
GT_TESTS_IN(searches, 2, RAY_BESIDE + gt_test_geometries())
{
	const struct gt_test_geometry g = ray_scan(_i);
	struct tables t = tables(g.scan, &g.grid);
	float random[64];
	gt_test_random(5, 64, random);
	for (size_t i = 0; i < 2 * g.scan->views; i++) {
		const gt_ray_frame *f = &t.frame[i];
		const double *S = t.S + i / 2 * g.scan->columns, *run = S + f->start;
		if (!f->count)
			continue;
		const double width = run[f->count - 1] - run[0] + 1e-3;
		for (int k = 0; k < 64 + f->count; k++) {
			const double s = k < 64 ? run[0] + width * (0.5 + 0.7 * random[k]) : run[k - 64];
			int m = 0;
			while (m < f->count && run[m] <= s)
				m++;
			ck_assert_int_eq(gt_ray_level_search(f, S, t.guess + i / 2 * g.scan->columns, s), m);
		}
		/* the line of the S found passes through the given position */
		for (int n = f->first; n < f->end; n++) {
			const double s = gt_ray_level_find(f, n, 3.25);
			const gt_ray_line l = gt_ray_level_line(GT_RAY_JOSEPH, f, s, 1, t.rays.n[i % 2]);
			ck_assert_double_eq_tol(fma(n, l.x_step, l.x), 3.25, 1e-10);
		}
	}
	tables_free(&t);
	gt_scan_free(g.scan);
}

/* Views of a helix do not meet the slices of other views. */
GT_TEST(far_slices)
{
	const gt_orbit orbit = { .shape = GT_ARC,
		                 .views = 60,
		                 .rows = 8,
		                 .columns = 50,
		                 .source_to_axis = 541,
		                 .source_to_detector = 949,
		                 .column_pitch = 9,
		                 .row_pitch = 2,
		                 .turn = 60,
		                 .pitch_per_turn = 60 };
	const gt_grid g = { { 30, 32, 200 }, { 5, 5, 4 }, { 0, 0, 0 } };
	gt_scan *scan = NULL;
	ck_ok(gt_scan_orbit(&orbit, &scan));
	struct tables t = tables(scan, &g);
	size_t met = 0, asked = 0;
	ck_assert(t.is_level);
	for (size_t i = 0; i < 2 * scan->views; i++)
		for (int n = t.frame[i].first; t.frame[i].count && n < t.frame[i].end; n++)
			for (int z = 0; z < 200; z += 8, asked++)
				met += (size_t)gt_ray_level_meets(&t.frame[i], t.rays.rows, n, z, z + 8);
	ck_assert_msg(met > asked / 25 && met < asked / 8, "%zu of %zu", met, asked);
	tables_free(&t);
	gt_scan_free(scan);
}

int main(void) { return gt_test_main("ray level", NULL); }
