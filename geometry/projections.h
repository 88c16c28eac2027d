#ifndef GT_GEOMETRY_PROJECTIONS_H
#define GT_GEOMETRY_PROJECTIONS_H
/* What a handle of projections holds, for readers, writers and methods. */
#include <gantry/data.h>
#include "core/device/tag.h"
#include "geometry/data_fields.h"

struct gt_projections {
	gt_tag tag;             /* GT_IS_PROJECTIONS */
	gt_scan *scan;          /* owned */
	float *data;            /* [view][row][column], line integrals; NULL: geometry alone */
	gt_loan loan;           /* whose memory `data` is */
	float *weight;          /* owned, of the same shape; may be NULL */
	float *photons;         /* owned: unattenuated counts per cell; may be NULL */
	gt_position position;
	int positioned;         /* 1: a file or the caller said so */
	int filtered;           /* 1: weighted and filtered already: no line integrals */
	double water;           /* attenuation of water that the scanner states, mm^-1; 0: not known */
	gt_provenance from;
};

/* All 0 but the tag, for gt_projections_free(); NULL: out of memory. */
gt_projections *gt_projections_blank(void);
/* GT_ERR_ARG if p is NULL or no projections. function: the one that was called, for the message. */
gt_status       gt_projections_are(const char *function, const gt_projections *p);
/* GT_ERR_FORMAT if they are weighted and filtered already. name: of the file or the call; hint: behind it, or "". */
gt_status       gt_projections_unfiltered(const gt_projections *p, const char *name, const char *hint);
/* GT_ERR_FORMAT if a value is NaN or infinite: how many, and where the first is. */
gt_status       gt_projections_finite(const gt_projections *p);

#endif
