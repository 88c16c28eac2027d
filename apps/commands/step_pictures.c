/* Draws one sheet per step, with the grey window of the first. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <gantry/image.h>
#include "apps/cli/cli.h"
#include "apps/cli/try.h"
#include "apps/commands/step_pictures.h"
#include "core/order_statistics.h"
#include "io/png.h"

static gt_status window_of(app_step_pictures *s, const float *x, size_t n)
{
	double *copy = malloc(n * sizeof *copy);
	if (!copy)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < n; i++)
		copy[i] = x[i];
	s->low = gt_quantile(copy, n, 0.001);
	s->high = gt_quantile(copy, n, 0.999);
	free(copy);
	if (!(s->high > s->low))
		s->high = s->low + 1;
	return GT_OK;
}

gt_status app_step_picture(app_step_pictures *s, const char *name, const gt_projections *p)
{
	const gt_scan *scan = gt_projections_scan(p);
	const size_t cells = scan->rows * scan->columns, row = scan->rows / 2;
	const float *data = gt_projections_data(p);
	float *sinogram = NULL;
	char *path = NULL;
	gt_status st = GT_OK;
	if (!s->pixels)
		s->pixels = cells;
	if (!s->folder)
		return GT_OK;
	if (mkdir(s->folder, 0777) != 0 && errno != EEXIST)
		return gt_fail(GT_ERR_IO, "--show=%s: %s", s->folder, strerror(errno));
	sinogram = malloc(scan->views * scan->columns * sizeof *sinogram);
	path = cli_text("%s/%02d-%s.png", s->folder, s->count, name);
	if (!sinogram || !path)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t v = 0; v < scan->views; v++)
		memcpy(sinogram + v * scan->columns, data + v * cells + row * scan->columns, scan->columns * sizeof *sinogram);
	if (!s->count++)
		GT_TRY(window_of(s, sinogram, scan->views * scan->columns));
	const gt_picture pictures[] = {
		{ .data = data + scan->views / 2 * cells,
		  .width = scan->columns,
		  .height = scan->rows,
		  .pixel_width = scan->column_pitch,
		  .pixel_height = scan->row_pitch,
		  .label = "middle view",
		  .flip_y = 1 },
		{ .data = sinogram,
		  .width = scan->columns,
		  .height = scan->views,
		  .pixel_width = 1,
		  .pixel_height = 1,
		  .label = "sinogram of the central row" },
	};
	const gt_sheet sheet = {
		.picture = pictures, .pictures = 2, .per_line = 2, .low = s->low, .high = s->high, .unit = "line integral", .title = name
	};
	st = gt_sheet_write(path, &sheet);
done:
	free(sinogram);
	free(path);
	return st;
}
