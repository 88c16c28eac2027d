#ifndef GANTRY_GRID_H
#define GANTRY_GRID_H
/* Voxel grids of volumes. Lengths in mm, a right-handed frame with z along the rotation axis (docs/geometry.md). */
#include <gantry/scan.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Volumes are [z][y][x], x fastest. Voxel i of axis a has its centre at
 * center[a] + (i - (n[a]-1)/2) pitch[a]. */
typedef struct { size_t n[3]; double pitch[3], center[3]; } gt_grid;

GT_API size_t    gt_grid_voxels(const gt_grid *g);
GT_API double    gt_grid_first(const gt_grid *g, int axis);    /* centre of voxel 0, mm */
/* Parses "NXxNYxNZ@DXxDYxDZ[+CX,CY,CZ]". Printed text reads back exactly. GT_ERR_ARG names the invalid part. */
GT_API gt_status gt_grid_parse(const char *text, gt_grid *g);
/* Returns 1 if the voxels agree to a thousandth of the pitch, because files round pitches and positions. */
GT_API int       gt_grid_same(const gt_grid *a, const gt_grid *b);
GT_API void      gt_grid_print(const gt_grid *g, char *text, size_t size);
/* Returns a grid over the field of view of the scan. The pitch is the pixel size at the axis, rounded to three digits;
 * numbers of voxels are even. Parallel beams and single rows get one slice per row. GT_ERR_UNSUPPORTED: the scan has no
 * field of view. */
GT_API gt_status gt_grid_default(const gt_scan *scan, gt_grid *g);
/* GT_ERR_ARG: zero sizes, overflow, pitches that are not positive. With a scan also: a grid that no view sees, or that
 * contains a source (names the view). */
GT_API gt_status gt_grid_check(const gt_grid *g, const gt_scan *scan);

#ifdef __cplusplus
}
#endif
#endif
