#ifndef GT_PREPARE_TWO_MATERIALS_H
#define GT_PREPARE_TWO_MATERIALS_H
#include "prepare/materials.h"
#include "prepare/step.h"

typedef struct {
	const gt_spectrum *s;
	const gt_material *body, *dense;
	double energy;                  /* keV, of what is wanted */
	double threshold;               /* of the attenuation of the body's material: dense above */
	int passes;
} gt_two_materials;
/* measured: line integrals as they were; those of the call are corrected as if all were the body's material, and
 * become those of both. */
gt_status gt_prepare_two_materials(gt_prepare_call *c, const gt_two_materials *t, const float *measured);

#endif
