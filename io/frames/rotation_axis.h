#ifndef GT_IO_FRAMES_ROTATION_AXIS_H
#define GT_IO_FRAMES_ROTATION_AXIS_H
/* Column of the rotation axis of a parallel beam on the detector; private to io/. */
#include <stddef.h>
#include <gantry/status.h>

typedef struct {
	double column;                  /* fractional; the centre of the first pixel is 0 */
	double correlation;             /* mean correlation of opposite views about that column; 1: mirror images */
	size_t pairs;                   /* number of pairs used */
} gt_axis_found;

/* data: line integrals [view][row][column]; angle: rad, any order. GT_ERR_UNSUPPORTED if no two views are opposite (180
 * degrees apart to within an angular step), or nothing in them correlates. */
gt_status gt_axis_find(const float *data, size_t views, size_t rows, size_t columns, const double *angle, gt_axis_found *found);
#endif
