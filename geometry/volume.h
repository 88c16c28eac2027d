#ifndef GT_GEOMETRY_VOLUME_H
#define GT_GEOMETRY_VOLUME_H
/* Contents of a handle of a volume, for readers, writers and methods. */
#include <gantry/data.h>
#include "core/device/tag.h"
#include "geometry/data_fields.h"

struct gt_volume {
	gt_tag tag;             /* GT_IS_VOLUME */
	gt_grid grid;
	float *data;            /* [z][y][x], mm^-1; NULL: the grid alone */
	gt_loan loan;           /* owner of `data` */
	double water;           /* attenuation of water, mm^-1, for HU; 0: unknown */
	gt_position position;
	int positioned;         /* 1: the patient position is known */
	gt_provenance from;
	gt_unit unit;           /* unit of the file, for reports */
};

/* Allocates an empty handle; NULL: out of memory. */
gt_volume *gt_volume_blank(void);
/* GT_ERR_ARG if v is not a handle of a volume. function: the caller, for the message. */
gt_status  gt_volume_is(const char *function, const gt_volume *v);

#endif
