#ifndef GT_RECON_STRUCTURE_NOISE_H
#define GT_RECON_STRUCTURE_NOISE_H
/* Effect of the object's structure on the noise that an edge-preserving penalty leaves. Differences of structure above
 * the penalty's threshold weaken it in their surroundings, where more noise remains than in a uniform object. */
#include "recon/noise/strength_search.h"

/* Runs the solver shortly with this strength and cuts its result to the patches: s->structure. Nothing without
 * q->short_run. Collective; s->host is scratch. */
gt_status gt_structure_measure(gt_strength_search *s, double strength);
void gt_structure_free(gt_structure_patches *t);
/* gt_noise_patches_strength() for the noise (mm^-1) in the object. */
gt_status gt_structure_strength(gt_strength_search *s, double noise, double *strength);
#endif
