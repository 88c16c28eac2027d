#ifndef GT_PREPARE_STRIPES_STRIPES_H
#define GT_PREPARE_STRIPES_STRIPES_H
/* Stripes of a sinogram s[view][column], after Vo, Atwood, Drakopoulos, Opt. Express 26 (2018) 28396; private to
 * prepare/. */
#include "prepare/step.h"

typedef struct { size_t views, columns; double snr, drop; } gt_stripes;

/* Doubles of scratch that each of these takes. */
size_t gt_stripes_scratch(size_t views, size_t columns);
/* Algorithm 4: columns whose factor f stands out of the others' straight line of ranks. stripe[columns]: 1 or 0.
 * scratch: one of each column. */
void gt_stripes_detect(const double *f, size_t columns, double snr, unsigned char *stripe, double *scratch);
/* One column more on either side of those of stripe[columns]. */
void gt_stripes_widen(unsigned char *stripe, size_t columns);
/* Algorithm 3: values sorted over the views, a median along the columns at each rank, put back; in columns that are off
 * their neighbours in all views alike, and not past them. */
void gt_stripes_sorting(const gt_stripes *t, size_t window, float *s, double *scratch);
/* After algorithm 5: columns are shifted by what they are off their neighbours in the mean; those that stand out, and
 * that both sides witness, get values from rank to rank as both sides have them. */
void gt_stripes_large(const gt_stripes *t, size_t window, float *s, double *scratch);
/* One after the other, with the columns put in order once. */
void gt_stripes_large_then_sorting(const gt_stripes *t, size_t wide, size_t narrow, float *s, double *scratch);
/* Algorithm 6: columns that fluctuate, or do not respond, from view to view, otherwise than both sides of them, are
 * interpolated; marked in bad[columns]. */
void gt_stripes_dead(const gt_stripes *t, size_t window, float *s, double *scratch, unsigned char *bad);

#endif
