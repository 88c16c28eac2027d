#ifndef GT_PREPARE_STRIPES_STRIPES_H
#define GT_PREPARE_STRIPES_STRIPES_H
/* Removal of stripes of a sinogram s[view][column], after Vo, Atwood, Drakopoulos, Opt. Express 26 (2018) 28396;
 * private to prepare/. */
#include "prepare/step.h"

typedef struct { size_t views, columns; double snr, drop; } gt_stripes;

/* Returns the doubles of scratch that each of these functions needs. */
size_t gt_stripes_scratch(size_t views, size_t columns);
/* Algorithm 4: marks columns whose factor f deviates from the line through the sorted factors. stripe[columns]: 1 or
 * 0. scratch: one double per column. */
void gt_stripes_detect(const double *f, size_t columns, double snr, unsigned char *stripe, double *scratch);
/* Also marks one column on either side of each marked one. */
void gt_stripes_widen(unsigned char *stripe, size_t columns);
/* Algorithm 3: sorts values over the views, applies a median along the columns at each rank, and restores the order.
 * Changes only columns that deviate from their neighbours in all views, and not past them. */
void gt_stripes_sorting(const gt_stripes *t, size_t window, float *s, double *scratch);
/* After algorithm 5: subtracts the mean deviation of columns from their neighbours. Columns that stand out and that
 * both sides confirm get values interpolated from both sides at each rank. */
void gt_stripes_large(const gt_stripes *t, size_t window, float *s, double *scratch);
/* Both in sequence, with the columns sorted once. */
void gt_stripes_large_then_sorting(const gt_stripes *t, size_t wide, size_t narrow, float *s, double *scratch);
/* Algorithm 6: interpolates unstable or dead columns, whose fluctuation differs from both sides, and marks them in
 * bad[columns]. */
void gt_stripes_dead(const gt_stripes *t, size_t window, float *s, double *scratch, unsigned char *bad);

#endif
