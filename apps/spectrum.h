#ifndef GT_APPS_SPECTRUM_H
#define GT_APPS_SPECTRUM_H
/* Small boxes of numbers and their discrete Fourier transforms, by the sum itself along each axis. */
#include <stddef.h>

typedef struct { size_t n[3]; double *re, *im; } app_box;       /* [z][y][x] */
/* Zeros; 0 without memory. */
int  app_box_new (const size_t n[3], app_box *b);
void app_box_free(app_box *b);
size_t app_box_size(const app_box *b);
/* In place; inverse: 1 divides by the size as well. */
void app_box_transform(app_box *b, int inverse);
/* The real spectrum of an operator that is the same at all places, from what it makes of a unit at the middle of the box of odd sizes:
 * symmetrised, and multiplied by a triangle along each axis if `taper`, which keeps a spectrum of none below 0 so. spectrum: [size]. */
int  app_box_spectrum(const size_t n[3], const float *response, int taper, double *spectrum);
#endif
