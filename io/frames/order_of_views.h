#ifndef GT_IO_FRAMES_ORDER_OF_VIEWS_H
#define GT_IO_FRAMES_ORDER_OF_VIEWS_H
/* Detects images that are out of the order of their angles; private to io/. */
#include <gantry/io.h>

/* profiles: [view][column] of line integrals of parallel rays; angle: rad. Notes images that seem out of order, missing
 * or duplicated; below 16 views nothing. */
gt_status gt_note_order(const float *profiles, size_t views, size_t columns, const double *angle, const gt_read_options *o);

#endif
