#ifndef GT_PHANTOMS_SOLID_H
#define GT_PHANTOMS_SOLID_H
/* Internal to phantoms/. One convex solid: an ellipsoid, cone frustum (a cylinder is one with taper 1) or box in any
 * orientation, cut by any number of half-spaces. Lengths in mm. */
#include <stddef.h>
#include <gantry/status.h>

typedef enum { GT_SOLID_ELLIPSOID, GT_SOLID_CONE, GT_SOLID_BOX } gt_solid_kind;

/* A point is inside where q_i = axis_i . (x - center) / half_i satisfies
 *   ellipsoid: |q| <= 1;   box: |q_i| <= 1;
 *   cone: |q_2| <= 1 and hypot(q_0, q_1) <= 1 at q_2 = -1, changing linearly to `taper` at q_2 = +1;
 * and every clip {n, d} has n . x <= d. */
typedef struct {
	gt_solid_kind kind;
	double center[3], axis[3][3], half[3];
	double taper, density;
	int per_mm;                     /* density is in mm^-1, not relative to water */
	size_t clips;
	double (*clip)[4];              /* owned */
	size_t rank;                    /* place in the list of the phantom */
	double map[3][3];               /* axis_i / half_i */
	double lo[3], hi[3];            /* box around it */
} gt_solid;

/* Center 0, axes x, y, z, half-sizes 1, taper 1, density 1, no clips. */
gt_solid  gt_solid_make(gt_solid_kind kind);
void      gt_solid_free(gt_solid *s);
/* Keeps n . x <= d; n of any length but 0. */
gt_status gt_solid_clip(gt_solid *s, const double n[3], double d);
/* x -> rotate(scale x) + shift; rotation about z by `angle`. */
void      gt_solid_move(gt_solid *s, double scale, double angle, const double shift[3]);
/* Fills map, lo and hi: needed once before the calls below. */
void      gt_solid_finish(gt_solid *s);
/* A radius around the origin that holds it. */
double    gt_solid_reach(const gt_solid *s);

int gt_solid_holds(const gt_solid *s, const double x[3]);
/* Narrows *in < *out to the part of the line from + t direction inside; 0 if nothing is left. */
int gt_solid_cut(const gt_solid *s, const double from[3], const double direction[3], double *in, double *out);
#endif
