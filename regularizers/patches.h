#ifndef GT_REGULARIZERS_PATCHES_H
#define GT_REGULARIZERS_PATCHES_H
/* Private to regularizers/. Shared parts of penalties that compare patches. */
#include "regularizers/pass.h"

struct gt_patch_options { int search, patch; double h; };
/* GT_ERR_ARG, with the name, if search or patch is even. */
gt_status gt_patch_check(const char *name, const struct gt_patch_options *o);
/* Returns the slices that an average reads below and above. */
size_t    gt_patch_reach(const struct gt_patch_options *o);
/* Stores the common numbers of patch_math.inc in k. */
void      gt_patch_call_set(struct gt_pass_call *call, const struct gt_patch_options *o);
/* Allocate a padded volume for such calls on this site, and fill it from the device volume at `from`. In a team it is
 * a buffer of the site, whose ends are those of the volume or out of reach. */
gt_status gt_patch_room(const struct gt_site *site, const struct gt_pass_call *call, gt_array **padded);
void      gt_patch_pad (const struct gt_site *site, const struct gt_pass_call *call, const void *from, gt_array *padded);
#endif
