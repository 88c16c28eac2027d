#ifndef GT_IO_FRAMES_ORDER_OF_VIEWS_H
#define GT_IO_FRAMES_ORDER_OF_VIEWS_H
/* Images in another order than their angles; private to io/. */
#include <gantry/io.h>

/* Profiles [view][column] of line integrals of parallel rays, angles in rad. Images that seem to be out of order,
 * missing or twice there are told in one note; of less than 16 views nothing is. */
gt_status gt_note_order(const float *profiles, size_t views, size_t columns, const double *angle, const gt_read_options *o);

#endif
