#ifndef GT_IO_FRAMES_XIM_FILE_H
#define GT_IO_FRAMES_XIM_FILE_H
/* One image of a Varian accelerator, .xim; private to io/. The form is what RTK and TIGRE read: a head, the pixels
 * (compressed by differences), a histogram, named properties. */
#include <stddef.h>
#include <stdint.h>
#include <gantry/status.h>

typedef struct {
	unsigned char *bytes;           /* of the whole file */
	size_t size, rows, columns, pixel_bytes;
	size_t lookup, lookups, data, data_bytes;       /* places in the file; lookups 0: not compressed */
	size_t properties, property;    /* how many, where the first is */
} gt_xim;

int       gt_is_xim(const char *path);
/* GT_ERR_FORMAT: no such file, cut off, sizes that contradict each other, no pixels. */
gt_status gt_xim_open(const char *path, gt_xim *x);
void      gt_xim_close(gt_xim *x);
/* The first `rows` rows. */
gt_status gt_xim_pixels(const char *path, const gt_xim *x, size_t rows, int32_t *out);
/* The bytes of a file of at least `least` bytes, and no more than a .xim may have, into x. */
gt_status gt_xim_load(const char *path, size_t min, gt_xim *x);
double    gt_xim_real_at(const unsigned char *bytes);
/* A property that is one number: 1 where it is there. */
int       gt_xim_number(const gt_xim *x, const char *name, double *value);

#endif
