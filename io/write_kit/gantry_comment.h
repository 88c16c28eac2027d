#ifndef GT_IO_WRITE_KIT_GANTRY_COMMENT_H
#define GT_IO_WRITE_KIT_GANTRY_COMMENT_H
/* Lines in files whose format only offers text (NIfTI, DICOM); private to io/. */
#include "io/write_kit/volume_units.h"

/* Unit, position, water, exact grid and provenance, one line each. The caller frees it. NULL: out of memory. */
char *gt_comment_of(const gt_write_options *o, int hu, const gt_volume *v);
/* Parses unit, position and water; comment may be NULL or of another program. */
void  gt_comment_stated(const char *comment, gt_stated *said);
/* Replaces `grid` by the exact one if both agree to a thousandth of a voxel; they differ after cropping or moving. */
gt_status gt_comment_grid(const char *comment, gt_grid *grid);
gt_status gt_comment_provenance(const char *comment, gt_provenance *from);
#endif
