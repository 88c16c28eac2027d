#ifndef GT_PREPARE_STRIPES_RUNNING_MEDIANS_H
#define GT_PREPARE_STRIPES_RUNNING_MEDIANS_H
/* Running medians along several lines at once; private to prepare/. */
#include <stddef.h>

enum { GT_MEDIAN_LINES = 16 };

/* Returns the floats of scratch, enough for any window. */
size_t gt_running_medians_scratch(size_t places);
/* out[k][line]: element floor(n/2) of the n sorted values that x[k - window/2 ... k + window/2][line] has within its
 * `places`. window: odd; values: finite. */
void gt_running_medians(const float *x, size_t places, size_t window, float *scratch, float *out);

/* Medians of one line x[places] with a window of 5 or 9, by vectorised sorting networks. */
void gt_short_medians(const float *x, size_t places, size_t window, float *out);
/* Medians of five, for k from 2 to places - 3 only; x and out do not overlap. */
void gt_medians_of_five(const float *x, size_t places, float *out);

#endif
