#ifndef GT_IO_WRITE_KIT_STORED_NUMBERS_H
#define GT_IO_WRITE_KIT_STORED_NUMBERS_H
/* Stored sample types: floats, or integers over one range for the whole volume; private to io/. */
#include <gantry/io.h>

typedef struct {
	unsigned bits;                  /* 32: floats */
	double water;                   /* > 0: convert to HU with this attenuation of water */
	double low, step;               /* value in the unit = low + step * stored; floats: 0 and 1 */
	size_t clipped;                 /* number of voxels outside the range so far */
} gt_stored_numbers;

/* Uses bits, low and high of the options. GT_ERR_ARG: integers without a range. */
gt_status gt_stored_numbers_set(const char *path, const gt_write_options *o, const gt_volume *head, gt_stored_numbers *s);
/* Converts n voxels in mm^-1 to n samples of bits / 8 bytes. */
void      gt_stored_numbers_of (gt_stored_numbers *s, const float *from, size_t n, void *to);
/* Notes the number of voxels outside the range, if any. */
void      gt_stored_numbers_note(const char *path, const gt_write_options *o, const gt_stored_numbers *s,
                                  const gt_grid *grid);
/* 1: integers are requested without a range. */
int       gt_stored_numbers_lack_range(const gt_write_options *o);
/* In that case sets low and high: excludes a thousandth of the voxels at either end. */
gt_status gt_stored_numbers_range(const char *path, const gt_volume *v, gt_write_options *o);
/* Likewise for voxels that arrive in parts, in ascending order; the result is identical. Always drop it. */
typedef struct { double *some, water; size_t n, room, stride; } gt_range_finder;
gt_status gt_range_begin(const char *path, const gt_write_options *o, const gt_volume *head, gt_range_finder *r);
void      gt_range_extend (gt_range_finder *r, size_t first, size_t n, const float *data);   /* voxels from `first` on */
void      gt_range_end  (const char *path, gt_range_finder *r, gt_write_options *o);
void      gt_range_drop (gt_range_finder *r);
#endif
