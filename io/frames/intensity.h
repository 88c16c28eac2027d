#ifndef GT_IO_FRAMES_INTENSITY_H
#define GT_IO_FRAMES_INTENSITY_H
/* From counts to line integrals, view by view; private to io/. p = -ln((I - dark) / gain / air). */
#include <pthread.h>
#include <gantry/io.h>
#include "geometry/air_columns.h"
#include "io/frames/frame_source.h"

/* A cell without light, and the cells around it whose mean it gets. */
enum { GT_FILL_REACH = 3, GT_FILL_MAX = (2 * GT_FILL_REACH + 1) * (2 * GT_FILL_REACH + 1) - 1 };
typedef struct { size_t row, column, from[GT_FILL_MAX], n; } gt_filled_cell;

/* Air beside the body: a line through the medians of both sides, or what one side has. */
typedef struct { float at_left, at_right; int known; } gt_air_level;

enum { GT_UNREAD, GT_BLACK, GT_LIT };

/* The mean of the flat fields of one time, less the dark field: [row][column]. */
typedef struct { double view; float *gain; } gt_flat_set;

typedef struct {
	size_t rows, columns, views;
	const gt_frame_source *frames;
	float *dark, *gain;             /* [row][column]: mean dark field, gain of the first set; NULL: counts are divided by nothing */
	gt_flat_set *set;               /* [sets], by their views; straight lines between them, constant beyond */
	size_t sets;
	gt_filled_cell *fill;           /* by rows */
	size_t fills;
	gt_air_columns air;
	gt_air_level *level;            /* [views]; NULL: views are not divided by air */
	unsigned char *seen;            /* [views]: GT_UNREAD; GT_BLACK: all values were floored; else GT_LIT */
	pthread_mutex_t lock;           /* of the three around, and of level */
	size_t floored, saturated;      /* values that were, since the counters were set to 0 */
} gt_intensity;

/* flat, dark: NULL: none. before[flat->frames]: how many views came before each flat field, ascending; NULL: none did.
 * white: counts without a body where there is no flat; 0: 1. Cells whose gain is below a tenth of what is around them
 * are filled. Errors name the field's file. */
typedef struct {
	const gt_frame_source *flat, *dark;
	const size_t *before;
	double white;
	int own;                        /* the scan's file says which they are: what does not fit is left out */
} gt_fields_of_scan;
gt_status gt_intensity_new(const gt_frame_source *frames, const gt_fields_of_scan *fields, const gt_read_options *o, gt_intensity **x);
void      gt_intensity_free(gt_intensity *x);
/* Flat fields after the scan: with those before it alone view v of n is divided by (1 - a) before + a after,
 * a = v/(n - 1). */
gt_status gt_intensity_set_after(gt_intensity *x, const gt_frame_source *flat, const gt_read_options *o);

/* "0,300,600": the flat fields are as many for each of these numbers of views that came before them; *before[images] is
 * freed, and made anew. GT_ERR_ARG. */
gt_status gt_flat_times(const char *at, size_t images, size_t views, size_t **before);
/* Tells where there are as many fields as views: a folder of views may have been given. field NULL: nothing. */
void      gt_note_number(const gt_frame_source *field, const char *what, const gt_frame_source *scan, const gt_read_options *o);

/* For gt_intensity_new(). Mean of images first ... first+n-1, [row][column], malloc'ed. */
gt_status gt_mean_field(const gt_frame_source *s, size_t first, size_t n, const gt_frame_source *views, const char *what, float **out);
/* The sets of flat fields; x->gain has the first, less the dark field, with 1 in cells that are filled. */
gt_status gt_intensity_add_sets(gt_intensity *x, const gt_fields_of_scan *fields, const gt_read_options *o);
/* Cells of x->gain, less the dark field, that have no light are filled from now on; the first set is the only one.
 * path: for messages. */
gt_status gt_intensity_find_dead(gt_intensity *x, const char *path, const gt_read_options *o);
/* dead[row][column]: 1 in cells that all views get from their neighbours from now on; path: for messages. */
gt_status gt_intensity_fill(gt_intensity *x, const unsigned char *dead, const char *path);
/* Saturated flat fields hide what was there: told. */
void      gt_note_saturated(const gt_frame_source *flat, const float *mean, const gt_read_options *o);
/* Finds columns that are air in all views, or takes those that are given; NULL and "auto" find, "no" does nothing.
 * without_flat: the level is that of white, so air must be found. */
gt_status gt_intensity_set_air(gt_intensity *x, const char *air, int without_white, const gt_read_options *o);
/* Transmissions, without a division by air; rows as gt_frame_source.read. */
gt_status gt_intensity_transmission(gt_intensity *x, size_t view, size_t row, size_t rows, float *out);
/* Sets the counters to 0: values that were read to find air and axis are read again. */
void      gt_intensity_restart(gt_intensity *x);
/* Notes on the values read since then: black views, values at the floor, saturated values. */
/* GT_ERR_FORMAT: more than 30 % of the values of views that are not black are at most 1/65536 of the given white. */
gt_status gt_intensity_check(const gt_intensity *x, const char *path, double white);
void      gt_intensity_note(const gt_intensity *x, const char *path, const gt_read_options *o);
/* Line integrals; any number of threads at a time. */
gt_status gt_intensity_read(gt_intensity *x, size_t view, size_t row, size_t rows, float *out);

/* For set_air: the air of one view from its whole transmission. */
gt_status gt_air_measure(const gt_intensity *x, const float *t, gt_air_level *level);

#endif
