/* Prior images: reads a volume from a file, checks its voxel positions against the grid and crops it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/io.h>
#include "core/partition/partition.h"
#include "core/try.h"
#include "regularizers/prior_image.h"
#include "team/team.h"

/* tolerance of voxel positions, in voxels */
static const double TOLERANCE = 1e-3;

/* Sets *first to the file's voxel at the grid's first voxel along an axis. Returns 0 if the file does not contain the
 * grid's voxels. */
static int begins_at(const gt_grid *file, const gt_grid *grid, int a, size_t *first)
{
	const double pitch = grid->pitch[a], begin = grid->center[a] - pitch * (double)(grid->n[a] - 1) / 2,
		     file_begin = file->center[a] - file->pitch[a] * (double)(file->n[a] - 1) / 2, place = (begin - file_begin) / pitch;
	*first = place > 0 ? (size_t)(place + 0.5) : 0;
	return fabs(file->pitch[a] - pitch) * (double)grid->n[a] <= TOLERANCE * pitch && fabs(place - (double)*first) <= TOLERANCE &&
	       *first + grid->n[a] <= file->n[a];
}

static gt_status cut(const char *what, const gt_volume *v, const gt_grid *grid, double min, float *out)
{
	const gt_grid *file = gt_volume_grid(v);
	const float *in = gt_volume_data(v);
	size_t first[3];
	for (int a = 0; a < 3; a++)
		if (!begins_at(file, grid, a, &first[a])) {
			char has[256], wants[256];
			gt_grid_print(file, has, sizeof has);
			gt_grid_print(grid, wants, sizeof wants);
			return gt_fail(GT_ERR_ARG,
			               "%s: its grid is %s: expected the voxels of %s, or more of them (recon --padding no adds no slices)",
			               what, has, wants);
		}
	for (size_t row = 0; row < grid->n[1] * grid->n[2]; row++) {
		const size_t y = first[1] + row % grid->n[1], z = first[2] + row / grid->n[1];
		memcpy(out + row * grid->n[0], in + (z * file->n[1] + y) * file->n[0] + first[0], grid->n[0] * sizeof *out);
	}
	for (size_t i = 0; i < gt_grid_voxels(grid); i++)
		if (!(out[i] >= min))
			return gt_fail(GT_ERR_ARG, "%s: holds %g, expected %g or more", what, (double)out[i], min);
	return GT_OK;
}

gt_status gt_prior_image_read(const char *what, const char *path, double min, gt_backend *be, gt_type type, const gt_grid *grid,
                              gt_array **image)
{
	gt_volume *v = NULL;
	float *host = NULL;
	char *name = NULL;
	gt_status st = GT_OK;
	if (!*path)
		return gt_fail(GT_ERR_ARG, "%s: found no file, expected a volume", what);
	const size_t length = strlen(what) + strlen(path) + 2;
	if (!(name = malloc(length)) || !(host = malloc(gt_grid_voxels(grid) * sizeof *host)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: no memory for %zu voxels", what, gt_grid_voxels(grid)));
	snprintf(name, length, "%s=%s", what, path);
	gt_team_lock(be);
	st = gt_read_volume(path, NULL, &v);
	gt_team_unlock(be);
	GT_TRY(gt_fail_in(st, "%s", what));
	GT_TRY(cut(name, v, grid, min, host));
	GT_TRY(gt_array_new_shared(be, type, grid->n[0] * grid->n[1], grid->n[2], image));
	gt_array_put_float(host, *image);
done:
	gt_volume_free(v);
	free(host);
	free(name);
	return st;
}
