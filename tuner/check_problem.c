/* Check problems: coarsened scans with cropped volumes of odd sizes. */
#include "geometry/grid.h"
#include "tuner/check_problem.h"
#include <math.h>
#include "core/try.h"

/* Maximum sizes; fewest: minimum number of slices if the problem has that many. Above 160 slices kernels load lines in
 * blocks. */
static const struct {
	size_t views, rows, columns, across, fewest, max;
} size[GT_CHECK_PROBLEMS] = { { 8, 11, 12, 11, 11, 33 }, { 5, 37, 61, 31, 31, 99 }, { 9, 101, 47, 103, 165, 257 } };

static size_t min_of(size_t a, size_t b) { return a < b ? a : b; }

/* Scales the slice thickness by the factor that rows grow by. */
static void make_slices(const gt_grid *grid, double higher, int k, gt_grid *part)
{
	const size_t fewest = min_of(grid->n[2], size[k].fewest), max = min_of(grid->n[2], size[k].max);
	const double all = round((double)grid->n[2] / higher);
	size_t n = all < (double)fewest ? fewest : all > (double)max ? max : (size_t)all;
	if (n < grid->n[2])
		n |= 1;
	part->n[2] = n;
	part->pitch[2] = grid->pitch[2] * higher;
}

/* Returns the mean height at which views look. */
static double height_of(const gt_scan *scan)
{
	double sum = 0;
	for (size_t v = 0; v < scan->views; v++)
		sum += scan->shape == GT_PARALLEL ? scan->view[v].detector[2] : scan->view[v].source[2];
	return sum / (double)scan->views;
}

/* Moves the cropped volume to the height that views see, within the original. */
static void move_to_views(const gt_scan *scan, const gt_grid *grid, gt_grid *part)
{
	const double spare = ((double)grid->n[2] * grid->pitch[2] - (double)part->n[2] * part->pitch[2]) / 2,
		     off = height_of(scan) - grid->center[2];
	if (spare > 0)
		part->center[2] = grid->center[2] + fmin(fmax(off, -spare), spare);
}

/* Keeps views first to end - 1. */
static gt_status keep_views(const gt_scan *scan, size_t first, size_t end, gt_scan **kept)
{
	const gt_status st = gt_scan_subset(scan, first, 1, kept);
	if (st == GT_OK)
		(*kept)->views = end - first;
	return st;
}

gt_status gt_check_problem(const gt_scan *scan, const gt_grid *grid, int method, int k, gt_scan **check, gt_grid *part)
{
	const size_t rows = min_of(scan->rows, size[k].rows), views = method ? 8 * size[k].views + 1 : size[k].views;
	gt_scan *seen = NULL;
	size_t first = 0, end = scan->views;
	gt_status st = GT_OK;
	*check = NULL;
	gt_grid_coarsen(grid, size[k].across, part);
	make_slices(grid, (double)scan->rows / (double)rows, k, part);
	part->center[2] = grid->center[2];
	move_to_views(scan, grid, part);
	gt_grid_views(part, scan, &first, &end);
	GT_TRY(keep_views(scan, first, end, &seen));
	GT_TRY(gt_scan_coarsen(seen, views, rows, size[k].columns, check));
done:
	gt_scan_free(seen);
	return st;
}
