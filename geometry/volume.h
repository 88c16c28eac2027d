#ifndef GT_GEOMETRY_VOLUME_H
#define GT_GEOMETRY_VOLUME_H
/* What a handle of a volume holds, for readers, writers and methods. */
#include <gantry/data.h>
#include "geometry/data_fields.h"

struct gt_volume {
	gt_grid grid;
	float *data;            /* [z][y][x], mm^-1; NULL: the grid alone */
	gt_loan loan;           /* whose memory `data` is */
	double water;           /* attenuation of water, mm^-1, for HU; 0: not known */
	gt_position position;
	gt_provenance from;
	gt_unit unit;           /* of the numbers in the file that it was read from, for reports */
};

#endif
