#ifndef GT_PREPARE_TWO_MATERIALS_H
#define GT_PREPARE_TWO_MATERIALS_H
#include "prepare/materials.h"
#include "prepare/step.h"

typedef struct {
	const gt_spectrum *s;
	const gt_material *body, *dense;
	double energy;                  /* keV of the corrected values */
	double threshold;               /* relative to the attenuation of the first material: dense above */
	int passes;
} gt_two_materials;
/* measured: uncorrected line integrals. Replaces the projections of the call, corrected for the first material alone,
 * by projections corrected for both. */
gt_status gt_prepare_two_materials(gt_prepare_call *c, const gt_two_materials *t, const float *measured);

#endif
