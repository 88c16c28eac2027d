/* Plan of a helical reconstruction: rays of the parallel views, positions of voxels in them, complete slices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "analytic/fbp/angular_coverage.h"
#include "analytic/wfbp/wfbp.h"
#include "core/try.h"

/* Largest differences between views of one spot: in pixels, in rows, relative to the distance from the axis. */
#define SAME_PIXELS 0.05
#define SAME_ROWS 0.05
#define SAME_DISTANCE 1e-4
/* Largest distance of neighbouring views, in mean steps. */
#define WIDEST_STEP 2.5
/* A table that moves less than this fraction of the mean in an eighth of a rotation stands still. */
#define SLOWEST 0.1

struct making {
	gt_wfbp_plan *plan;
	const gt_scan *scan;
	gt_angular_coverage *coverage;
	double fan[2]; /* ends of the fan that all spots see */
	double rise;   /* mm of z per rad, signed by the rotation direction */
	double step;   /* between neighbouring views of a spot, rad */
};

static gt_status check_kind(const gt_scan *s)
{
	if (s->shape == GT_PARALLEL)
		return gt_fail(GT_ERR_UNSUPPORTED, "wfbp is for helical fans and this scan is parallel: use fbp");
	if (gt_scan_is_helical(s))
		return gt_scan_rows_along_z(s, "wfbp");
	if (s->pitch_per_turn != 0)
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "wfbp: the scan states pitch_per_turn=%g mm, but the table does not move: all sources are at z=%g mm",
		               s->pitch_per_turn, s->view[0].source[2]);
	return gt_fail(GT_ERR_UNSUPPORTED, "wfbp is for helical scans and this one is circular: use fdk");
}

/* Spots --------------------------------------------------------------- */

struct signature {
	double distance, left, right, rise;
	int down;
};

static struct signature sign(const struct making *m, size_t v)
{
	const gt_view *w = &m->scan->view[v];
	return (struct signature){ gt_angular_coverage_distance(m->coverage, v), gt_angular_coverage_fan(m->coverage, v, 0, NULL),
		                   gt_angular_coverage_fan(m->coverage, v, (double)m->scan->columns - 1, NULL),
		                   w->detector[2] - w->source[2], w->row_axis[2] < 0 };
}

static int same(const gt_scan *s, const struct signature *a, const struct signature *b)
{
	const double pixel = SAME_PIXELS * fabs(a->right - a->left) / (double)(s->columns - 1);
	return a->down == b->down && fabs(a->distance - b->distance) <= SAME_DISTANCE * a->distance && fabs(a->left - b->left) <= pixel &&
	       fabs(a->right - b->right) <= pixel && fabs(a->rise - b->rise) <= SAME_ROWS * s->row_pitch;
}

/* Returns the smallest number of spots after which views repeat; 0: none. *odd is a view that does not repeat. */
static size_t count_spots(const struct making *m, const struct signature *of, size_t *odd)
{
	for (size_t n = 1; n <= GT_MAX_SPOTS; n++) {
		size_t v = n;
		while (v < m->scan->views && same(m->scan, &of[v - n], &of[v]))
			v++;
		if (v >= m->scan->views)
			return n;
		*odd = n == 1 ? v : *odd;
	}
	return 0;
}

/* Takes the z axis if the views repeat around it, else the axis of the sources. */
static gt_status find_spots(struct making *m)
{
	const size_t views = m->scan->views;
	const double other[2] = { m->coverage->center[0], m->coverage->center[1] };
	struct signature *of = malloc(views * sizeof *of);
	size_t odd = 0, n = 0;
	if (!of)
		return gt_fail(GT_ERR_MEMORY, "wfbp: no memory for %zu views", views);
	for (int turn = 0; turn < 2 && !n; turn++) {
		m->coverage->center[0] = turn ? other[0] : 0;
		m->coverage->center[1] = turn ? other[1] : 0;
		for (size_t v = 0; v < views; v++)
			of[v] = sign(m, v);
		n = count_spots(m, of, &odd);
	}
	free(of);
	m->plan->spots = n;
	if (!n || views < 8 * n)
		return gt_fail(
			GT_ERR_UNSUPPORTED,
			"wfbp: source and detector of view %zu have other positions than in the views before it, and positions do not repeat after 2 to %d views, as with a flying focal spot; use an iterative solver such as os-sart",
			odd, GT_MAX_SPOTS);
	return GT_OK;
}

/* Orbit --------------------------------------------------------------- */

static void order_views(struct making *m)
{
	gt_wfbp_plan *p = m->plan;
	const size_t views = m->scan->views;
	size_t at = 0;
	double turned = 0;
	for (size_t v = 0; v < views; v++) {
		const gt_view *w = &m->scan->view[v];
		const double d = atan2(w->source[1] - p->detector.center[1], w->source[0] - p->detector.center[0]);
		turned = v ? turned + remainder(d - turned, 2 * GT_PI) : d;
		m->coverage->direction[v] = turned;
	}
	p->sense = m->coverage->direction[views - 1] >= m->coverage->direction[0] ? 1 : -1;
	for (size_t c = 0; c < p->spots; c++) {
		p->spot[c].first = at;
		for (size_t v = c; v < views; v += p->spots, at++) {
			p->direction[at] = p->sense * m->coverage->direction[v];
			p->z[at] = m->scan->view[v].source[2];
		}
		p->spot[c].views = at - p->spot[c].first;
	}
}

static gt_status check_steps(struct making *m)
{
	const gt_wfbp_plan *p = m->plan;
	for (size_t c = 0; c < p->spots; c++) {
		const struct gt_helix_spot *spot = &p->spot[c];
		const double *d = p->direction + spot->first, *z = p->z + spot->first, all = d[spot->views - 1] - d[0];
		const double step = all / (double)(spot->views - 1), rise = (z[spot->views - 1] - z[0]) / all;
		const size_t eighth = (size_t)fmax(1, round(GT_PI / 4 / step));
		for (size_t i = 1; i < spot->views; i++) {
			const size_t v = c + i * p->spots;
			if (!(d[i] - d[i - 1] > 0 && d[i] - d[i - 1] <= WIDEST_STEP * step))
				return gt_fail(
					GT_ERR_UNSUPPORTED,
					"wfbp: view %zu is %.4g degrees after view %zu: expected steps of about %.4g, without gaps and in one rotation direction",
					v, (d[i] - d[i - 1]) * GT_DEGREES, v - p->spots, step * GT_DEGREES);
			if (i >= eighth && !((z[i] - z[i - eighth]) / rise > SLOWEST * (d[i] - d[i - eighth])))
				return gt_fail(
					GT_ERR_UNSUPPORTED,
					"wfbp: the table does not move or reverses from view %zu (source at z=%.6g mm) to %zu (%.6g mm): expected a table feed of about %.4g mm",
					v - eighth * p->spots, z[i - eighth], v, z[i], rise * (d[i] - d[i - eighth]));
		}
		m->step = step;
		m->rise = rise;
	}
	return GT_OK;
}

/* The fan ---------------------------------------------------------------- */

static void find_fan(struct making *m)
{
	m->fan[0] = -INFINITY;
	m->fan[1] = INFINITY;
	for (size_t c = 0; c < m->plan->spots; c++) {
		const struct signature of = sign(m, c);
		m->fan[0] = fmax(m->fan[0], fmin(of.left, of.right));
		m->fan[1] = fmin(m->fan[1], fmax(of.left, of.right));
		m->plan->spot[c].distance = of.distance;
	}
}

/* Parallel columns between the ends of the fan, spaced like pixels at the axis. */
static void plan_columns(struct making *m)
{
	gt_wfbp_plan *p = m->plan;
	const double distance = gt_wfbp_nearest(p), low = distance * sin(m->fan[0]), high = distance * sin(m->fan[1]);
	struct gt_helix_detector *d = &p->detector;
	d->pitch = distance * (m->fan[1] - m->fan[0]) / (double)(p->source_columns - 1);
	d->per_pitch = 1 / d->pitch;
	d->columns = (size_t)floor((high - low) / d->pitch + 1e-6) + 1;
	d->first = (low + high) / 2 - (double)(d->columns - 1) / 2 * d->pitch;
}

/* Finds the pixel of the ray at the fan angle g in view v, and the pixel's distance from the source. */
static void find_pixel(const struct making *m, size_t v, double g, double *column, double *reach)
{
	const gt_view *w = &m->scan->view[v];
	const gt_detector *d = &m->coverage->detector;
	const double psi = atan2(w->source[1] - m->plan->detector.center[1], w->source[0] - m->plan->detector.center[0]) + GT_PI + g;
	const double far = gt_angular_coverage_distance(m->coverage, v),
		     at[3] = { w->source[0] + far * cos(psi), w->source[1] + far * sin(psi), w->source[2] };
	double row, point[3], ray[3];
	gt_point_pixel(d, w, at, column, &row);
	gt_pixel_ray(d, w, *column, d->row_center, point, ray);
	*reach = hypot(ray[0], ray[1]);
}

static void plan_spots(struct making *m)
{
	gt_wfbp_plan *p = m->plan;
	for (size_t c = 0; c < p->spots; c++) {
		struct gt_helix_spot *spot = &p->spot[c];
		struct gt_back_view rows;
		gt_fbp_set_rows(m->scan, &m->scan->view[c], &rows);
		spot->row0 = rows.row0;
		spot->per_row = rows.per_row;
		spot->height = rows.height;
		spot->flip_rows = rows.flip_rows;
		for (size_t i = 0; i < p->detector.columns; i++) {
			const size_t at = c * p->detector.columns + i;
			p->fan[at] = asin((p->detector.first + (double)i * p->detector.pitch) / spot->distance);
			find_pixel(m, c, p->fan[at], &p->column[at], &p->reach[at]);
		}
	}
}

/* Parallel views ------------------------------------------------------ */

/* All rays of a parallel view must have been measured, up to half a step. */
static gt_status plan_directions(struct making *m)
{
	gt_wfbp_plan *p = m->plan;
	double low = -INFINITY, high = INFINITY;
	for (size_t c = 0; c < p->spots; c++) {
		const struct gt_helix_spot *s = &p->spot[c];
		const double *d = p->direction + s->first, *fan = p->fan + c * p->detector.columns;
		const double a = p->sense * fan[0], b = p->sense * fan[p->detector.columns - 1];
		low = fmax(low, d[0] - m->step / 2 + p->sense * GT_PI + fmax(a, b));
		high = fmin(high, d[s->views - 1] + m->step / 2 + p->sense * GT_PI + fmin(a, b));
	}
	/* An odd number of views per rotation is halfway between two values: takes the smaller, for any rounding of the
	 * angles. */
	p->bins = p->spots * (size_t)fmax(1, ceil(GT_PI / m->step - 0.5 - 1e-4));
	p->step = p->sense * GT_PI / (double)p->bins;
	p->first_direction = p->sense * low;
	p->views = high >= low ? (size_t)floor((high - low) / fabs(p->step) + 1e-6) + 1 : 0;
	p->turns = (p->views + p->bins - 1) / p->bins;
	if (p->views >= p->bins)
		return GT_OK;
	const double has = fabs(m->coverage->direction[m->scan->views - 1] - m->coverage->direction[0]) + m->step / (double)p->spots;
	return gt_fail(
		GT_ERR_UNSUPPORTED,
		"wfbp: the %zu views cover %.2f degrees: expected at least %.2f (180 and the fan); use an iterative solver such as os-sart",
		m->scan->views, has * GT_DEGREES, (GT_PI + m->fan[1] - m->fan[0]) * GT_DEGREES);
}

struct gt_helix_view gt_wfbp_view(const gt_wfbp_plan *p, size_t first, size_t i)
{
	const size_t j = first + i / p->turns + i % p->turns * p->bins;
	const double psi = p->first_direction + (double)j * p->step;
	return (struct gt_helix_view){ psi, cos(psi), sin(psi), j % p->spots, j < p->views };
}

/* The plan -------------------------------------------------------------- */

static gt_status allocate_views(gt_wfbp_plan *p, size_t views)
{
	p->direction = malloc(views * sizeof *p->direction);
	p->z = malloc(views * sizeof *p->z);
	p->incomplete = malloc(p->grid.n[2]);
	return p->direction && p->z && p->incomplete ? GT_OK : gt_fail(GT_ERR_MEMORY, "wfbp: no memory for %zu views", views);
}

static gt_status allocate_columns(gt_wfbp_plan *p)
{
	const size_t n = p->spots * p->detector.columns;
	p->fan = malloc(n * sizeof *p->fan);
	p->column = malloc(n * sizeof *p->column);
	p->reach = malloc(n * sizeof *p->reach);
	return p->fan && p->column && p->reach ? GT_OK : gt_fail(GT_ERR_MEMORY, "wfbp: no memory for %zu columns", n);
}

gt_status gt_wfbp_plan_new(const gt_grid *grid, const gt_scan *scan, const gt_wfbp_options *o, gt_pool *pool, gt_wfbp_plan **out)
{
	gt_status st = GT_OK;
	gt_angular_coverage coverage = { .scan = NULL };
	gt_wfbp_plan *p = calloc(1, sizeof *p);
	if (!p)
		return gt_fail(GT_ERR_MEMORY, "wfbp: no memory for a plan");
	struct making m = { .plan = p, .scan = scan, .coverage = &coverage };
	*p = (gt_wfbp_plan){ .grid = *grid,
		             .rows = scan->rows,
		             .source_columns = scan->columns,
		             .source_views = scan->views,
		             .flat = o->flat,
		             .extend = o->ends == GT_ENDS_EXTEND };
	GT_TRY(check_kind(scan));
	if (scan->columns < 8)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "wfbp: the detector has %zu columns: expected at least 8", scan->columns));
	GT_TRY(gt_angular_coverage_new("wfbp", scan, &coverage));
	GT_TRY(find_spots(&m));
	memcpy(p->detector.center, coverage.center, sizeof coverage.center);
	GT_TRY(allocate_views(p, scan->views));
	order_views(&m);
	GT_TRY(check_steps(&m));
	find_fan(&m);
	plan_columns(&m);
	GT_TRY(allocate_columns(p));
	plan_spots(&m);
	GT_TRY(plan_directions(&m));
	const double last = p->detector.first + (double)(p->detector.columns - 1) * p->detector.pitch,
		     seen = fmin(-p->detector.first, last);
	p->radius = o->mask == GT_MASK_FOV ? seen : INFINITY;
	GT_TRY(gt_wfbp_plan_complete(p, scan, pool, fabs(m.rise), seen));
	*out = p;
done:
	gt_angular_coverage_free(&coverage);
	if (st != GT_OK)
		gt_wfbp_plan_free(p);
	return st;
}

gt_status gt_wfbp_plan_filter(gt_wfbp_plan *p, const gt_wfbp_options *o, double row_pitch, size_t batch)
{
	const gt_fbp_options d = { .filter = o->filter, .cutoff = o->cutoff, .extend = o->extend };
	const size_t columns = p->detector.columns, views = batch * p->turns;
	gt_status st = gt_fbp_plan_filter("wfbp", views, p->spots, p->rows, columns, p->detector.pitch, row_pitch, &d, &p->filter);
	if (st != GT_OK)
		return st;
	p->batch = batch;
	p->detector.lead = p->filter->row.lead;
	for (size_t v = 0; v < views; v++) {
		const size_t c = gt_wfbp_view(p, 0, v).spot;
		p->filter->view[v] = (struct gt_back_view){ .height = p->spot[c].height,
			                                    .flip_rows = p->spot[c].flip_rows,
			                                    .table = (unsigned)c };
	}
	for (size_t i = 0; i < p->spots * columns; i++) {
		p->filter->gain[i] = GT_PI / (double)p->bins;
		p->filter->slope[i] = 1 / p->reach[i];
	}
	return GT_OK;
}

void gt_wfbp_plan_free(gt_wfbp_plan *p)
{
	if (!p)
		return;
	free(p->direction);
	free(p->z);
	free(p->fan);
	free(p->column);
	free(p->reach);
	free(p->incomplete);
	gt_fbp_plan_free(p->filter);
	free(p);
}
