#ifndef GT_IO_FIELDS_H
#define GT_IO_FIELDS_H
/* Flat and dark fields of files of images. */
#include <gantry/io.h>

/* Reads flat or dark fields one by one, in counts, for images of counts of any format. Rows and columns are those of
 * the projections with the same options. data: [image][row][column], for gt_fields_free(); images 0: none. */
typedef struct { size_t rows, columns; int dark; } gt_fields_request;
typedef struct { float *data; size_t images; } gt_fields;
gt_status gt_read_fields(const char *path, const gt_read_options *o, const gt_fields_request *r, gt_fields *f);
void      gt_fields_free(gt_fields *f);
#endif
