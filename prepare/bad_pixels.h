#ifndef GT_PREPARE_BAD_PIXELS_H
#define GT_PREPARE_BAD_PIXELS_H
/* Gain and bad pixels of a detector by its fields. */
#include <gantry/prepare.h>

/* Computes the detector gain in counts per photon. It is the variance of differences of successive flat fields,
 * scaled to their common mean, minus the variance of dark fields. Needs at least 2 images of both; pixels: per image.
 * photons: mean number per pixel of a flat field (may be NULL). GT_ERR_ARG: too few images. GT_ERR_FORMAT: flat
 * fields are not above the dark fields. */
gt_status gt_detector_gain(const gt_field_images *flats, const gt_field_images *darks, size_t pixels, double *gain, double *photons);
/* Finds bad pixels by their fields, by the rules of docs/commands.md: bad[row][column] is 1 for hot, dead, weak or
 * noisy ones. NULL fields: images 0. *found: their number (may be NULL). GT_ERR_ARG: neither flat nor dark fields.
 * GT_ERR_MEMORY. */
gt_status gt_bad_pixels_of_fields(const gt_field_images *flats, const gt_field_images *darks, size_t rows, size_t columns,
                                  unsigned char *bad, size_t *found);
#endif
