#ifndef GT_IO_FRAMES_VIEW_ANGLES_H
#define GT_IO_FRAMES_VIEW_ANGLES_H
/* The angles of views, as texts say them; private to io/. */
#include <gantry/io.h>

/* spec: "FIRST:STEP" or "FIRST..LAST" (both included), with deg or rad behind if need be, or the name of a text file
 * with one number a line; '#' begins a remark. number: [views], a view's place in a series that may have gaps, from
 * number[0]; NULL: 0, 1, 2 ... A file has an angle for each view, or for each place of the series. angle: [views], rad.
 * GT_ERR_FORMAT says how many were found and expected, or names the line. */
gt_status gt_view_angles(const char *spec, int radians, const long long *number, size_t views, const gt_read_options *o, double *angle);

#endif
