/* The separable-footprint pairs against their definition: footprints as functions, integrated piece by piece.
 * labels: property */
#include "tests/projectors/sf_scans.h"

/* Piecewise linear between points (x[i], y[i]), 0 outside. */
struct outline {
	int n;
	double x[8], y[8];
};
static double integral(const struct outline *o, double a, double b)
{
	double sum = 0;
	for (int i = 0; i + 1 < o->n; i++) {
		const double from = fmax(a, o->x[i]), to = fmin(b, o->x[i + 1]), width = o->x[i + 1] - o->x[i];
		if (to > from)
			sum += (to - from) * (o->y[i] + (o->y[i + 1] - o->y[i]) * ((from + to) / 2 - o->x[i]) / width);
	}
	return sum;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* A step up at `at`, as a ramp of half width h: value at x. */
static double ramp(double x, double at, double h) { return h > 0 ? fmin(1, fmax(0, (x - at + h) / (2 * h))) : x >= at; }

struct footprint {
	struct outline columns, rows;
	double chord;
};

static void project_point(const gt_scan *s, const gt_view *w, const gt_grid *g, const double *center, double x, double y, double z,
                          double *k, double *l)
{
	const gt_detector det = gt_scan_detector(s);
	const double p[3] = { center[0] + x * g->pitch[0], center[1] + y * g->pitch[1], center[2] + z * g->pitch[2] };
	if (!gt_point_pixel(&det, w, p, k, l)) /* a ck_assert() formats a message even if it holds */
		ck_abort_msg("a point of the grid is behind the source");
}

static struct outline rows_of(double low, double high, double low_ramp, double high_ramp)
{
	const double flat = 1e-9 * (high - low);
	const double a = fmax(low_ramp, flat), b = fmax(high_ramp, flat);
	struct outline o = { .n = 4, .x = { low - a, low + a, high - b, high + b } };
	qsort(o.x, 4, sizeof *o.x, by_value);
	for (int i = 0; i < 4; i++)
		o.y[i] = ramp(o.x[i], low, a) - ramp(o.x[i], high, b);
	return o;
}

/* Centre and half width of the rows of four corners at height z, on a detector sheared by `shear`. */
static void face(const gt_scan *s, const gt_view *w, const gt_grid *g, const double *at, double z, double shear, double *middle,
                 double *half)
{
	double k[4], l[4];
	for (int c = 0; c < 4; c++)
		project_point(s, w, g, at, (c & 1) - 0.5, (c >> 1) - 0.5, z, &k[c], &l[c]);
	for (int c = 0; c < 4; c++)
		l[c] += shear * k[c];
	const double center = shear * (k[0] + k[1] + k[2] + k[3]) / 4;
	qsort(l, 4, sizeof *l, by_value);
	*middle = (l[0] + l[3]) / 2 - center;
	*half = (l[3] - l[0]) / 2;
}

static struct footprint footprint(const gt_scan *s, const gt_view *w, const gt_grid *g, const double *at, int trapezoid)
{
	struct footprint f = { .columns = { .n = 4, .y = { 0, 1, 1, 0 } } };
	double k[2], l[2], e[2], grad_k[3], grad_l[3], low, high, low_ramp = 0, high_ramp = 0;
	for (int c = 0; c < 4; c++)
		project_point(s, w, g, at, (c & 1) - 0.5, (c >> 1) - 0.5, 0, &f.columns.x[c], &l[0]);
	qsort(f.columns.x, 4, sizeof *f.columns.x, by_value);
	for (int a = 0; a < 2; a++)
		e[a] = s->shape == GT_PARALLEL ? w->detector[a] - w->source[a] : at[a] - w->source[a];
	f.chord = hypot(e[0], e[1]) * fmin(g->pitch[0] / fabs(e[0]), g->pitch[1] / fabs(e[1]));

	for (int a = 0; a < 3; a++) {
		const double step[3] = { a == 0 ? 0.5 : 0, a == 1 ? 0.5 : 0, a == 2 ? 0.5 : 0 };
		project_point(s, w, g, at, step[0], step[1], step[2], &k[1], &l[1]);
		project_point(s, w, g, at, -step[0], -step[1], -step[2], &k[0], &l[0]);
		grad_k[a] = (k[1] - k[0]) / g->pitch[a];
		grad_l[a] = (l[1] - l[0]) / g->pitch[a];
	}
	project_point(s, w, g, at, 0, 0, -0.5, &k[0], &low);
	project_point(s, w, g, at, 0, 0, 0.5, &k[1], &high);
	if (trapezoid) {
		/* In mm on the detector the shear is one angle, for lines along z and across. */
		const double mm = s->column_pitch / s->row_pitch, shear = (k[1] - k[0]) / (high - low) * mm * mm;
		face(s, w, g, at, -0.5, shear, &low, &low_ramp);
		face(s, w, g, at, 0.5, shear, &high, &high_ramp);
	}
	if (high < low) {
		const double t = low, r = low_ramp;
		low = high;
		high = t;
		low_ramp = high_ramp;
		high_ramp = r;
	}
	/* Rows per mm of z along a line of one column, from the gradients of column and row. */
	const double upright = hypot(grad_k[1] * grad_l[2] - grad_k[2] * grad_l[1], grad_k[2] * grad_l[0] - grad_k[0] * grad_l[2]) /
	                       hypot(grad_k[0], grad_k[1]);
	const double taller = upright / fabs(grad_l[2]), middle = (low + high) / 2, half = taller * (high - low) / 2;
	f.rows = rows_of(middle - half, middle + half, low_ramp, high_ramp);
	return f;
}

static void project_by_definition(const gt_scan *s, const gt_grid *g, int trapezoid, const float *x, double *out)
{
	const gt_detector det = gt_scan_detector(s);
	for (size_t v = 0; v < s->views; v++) {
		const gt_view *w = &s->view[v];
		double *image = out + v * s->rows * s->columns;
		memset(image, 0, s->rows * s->columns * sizeof *image);
		for (size_t i = 0; i < gt_grid_voxels(g); i++) {
			const size_t at[3] = { i % g->n[0], i / g->n[0] % g->n[1], i / g->n[0] / g->n[1] };
			double center[3];
			for (int a = 0; a < 3; a++)
				center[a] = gt_grid_first(g, a) + (double)at[a] * g->pitch[a];
			const struct footprint f = footprint(s, w, g, center, trapezoid);
			const size_t first = (size_t)fmax(0, f.columns.x[0]);
			for (size_t k = first; k < s->columns && (double)k - 0.5 < f.columns.x[3]; k++) {
				const double column = f.chord * x[i] * integral(&f.columns, (double)k - 0.5, (double)k + 0.5);
				const size_t lowest = (size_t)fmax(0, f.rows.x[0]);
				for (size_t l = lowest; l < s->rows && (double)l - 0.5 < f.rows.x[3]; l++)
					image[l * s->columns + k] += column * integral(&f.rows, (double)l - 0.5, (double)l + 0.5);
			}
		}
		for (size_t l = 0; l < s->rows; l++)
			for (size_t k = 0; k < s->columns; k++) {
				double p[3], e[3];
				gt_pixel_ray(&det, w, (double)k, (double)l, p, e);
				image[l * s->columns + k] *= sqrt(gt_dot3(e, e)) / hypot(e[0], e[1]);
			}
	}
}

static void check_forward(gt_backend *be, int trapezoid, gt_type type, const struct gt_test_geometry *g)
{
	const size_t nx = gt_grid_voxels(&g->grid), ny = gt_scan_size(g->scan);
	float *x = malloc(nx * sizeof *x);
	double *exact = malloc(ny * sizeof *exact), size = 0, worst = 0;
	gt_test_random(5, nx, x);
	float *y = project(names[trapezoid], be, type, &g->grid, g->scan, x);
	project_by_definition(g->scan, &g->grid, trapezoid, x, exact);
	for (size_t i = 0; i < ny; i++) {
		size = fmax(size, fabs(exact[i]));
		worst = fmax(worst, fabs(exact[i] - (double)y[i]));
	}
	ck_assert_msg(size > 0 && worst <= 1e-5 * size, "%s, %s, %s: %.3e of the largest value", names[trapezoid], g->name,
	              gt_type_name(type), worst / size);
	free(x);
	free(y);
	free(exact);
}

GT_TESTS(forward_by_definition, CASES)
{
	gt_backend *be = gt_test_backend();
	for (int i = _i; i < geometries(); i += CASES) {
		const struct gt_test_geometry g = geometry(i);
		for (int k = 0; k < 4; k++)
			if (!skip_single(k % 2 ? GT_F64 : GT_F32, i))
				check_forward(be, k / 2, k % 2 ? GT_F64 : GT_F32, &g);
		gt_scan_free(g.scan);
	}
	gt_backend_close(be);
}

int main(void) { return gt_test_main("sf_definition", NULL); }
