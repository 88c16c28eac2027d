#ifndef GT_IO_FRAMES_VIEW_ANGLES_H
#define GT_IO_FRAMES_VIEW_ANGLES_H
/* Angles of views by rule, text file or data set; private to io/. */
#include <gantry/io.h>

/* spec: "FIRST:STEP", "FIRST..LAST" (inclusive; deg or rad optional), or a text file (io/frames/angle_table.h).
 * number: [views], the position of each view in a series with gaps, from number[0]; NULL: 0, 1, 2 ... A file has an
 * angle for each view, or for each position. angle: [views], rad. unit: as gt_frames_options.radians. Without a unit,
 * angles that span pi or 2 pi are radians, with a note. Other small angles are degrees in a rule, with a note, and
 * refused in a file. GT_ERR_FORMAT: another number of angles, a bad line, an undecided unit, angles all equal, or
 * angles beyond 10000 rotations. */
gt_status gt_view_angles(const char *spec, int unit, const long long *number, size_t views, const gt_read_options *o, double *angle);

/* Converts angle[views] of the data set `name` to radians. units: attribute of the file, "": none. Without units the
 * options decide; else angles beyond 2 pi are degrees, and angles that span 180 or 360 degrees as radians are radians,
 * with a note. GT_ERR_FORMAT: an undecided unit, an unknown unit, values that are not finite, all equal, or beyond
 * 10000 rotations. GT_ERR_ARG: the options contradict the file. */
gt_status gt_angles_of_file(const char *path, const char *name, const char *units, size_t views, const gt_read_options *o, double *angle);

#endif
