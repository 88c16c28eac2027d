#ifndef GT_IO_FRAMES_XIM_FILE_H
#define GT_IO_FRAMES_XIM_FILE_H
/* One image of a Varian accelerator, .xim; private to io/. The layout follows the readers of RTK and TIGRE: a header,
 * the pixels (compressed by differences), a histogram, named properties. */
#include <stddef.h>
#include <stdint.h>
#include <gantry/status.h>

typedef struct {
	unsigned char *bytes;           /* the whole file */
	size_t size, rows, columns, pixel_bytes;
	size_t lookup, lookups, data, data_bytes;       /* offsets and sizes in the file; lookups 0: not compressed */
	size_t properties, property;    /* their number, and the offset of the first */
} gt_xim;

int       gt_is_xim(const char *path);
/* GT_ERR_FORMAT: not a .xim, truncated, contradictory sizes, or no pixels. */
gt_status gt_xim_open(const char *path, gt_xim *x);
void      gt_xim_close(gt_xim *x);
gt_status gt_xim_pixels(const char *path, const gt_xim *x, size_t rows, int32_t *out);
/* Reads a file of at least `min` bytes, and at most the largest size of a .xim, into x. */
gt_status gt_xim_load(const char *path, size_t min, gt_xim *x);
double    gt_xim_real_at(const unsigned char *bytes);
/* Numeric property; returns 1 if it exists. */
int       gt_xim_number(const gt_xim *x, const char *name, double *value);

#endif
