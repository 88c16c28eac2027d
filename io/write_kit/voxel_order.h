#ifndef GT_IO_WRITE_KIT_VOXEL_ORDER_H
#define GT_IO_WRITE_KIT_VOXEL_ORDER_H
/* Files whose voxels lie along the patient's axes in any order and direction; private to io/. */
#include <gantry/io.h>

/* Where the voxels of a file go: voxel (i, j, k) to data[first + i step[0] + j step[1] + k step[2]]. */
typedef struct {
	gt_grid grid;
	size_t n[3];            /* voxels of the file along its own axes, the fastest first */
	size_t first;
	ptrdiff_t step[3];
} gt_place;

/* to_patient, three rows of four: voxel (i, j, k, 1) of the file to mm to the patient's right, front and head. Refuses, with the name of the file:
 * numbers that are not finite, sizes that overflow, and (GT_ERR_UNSUPPORTED, with the angle) axes that are not the patient's. */
gt_status gt_order_voxels(const char *path, const size_t n[3], const double to_patient[12], gt_position position, gt_place *p);
/* `lines` lines of n[0] values from line number `at` on, counted through j and k. */
void      gt_place_lines(const gt_place *p, size_t at, size_t lines, const float *values, float *data);
/* The other way round, for writers: axes of the file are those of the scanner, none reversed. */
void      gt_place_matrix(const gt_grid *g, gt_position position, double to_patient[12]);
#endif
