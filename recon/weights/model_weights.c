/* Weights of the data by inverse variance, including the discretisation error. The projection of a voxel is a box as
 * wide as the voxel, so a volume of voxels cannot reproduce the projections of an edge. The error grows with their
 * local slope. Photon weights trust rays next to an edge too much, and the solver then fits them with overshoot. A
 * constant error of all rays bounds the ratio of weights. Otherwise rays across edges would hardly count at low noise,
 * and thin parts would decide at high noise. With few views the volume can follow the data, which leaves less of the
 * error of the slopes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/scan_math.h>
#include <gantry/threads.h>
#include "core/clones.h"
#include "core/try.h"
#include "geometry/projections.h"
#include "recon/noise/noise_estimate.h"
#include "recon/weights/model_weights.h"
#include "recon/weights/photon_weights.h"

enum { GRAIN = 1 << 14, MAX_VIEWS = 32, MAX_ROWS = 64 };
/* Empirical: see the table in docs/regularizers.md. */
#define SLOPE_PER_WIDTH 0.045
#define EVEN_PER_WIDTH 0.2
#define EVEN_PER_VARIANCE 0.5
/* Only every n-th row of pixels is needed for a mean variance. */
enum { ROWS_PER_SAMPLE = 3 };

/* Adds the squares of the widths in one view; 0: the centre of the grid is not in front of the source. */
static int add_widths(const gt_detector *d, const gt_view *w, const gt_grid *g, double sum[2])
{
	const double *axis[2] = { w->column_axis, w->row_axis };
	double at[2][2][2], variance[2] = { 0, 0 };
	for (int k = 0; k < 2; k++) {
		for (int a = 0; a < 3; a++)
			variance[k] += g->pitch[a] * axis[k][a] * g->pitch[a] * axis[k][a];
		for (int side = 0; side < 2; side++) {
			double x[3];
			for (int a = 0; a < 3; a++)
				x[a] = g->center[a] + (side - 0.5) * sqrt(variance[k]) * axis[k][a];
			if (!gt_point_pixel(d, w, x, &at[k][side][0], &at[k][side][1]))
				return 0;
		}
	}
	for (int k = 0; k < 2; k++)
		sum[k] += (at[k][1][k] - at[k][0][k]) * (at[k][1][k] - at[k][0][k]);
	return 1;
}

void gt_voxel_shadow(const gt_scan *scan, const gt_grid *grid, double width[2])
{
	const gt_detector d = gt_scan_detector(scan);
	const size_t stride = scan->views / MAX_VIEWS + 1;
	double sum[2] = { 0, 0 };
	int views = 0;
	for (size_t v = 0; v < scan->views; v += stride)
		views += add_widths(&d, &scan->view[v], grid, sum);
	for (int k = 0; k < 2; k++)
		width[k] = views ? sqrt(sum[k] / views) : 0;
}

/* Sums of line integrals, and of them times squares of slopes. Both of sampled rows: of line integrals, and of them
 * times logarithms of variances. */
enum { OF_LINES, OF_SQUARES, OF_SAMPLED, OF_VARIANCES, SUMS };

struct weighing {
	const gt_noise_model *noise;
	const gt_projections *p;
	const float *mask;   /* NULL: all pixels count */
	size_t piece;        /* rows of a piece */
	double slope, even;  /* as in gt_model_error; variance of all rays */
	double (*sum)[SUMS]; /* [pieces] */
	double *scratch;     /* [threads][LINES][columns] */
	float *w;            /* NULL: add the sums */
};

/* Rows of scratch: smoothed line integrals of three rows of the detector, squares of the slope, variances. */
enum { SMOOTHED = 3, SQUARES = 3, VARIANCES, LINES };

/* Smooths a row along the columns as gt_data_smooth() does. */
GT_WIDER static void smooth(const float *row, size_t columns, double *out)
{
	const size_t last = columns - 1, next = columns > 1, before = last - next;
	for (size_t c = 1; c < last; c++)
		out[c] = row[c] / 2. + (row[c - 1] + (double)row[c + 1]) / 4;
	out[0] = row[0] / 2. + (row[0] + (double)row[next]) / 4;
	out[last] = row[last] / 2. + (row[before] + (double)row[last]) / 4;
}

/* The same; pixels of mask 0 become NAN. */
static void smooth_masked(const float *row, const float *mask, size_t columns, double *out)
{
	for (size_t c = 0; c < columns; c++) {
		const size_t before = c && mask[c - 1] > 0 ? c - 1 : c, after = c + 1 < columns && mask[c + 1] > 0 ? c + 1 : c;
		out[c] = mask[c] > 0 ? row[c] / 2. + (row[before] + (double)row[after]) / 4 : NAN;
	}
}

static void smooth_row(const struct weighing *j, size_t row, double *out)
{
	const size_t columns = j->p->scan->columns, first = row * columns;
	if (j->mask)
		smooth_masked(j->p->data + first, j->mask + first, columns, out);
	else
		smooth(j->p->data + first, columns, out);
}

/* Square of the larger of the differences to the neighbours at both sides of `here`; differences of NAN count as 0. */
GT_INLINE double larger_square(double before, double here, double after)
{
	const double a = fabs(here - before), b = fabs(after - here), c = a > 0 ? a : 0, d = b > c ? b : c;
	return d * d;
}

/* Squares of the slopes of a row, per pixel. */
GT_WIDER static void slopes(const double *below, const double *here, const double *above, size_t columns, double *square)
{
	const size_t last = columns - 1;
	for (size_t c = 1; c < last; c++)
		square[c] = larger_square(here[c - 1], here[c], here[c + 1]);
	square[0] = square[last] = 0;
	if (last) {
		square[0] = larger_square(here[0], here[0], here[1]);
		square[last] = larger_square(here[last - 1], here[last], here[last]);
	}
	for (size_t c = 0; c < columns; c++)
		square[c] += larger_square(below[c], here[c], above[c]);
}

/* mask: NULL: all pixels count. */
static void add_row(const float *mask, size_t columns, const double *line, const double *square, double sum[SUMS])
{
	for (size_t c = 0; c < columns; c++) {
		const int counts = line[c] > 0 && (!mask || mask[c] > 0);
		sum[OF_SQUARES] += counts ? line[c] * square[c] : 0;
		sum[OF_LINES] += counts ? line[c] : 0;
	}
}

static void add_variances(const struct weighing *j, size_t first, const double *line, double *variance, double sum[SUMS])
{
	const size_t columns = j->p->scan->columns;
	gt_noise_variances(j->noise, first, columns, line, variance);
	for (size_t c = 0; c < columns; c++)
		if (line[c] > 0 && variance[c] > 0) {
			sum[OF_VARIANCES] += line[c] * log(variance[c]);
			sum[OF_SAMPLED] += line[c];
		}
}

/* w: 0 without noise, NAN without a line integral. */
GT_WIDER static void invert(const double *noise, const double *line, const double *square, size_t n, double even, double error, float *w)
{
	for (size_t c = 0; c < n; c++) {
		const double weight = 1 / (noise[c] + even + error * square[c]);
		const int is_good = (noise[c] > 0) & (fabs(line[c]) < INFINITY);
		w[c] = noise[c] == 0 ? 0 : is_good ? (float)weight : NAN;
	}
}

static void weigh_row(const struct weighing *j, size_t first, const double *line, const double *square, double *noise)
{
	const size_t columns = j->p->scan->columns;
	const double error = j->slope * j->slope;
	gt_noise_variances(j->noise, first, columns, line, noise);
	invert(noise, line, square, columns, j->even, error, j->w + first);
}

/* Pieces of whole rows: each row is smoothed once. */
static void do_pieces(void *self, size_t begin, size_t end, int worker)
{
	const struct weighing *j = self;
	const size_t columns = j->p->scan->columns, rows = j->p->scan->rows, all = rows * j->p->scan->views;
	double *line[LINES];
	for (int k = 0; k < LINES; k++)
		line[k] = j->scratch + ((size_t)worker * LINES + (size_t)k) * columns;
	for (size_t k = begin; k < end; k++) {
		double sum[SUMS] = { 0 };
		for (size_t row = k * j->piece; row < (k + 1) * j->piece && row < all; row++) {
			const size_t r = row % rows;
			double *const below = line[(row + 2) % SMOOTHED], *const here = line[row % SMOOTHED],
				      *const above = line[(row + 1) % SMOOTHED];
			if (r == 0 || row == k * j->piece) {
				smooth_row(j, row, here);
				if (r)
					smooth_row(j, row - 1, below);
			}
			if (r + 1 < rows)
				smooth_row(j, row + 1, above);
			slopes(r ? below : here, here, r + 1 < rows ? above : here, columns, line[SQUARES]);
			if (j->w)
				weigh_row(j, row * columns, here, line[SQUARES], line[VARIANCES]);
			else
				add_row(j->mask ? j->mask + row * columns : NULL, columns, here, line[SQUARES], sum);
			if (!j->w && row % ROWS_PER_SAMPLE == 0)
				add_variances(j, row * columns, here, line[VARIANCES], sum);
		}
		if (!j->w)
			memcpy(j->sum[k], sum, sizeof sum);
	}
}

/* Variance of all rays; error->even becomes the fraction of the slopes that has this variance. */
static double even_of(const double sum[SUMS], gt_model_error *error)
{
	const double slopes = sum[OF_LINES] > 0 ? sum[OF_SQUARES] / sum[OF_LINES] : 0;
	const double variance = sum[OF_SAMPLED] > 0 ? exp(sum[OF_VARIANCES] / sum[OF_SAMPLED]) : 0;
	if (slopes > 0)
		error->even = sqrt(error->even * error->even + error->noise * variance / slopes);
	error->noise = 0;
	return error->even * error->even * slopes;
}

gt_status gt_model_weights(gt_pool *pool, const gt_noise_model *noise, const gt_projections *p, gt_model_error *error, float *w,
                           double *factor)
{
	const size_t columns = p->scan->columns, piece = 1 + GRAIN / columns;
	const size_t pieces = (p->scan->rows * p->scan->views + piece - 1) / piece, threads = (size_t)gt_pool_threads(pool);
	struct weighing j = { .noise = noise, .p = p, .mask = gt_noise_weights(noise), .piece = piece, .slope = error->slope };
	double sum[SUMS] = { 0 };
	gt_status st = GT_OK;
	j.sum = calloc(pieces, sizeof *j.sum);
	j.scratch = malloc(threads * LINES * columns * sizeof *j.scratch);
	if (!j.sum || !j.scratch)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for the weights of the data"));
	gt_parallel(pool, pieces, 1, do_pieces, &j);
	for (size_t k = 0; k < pieces; k++)
		for (int of = 0; of < SUMS; of++)
			sum[of] += j.sum[k][of];
	j.even = even_of(sum, error);
	j.w = w;
	gt_parallel(pool, pieces, 1, do_pieces, &j);
	st = gt_data_weights_given(pool, w, gt_scan_size(p->scan), w, factor);
done:
	free(j.sum);
	free(j.scratch);
	return st;
}

/* Adds the effective widths of the object in rows of one view, in pixels, and the sums of the rows as their weights. */
static void add_object(const gt_projections *p, size_t view, double sum[2])
{
	const size_t columns = p->scan->columns, rows = p->scan->rows, stride = rows / MAX_ROWS + 1;
	for (size_t r = 0; r < rows; r += stride) {
		const float *line = p->data + (view * rows + r) * columns;
		double lines = 0, squares = 0;
		for (size_t c = 0; c < columns; c++)
			if (line[c] > 0 && line[c] < INFINITY) {
				lines += line[c];
				squares += (double)line[c] * line[c];
			}
		sum[0] += squares > 0 ? lines * lines * lines / squares : 0;
		sum[1] += lines;
	}
}

double gt_view_sampling(const gt_projections *p, const double width[2])
{
	const gt_scan *s = p->scan;
	const size_t stride = s->views / MAX_VIEWS + 1;
	const double range = gt_scan_angular_range(s);
	double sum[2] = { 0, 0 };
	for (size_t v = 0; v < s->views; v += stride)
		add_object(p, v, sum);
	const double diameter = sum[1] > 0 ? sum[0] / sum[1] / fmax(1, width[0]) : 0;
	return diameter > 0 && range > 0 ? (double)s->views * 4 / (range * diameter) : INFINITY;
}

gt_model_error gt_model_error_of(const double width[2], double sampling)
{
	return (gt_model_error){ .slope = SLOPE_PER_WIDTH * width[0] * fmin(1, sampling),
		                 .even = EVEN_PER_WIDTH * width[0],
		                 .noise = EVEN_PER_VARIANCE };
}
