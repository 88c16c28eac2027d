#ifndef GT_PREPARE_STRIPES_RUNNING_MEDIANS_H
#define GT_PREPARE_STRIPES_RUNNING_MEDIANS_H
/* Medians of a window that moves along several lines at once; private to prepare/. */
#include <stddef.h>

enum { GT_MEDIAN_LINES = 16 };

/* Floats of scratch, enough for any window. */
size_t gt_running_medians_scratch(size_t places);
/* out[k][line]: the value at place floor(n/2) of the n that x[k - window/2 ... k + window/2][line] has within its
 * `places`. window: odd; values: finite. */
void gt_running_medians(const float *x, size_t places, size_t window, float *scratch, float *out);

/* out[k]: the same of one line x[places], the window being 5 or 9, by networks that vectors take. */
void gt_short_medians(const float *x, size_t places, size_t window, float *out);
/* The middle of five, for k from 2 to places - 3 alone; x and out lie apart. */
void gt_medians_of_five(const float *x, size_t places, float *out);

#endif
