#ifndef GT_IO_GEOMETRY_GEOMETRY_WRITERS_H
#define GT_IO_GEOMETRY_GEOMETRY_WRITERS_H
/* Writers of scans for other programs; private to io/. The caller that closes the file detects write errors. */
#include <stdio.h>
#include "io/geometry/input.h"

gt_status gt_write_rtk  (FILE *file, const gt_scan *scan, const gt_listener *notes);
/* ending: "npy", "json"; any other writes text. */
gt_status gt_write_astra(FILE *file, const gt_scan *scan, const char *ending, const gt_listener *notes);
gt_status gt_write_leap (FILE *file, const gt_scan *scan, const gt_listener *notes);

#endif
