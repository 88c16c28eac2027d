/* Line integrals of metal. Metal attenuates tens of times more than the object. Errors of filtered backprojection (few
 * views, ramp filter on pixels) then cause streaks of several tens of HU, even from exact line integrals. So the metal
 * is smoothed, and the residual of its image is projected and added a few times. This is iterative refinement with the
 * direct method as approximate inverse: G. H. Golub, C. F. Van Loan, Matrix Computations, 3.5.3. Memory: the
 * projections once more. */
#include <math.h>
#include <stdlib.h>
#include "core/try.h"
#include "prepare/metal/metal_lines.h"

/* Less smoothing leaves streaks that the grid of the images does not show, and another grid does. */
enum { REFINEMENTS = 3, SMOOTHINGS = 2 };

/* Replaces image by its residual; returns the sum of squares outside the metal. */
static double subtract_from(const float *metal, size_t n, float *image)
{
	double outside = 0;
	for (size_t i = 0; i < n; i++) {
		outside += metal[i] > 0 ? 0 : (double)image[i] * image[i];
		image[i] = metal[i] - image[i];
	}
	return outside;
}

static void add(double factor, const float *x, size_t n, float *y)
{
	for (size_t i = 0; i < n; i++)
		y[i] += (float)factor * x[i];
}

/* Smoothing along z would extend the metal into rays that pass above and below it. */
static void smooth_slices(const gt_grid *grid, gt_pool *pool, float *metal)
{
	gt_grid slice = *grid;
	slice.n[2] = 1;
	for (size_t z = 0; z < grid->n[2]; z++)
		for (int k = 0; k < SMOOTHINGS; k++)
			gt_prepare_smooth(&slice, pool, metal + z * grid->n[0] * grid->n[1]);
}

gt_status gt_metal_lines(gt_backend *be, gt_pool *pool, const gt_scan *scan, const gt_grid *grid, float *metal, float *scratch,
                         float *lines)
{
	const size_t n = gt_scan_size(scan), voxels = gt_grid_voxels(grid);
	float *more = malloc(n * sizeof *more);
	double least = INFINITY;
	gt_status st = more ? GT_OK : gt_fail(GT_ERR_MEMORY, "metal: out of memory");
	GT_TRY(st);
	smooth_slices(grid, pool, metal);
	GT_TRY(gt_prepare_project(be, scan, grid, metal, lines));
	for (int k = 0; k <= REFINEMENTS; k++) {
		GT_TRY(gt_prepare_image(be, scan, lines, grid, scratch));
		const double outside = subtract_from(metal, voxels, scratch);
		/* Rays that the scan does not measure from all sides do not converge. */
		if (!(outside < least)) {
			add(-1, more, n, lines);
			break;
		}
		least = outside;
		if (k == REFINEMENTS)
			break;
		GT_TRY(gt_prepare_project(be, scan, grid, scratch, more));
		add(1, more, n, lines);
	}
done:
	free(more);
	return st;
}
