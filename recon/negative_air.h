#ifndef GT_RECON_NEGATIVE_AIR_H
#define GT_RECON_NEGATIVE_AIR_H
/* Air whose line integrals are negative beyond their noise: a voxel model with x >= 0 contradicts them. */
#include <gantry/data.h>

typedef struct {
	double part;                    /* fraction of the air, 0 to 1; 0 without data, or if less than 1 % is air */
	double mean;                    /* mean line integral of that part */
} gt_negative_air;
gt_negative_air gt_negative_air_of(const gt_projections *p);
/* 1: so much of the air is negative that x >= 0 would remove faint parts of the object next to it. */
int gt_negative_air_matters(const gt_negative_air *a);
#endif
