/* Finds the rotation axis in views that are read one by one. Residues of the beam profile do not move while the object
 * is mirrored, which biases the axis towards the centre. Therefore slow variations along the columns are subtracted
 * first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "io/frames/axis_of_views.h"
#include "io/frames/order_of_views.h"
#include "core/try.h"
#include "io/write_kit/volume_units.h"

/* Maximum number of values to read. */
#define MAX_VALUES ((size_t)1 << 28)

/* Mean of the rows of every view. */
static gt_status profiles(gt_view_reader *v, float *out)
{
	const size_t views = v->size[0], columns = v->size[2], fit = MAX_VALUES / (views * columns), min = fit < 1 ? 1 : fit,
		     rows = min < v->size[1] ? min : v->size[1], first = (v->size[1] - rows) / 2;
	float *data = malloc(GT_READERS * rows * columns * sizeof *data);
	gt_status st = GT_OK;
	if (!data)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", v->path);
	for (size_t view = 0; view < views; view += GT_READERS) {
		const size_t n = views - view < GT_READERS ? views - view : GT_READERS;
		GT_TRY(gt_view_reader_read(v, view, n, first, rows, data));
		for (size_t i = 0; i < n * rows * columns; i++)
			out[(view + i / (rows * columns)) * columns + i % columns] += data[i] / (float)rows;
	}
done:
	free(data);
	return st;
}

/* Subtracts the mean over a tenth of the columns on either side; sum: columns + 1. */
static void take_out_slow(float *p, size_t columns, double *sum)
{
	const size_t reach = columns / 10;
	sum[0] = 0;
	for (size_t c = 0; c < columns; c++)
		sum[c + 1] = sum[c] + (double)p[c];
	for (size_t c = 0; c < columns; c++) {
		const size_t begin = c < reach ? 0 : c - reach, end = c + reach + 1 < columns ? c + reach + 1 : columns;
		p[c] -= (float)((sum[end] - sum[begin]) / (double)(end - begin));
	}
}

gt_status gt_axis_of_views(gt_view_reader *v, const double *angle, const gt_read_options *o, gt_axis_found *found)
{
	const size_t views = v->size[0], columns = v->size[2];
	if (views == 1)
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "%s: one view: the rotation axis cannot be found: expected more images, --sinogram if each line is a "
		               "view, or the column of the axis (--axis)",
		               v->path);
	float *data = calloc(views * columns, sizeof *data);
	double *sum = malloc((columns + 1) * sizeof *sum);
	gt_status st = GT_OK;
	if (!data || !sum)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", v->path));
	GT_TRY(profiles(v, data));
	GT_TRY(gt_note_order(data, views, columns, angle, o));
	for (size_t view = 0; view < views; view++)
		take_out_slow(data + view * columns, columns, sum);
	st = gt_fail_in(gt_axis_find(data, views, 1, columns, angle, found), "%s", v->path);
done:
	free(data);
	free(sum);
	return st;
}

gt_status gt_set_axis(gt_view_reader *v, const gt_read_options *o, const double *angle, gt_scan *scan)
{
	const int cone = scan->shape == GT_FLAT;
	gt_axis_found found;
	gt_status st = GT_OK;
	if (!isnan(o->axis)) {
		if (!(fabs(o->axis) <= 4 * (double)scan->columns))
			return gt_fail(GT_ERR_ARG, "axis=%g: expected a column near 0 to %zu", o->axis, scan->columns - 1);
		scan->column_center = o->axis;
		return GT_OK;
	}
	if (cone) {
		scan->column_center = (double)(scan->columns - 1) / 2;
		gt_read_note(o, "the axis is assumed at the detector centre, column %g (--axis sets it; gantry info --check tests it)",
		             scan->column_center);
		return GT_OK;
	}
	GT_TRY(gt_axis_of_views(v, angle, o, &found));
	scan->column_center = found.column;
	gt_read_note(o, "rotation axis found at column %.2f (%zu opposite views, correlation %.3f%s)", found.column, found.pairs,
	             found.correlation,
	             found.correlation < 0.8 ? ", doubtful: are angles and the order of the images right? --axis sets it" : "");
done:
	return st;
}
