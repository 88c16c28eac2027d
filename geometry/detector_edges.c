/* Objects at the edges of the detector. A displaced detector sees one side of the object at a time. Unless the views
 * go all around, filtered backprojection needs an object within the nearer side. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/scan_math.h>
#include "geometry/detector_edges.h"
#include "geometry/scan.h"
#include "geometry/scan_gap.h"

/* Columns at each side whose mean is inspected. It is no longer air above NOT_AIR of the largest value. */
enum { EDGE_COLUMNS = 3, MAX_VIEWS = 180 };
#define NOT_AIR 0.05
/* The object is at an edge if at least FEW_VIEWS of the views show it there. */
#define FEW_VIEWS 0.05
/* A displacement also exceeds this fraction of the columns. */
#define SHIFTED_PART 0.02

typedef struct {
	double outermost, mean;
} edge_values;

gt_status gt_view_of_memory(void *self, size_t view, const float **values)
{
	const gt_view_in_memory *m = self;
	*values = m->data + view * m->pixels;
	return GT_OK;
}

/* Object at an edge: the outermost column sees it too, as an object just inside the detector leaves that one empty. */
static int is_object(const edge_values *v, double max) { return fmin(v->outermost, v->mean) > NOT_AIR * max; }

static void measure_edges(const gt_scan *s, const float *view, edge_values edge[2], double *max)
{
	const size_t step = 1 + (s->rows - 1) / 16, rows = 1 + (s->rows - 1) / step;
	const size_t columns = s->columns < 3 * EDGE_COLUMNS ? 1 + s->columns / 4 : EDGE_COLUMNS;
	edge[0] = edge[1] = (edge_values){ 0, 0 };
	for (size_t l = 0; l < s->rows; l += step) {
		const float *row = view + l * s->columns;
		for (size_t k = 0; k < s->columns; k++)
			*max = fmax(*max, row[k]);
		edge[0].outermost += row[0] / (double)rows;
		edge[1].outermost += row[s->columns - 1] / (double)rows;
		for (size_t k = 0; k < columns; k++) {
			edge[0].mean += row[k] / (double)(columns * rows);
			edge[1].mean += row[s->columns - 1 - k] / (double)(columns * rows);
		}
	}
}

static void count(edge_values edge[][2], const int side[2], gt_detector_edges *e)
{
	for (size_t i = 0; i < e->looked; i++) {
		const int left = side[0] && is_object(&edge[i][0], e->max), right = side[1] && is_object(&edge[i][1], e->max);
		e->left += (size_t)left;
		e->right += (size_t)right;
		e->both += left || right;
		e->part += left || right ? fmax(left ? edge[i][0].mean : 0, right ? edge[i][1].mean : 0) : 0;
	}
}

gt_status gt_detector_edges_measure(const gt_scan *scan, const gt_view_values *views, const int side[2], gt_detector_edges *e)
{
	const size_t step = 1 + (scan->views - 1) / MAX_VIEWS;
	edge_values(*edge)[2] = malloc(MAX_VIEWS * sizeof *edge);
	const float *values = NULL;
	gt_status st = edge ? GT_OK : gt_fail(GT_ERR_MEMORY, "the edges of the detector: out of memory");
	*e = (gt_detector_edges){ 0 };
	for (size_t v = 0; v < scan->views && st == GT_OK; v += step) {
		st = views->view(views->self, v, &values);
		if (st == GT_OK)
			measure_edges(scan, values, edge[e->looked++], &e->max);
	}
	if (st == GT_OK)
		count(edge, side, e);
	free(edge);
	return st;
}

double gt_scan_displacement(const gt_scan *scan)
{
	gt_axis_seen axis;
	gt_scan_see_axis(scan, &axis);
	return (isfinite(axis.column) ? axis.column : scan->column_center) - ((double)scan->columns - 1) / 2;
}

int gt_displaced_is_open(const gt_scan *scan)
{
	return fabs(gt_scan_displacement(scan)) > fmax(GT_DISPLACED_BY, SHIFTED_PART * (double)scan->columns) && !gt_scan_is_closed(scan);
}

gt_status gt_displaced_check(const char *who, const gt_scan *scan, const gt_view_values *views)
{
	static const int both[2] = { 1, 1 };
	double ends[2];
	gt_detector_edges e;
	if (!gt_displaced_is_open(scan))
		return GT_OK;
	const gt_status st = gt_detector_edges_measure(scan, views, both, &e);
	const double shift = gt_scan_displacement(scan), few = FEW_VIEWS * (double)e.looked;
	const double nearer = (double)(shift < 0 ? e.left : e.right), farther = (double)(shift < 0 ? e.right : e.left);
	if (st != GT_OK || nearer < few || farther >= few)
		return st;
	const double gap = gt_scan_widest_gap(scan, ends);
	return gt_fail(GT_ERR_UNSUPPORTED,
	               "%s: the object extends beyond the nearer side of a detector displaced by %.1f of %zu columns, and no view lies "
	               "between %.6g and %.6g degrees: found a gap of %.4g, expected a full rotation with gaps of at most %.4g degrees; "
	               "use an iterative solver such as os-sart, or offset=off",
	               who, fabs(shift), scan->columns, ends[0] * GT_DEGREES, ends[1] * GT_DEGREES, gap * GT_DEGREES,
	               GT_CLOSED_GAP * GT_DEGREES);
}
