/* Projection matrices against gt_point_pixel(), conversion to views and back, refusals.
 * labels: unit property, backend: none */
#include <math.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/author/scan_math.h>
#include "tests/support/support.h"

enum { VIEWS = 30, POINTS = 30 };

static double noise(unsigned seed, size_t i)
{
	float x[300];
	gt_test_random(seed, 300, x);
	return x[i % 300];
}

/* Rotates a view axis about x, y or z. */
static void rotate(double v[3], int about, double angle)
{
	const int a = (about + 1) % 3, b = (about + 2) % 3;
	const double x = v[a], y = v[b];
	v[a] = x * cos(angle) - y * sin(angle);
	v[b] = x * sin(angle) + y * cos(angle);
}

/* A C-arm with unstable source and detector: tilted panels, moving central points. */
static gt_scan *wobbly_scan(double wobble)
{
	const gt_orbit o = { .shape = GT_FLAT,
		             .views = VIEWS,
		             .rows = 96,
		             .columns = 124,
		             .source_to_axis = 785,
		             .source_to_detector = 1200,
		             .column_pitch = 3.2,
		             .row_pitch = 2.7,
		             .column_offset = 4.25,
		             .row_offset = -7,
		             .start_angle = -1.7,
		             .turn = 3.5,
		             .end_view = 1 };
	gt_scan *s;
	ck_ok(gt_scan_orbit(&o, &s));
	for (unsigned v = 0; v < VIEWS; v++)
		for (int a = 0; a < 3; a++) {
			gt_view *w = &s->view[v];
			w->source[a] += 5 * wobble * noise(v, (size_t)a);
			w->detector[a] += 5 * wobble * noise(v, 3 + (size_t)a);
			rotate(w->column_axis, a, 0.1 * wobble * noise(v, 6 + (size_t)a));
			rotate(w->row_axis, a, 0.1 * wobble * noise(v, 6 + (size_t)a));
		}
	ck_ok(gt_scan_check(s));
	return s;
}

static void expect_agreement(const gt_scan *s, double (*matrix)[12])
{
	const gt_detector d = gt_scan_detector(s);
	for (unsigned v = 0; v < VIEWS; v++)
		for (size_t i = 0; i < POINTS; i++) {
			double x[4] = { 0, 0, 0, 1 }, h[3] = { 0, 0, 0 }, column, row;
			for (int a = 0; a < 3; a++)
				x[a] = 150 * noise(99 + v, 3 * i + (size_t)a);
			for (int r = 0; r < 3; r++)
				for (int c = 0; c < 4; c++)
					h[r] += matrix[v][4 * r + c] * x[c];
			ck_assert_int_eq(gt_point_pixel(&d, &s->view[v], x, &column, &row), 1);
			ck_assert_double_gt(h[2], 0);
			ck_assert_double_eq_tol(column, h[0] / h[2], 1e-9);
			ck_assert_double_eq_tol(row, h[1] / h[2], 1e-9);
		}
}

static void matrices_of(const gt_scan *s, double (*matrix)[12])
{
	for (size_t v = 0; v < VIEWS; v++)
		ck_ok(gt_matrix_from_view(s, v, matrix[v]));
}

GT_TEST(matrices_say_what_views_say)
{
	double matrix[VIEWS][12];
	gt_scan *s = wobbly_scan(1);
	matrices_of(s, matrix);
	expect_agreement(s, matrix);
	/* the matrix of another view differs */
	ck_assert_double_gt(fabs(matrix[3][0] - matrix[4][0]), 1e-3);
	/* w is the depth in mm: it grows by 1 per mm along the normal */
	ck_assert_double_eq_tol(gt_dot3(matrix[5] + 8, matrix[5] + 8), 1, 1e-12);
	gt_scan_free(s);
}

GT_TEST(views_from_matrices)
{
	double matrix[VIEWS][12], again[VIEWS][12];
	gt_scan *s = wobbly_scan(1), *back;
	matrices_of(s, matrix);
	/* scale and sign of a matrix have no meaning */
	for (size_t v = 0; v < VIEWS; v++)
		for (int i = 0; i < 12; i++)
			again[v][i] = matrix[v][i] * (v % 2 ? -0.003 : 70) * (double)(v + 1);
	ck_ok(gt_scan_from_matrices((const double(*)[12])again, VIEWS, 96, 124, 1100, &back));
	expect_agreement(back, matrix);
	ck_assert_double_eq_tol(back->source_to_detector, 1100, 0.1);
	ck_assert_double_eq_tol(back->source_to_axis, 785, 5);
	ck_assert_double_eq_tol(back->column_pitch / back->row_pitch, 3.2 / 2.7, 1e-9);
	for (size_t v = 0; v < VIEWS; v++)
		for (int a = 0; a < 3; a++)
			ck_assert_double_eq_tol(back->view[v].source[a], s->view[v].source[a], 1e-8);
	matrices_of(back, again);
	for (size_t v = 0; v < VIEWS; v++)
		for (int i = 0; i < 12; i++)
			ck_assert_double_eq_tol(again[v][i], matrix[v][i], 1e-9 * (1 + fabs(matrix[v][i])));
	gt_scan_free(back);
	gt_scan_free(s);
}

GT_TEST(perfect_orbits_come_back_whole)
{
	double matrix[VIEWS][12];
	gt_scan *s = wobbly_scan(0), *back;
	matrices_of(s, matrix);
	ck_ok(gt_scan_from_matrices((const double(*)[12])matrix, VIEWS, 96, 124, 1200, &back));
	ck_assert_double_eq_tol(back->column_pitch, 3.2, 1e-10);
	ck_assert_double_eq_tol(back->row_pitch, 2.7, 1e-10);
	ck_assert_double_eq_tol(back->column_center, s->column_center, 1e-9);
	ck_assert_double_eq_tol(back->row_center, s->row_center, 1e-9);
	ck_assert_double_eq_tol(back->source_to_axis, 785, 1e-9);
	for (size_t v = 0; v < VIEWS; v++) {
		ck_assert_double_eq_tol(back->view[v].angle, s->view[v].angle, 1e-10);
		for (int a = 0; a < 3; a++) {
			ck_assert_double_eq_tol(back->view[v].detector[a], s->view[v].detector[a], 1e-8);
			ck_assert_double_eq_tol(back->view[v].column_axis[a], s->view[v].column_axis[a], 1e-11);
			ck_assert_double_eq_tol(back->view[v].row_axis[a], s->view[v].row_axis[a], 1e-11);
		}
	}
	ck_assert_double_eq_tol(gt_scan_angular_range(back), 3.5 * 30 / 29, 1e-9);
	gt_scan_free(back);
	gt_scan_free(s);
}

GT_TEST(detectors_that_look_the_other_way)
{
	/* rows counted downwards: left-handed image axes */
	double matrix[VIEWS][12];
	gt_scan *s = wobbly_scan(1), *back;
	for (size_t v = 0; v < VIEWS; v++)
		for (int a = 0; a < 3; a++)
			s->view[v].row_axis[a] = -s->view[v].row_axis[a];
	matrices_of(s, matrix);
	expect_agreement(s, matrix);
	ck_ok(gt_scan_from_matrices((const double(*)[12])matrix, VIEWS, 96, 124, 1200, &back));
	expect_agreement(back, matrix);
	ck_assert_double_lt(back->view[9].row_axis[2], -0.9);
	gt_scan_free(back);
	gt_scan_free(s);
}

#define refuses(change, code, text)                                                                                 \
	do {                                                                                                        \
		double m[VIEWS][12], keep[VIEWS][12];                                                               \
		gt_scan *s = wobbly_scan(0.5), *back;                                                               \
		matrices_of(s, m);                                                                                  \
		memcpy(keep, m, sizeof m);                                                                          \
		change;                                                                                             \
		ck_refused(gt_scan_from_matrices((const double(*)[12])m, VIEWS, 96, 124, 1200, &back), code, text); \
		ck_assert_ptr_null(back);                                                                           \
		ck_ok(gt_scan_from_matrices((const double(*)[12])keep, VIEWS, 96, 124, 1200, &back));               \
		gt_scan_free(back);                                                                                 \
		gt_scan_free(s);                                                                                    \
	} while (0)

GT_TEST(matrices_refused)
{
	refuses(m[7][6] = NAN, GT_ERR_FORMAT, "view 7 has nan in row 2, column 3");
	refuses(memset(m[4] + 8, 0, 4 * sizeof(double)), GT_ERR_FORMAT, "view 4 has the last row (0, 0, 0, 0)");
	refuses(memcpy(m[3], m[3] + 4, 4 * sizeof(double)), GT_ERR_FORMAT, "view 3 is singular");
	refuses(memcpy(m[3], m[3] + 8, 4 * sizeof(double)), GT_ERR_FORMAT, "view 3 is singular");
	refuses(for (int i = 0; i < 4; i++) m[5][i] += 1e-5 * m[5][4 + i], GT_ERR_UNSUPPORTED, "view 5 is skewed");
	refuses(for (int i = 0; i < 4; i++) m[6][i] *= 1 + 1e-5, GT_ERR_UNSUPPORTED, "view 6 has rows of");
	const double none[1][12] = { { 0 } };
	gt_scan *s;
	ck_refused(gt_scan_from_matrices(none, 0, 4, 4, 100, &s), GT_ERR_ARG, "no projection matrices");
	ck_refused(gt_scan_from_matrices(none, 1, 4, 4, 0, &s), GT_ERR_ARG, "source_to_detector=0");
	ck_refused(gt_scan_from_matrices(none, 1, 4, 4, NAN, &s), GT_ERR_ARG, "source_to_detector=");
}

GT_TEST(shapes_without_matrices)
{
	gt_scan *s = wobbly_scan(0);
	double m[12];
	ck_refused(gt_matrix_from_view(s, VIEWS, m), GT_ERR_ARG, "matrix of view 30");
	s->shape = GT_PARALLEL;
	ck_refused(gt_matrix_from_view(s, 0, m), GT_ERR_UNSUPPORTED, "found detector shape parallel");
	s->shape = GT_ARC;
	ck_refused(gt_matrix_from_view(s, 0, m), GT_ERR_UNSUPPORTED, "found detector shape arc");
	gt_scan_free(s);
}

int main(void) { return gt_test_main("scan_matrix", NULL); }
