#ifndef GT_IO_DISPATCH_H
#define GT_IO_DISPATCH_H
#include <gantry/io.h>

/* The format that is written to a path of that name; the format of a file that is read. */
gt_status gt_format_to_write(const char *path, int projections, const gt_format **format);
/* By o->format, if there is one. */
gt_status gt_format_for     (const char *path, const gt_write_options *o, int projections, const gt_format **format);
gt_status gt_format_of      (const char *path, const gt_format **format);
/* The same of one that must hold a volume. */
gt_status gt_volume_format_of(const char *path, const gt_format **format);
/* What a reader of that format failed with, or that the other kind of data is in the file, which says more. */
gt_status gt_explain_reading(gt_status st, const gt_format *f, const char *path, int projections);
/* The options with the defaults of those that the caller does not know. GT_ERR_ARG: their size is not one that the library knows. */
gt_status gt_complete_read_options (const char *path, const gt_read_options *o, gt_read_options *full);
gt_status gt_complete_write_options(const char *path, const gt_write_options *o, gt_write_options *full);
gt_status gt_check_writing  (const char *path, const gt_format *f, const gt_write_options *o, const gt_grid *grid);

#endif
