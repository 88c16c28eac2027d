#ifndef GT_RECON_TEAM_DIRECT_SLAB_H
#define GT_RECON_TEAM_DIRECT_SLAB_H
/* Slices of a volume by a direct method, from projections in memory: of every view the rows that they see alone go to
 * the device, a batch at a time, while the one before is filtered and backprojected. */
#include <gantry/analytic.h>
#include "core/team/team.h"

/* x: voxels of those slices of the grid, an array of its own. data [view][row][column]. GT_ERR_UNSUPPORTED: the method
 * does not go by slabs. */
gt_status gt_direct_slab(const gt_analytic *m, const void *options, const gt_grid *grid, const gt_scan *scan, const float *data,
                         gt_range slices, gt_array *x);
/* The same of `slices`; `to`, unless it is NULL, gets the voxels too, in single as x is, from the first of these slices
 * on. A share of `large` bytes and 64 slices then goes by several slabs, of which one leaves the device while the next
 * one is computed. */
typedef struct { gt_range slices; float *to; size_t large; } gt_direct_share;
enum { GT_DIRECT_LARGE = 256 << 20 };
gt_status gt_direct_slabs(const gt_analytic *m, const void *options, const gt_grid *grid, const gt_scan *scan, const float *data,
                          const gt_direct_share *share, gt_array *x);
#endif
