#ifndef GT_IO_WRITE_KIT_VOLUME_UNITS_H
#define GT_IO_WRITE_KIT_VOLUME_UNITS_H
/* What volume formats share; private to io/. */
#include <gantry/io.h>
#include "io/write_kit/number_types.h"

/* gt_grid_check() of a grid that a file holds: GT_ERR_FORMAT, with the file's name. */
gt_status gt_volume_check(const char *path, const gt_grid *grid);
/* Reverses voxels [n[2]][n[1]][n[0]] along every axis (0: x) whose flag is set. */
void   gt_voxels_flip(float *data, const size_t n[3], const int flip[3]);
/* Where slices first ... first+n-1 of the grid begin in a file of `all`; down: they run against the grid's. */
size_t gt_stored_slice(size_t all, size_t first, size_t n, int down);
/* data = scale * data + offset, of n values. */
void   gt_voxels_linear(float *data, size_t n, double scale, double offset);
/* Attenuation of water to write HU with: the options', else the volume's, else the default. */
double gt_hu_water(const gt_write_options *o, const gt_volume *v);

/* Widens low and high by n voxels in HU, for formats that must know them. */
void   gt_extremes_look(gt_write_options *o, const gt_volume *head, size_t n, const float *data);

/* What our own files say in a line of text that other programs keep: "gantry unit=HU water=0.02 position=HFS". */
typedef struct {
	int ours;                       /* the line is of this kind and names the unit */
	gt_unit unit;
	double water;                   /* 0: not said */
	gt_position position;           /* GT_POSITION_AUTO: not said */
	int assumed;                    /* 1: nobody knew it: the axes alone are told by it */
} gt_said;
#define GT_SAID 128
void gt_said_print(const gt_write_options *o, int hu, const gt_volume *v, char text[GT_SAID]);
void gt_said_parse(const char *text, gt_said *said);    /* leaves what the text does not say */

/* The number in that unit is slope * stored + offset. */
typedef struct { gt_unit unit; double slope, offset; } gt_scaling;
/* In: slope and offset of the file, NAN where it has none. Out: the user's, else those of our own files, else by the meaning of the
 * type, with a note. GT_ERR_UNSUPPORTED where that is GT_MEANS_NOTHING. */
gt_status gt_volume_scaling(const char *path, const char *format, const char *type, gt_meaning meaning, const gt_said *said,
                            const gt_read_options *o, gt_scaling *scaling);
/* mm^-1 = scale * stored + offset; sets the water and the file's unit. */
void   gt_volume_scale(gt_volume *v, const gt_scaling *s, const gt_said *said, const gt_read_options *o, double *scale, double *offset);
/* Refuses NaN and infinity among the numbers of slices first ... first+n-1 (GT_ERR_FORMAT). size: z, y, x of all. */
gt_status gt_voxels_finite(const char *path, const size_t size[3], size_t first, size_t n, const float *data);

/* The number with that many digits. */
double gt_rounded(double x, int digits);
/* Programs that hold a length as float write 3.2 as 3.200000047683716. */
double gt_length_meant(double x);
/* Tells who listens to the notes of the options. */
void   gt_read_note(const gt_read_options *o, const char *format, ...) GT_PRINTF(2, 3);
void   gt_write_note(const gt_write_options *o, const char *format, ...) GT_PRINTF(2, 3);
#endif
