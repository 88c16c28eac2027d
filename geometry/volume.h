#ifndef GT_GEOMETRY_VOLUME_H
#define GT_GEOMETRY_VOLUME_H
/* What a handle of a volume holds, for readers, writers and methods. */
#include <gantry/data.h>
#include "core/device/tag.h"
#include "geometry/data_fields.h"

struct gt_volume {
	gt_tag tag;             /* GT_IS_VOLUME */
	gt_grid grid;
	float *data;            /* [z][y][x], mm^-1; NULL: the grid alone */
	gt_loan loan;           /* whose memory `data` is */
	double water;           /* attenuation of water, mm^-1, for HU; 0: not known */
	gt_position position;
	int positioned;         /* 1: a file or the caller said so */
	gt_provenance from;
	gt_unit unit;           /* of the numbers in the file that it was read from, for reports */
};

/* All 0 but the tag, for gt_volume_free(); NULL: out of memory. */
gt_volume *gt_volume_blank(void);
/* GT_ERR_ARG if v is NULL or no volume. function: the one that was called, for the message. */
gt_status  gt_volume_is(const char *function, const gt_volume *v);

#endif
