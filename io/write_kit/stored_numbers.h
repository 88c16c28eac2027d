#ifndef GT_IO_WRITE_KIT_STORED_NUMBERS_H
#define GT_IO_WRITE_KIT_STORED_NUMBERS_H
/* Voxels as formats store them that have a choice: floats, or whole numbers over one range for the whole volume;
 * private to io/. */
#include <gantry/io.h>

typedef struct {
	unsigned bits;                  /* 32: floats */
	double water;                   /* > 0: HU of it */
	double low, step;               /* number in the unit = low + step * stored; floats: 0 and 1 */
	size_t clipped;                 /* voxels so far that are beyond the range */
} gt_stored_numbers;

/* By bits, low and high of the options. GT_ERR_ARG: whole numbers without a range. */
gt_status gt_stored_numbers_set(const char *path, const gt_write_options *o, const gt_volume *head, gt_stored_numbers *s);
/* n voxels, mm^-1 -> n numbers of bits / 8 bytes. */
void      gt_stored_numbers_of (gt_stored_numbers *s, const float *from, size_t n, void *to);
/* Tells how many were beyond the range, if any. */
void      gt_stored_numbers_note(const char *path, const gt_write_options *o, const gt_stored_numbers *s,
                                  const gt_grid *grid);
/* 1: whole numbers are asked for without a range. */
int       gt_stored_numbers_lack_range(const gt_write_options *o);
/* Sets low and high where that is so: from the first to the last thousandth of the voxels. */
gt_status gt_stored_numbers_range(const char *path, const gt_volume *v, gt_write_options *o);
/* The same of voxels that come some at a time, in ascending order: the same numbers. Drop it in any case. */
typedef struct { double *some, water; size_t n, room, stride; } gt_range_finder;
gt_status gt_range_begin(const char *path, const gt_write_options *o, const gt_volume *head, gt_range_finder *r);
void      gt_range_look (gt_range_finder *r, size_t first, size_t n, const float *data);   /* voxels from `first` on */
void      gt_range_end  (const char *path, gt_range_finder *r, gt_write_options *o);
void      gt_range_drop (gt_range_finder *r);
#endif
