#ifndef GT_RECON_OBJECT_BOX_H
#define GT_RECON_OBJECT_BOX_H
/* Bounds of the object across the axis of rotation, found in its projections. Lengths in mm. */
#include <gantry/data.h>

typedef struct {
	double low[2], high[2];         /* along x and y: the object lies within; at most a pixel too wide */
	double inner_low[2], inner_high[2];     /* the object reaches at least to here; at most a pixel too narrow */
	double diameter;                /* the longest chord of the convex hull */
	int is_truncated;               /* 1: the detector is narrower than the object; low and high are wider then */
} gt_object_box;
/* Line integrals up to this fraction of the largest are air. Rough: offsets and scatter are air too, so that bounds
 * are found in most data. Clean: objects that remain outside the bounds are as thin as 0.5 mm of water in a head. */
#define GT_ROUGH_AIR 0.02
#define GT_CLEAN_AIR 0.002
/* Returns 0 if the projections give no bounds: no field of view, no attenuation, or rays steeper than 45 degrees. Noise
 * is air up to three standard deviations. */
int gt_object_box_find(const gt_projections *p, double max_air, gt_object_box *box);
#endif
