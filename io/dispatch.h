#ifndef GT_IO_DISPATCH_H
#define GT_IO_DISPATCH_H
#include <gantry/io.h>

/* The format that is written to a path of that name; the format of a file that is read. */
gt_status gt_format_to_write(const char *path, int projections, const gt_format **format);
gt_status gt_format_of      (const char *path, const gt_format **format);
gt_status gt_check_writing  (const char *path, const gt_write_options *o, const gt_grid *grid);

#endif
