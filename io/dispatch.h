#ifndef GT_IO_DISPATCH_H
#define GT_IO_DISPATCH_H
#include <gantry/io.h>

/* Format for writing to a path of this name. */
gt_status gt_format_to_write(const char *path, int projections, const gt_format **format);
gt_status gt_format_for     (const char *path, const gt_write_options *o, int projections, const gt_format **format);
gt_status gt_format_of      (const char *path, const gt_format **format);
/* Likewise for a file that must contain a volume. */
gt_status gt_volume_format_of(const char *path, const gt_format **format);
/* Returns the reader's failure, or reports that the file contains the other kind of data. */
gt_status gt_explain_reading(gt_status st, const gt_format *f, const char *path, int projections);
/* Completes the caller's options with defaults for members that its version does not have. GT_ERR_ARG: unknown size. */
gt_status gt_complete_read_options (const char *path, const gt_read_options *o, gt_read_options *full);
gt_status gt_complete_write_options(const char *path, const gt_write_options *o, gt_write_options *full);
/* Moves the axis of the scan to o->axis and notes it; NAN: nothing. */
gt_status gt_read_axis      (gt_scan *scan, const gt_read_options *o);
gt_status gt_check_writing  (const char *path, const gt_format *f, const gt_write_options *o, const gt_grid *grid);

#endif
