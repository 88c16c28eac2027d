#ifndef GT_IO_FRAMES_VIEW_ANGLES_H
#define GT_IO_FRAMES_VIEW_ANGLES_H
/* Angles of views by rule, text file or data set; private to io/. */
#include <gantry/io.h>

/* spec: "FIRST:STEP" or "FIRST..LAST" (both included), with deg or rad behind if need be, or the name of a text file
 * (io/frames/angle_table.h). number: [views], a view's place in a series that may have gaps, from number[0]; NULL: 0, 1,
 * 2 ... A file has an angle for each view, or for each place of the series. angle: [views], rad. unit: as
 * gt_frames_options.radians has it. Angles without one that run through half a turn or a full turn in radians are
 * radians, with a note. Others within a full turn in radians are degrees in a rule, with a note, and GT_ERR_FORMAT in a
 * file. GT_ERR_FORMAT also: another number of angles, with the line; angles all equal or of more than 10000 rotations. */
gt_status gt_view_angles(const char *spec, int unit, const long long *number, size_t views, const gt_read_options *o, double *angle);

/* angle[views], as the data set `name` of a file has them, become radians; units: what the file says, "": nothing.
 * Then the options say what they are, or angles beyond a turn in radians are degrees, and those that run through half a
 * turn or a turn in radians are radians: told. GT_ERR_FORMAT: others, whose unit is asked for; no finite numbers;
 * another unit; angles all equal or of more than 10000 rotations. GT_ERR_ARG: the options contradict the file. */
gt_status gt_angles_of_file(const char *path, const char *name, const char *units, size_t views, const gt_read_options *o, double *angle);

#endif
