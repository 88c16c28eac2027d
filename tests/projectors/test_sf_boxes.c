/* The separable-footprint pairs against exact line integrals of boxes: one voxel on a clinical scanner, many voxels
 * under tilted detectors.
 * labels: physics */
#include <stdio.h>
#include "tests/projectors/sf_scans.h"

/* Mean over n x n sub-rays of a pixel. */
static double exact_cell(const gt_scan *s, size_t v, size_t l, size_t k, const double *low, const double *high, int n)
{
	const gt_detector det = gt_scan_detector(s);
	double sum = 0, p[3], e[3];
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			gt_pixel_ray(&det, &s->view[v], (double)k - 0.5 + (i + 0.5) / n, (double)l - 0.5 + (j + 0.5) / n, p, e);
			sum += length_in_box(p, e, 0, low, high);
		}
	return sum / n / n;
}

/* Columns and rows of a box in a view, with a margin of 1.5 pixels: low[0..1] to high[0..1]. */
static void box_in_view(const gt_scan *s, const gt_view *w, const double *lo, const double *hi, double *low, double *high)
{
	const gt_detector det = gt_scan_detector(s);
	for (int a = 0; a < 2; a++) {
		low[a] = INFINITY;
		high[a] = -INFINITY;
	}
	for (int c = 0; c < 8; c++) {
		const double p[3] = { c & 1 ? hi[0] : lo[0], c & 2 ? hi[1] : lo[1], c & 4 ? hi[2] : lo[2] };
		double cell[2];
		ck_assert(gt_point_pixel(&det, w, p, &cell[0], &cell[1]));
		for (int a = 0; a < 2; a++) {
			low[a] = fmin(low[a], cell[a] - 1.5);
			high[a] = fmax(high[a], cell[a] + 1.5);
		}
	}
}

/* Over the pixels that see a box: root mean square and maximum error, in widths of a voxel, and relative error of the
 * sum. */
struct error {
	double rms, max, sum;
};

/* Voxels [low, high) of the grid are 1. */
static struct error error_of_box(const char *name, const gt_scan *s, const gt_grid *g, const size_t *low, const size_t *high, int fine)
{
	const size_t nx = gt_grid_voxels(g);
	float *x = calloc(nx, sizeof *x);
	double lo[3], hi[3], squares = 0, sum = 0, exact_sum = 0;
	struct error e = { 0, 0, 0 };
	size_t cells = 0;
	for (int a = 0; a < 3; a++) {
		lo[a] = gt_grid_first(g, a) + ((double)low[a] - 0.5) * g->pitch[a];
		hi[a] = gt_grid_first(g, a) + ((double)high[a] - 0.5) * g->pitch[a];
	}
	for (size_t i = 0; i < nx; i++) {
		const size_t at[3] = { i % g->n[0], i / g->n[0] % g->n[1], i / g->n[0] / g->n[1] };
		x[i] = 1;
		for (int a = 0; a < 3; a++)
			x[i] *= at[a] >= low[a] && at[a] < high[a];
	}
	gt_backend *be = gt_test_backend();
	float *y = project(name, be, GT_F64, g, s, x);
	gt_backend_close(be);
	for (size_t v = 0, i = 0; v < s->views; v++) {
		double from[2], to[2];
		box_in_view(s, &s->view[v], lo, hi, from, to);
		for (size_t l = 0; l < s->rows; l++)
			for (size_t k = 0; k < s->columns; k++, i++) {
				const double at[2] = { (double)k, (double)l };
				const int near = at[0] > from[0] && at[0] < to[0] && at[1] > from[1] && at[1] < to[1];
				if (!(y[i] > 0) && !(near && exact_cell(s, v, l, k, lo, hi, 4) > 0))
					continue;
				const double exact = exact_cell(s, v, l, k, lo, hi, fine), error = fabs(exact - (double)y[i]) / g->pitch[0];
				squares += error * error;
				sum += y[i];
				exact_sum += exact;
				e.max = fmax(e.max, error);
				cells++;
			}
	}
	ck_assert(cells > 0);
	e.rms = sqrt(squares / (double)cells);
	e.sum = sum / exact_sum - 1;
	free(x);
	free(y);
	return e;
}

/* One voxel of a clinical scanner at several positions. The distance-driven model deviates by a tenth of the voxel
 * there, which the test would detect. */
GT_TESTS(one_voxel, 4)
{
	static const double places[4][2] = { { 225, -0.4 }, { 101, 145 }, { 0.3, -0.2 }, { -137, -102 } };
	gt_orbit orbit = gt_scanner_find("ge-ct750hd")->orbit;
	orbit.views = 6;
	orbit.start_angle = 0.02;
	gt_scan *scan = orbit_scan(&orbit);
	const gt_grid one = { { 1, 1, 1 }, { 0.9765625, 0.9765625, 0.625 }, { places[_i][0], places[_i][1], 10.6 } };
	const size_t low[3] = { 0 }, high[3] = { 1, 1, 1 };
	const struct error tr = error_of_box("sf-tr", scan, &one, low, high, 128), tt = error_of_box("sf-tt", scan, &one, low, high, 128),
			   dd = error_of_box("dd", scan, &one, low, high, 16);
	const char *const text = "voxel at (%g, %g): rms %.1e, %.1e, %.1e, largest %.1e, %.1e, %.1e, sum %+.1e, %+.1e";
#define FINDINGS one.center[0], one.center[1], tr.rms, tt.rms, dd.rms, tr.max, tt.max, dd.max, tr.sum, tt.sum
	printf(text, FINDINGS);
	printf("\n");
	ck_assert_msg(tr.rms < 2e-3 && tr.max < 8e-3 && fabs(tr.sum) < 6e-4, text, FINDINGS);
	ck_assert_msg(tt.rms < 2e-3 && tt.max < 5e-3 && fabs(tt.sum) < 5e-5, text, FINDINGS);
	ck_assert_msg(dd.rms > 8 * tr.rms, text, FINDINGS);
#undef FINDINGS
	gt_scan_free(scan);
}

/* A box of many voxels under a tilted detector: single footprints are not separable there, but their sum is
 * accurate. */
GT_TESTS(box_under_tilt, 8)
{
	const gt_orbit orbit = { GT_FLAT,
		                 .views = 3,
		                 .rows = 24,
		                 .columns = 28,
		                 .source_to_axis = 300,
		                 .source_to_detector = 500,
		                 .column_pitch = 1.5,
		                 .row_pitch = 1.7,
		                 .start_angle = 0.4,
		                 .turn = 2 * GT_PI };
	const gt_grid grid = { { 15, 14, 13 }, { 1.2, 1.3, 1.1 }, { 1.4, -0.8, 0.7 } };
	const size_t low[3] = { 3, 2, 4 }, high[3] = { 11, 12, 10 };
	const double roll = _i / 2 * 0.06;
	gt_scan *scan = orbit_scan(&orbit);
	tilt_scan(scan, roll, roll / 2, 0);
	const struct error e = error_of_box(names[_i % 2], scan, &grid, low, high, 24);
	printf("%s, box, roll %.3f rad: rms %.1e, largest %.1e voxels, sum %+.1e\n", names[_i % 2], roll, e.rms, e.max, e.sum);
	ck_assert_msg(e.rms < 7e-3 + roll * roll && fabs(e.sum) < 2e-4, "%s, roll %.3f rad: rms %.1e voxels, sum %+.1e", names[_i % 2],
	              roll, e.rms, e.sum);
	gt_scan_free(scan);
}

int main(void) { return gt_test_main("sf_boxes", NULL); }
