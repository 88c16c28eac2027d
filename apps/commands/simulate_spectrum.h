#ifndef GT_APPS_COMMANDS_SIMULATE_SPECTRUM_H
#define GT_APPS_COMMANDS_SIMULATE_SPECTRUM_H
#include <gantry/data.h>
#include <gantry/phantom.h>

/* --spectrum and --materials (NULL: water, bone, titanium, iron); water: mm^-1 of density 1 in the phantom. */
typedef struct { const char *spectrum, *materials; double water; int rays; } app_spectrum;
gt_status app_simulate_spectrum(const app_spectrum *o, const gt_phantom *body, gt_pool *pool, const gt_projections *p);

#endif
