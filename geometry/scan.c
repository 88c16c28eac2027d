/* Life cycle of a scan, its parts and its fingerprint. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/array.h>
#include <gantry/scan.h>
#include "core/arguments.h"

/* Allocations up to this many bytes skip the check of free memory. */
enum { LITTLE = 1 << 24 };

const char *const gt_shape_names[] = { "flat", "arc", "parallel", NULL };

gt_status gt_scan_new(gt_shape shape, size_t views, size_t rows, size_t columns, gt_scan **scan)
{
	GT_NEED(scan);
	*scan = NULL;
	/* With overcommitted memory, filling the table could kill the process. */
	if ((double)views * sizeof(gt_view) > LITTLE) {
		char what[96];
		snprintf(what, sizeof what, "no memory for the geometry of %zu views", views);
		const gt_status st = gt_host_has_memory((double)views * sizeof(gt_view), what);
		if (st != GT_OK)
			return st;
	}
	gt_scan *s = calloc(1, sizeof *s);
	/* At least one record; gt_scan_check() refuses a scan without views. */
	gt_view *view = views < PTRDIFF_MAX / sizeof *view ? calloc(views ? views : 1, sizeof *view) : NULL;
	if (!s || !view) {
		free(s);
		free(view);
		return gt_fail(GT_ERR_MEMORY, "no memory for the geometry of %zu views (%zu bytes each)", views, sizeof *view);
	}
	for (size_t v = 0; v < views; v++) {
		view[v].column_axis[0] = 1;
		view[v].row_axis[2] = 1;
		view[v].angle = NAN;
	}
	s->shape = shape;
	s->views = views;
	s->rows = rows;
	s->columns = columns;
	s->view = view;
	*scan = s;
	return GT_OK;
}

void gt_scan_free(gt_scan *scan)
{
	if (scan)
		free(scan->view);
	free(scan);
}

/* Allocates a scan with the detector of `scan` and other views. */
static gt_status new_like(const gt_scan *scan, size_t views, gt_scan **out)
{
	gt_status st = gt_scan_new(scan->shape, views, scan->rows, scan->columns, out);
	if (st != GT_OK)
		return st;
	gt_view *view = (*out)->view;
	**out = *scan;
	(*out)->views = views;
	(*out)->view = view;
	return GT_OK;
}

gt_status gt_scan_clone(const gt_scan *scan, gt_scan **copy)
{
	GT_NEED(scan);
	return gt_scan_subset(scan, 0, 1, copy);
}

size_t gt_scan_size(const gt_scan *scan) { return scan ? scan->views * scan->rows * scan->columns : 0; }

gt_status gt_scan_subset(const gt_scan *scan, size_t first, size_t stride, gt_scan **part)
{
	GT_NEED(scan);
	GT_NEED(part);
	*part = NULL;
	if (!stride)
		return gt_fail(GT_ERR_ARG, "stride=0 of a subset of views: expected at least 1");
	if (first >= scan->views && scan->views)
		return gt_fail(GT_ERR_ARG, "first view %zu of a subset: the scan has %zu views", first, scan->views);
	const size_t views = scan->views ? (scan->views - first - 1) / stride + 1 : 0;
	gt_status st = new_like(scan, views, part);
	if (st != GT_OK)
		return st;
	for (size_t v = 0; v < views; v++)
		(*part)->view[v] = scan->view[first + v * stride];
	return GT_OK;
}

/* Returns the largest divisor of n in [3/4 max, max], else max. */
static size_t near_divisor(size_t n, size_t max)
{
	for (size_t d = max; d >= 1 && 4 * d >= 3 * max; d--)
		if (n % d == 0)
			return d;
	return max;
}

/* Selects evenly spaced views. Divides a full rotation (180 degrees of a parallel beam) into equal steps; shorter
 * ranges keep both ends, which a short scan needs. Steps are exactly equal if the number of views has a suitable
 * divisor. */
static gt_status coarsen_views(const gt_scan *scan, size_t max, gt_scan **coarse)
{
	const size_t n = scan->views;
	if (max >= n)
		return gt_scan_clone(scan, coarse);
	const double turn = gt_scan_angular_range(scan);
	const int full = turn > GT_PI * (2 - 1 / (double)n),
		  half = scan->shape == GT_PARALLEL && fabs(turn - GT_PI) < GT_PI / 2 / (double)n;
	const int ends = max > 1 && !full && !half;
	const size_t steps = near_divisor(n - (size_t)ends, max - (size_t)ends), views = steps + (size_t)ends;
	gt_status st = new_like(scan, views, coarse);
	if (st != GT_OK)
		return st;
	for (size_t v = 0; v < views; v++) {
		const double at = (double)v * (double)(n - (size_t)ends) / (double)steps;
		(*coarse)->view[v] = scan->view[(size_t)floor(at + (ends ? 0.5 : 0.0))];
	}
	return GT_OK;
}

static void coarsen_cells(size_t max, size_t *n, double *pitch, double *center)
{
	if (max >= *n)
		return;
	const double scale = (double)*n / (double)max;
	*center = (*center + 0.5) / scale - 0.5;
	*pitch *= scale;
	*n = max;
}

gt_status gt_scan_coarsen(const gt_scan *scan, size_t views, size_t rows, size_t columns, gt_scan **coarse)
{
	GT_NEED(scan);
	GT_NEED(coarse);
	*coarse = NULL;
	if (!views || !rows || !columns)
		return gt_fail(GT_ERR_ARG, "coarsening to %zu views, %zu rows and %zu columns: expected at least 1 of each", views, rows,
		               columns);
	gt_status st = coarsen_views(scan, views, coarse);
	if (st != GT_OK)
		return st;
	coarsen_cells(rows, &(*coarse)->rows, &(*coarse)->row_pitch, &(*coarse)->row_center);
	coarsen_cells(columns, &(*coarse)->columns, &(*coarse)->column_pitch, &(*coarse)->column_center);
	st = gt_fail_in(gt_scan_check(*coarse), "coarsened");
	if (st != GT_OK) {
		gt_scan_free(*coarse);
		*coarse = NULL;
	}
	return st;
}

static uint64_t hash_u64(uint64_t h, uint64_t x)
{
	for (int byte = 0; byte < 8; byte++) {
		h ^= (x >> (8 * byte)) & 0xff;
		h *= UINT64_C(0x100000001b3);
	}
	return h;
}

static uint64_t hash_f64(uint64_t h, size_t n, const double *x)
{
	for (size_t i = 0; i < n; i++) {
		/* One bit pattern for all NANs, one for both zeros. */
		const double value = x[i] == 0 ? 0 : x[i];
		uint64_t bits = UINT64_C(0x7ff8000000000000);
		if (!isnan(value))
			memcpy(&bits, &value, sizeof bits);
		h = hash_u64(h, bits);
	}
	return h;
}

uint64_t gt_scan_hash(const gt_scan *s)
{
	const double detector[] = { s->column_pitch,       s->row_pitch,      s->column_center, s->row_center,
		                    s->source_to_detector, s->source_to_axis, s->pitch_per_turn };
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	h = hash_u64(h, (uint64_t)s->shape);
	h = hash_u64(h, s->views);
	h = hash_u64(h, s->rows);
	h = hash_u64(h, s->columns);
	h = hash_f64(h, sizeof detector / sizeof *detector, detector);
	if (s->thickness > 0)
		h = hash_f64(h, 1, &s->thickness);
	for (size_t v = 0; v < s->views; v++) {
		const gt_view *w = &s->view[v];
		h = hash_f64(h, 3, w->source);
		h = hash_f64(h, 3, w->detector);
		h = hash_f64(h, 3, w->column_axis);
		h = hash_f64(h, 3, w->row_axis);
		if (s->shape == GT_ARC)
			h = hash_f64(h, 3, w->arc_center);
		h = hash_f64(h, 1, &w->angle);
	}
	return h;
}
