#ifndef GT_GEOMETRY_AIR_COLUMNS_H
#define GT_GEOMETRY_AIR_COLUMNS_H
/* Columns at the edges of the detector that see no body, and the level of transmission there. */
#include <stddef.h>
#include <gantry/status.h>

typedef struct { size_t left, right; } gt_air_columns;         /* so many columns from each edge; 0: none */

/* "LEFT,RIGHT": so many of the columns. GT_ERR_ARG. */
gt_status gt_air_columns_parse(const char *air, size_t columns, gt_air_columns *out);
/* least[columns]: of every column of transmissions t[row][column] the least of its medians over bands of rows, as a
 * part of the view's brightest: noise is gone, and a body in a few rows shows. NAN where the view is dark. */
gt_status gt_air_min(const float *t, size_t rows, size_t columns, double *min);
/* Columns that are air by the least of those over the views. */
gt_air_columns gt_air_columns_of(const double *min, size_t columns);
/* The straight line through the medians of both sides, or the median of one: its values at the first and the last
 * column. GT_ERR_FORMAT: no light there. */
gt_status gt_air_line(const float *t, size_t rows, size_t columns, const gt_air_columns *air, double *at_left, double *at_right);

#endif
