#ifndef GT_PHANTOMS_SOLID_H
#define GT_PHANTOMS_SOLID_H
/* Internal to phantoms/: one convex solid in any orientation, cut by half-spaces. Kinds are ellipsoid, cone frustum (a
 * cylinder has taper 1) and box. Lengths in mm. */
#include <stddef.h>
#include <gantry/status.h>

typedef enum { GT_SOLID_ELLIPSOID, GT_SOLID_CONE, GT_SOLID_BOX } gt_solid_kind;

/* A point is inside if q_i = axis_i . (x - center) / half_i satisfies
 *     ellipsoid: |q| <= 1;   box: |q_i| <= 1;
 *     cone: |q_2| <= 1 and hypot(q_0, q_1) <= 1 at q_2 = -1, changing linearly to `taper` at q_2 = +1;
 *   and every clip {n, d} has n . x <= d. */
typedef struct {
	gt_solid_kind kind;
	double center[3], axis[3][3], half[3];
	double taper, density;
	int per_mm;                     /* density is in mm^-1, not relative to water */
	size_t clips;
	double (*clip)[4];              /* owned */
	size_t rank;                    /* index in the list of the phantom */
	double map[3][3];               /* axis_i / half_i */
	double lo[3], hi[3];            /* bounding box */
} gt_solid;

/* Returns a solid with centre 0, axes x, y, z, half-sizes 1, taper 1, density 1, no clips. */
gt_solid  gt_solid_make(gt_solid_kind kind);
void      gt_solid_free(gt_solid *s);
/* Adds the half-space n . x <= d; n of any length but 0. */
gt_status gt_solid_clip(gt_solid *s, const double n[3], double d);
/* x -> rotate(scale x) + shift; rotation about z by `angle`. */
void      gt_solid_move(gt_solid *s, double scale, double angle, const double shift[3]);
/* Fills map, lo and hi; required before the calls below. */
void      gt_solid_finish(gt_solid *s);
/* Returns the radius of a ball around the origin that contains it. */
double    gt_solid_reach(const gt_solid *s);

int gt_solid_holds(const gt_solid *s, const double x[3]);
/* Narrows *in < *out to the part of the line from + t direction inside. Returns 0 if it is empty. */
int gt_solid_cut(const gt_solid *s, const double from[3], const double direction[3], double *in, double *out);
#endif
