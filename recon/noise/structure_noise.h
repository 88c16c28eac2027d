#ifndef GT_RECON_STRUCTURE_NOISE_H
#define GT_RECON_STRUCTURE_NOISE_H
/* Effect of the object's structure on the noise that an edge-preserving penalty leaves. Differences of structure above
 * the penalty's threshold weaken it in their surroundings, where more noise remains than in a uniform object. */
#include "recon/noise/strength_search.h"

/* Cuts the start and the gradient of the data term there to the patches: s->structure. Nothing without q->data.
 * Collective; s->host is scratch. */
gt_status gt_structure_measure(gt_strength_search *s);
void gt_structure_free(gt_structure_patches *t);
/* *ratio: noise at this strength in the object over the noise in a uniform object. */
gt_status gt_structure_ratio(gt_noise_patches *p, const gt_structure_patches *t, double strength, double *ratio);
/* gt_noise_patches_strength() for the noise (mm^-1) in the object. */
gt_status gt_structure_strength(gt_strength_search *s, double noise, double *strength);
#endif
