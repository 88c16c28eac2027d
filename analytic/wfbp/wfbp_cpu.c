/* Helical weighted filtered backprojection on the CPU, threaded over parallel views, rows and columns of voxels. Every
 * voxel adds its bins in order, so the result does not depend on the number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "analytic/wfbp/fast/wfbp_single.h"
#include "core/try.h"

enum { TILE = 16 /* columns of voxels with separate sums */ };

struct state {
	gt_backend *be;
	const gt_wfbp_plan *plan;
	gt_type type;
	const gt_wfbp_single_kernels *kernels; /* for arrays in single precision */
	void *rows;                            /* state of gt_fbp_cpu, which filters */
	const void *filtered;
	struct gt_helix_view *view; /* one per view of the batch */
	/* Allocated, with their sizes in bytes. */
	void *rebinned; /* [view][row][column], rows as on the detector */
	double *z;      /* [view][column]: of the sources */
	char *work;     /* one stride per worker */
	size_t rebinned_bytes, z_bytes, work_bytes, work_stride;
};

struct work {
	const struct state *state;
	const void *data;
	void *x;
	size_t first, n; /* bins */
};

struct bin {
	const struct gt_helix_view *w;
	size_t view;
};

double gt_wfbp_find_tap(const gt_wfbp_plan *p, const struct gt_helix_view *w, size_t k, struct gt_wfbp_tap *t)
{
	const struct gt_helix_spot *spot = &p->spot[w->spot];
	const size_t at = w->spot * p->detector.columns + k;
	const double column = p->column[at];
	gt_helix_find(p->direction + spot->first, p->z + spot->first, spot->views, p->sense * (w->direction - GT_PI - p->fan[at]), &t->ray);
	t->column = gt_helix_first(column > 0 ? (size_t)column : 0, p->source_columns);
	gt_lagrange_pixels(t->column, column, t->weight);
	return t->ray.z;
}

static int see(const struct state *s, const struct bin *b, size_t k, double x, double y, struct gt_helix_line *line)
{
	const gt_wfbp_plan *p = s->plan;
	const size_t columns = p->detector.columns, c = b->w[k].spot;
	return gt_helix_see(&p->detector, &b->w[k], &p->spot[c], s->z + (b->view + k) * columns, p->reach + c * columns, x, y, line);
}

/* Inner loops in double, which are the reference; loops in single precision are kernels. */

/* Interpolates the line of the detector that a column of voxels sees. */
static void mix_double(const struct state *s, size_t view, const struct gt_helix_line *at, double *line)
{
	const size_t rows = s->plan->rows;
	const double *q = (const double *)s->filtered + (view * s->plan->filter->row.wide + at->k) * rows;
	for (size_t l = 0; l < rows; l++)
		line[l] = q[l] + at->right * (q[rows + l] - q[l]);
	line[rows] = line[rows - 1];
}

/* Adds weight x value and weight of n slices at rows row0 + j slope. */
static void add_slices_double(const struct state *s, double row0, double slope, size_t n, const double *line, double *sum, double *weight)
{
	const gt_wfbp_plan *p = s->plan;
	const double last = (double)p->rows - 1, over_rest = 1 / (1 - p->flat);
	for (size_t j = 0; j < n; j++) {
		const double at = row0 + (double)j * slope, q = fabs(at - last / 2) / ((double)p->rows / 2);
		const double w = gt_row_weight_double(q, p->flat, over_rest), l = fmin(fmax(at, 0), last);
		const int i = (int)l;
		sum[j] += w * (line[i] + (l - i) * (line[i + 1] - line[i]));
		weight[j] += w;
	}
}

static void share_double(const struct state *s, size_t n, const double *sum, const double *weight, double *total)
{
	(void)s;
	for (size_t z = 0; z < n; z++)
		total[z] += weight[z] > 0 ? sum[z] / weight[z] : sum[z];
}

static void mix_single(const struct state *s, size_t view, const struct gt_helix_line *at, float *line)
{
	const size_t rows = s->plan->rows;
	s->kernels->mix((const float *)s->filtered + (view * s->plan->filter->row.wide + at->k) * rows, rows, (float)at->right, line);
}

static void add_slices_single(const struct state *s, double row0, double slope, size_t n, const float *line, float *sum, float *weight)
{
	s->kernels->add(s->plan, row0, slope, n, line, sum, weight);
}

static void share_single(const struct state *s, size_t n, const float *sum, const float *weight, float *total)
{
	s->kernels->share(n, sum, weight, total);
}

#define T float
#define NAMED(name) name##_single
#include "analytic/wfbp/wfbp_cpu_typed.inc"
#undef T
#undef NAMED
#define T double
#define NAMED(name) name##_double
#include "analytic/wfbp/wfbp_cpu_typed.inc"
#undef T
#undef NAMED

static size_t view_bytes_(const gt_wfbp_plan *p, gt_type type)
{
	return (2 * p->detector.columns + 2) * p->rows * gt_type_size(type) + p->detector.columns * sizeof(double);
}

static void close_(void *self)
{
	struct state *s = self;
	if (s->rows)
		gt_fbp_cpu.close(s->rows);
	gt_backend_free(s->be, s->rebinned, s->rebinned_bytes);
	gt_backend_free(s->be, s->z, s->z_bytes);
	gt_backend_free(s->be, s->work, s->work_bytes);
	free(s->view);
	free(s);
}

static gt_status open_(gt_backend *be, const gt_wfbp_plan *p, gt_type type, void **out)
{
	const size_t element = gt_type_size(type), columns = p->detector.columns;
	const size_t pads = 3 * GT_WFBP_BEYOND + GT_WFBP_PAD;
	const size_t back = ((TILE + 3) * p->grid.n[2] + p->rows + pads) * element, taps = columns * sizeof(struct gt_wfbp_tap);
	size_t views = p->batch * p->turns;
	struct state *s = calloc(1, sizeof *s);
	gt_status st = GT_OK;
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "wfbp: no memory");
	s->be = be;
	s->plan = p;
	s->type = type;
	s->kernels = gt_wfbp_single_chosen();
	s->rebinned_bytes = views * p->rows * columns * element;
	s->z_bytes = views * columns * sizeof *s->z;
	s->work_stride = ((back > taps ? back : taps) + 63) / 64 * 64;
	s->work_bytes = s->work_stride * (size_t)gt_pool_threads(be->pool);
	s->view = malloc(views * sizeof *s->view);
	if (!s->view)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "wfbp: no memory for %zu views", views));
	if (!(s->rebinned = gt_backend_alloc(be, s->rebinned_bytes, "parallel views")) ||
	    !(s->z = gt_backend_alloc(be, s->z_bytes, "heights of sources")) ||
	    !(s->work = gt_backend_alloc(be, s->work_bytes, "lines of helical backprojection"))) {
		st = GT_ERR_MEMORY;
		goto done;
	}
	GT_TRY(gt_fbp_cpu.open(be, p->filter, type, &views, &s->rows));
	s->filtered = gt_fbp_cpu_filtered(s->rows);
	*out = s;
done:
	if (st != GT_OK)
		close_(s);
	return st;
}

static void filter_(void *self, size_t first, size_t n, const void *data)
{
	const struct state *s = self;
	const size_t views = n * s->plan->turns;
	struct work a = { s, data, NULL, first, n };
	for (size_t i = 0; i < views; i++)
		s->view[i] = gt_wfbp_view(s->plan, first, i);
	gt_parallel(s->be->pool, views, 1, s->type == GT_F32 ? rebin_single : rebin_double, &a);
	gt_fbp_cpu.filter(s->rows, 0, views, s->rebinned);
}

static void back_(void *self, size_t first, size_t n, void *x)
{
	const struct state *s = self;
	const gt_grid *g = &s->plan->grid;
	struct work a = { s, NULL, x, first, n };
	gt_parallel(s->be->pool, g->n[1] * ((g->n[0] + TILE - 1) / TILE), 1, s->type == GT_F32 ? back_single : back_double, &a);
}

const struct gt_wfbp_impl gt_wfbp_cpu = { view_bytes_, open_, filter_, back_, close_ };
