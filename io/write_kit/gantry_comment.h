#ifndef GT_IO_WRITE_KIT_GANTRY_COMMENT_H
#define GT_IO_WRITE_KIT_GANTRY_COMMENT_H
/* The lines that our files hold where a format has room for text alone (NIfTI, DICOM); private to io/. */
#include "io/write_kit/volume_units.h"

/* Unit, position, water, the exact grid and the provenance, a line each; NULL without memory. Caller frees. */
char *gt_comment_of(const gt_write_options *o, int hu, const gt_volume *v);
/* Unit, position and water of a text that may be NULL or another's. */
void  gt_comment_said(const char *comment, gt_said *said);
/* The exact grid, unless somebody cut or moved the volume since: `grid` to a thousandth of a voxel. */
gt_status gt_comment_grid(const char *comment, gt_grid *grid);
gt_status gt_comment_provenance(const char *comment, gt_provenance *from);
#endif
