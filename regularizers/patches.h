#ifndef GT_REGULARIZERS_PATCHES_H
#define GT_REGULARIZERS_PATCHES_H
/* Inside this room: what the penalties that compare patches share. */
#include "regularizers/pass.h"

struct gt_patch_options { int search, patch; double h; };
/* GT_ERR_ARG by the name if search or patch is even. */
gt_status gt_patch_check(const char *name, const struct gt_patch_options *o);
/* Slices that an average reads below and above. */
size_t    gt_patch_reach(const struct gt_patch_options *o);
/* The numbers of patch_math.inc that all have, into k. */
void      gt_patch_call_set(struct gt_pass_call *call, const struct gt_patch_options *o);
/* A padded volume for such calls on this site, and what fills it from the volume at `from`, on
 * the device; in a team that is a room of the site, whose ends are those of the volume or out of reach. */
gt_status gt_patch_room(const struct gt_site *site, const struct gt_pass_call *call, gt_array **padded);
void      gt_patch_pad (const struct gt_site *site, const struct gt_pass_call *call, const void *from, gt_array *padded);
#endif
