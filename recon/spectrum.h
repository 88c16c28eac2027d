#ifndef GT_RECON_SPECTRUM_H
#define GT_RECON_SPECTRUM_H
/* Small boxes of numbers, their discrete Fourier transforms, and operators that are the same at all places. */
#include <stddef.h>

enum { GT_BOX_MOST = 32 };                                     /* along an axis */
typedef struct { size_t n[3]; double *re, *im, *room[2]; } gt_box; /* [z][y][x]; powers of 2. Transforms swap re and im with room */
/* Zeros; 0 without memory: free it in either case. */
int  gt_box_new (const size_t n[3], gt_box *b);
void gt_box_free(gt_box *b);
size_t gt_box_size(const gt_box *b);
/* In place; inverse: 1 divides by the size as well. */
void gt_box_transform(gt_box *b, int inverse);
/* The real spectrum of an operator from what it makes of a unit at n/2: symmetrised, and multiplied by a triangle along each axis if
 * `taper`, which keeps a spectrum that is nowhere below 0 so. spectrum: [size]. 0 without memory. */
int  gt_box_spectrum(const size_t n[3], const float *response, int taper, double *spectrum);
#endif
