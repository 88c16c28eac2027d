/* Shared vectors of a team: bases, their products, and normal random numbers.
 * labels: unit; backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/basis/basis.h"
#include "core/partition/partition.h"
#include "core/try.h"
#include "team/team.h"
#include "tests/support/support.h"

enum { N = 23 };

/* Normal numbers depend on the index of an element in the whole array, for one run and several. */
static gt_status normals_on_rank(gt_backend *be, void *self)
{
	enum { OTHER = 5003, ALL = OTHER + N };
	const gt_range own = gt_local_range(be, OTHER), more = gt_local_range(be, N);
	const gt_partition_run runs[] = { { OTHER, own.first, own.n, 0 }, { N, more.first, more.n, 0 } };
	const gt_type type = *(const gt_type *)self;
	gt_array *a = NULL;
	gt_status st = GT_OK;
	float *got = malloc(ALL * sizeof *got);
	GT_TRY(gt_array_new_runs(be, type, runs, 2, &a));
	gt_fill(0.5, a);
	gt_mul_normals(77, a);
	gt_array_get_float(a, got);
	GT_TRY(gt_backend_status(be));
	for (size_t i = 0; i < ALL; i++)
		if (!(fabs(got[i] - 0.5 * gt_test_normal(77, i)) < 1e-6))
			GT_TRY(gt_fail(GT_ERR_ARG, "number %zu is %g, expected %g", i, (double)got[i], 0.5 * gt_test_normal(77, i)));
done:
	free(got);
	gt_array_free(a);
	return st;
}

GT_TEST(normal_numbers)
{
	gt_type types[] = { GT_F32, GT_F64 };
	gt_team *t = NULL;
	ck_ok(gt_team_open("cpu:1x3", &t));
	for (int i = 0; i < 2; i++)
		ck_ok(gt_team_run(t, normals_on_rank, &types[i]));
	gt_team_close(t);
}

/* Bases: every rank gets the products of the whole vectors. */
struct basis_case {
	const double *v, *w;     /* [VECTORS][ALL], [ALL] of the whole */
	double y[2], sums[5][2]; /* expected, and the result of each rank */
};
enum { VECTORS = 3, PART = 29, ALL = N + PART };

static gt_status basis_on_rank(gt_backend *be, void *self)
{
	struct basis_case *c = self;
	const gt_range own = gt_local_range(be, N), more = gt_local_range(be, PART);
	const gt_partition_run runs[] = { { N, own.first, own.n, 0 }, { PART, more.first, more.n, 0 } };
	double y[VECTORS], got[ALL], all[VECTORS * ALL], *const found = c->sums[gt_rank(be)];
	gt_array *w = NULL;
	gt_basis *b = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_new_runs(be, GT_F64, runs, 2, &w));
	GT_TRY(gt_basis_new("a test", w, VECTORS, &b));
	for (size_t i = 0; i < VECTORS; i++)
		gt_array_put(c->v + i * ALL, gt_basis_vector(b, i));
	gt_array_put(c->w, w);
	gt_basis_dots(b, 2, w, found);
	gt_basis_project_out(b, 2, w, y);
	if (fabs(y[0] - found[0]) > 0 || fabs(y[1] - found[1]) > 0)
		GT_TRY(gt_fail(GT_ERR_ARG, "products of one kind and of the other"));
	gt_array_get(w, got);
	gt_array_get(gt_basis_whole(b), all);
	if (gt_array_size(gt_basis_whole(b)) != VECTORS * ALL || memcmp(all, c->v, sizeof all))
		GT_TRY(gt_fail(GT_ERR_ARG, "consecutive vectors differ"));
	for (size_t i = 0; i < ALL; i++) {
		const double expected = c->w[i] - c->y[0] * c->v[i] - c->y[1] * c->v[ALL + i];
		if (!(fabs(got[i] - expected) < 1e-12))
			GT_TRY(gt_fail(GT_ERR_ARG, "element %zu is %g, expected %g", i, got[i], expected));
	}
done:
	gt_basis_free(b);
	gt_array_free(w);
	return st;
}

GT_TEST(bases)
{
	static const double uneven[] = { 1, 0.02, 3, 1.3, 1 };
	double v[VECTORS * ALL], w[ALL];
	for (size_t i = 0; i < VECTORS * ALL; i++)
		v[i] = gt_test_normal(1, i);
	for (size_t i = 0; i < ALL; i++)
		w[i] = gt_test_normal(2, i);
	for (int ranks = 2; ranks < 6; ranks++) {
		struct basis_case c = { .v = v, .w = w };
		char spec[16];
		gt_team *t = NULL;
		for (size_t i = 0; i < 2 * ALL; i++)
			c.y[i / ALL] += v[i] * w[i % ALL];
		snprintf(spec, sizeof spec, "cpu:1x%d", ranks);
		ck_ok(gt_team_open(spec, &t));
		ck_ok(gt_team_set_weights(t, uneven));
		ck_ok(gt_team_run(t, basis_on_rank, &c));
		for (int m = 0; m < ranks; m++) {
			ck_assert(!memcmp(c.sums[m], c.sums[0], sizeof c.sums[0]));
			ck_assert_double_eq_tol(c.sums[m][0], c.y[0], 1e-12);
			ck_assert_double_eq_tol(c.sums[m][1], c.y[1], 1e-12);
		}
		gt_team_close(t);
	}
}

int main(void) { return gt_test_main("team_vectors", NULL); }
