#ifndef GT_IO_GEOMETRY_GEOMETRY_FILES_H
#define GT_IO_GEOMETRY_GEOMETRY_FILES_H
/* Contents of geometry files, for readers of images. */
#include <gantry/io.h>

/* Returns the name of the format, "nikon". */
const char    *gt_geometry_format(const gt_geometry *g);

/* Reverses these signs of the scan. */
gt_status      gt_geometry_reverse(gt_geometry *g, unsigned what);
/* Blank-scan (I0) counts of images that are already corrected; 0: not stated. */
double         gt_geometry_white(const gt_geometry *g);
/* File or folder of the images; NULL: not stated. */
const char    *gt_geometry_images(const gt_geometry *g);
/* Returns 1 for a geometry file, by its contents. */
int            gt_geometry_probe(const char *path);
#endif
