#ifndef GT_IO_WRITE_KIT_VOXEL_ORDER_H
#define GT_IO_WRITE_KIT_VOXEL_ORDER_H
/* Files whose voxels follow the patient's axes in any order and direction; private to io/. */
#include <gantry/io.h>

/* Destination of file voxels: voxel (i, j, k) is data[first + i step[0] + j step[1] + k step[2]]. */
typedef struct {
	gt_grid grid;
	size_t n[3];            /* voxels along the file's axes, fastest first */
	size_t first;
	ptrdiff_t step[3];
} gt_place;

/* to_patient, 3 rows of 4: file voxel (i, j, k, 1) to mm to the patient's right, front and head. Errors name the file:
 * values that are not finite, overflowing sizes, and (GT_ERR_UNSUPPORTED, with the angle) oblique axes. */
gt_status gt_order_voxels(const char *path, const size_t n[3], const double to_patient[12], gt_position position, gt_place *p);
/* Stores `lines` lines of n[0] values from line `at` on, counted over j and k. */
void      gt_place_lines(const gt_place *p, size_t at, size_t lines, const float *values, float *data);
/* Inverse for writers: the file's axes are the scanner's, none reversed. */
void      gt_place_matrix(const gt_grid *g, gt_position position, double to_patient[12]);
#endif
