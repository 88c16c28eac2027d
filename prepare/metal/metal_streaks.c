/* Streaks raise the differences of adjacent voxels far from the metal. The image is smoothed first, because
 * interpolated rays have less noise, which would count as fewer streaks. */
#include "prepare/metal/metal_streaks.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "prepare/images.h"

/* Voxels next to the metal are left out: it blurs into them. */
enum { MARGIN = 3, SMOOTHINGS = 2 };

void gt_metal_widen(const gt_grid *grid, unsigned char *metal)
{
	size_t stride = 1;
	for (int a = 0; a < 3; a++) {
		const size_t n = grid->n[a];
		for (size_t i = 0; i < gt_grid_voxels(grid); i++) {
			const size_t at = i / stride % n;
			if ((metal[i] & 1) == 0 && ((at > 0 && metal[i - stride] & 1) || (at + 1 < n && metal[i + stride] & 1)))
				metal[i] = 2;
		}
		for (size_t i = 0; i < gt_grid_voxels(grid); i++)
			metal[i] = metal[i] > 0;
		stride *= n;
	}
}

/* Mean difference of adjacent voxels that are not near the metal, after smoothing. */
static double streaks(const gt_grid *grid, gt_pool *pool, const unsigned char *near, float *image)
{
	const size_t *n = grid->n;
	double sum = 0, count = 0;
	for (int k = 0; k < SMOOTHINGS; k++)
		gt_prepare_smooth(grid, pool, image);
	for (size_t i = 0; i < gt_grid_voxels(grid); i++) {
		const size_t x = i % n[0], y = i / n[0] % n[1];
		if (x + 1 == n[0] || y + 1 == n[1] || near[i] || near[i + 1] || near[i + n[0]])
			continue;
		sum += fabs((double)image[i + 1] - image[i]) + fabs((double)image[i + n[0]] - image[i]);
		count++;
	}
	return count > 0 ? sum / count : 0;
}

gt_status gt_metal_streak_ratio(const gt_grid *grid, gt_pool *pool, const unsigned char *metal, float *before, float *after, double *ratio)
{
	unsigned char *near = malloc(gt_grid_voxels(grid));
	if (!near)
		return gt_fail(GT_ERR_MEMORY, "metal: out of memory");
	memcpy(near, metal, gt_grid_voxels(grid));
	for (int k = 0; k < MARGIN; k++)
		gt_metal_widen(grid, near);
	const double was = streaks(grid, pool, near, before);
	*ratio = was > 0 ? streaks(grid, pool, near, after) / was : INFINITY;
	free(near);
	return GT_OK;
}
