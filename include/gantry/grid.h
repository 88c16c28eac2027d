#ifndef GANTRY_GRID_H
#define GANTRY_GRID_H
/* Where the voxels of a volume are. Lengths in mm, a right-handed frame with z along the rotation axis (docs/geometry.md). */
#include <gantry/scan.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Volumes are [z][y][x], x fastest. Voxel i of axis a has its centre at
 * center[a] + (i - (n[a]-1)/2) pitch[a]. */
typedef struct { size_t n[3]; double pitch[3], center[3]; } gt_grid;

GT_API size_t    gt_grid_voxels(const gt_grid *g);
GT_API double    gt_grid_first(const gt_grid *g, int axis);    /* centre of voxel 0, mm */
/* "NXxNYxNZ@DXxDYxDZ[+CX,CY,CZ]"; GT_ERR_ARG says what was expected where. Printed text reads back exactly. */
GT_API gt_status gt_grid_parse(const char *text, gt_grid *g);
/* 1 if both have the same voxels to a thousandth of one: files round pitches and places. */
GT_API int       gt_grid_same(const gt_grid *a, const gt_grid *b);
GT_API void      gt_grid_print(const gt_grid *g, char *text, size_t size);
/* Voxels of one cell's size at the axis (three digits) over the field of view of the scan, in even numbers; parallel beams
 * and single rows: as many slices as rows. GT_ERR_UNSUPPORTED if the scan has no field of view. */
GT_API gt_status gt_grid_default(const gt_scan *scan, gt_grid *g);
/* Slices of which no part lies in z from low to high. */
GT_API size_t    gt_grid_slices_outside(const gt_grid *g, double low, double high);
/* Share of the box within `radius` of the planes x = 0 and y = 0, and in z from low to high: 0 to 1. */
GT_API double    gt_grid_share_within(const gt_grid *g, double radius, double low, double high);
/* Slices to add below and above a grid so that no ray of the scan within the grid's circle leaves it through its ends: the cone
 * widens towards the detector, and what it sees there would be pressed into the outermost slices of an iterative method. */
GT_API void      gt_grid_margin(const gt_grid *g, const gt_scan *scan, size_t *below, size_t *above);
/* Helical scans: first ... end-1 is the shortest run of views that holds all whose rows meet the grid's slices within its circle.
 * All views of other scans, and where no view does. */
GT_API void      gt_grid_views(const gt_grid *g, const gt_scan *scan, size_t *first, size_t *end);
/* The same box with at most n voxels along each axis. */
GT_API void      gt_grid_coarsen(const gt_grid *g, size_t n, gt_grid *coarse);
/* Refuses (GT_ERR_ARG): zero sizes, overflow, pitches that are not positive; with a scan also a grid that no view sees, or one
 * that holds a source (names the view). */
GT_API gt_status gt_grid_check(const gt_grid *g, const gt_scan *scan);
/* The second of these alone: GT_ERR_ARG if a source lies within the grid (parallel beams have none). */
GT_API gt_status gt_grid_check_sources(const gt_grid *g, const gt_scan *scan);

#ifdef __cplusplus
}
#endif
#endif
