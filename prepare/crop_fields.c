/* Flat and dark fields of a cropped detector. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "prepare/step.h"

/* Returns the number of pixels before the part along one axis; 0 and an error if it is not a part. */
static int first_of(double whole_center, double part_center, size_t whole, size_t part, size_t *first)
{
	const double before = whole_center - part_center, nearest = rint(before);
	if (!(fabs(before - nearest) < 1e-6) || nearest < 0 || part > whole || nearest > (double)(whole - part))
		return 0;
	*first = (size_t)nearest;
	return 1;
}

gt_status gt_prepare_crop_fields(const gt_scan *whole, const gt_scan *part, const gt_field_images *fields, float **out)
{
	size_t row = 0, column = 0;
	if (!whole || !part || !fields || !out)
		return gt_fail(GT_ERR_ARG, "gt_prepare_crop_fields: NULL for the scans, the fields or the result");
	*out = NULL;
	if (whole->column_pitch != part->column_pitch || whole->row_pitch != part->row_pitch ||
	    !first_of(whole->column_center, part->column_center, whole->columns, part->columns, &column) ||
	    !first_of(whole->row_center, part->row_center, whole->rows, part->rows, &row))
		return gt_fail(GT_ERR_ARG, "%zu rows x %zu columns are no crop of the detector's %zu x %zu", part->rows, part->columns,
		               whole->rows, whole->columns);
	if (!fields->images)
		return GT_OK;
	float *data = malloc(fields->images * part->rows * part->columns * sizeof *data);
	if (!data)
		return gt_fail(GT_ERR_MEMORY, "flat and dark fields: out of memory");
	for (size_t i = 0; i < fields->images; i++)
		for (size_t r = 0; r < part->rows; r++)
			memcpy(data + (i * part->rows + r) * part->columns,
			       fields->data + (i * whole->rows + row + r) * whole->columns + column, part->columns * sizeof *data);
	*out = data;
	return GT_OK;
}
