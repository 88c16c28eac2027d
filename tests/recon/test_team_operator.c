/* Operator of a team, entry by entry: an exact adjoint, equal to one rank, for any split.
 * labels: unit */
#include <math.h>
#include <stdlib.h>
#include "core/partition/partition.h"
#include "core/try.h"
#include "geometry/scan.h"
#include "recon/team/team_split.h"
#include "team/team.h"
#include "tests/recon/coarse_turn.h"
#include "tests/recon/team_of.h"

/* All entries of the team operator and of its adjoint, from unit vectors. */
struct matrix {
	const char *split;
	const gt_grid *grid;
	const gt_scan *scan;
	double *forward, *adjoint; /* [ny][nx] */
};

static gt_status matrix_text(gt_backend *be, void *self)
{
	const struct matrix *m = self;
	const size_t nx = gt_grid_voxels(m->grid), ny = gt_scan_size(m->scan), max = nx > ny ? nx : ny;
	gt_split_spec asked, split;
	gt_subsets s = { 0 };
	gt_array *x = NULL, *y = NULL;
	double *unit = calloc(max, sizeof *unit), *got = calloc(max, sizeof *got);
	float *zero = calloc(ny, sizeof *zero);
	gt_status st = GT_OK;
	GT_TRY(gt_split_spec_parse(m->split, &asked));
	const gt_model_case c = { .grid = m->grid, .scan = m->scan, .subsets = 1, .element = 4 };
	GT_TRY(gt_split_choose(&asked, (size_t)gt_ranks(be), &c, &split));
	const gt_team_problem q = { "dd", GT_F64, m->grid, m->scan, zero, NULL, 1 };
	GT_TRY(gt_team_subsets_new(&split, be, &q, &s));
	GT_TRY(gt_array_new_shared(be, GT_F64, m->grid->n[0] * m->grid->n[1], m->grid->n[2], &x));
	GT_TRY(gt_array_like(s.b[0], &y));
	for (size_t j = 0; j < nx + ny; j++) {
		const int is_x = j < nx;
		const size_t at = is_x ? j : j - nx, n = is_x ? ny : nx;
		unit[at] = 1;
		gt_array_put(unit, is_x ? x : y);
		unit[at] = 0;
		if (is_x)
			gt_forward(s.A[0], x, y);
		else
			gt_adjoint(s.A[0], y, x);
		gt_array_get(is_x ? y : x, got);
		for (size_t i = 0; i < n && gt_team_leads(be); i++)
			*(is_x ? &m->forward[i * nx + at] : &m->adjoint[at * nx + i]) = got[i];
	}
	GT_TRY(gt_backend_status(be));
done:
	gt_array_free(x);
	gt_array_free(y);
	gt_subsets_free(&s);
	free(unit);
	free(got);
	free(zero);
	return st;
}

static void compare(const char *split, int ranks, const double *share, const gt_grid *g, const gt_scan *scan)
{
	gt_team *t = NULL;
	double max = 0, off = 0;
	const size_t n = gt_grid_voxels(g) * gt_scan_size(scan);
	struct matrix m = { split, g, scan, calloc(n, sizeof(double)), calloc(n, sizeof(double)) };
	struct matrix one = { "views", g, scan, calloc(n, sizeof(double)), calloc(n, sizeof(double)) };
	if (team_of(ranks, &t)) {
		ck_ok(gt_team_set_weights(t, share));
		ck_ok(gt_team_run(t, matrix_text, &m));
		gt_team_close(t);
		ck_assert(team_of(1, &t)); /* a team of one: the whole operator */
		ck_ok(gt_team_run(t, matrix_text, &one));
		gt_team_close(t);
		for (size_t i = 0; i < n; i++) {
			max = fmax(max, fabs(one.forward[i]));
			off = fmax(off, fmax(fabs(m.forward[i] - m.adjoint[i]), fabs(m.forward[i] - one.forward[i])));
		}
		ck_assert_msg(max > 0 && off <= 1e-12 * max, "%s of %d, shape %d: entries differ by %g of %g", split, ranks,
		              (int)scan->shape, off, max);
	}
	free(m.forward);
	free(m.adjoint);
	free(one.forward);
	free(one.adjoint);
}

static void certify(const char *split, int ranks, const double *share, gt_shape shape, double pitch, double shift)
{
	gt_scan *scan = coarse_turn(shape, pitch);
	if (shift > 0)
		ck_ok(gt_scan_perturb(scan, shift, 0, 3));
	compare(split, ranks, share, &coarse_grid, scan);
	gt_scan_free(scan);
}

/* Pixels sixty times as wide as high: the slices of a rank project to rows far from the centre of the column. */
GT_TEST(rolled_panels_of_wide_pixels)
{
	const gt_grid g = { { 3, 3, 23 }, { 2, 2, 1 }, { 3, -5, 0 } };
	const gt_orbit o = { .shape = GT_FLAT,
		             .views = 3,
		             .rows = 120,
		             .columns = 2,
		             .source_to_axis = 541,
		             .source_to_detector = 949,
		             .column_pitch = 60,
		             .row_pitch = 1,
		             .turn = 2 * M_PI };
	for (int degrees = -20; degrees <= 44; degrees += 32) {
		const double c = cos(degrees * M_PI / 180), s = sin(degrees * M_PI / 180);
		gt_scan *scan = NULL;
		ck_ok(gt_scan_orbit(&o, &scan));
		for (size_t v = 0; v < scan->views; v++)
			for (int a = 0; a < 3; a++) {
				const double column = scan->view[v].column_axis[a], row = scan->view[v].row_axis[a];
				scan->view[v].column_axis[a] = c * column + s * row;
				scan->view[v].row_axis[a] = c * row - s * column;
			}
		compare("slices", 4, NULL, &g, scan);
		gt_scan_free(scan);
	}
}

GT_TEST(every_entry)
{
	static const double uneven[] = { 0.1, 3, 1, 2, 1 };
	static const gt_shape shapes[] = { GT_FLAT, GT_ARC, GT_PARALLEL };
	for (int i = 0; i < 3; i++) {
		certify("views", 2, NULL, shapes[i], 0, 0);
		certify("views", 3, uneven, shapes[i], 0, 0); /* one rank sees no view */
		certify("slices", 5, NULL, shapes[i], 0, 0);  /* one slice each */
		certify("slices", 3, uneven, shapes[i], 0, 0);
		certify("2x2", 4, NULL, shapes[i], 0, 0);
	}
	certify("slices", 3, NULL, GT_FLAT, 0, 6);
	certify("views", 3, NULL, GT_ARC, 40, 0);
	certify("views", 3, NULL, GT_FLAT, 90, 0); /* some views see nothing */
	certify("2x2", 4, NULL, GT_ARC, 40, 0);
	certify("2x2", 4, uneven, GT_FLAT, 90, 0);
}

int main(void) { return gt_test_main("team operator", NULL); }
