#ifndef GT_IO_WRITE_KIT_VOLUME_UNITS_H
#define GT_IO_WRITE_KIT_VOLUME_UNITS_H
/* Functions shared by the volume formats; private to io/. */
#include <gantry/io.h>
#include "io/write_kit/number_types.h"

/* gt_grid_check() for a grid read from a file: GT_ERR_FORMAT with the file's name. */
gt_status gt_volume_check(const char *path, const gt_grid *grid);
/* Reverses voxels [n[2]][n[1]][n[0]] along every axis (0: x) whose flag is set. */
void   gt_voxels_flip(float *data, const size_t n[3], const int flip[3]);
/* First file slice of slices first ... first+n-1 of the grid in a file of `all`; down: file slices are reversed. */
size_t gt_stored_slice(size_t all, size_t first, size_t n, int down);
/* data = scale * data + offset for n values. */
void   gt_voxels_linear(float *data, size_t n, double scale, double offset);
/* Attenuation of water for writing HU: of the options, else the volume, else the default. */
double gt_hu_water(const gt_write_options *o, const gt_volume *v);

/* Extends o->low and o->high (HU) by n voxels, for formats that need the extremes. */
void   gt_extremes_extend(gt_write_options *o, const gt_volume *head, size_t n, const float *data);

/* Content of Gantry's comment line, which other programs preserve: "gantry unit=HU water=0.02 position=HFS". */
typedef struct {
	int ours;                       /* 1: such a line, with a unit */
	gt_unit unit;
	double water;                   /* 0: not stated */
	gt_position position;           /* GT_POSITION_AUTO: not stated */
	int assumed;                    /* 1: position unknown; it only names the axes */
} gt_stated;
#define GT_STATED 128
void gt_stated_print(const gt_write_options *o, int hu, const gt_volume *v, char text[GT_STATED]);
void gt_stated_parse(const char *text, gt_stated *said);    /* members that the text does not state are unchanged */

/* Value in the unit = slope * stored + offset. */
typedef struct { gt_unit unit; double slope, offset; } gt_scaling;
/* In: slope and offset of the file, NAN if absent. Out: the user's, else those of Gantry's files, else by the meaning
 * of the type, with a note. GT_ERR_UNSUPPORTED for GT_MEANS_NOTHING. */
gt_status gt_volume_scaling(const char *path, const char *format, const char *type, gt_meaning meaning, const gt_stated *said,
                            const gt_read_options *o, gt_scaling *scaling);
/* Sets scale and offset: mm^-1 = scale * stored + offset. Sets v's water and unit. */
void   gt_volume_scale(gt_volume *v, const gt_scaling *s, const gt_stated *said, const gt_read_options *o, double *scale, double *offset);
/* GT_ERR_FORMAT: NaN or infinity in slices first ... first+n-1. size: z, y, x of the whole volume. */
gt_status gt_voxels_finite(const char *path, const size_t size[3], size_t first, size_t n, const float *data);

/* Rounds x to `digits` significant digits. */
double gt_rounded(double x, int digits);
/* Undoes single precision: lengths stored as float turn 3.2 into 3.200000047683716. */
double gt_length_meant(double x);
/* Sends a note to the listener of the options. */
void   gt_read_note(const gt_read_options *o, const char *format, ...) GT_PRINTF(2, 3);
void   gt_write_note(const gt_write_options *o, const char *format, ...) GT_PRINTF(2, 3);
#endif
