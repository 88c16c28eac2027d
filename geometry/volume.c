/* Volumes in the memory of the host. */
#include <stdlib.h>
#include <string.h>
#include <gantry/data.h>
#include <gantry/host_memory.h>

gt_status gt_volume_new(const gt_grid *grid, gt_volume **v)
{
	const size_t n = gt_grid_voxels(grid);
	gt_status st = gt_host_room((double)n * sizeof(float), "the volume");
	if (st != GT_OK)
		return st;
	gt_volume *volume = calloc(1, sizeof *volume);
	if (volume) {
		volume->grid = *grid;
		volume->water = GT_WATER_DEFAULT;
		volume->data = gt_host_alloc(n * sizeof *volume->data);
		if (volume->data)
			memset(volume->data, 0, n * sizeof *volume->data); /* takes the memory before others are asked whether they fit */
	}
	if (!volume || !volume->data) {
		gt_volume_free(volume);
		return gt_fail(GT_ERR_MEMORY, "the volume needs %.3g MB", (double)n * 4e-6);
	}
	*v = volume;
	return GT_OK;
}
