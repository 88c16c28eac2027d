#ifndef GT_GEOMETRY_AIR_COLUMNS_H
#define GT_GEOMETRY_AIR_COLUMNS_H
/* Air columns: columns at the edges of the detector that see the open beam, and their transmission. */
#include <stddef.h>
#include <gantry/status.h>

typedef struct { size_t left, right; } gt_air_columns;         /* number of columns at each edge */

/* Parses "LEFT,RIGHT". GT_ERR_ARG. */
gt_status gt_air_columns_parse(const char *air, size_t columns, gt_air_columns *out);
/* Sets min[columns] to the minimum of the medians of t[row][column] over bands of rows, relative to the view's maximum.
 * NAN if the view is dark. */
gt_status gt_air_min(const float *t, size_t rows, size_t columns, double *min);
/* Finds the air columns from the minimum over all views of gt_air_min(). */
gt_air_columns gt_air_columns_of(const double *min, size_t columns);
/* Returns the values at the first and the last column of the line through the medians of both sides, or the median of
 * one side. GT_ERR_FORMAT if one is not above 0. */
gt_status gt_air_line(const float *t, size_t rows, size_t columns, const gt_air_columns *air, double *at_left, double *at_right);

#endif
