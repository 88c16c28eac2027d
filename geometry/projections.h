#ifndef GT_GEOMETRY_PROJECTIONS_H
#define GT_GEOMETRY_PROJECTIONS_H
/* Contents of a handle of projections, for readers, writers and methods. */
#include <gantry/data.h>
#include "core/device/tag.h"
#include "geometry/data_fields.h"

/* Weight of interpolated pixels. With weight 0, iterative methods leave arcs where rays from the other side differ. */
#define GT_INTERPOLATED_WEIGHT 0.1f

struct gt_projections {
	gt_tag tag;             /* GT_IS_PROJECTIONS */
	gt_scan *scan;          /* owned */
	float *data;            /* [view][row][column], line integrals; NULL: geometry alone */
	gt_loan loan;           /* owner of `data` */
	float *weight;          /* owned, of the same shape; may be NULL */
	float *photons;         /* owned: unattenuated counts per pixel; may be NULL */
	gt_position position;
	int positioned;         /* 1: the patient position is known */
	int filtered;           /* 1: weighted and filtered, so not line integrals */
	double water;           /* attenuation of water stated by the scanner, mm^-1; 0: unknown */
	gt_provenance from;
};

/* Allocates an empty handle; NULL: out of memory. */
gt_projections *gt_projections_blank(void);
/* GT_ERR_ARG if p is not a handle of projections. function: the caller, for the message. */
gt_status       gt_projections_are(const char *function, const gt_projections *p);
/* GT_ERR_FORMAT if p is weighted and filtered. name: file or call, for the message; hint: end of the message, or "". */
gt_status       gt_projections_unfiltered(const gt_projections *p, const char *name, const char *hint);
/* GT_ERR_FORMAT if a value is NaN or infinite; the message counts them and locates the first. */
gt_status       gt_projections_finite(const gt_projections *p);

#endif
