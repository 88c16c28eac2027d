#ifndef GT_REGULARIZERS_SPEC_OF_WATER_H
#define GT_REGULARIZERS_SPEC_OF_WATER_H
/* Specs of penalties in HU. */

/* Converts HU in a spec to mm^-1 with this attenuation of water, mm^-1. gt_regularizer_new() assumes 0.02 mm^-1. For
 * gt_free(); NULL without memory. */
char *gt_penalty_spec_of_water(const char *spec, double water);
#endif
