#ifndef GT_PREPARE_METAL_THRESHOLD_H
#define GT_PREPARE_METAL_THRESHOLD_H
/* Metal in an image, by the histogram of its attenuation; private to prepare/. */
#include <stddef.h>

/* Levels of an image in its own unit. */
typedef struct {
	double object;    /* mean of the largest class of the object; 0: none found */
	double threshold; /* metal lies above; 0: no metal */
} gt_metal_levels;
gt_metal_levels gt_metal_levels_of(const float *image, size_t n);

#endif
