#ifndef GT_PROJECTORS_SF_SF_MOTION_H
#define GT_PROJECTORS_SF_SF_MOTION_H
/* Derivatives of the footprint of sf_footprint.h (SF-TR) by the velocities of a view (kit/motion.h), for the CPU.
 *
 * A point X is seen at the point P of the detector, along q = X - source, or along the parallel rays. With the column
 * direction t and the normal n of the detector at P, and e = t - n (t.q)/(n.q), its column changes by
 *
 *   e . (a T + b V - W x (P - detector)) / pitch,
 *
 * with a = -1 and b = 1 - |P - source|/|q| for a fan beam, a = m - 1 and b = -m for parallel rays with
 * P = X + m (detector - source). Its row changes likewise, by the direction of the rows. */
#include <gantry/grid.h>
#include "projectors/kit/motion.h"
#include "projectors/sf/sf_footprint.h"

/* Position of a point on the detector, in columns and rows from their edges, and derivatives by the velocities. */
typedef struct { double at[2], by[2][GT_VELOCITIES]; } gt_sf_image;
/* Footprint of a voxel; by: derivatives of the four columns in ascending order, of low, high and the chord. */
enum { GT_SF_LOW = 4, GT_SF_HIGH, GT_SF_CHORD, GT_SF_QUANTITIES };
typedef struct { gt_sf_voxel voxel; double by[GT_SF_QUANTITIES][GT_VELOCITIES]; } gt_sf_motion;

/* A view, with the part of the geometry that the footprints need. */
typedef struct {
	gt_detector detector;
	const gt_view *view;
	const gt_grid *grid;
	size_t rows;
	int flip_rows;
} gt_sf_pose;

/* Returns 0 if the voxel is not in front of the source. */
int gt_sf_motion_of(const gt_sf *d, const gt_sf_view *v, const gt_sf_pose *p, int x, int y, int z, gt_sf_motion *out);
/* Derivatives of gt_sf_area() by the four columns. */
void gt_sf_area_by(const gt_sf_trapezoid *t, double s, double by[4]);
/* The slant of pixel (column k, ascending row l) and its derivatives. */
double gt_sf_slant_by(const gt_sf_pose *p, int k, int l, double by[GT_VELOCITIES]);
#endif
