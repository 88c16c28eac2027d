#ifndef GT_IO_FRAMES_INTENSITY_H
#define GT_IO_FRAMES_INTENSITY_H
/* Conversion of counts to line integrals, view by view; private to io/. p = -ln((I - dark) / gain / air). */
#include <pthread.h>
#include <gantry/io.h>
#include "geometry/air_columns.h"
#include "io/frames/frame_source.h"

/* A dead pixel, and the pixels around it whose mean replaces it. */
enum { GT_FILL_REACH = 3, GT_FILL_MAX = (2 * GT_FILL_REACH + 1) * (2 * GT_FILL_REACH + 1) - 1 };
typedef struct { size_t row, column, from[GT_FILL_MAX], n; } gt_filled_cell;

/* Air level: a line through the medians of both sides, or the median of one side. */
typedef struct { float at_left, at_right; int known; } gt_air_level;

enum { GT_UNREAD, GT_BLACK, GT_LIT };

/* Mean flat field of one time, minus the dark field: [row][column]. */
typedef struct { double view; float *gain; } gt_flat_set;

/* Largest counts of the values read, and the number of values that equal them. */
typedef struct { float counts; size_t values; } gt_top_counts;
/* Adds n stored values of integers. */
void gt_top_counts_of(const float *stored, size_t n, gt_top_counts *top);
void gt_top_counts_add(gt_top_counts *top, const gt_top_counts *more);

typedef struct {
	size_t rows, columns, views;
	const gt_frame_source *frames;
	float *dark, *gain;             /* [row][column]: mean dark field, gain of the first set; NULL: no division */
	gt_flat_set *set;               /* [sets], by view; linear interpolation between them, constant beyond */
	size_t sets;
	gt_filled_cell *fill;           /* sorted by row */
	size_t fills;
	gt_air_columns air;
	gt_air_level *level;            /* [views]; NULL: no division by air */
	unsigned char *seen;            /* [views]: GT_UNREAD; GT_BLACK: all values were floored; else GT_LIT */
	pthread_mutex_t lock;           /* protects the next members, and level */
	size_t floored;                 /* number of values since the counters were reset */
	gt_top_counts top;
} gt_intensity;

/* flat, dark: NULL: none. before[flat->frames]: number of views before each flat field, ascending; NULL: 0. white:
 * blank-scan counts without a flat field; 0: 1. Pixels whose gain is below a tenth of their neighbours' are
 * interpolated. Errors name the field's file. */
typedef struct {
	const gt_frame_source *flat, *dark;
	const size_t *before;
	double white;
	int own;                        /* the fields are from the scan's file: sets that do not fit are ignored */
} gt_fields_of_scan;
gt_status gt_intensity_new(const gt_frame_source *frames, const gt_fields_of_scan *fields, const gt_read_options *o, gt_intensity **x);
void      gt_intensity_free(gt_intensity *x);
/* Flat fields after the scan. With one set before, view v of n is divided by (1 - a) before + a after, a = v/(n -
 * 1). */
gt_status gt_intensity_set_after(gt_intensity *x, const gt_frame_source *flat, const gt_read_options *o);

/* "0,300,600": equal numbers of flat fields follow each of these numbers of views; replaces *before[images].
 * GT_ERR_ARG. */
gt_status gt_flat_times(const char *at, size_t images, size_t views, size_t **before);
/* Notes if there are equal numbers of fields and views: a folder of views may have been passed. field NULL: does
 * nothing. */
void      gt_note_number(const gt_frame_source *field, const char *what, const gt_frame_source *scan, const gt_read_options *o);

/* Images first ... first+n-1 of a source, which are averaged. what: "flat" or "dark". signal: mean counts of the flat
 * fields, by which dark fields are judged; 0: unknown. */
typedef struct { const gt_frame_source *source; size_t first, n; const char *what; double signal; } gt_averaged_fields;
/* For gt_intensity_new(). Their mean, [row][column]; the caller frees it. o NULL: no notes. */
gt_status gt_mean_field(const gt_averaged_fields *images, const gt_frame_source *views, const gt_read_options *o, float **out);
/* level[images->n]: mean counts of each. Notes the one that deviates most from their median, if that is implausible. */
gt_status gt_note_odd_field(const gt_averaged_fields *images, const double *level, const gt_read_options *o);
/* Sets the flat fields. x->gain is the first set minus the dark field, with 1 in interpolated pixels. */
gt_status gt_intensity_add_sets(gt_intensity *x, const gt_fields_of_scan *fields, const gt_read_options *o);
/* Interpolates pixels of x->gain without signal from now on. Only for a single set. path: for messages. */
gt_status gt_intensity_find_dead(gt_intensity *x, const char *path, const gt_read_options *o);
/* dead[row][column]: 1 in pixels to interpolate in all views from now on; path: for messages. */
gt_status gt_intensity_fill(gt_intensity *x, const unsigned char *dead, const char *path);
/* Notes saturated pixels in flat fields, whose true counts are unknown. */
void      gt_note_saturated(const gt_frame_source *flat, const float *mean, const gt_read_options *o);
/* Likewise if a noisy scan's flat fields have one largest value in many pixels, below the largest value of the type. */
void      gt_note_clipped_field(const gt_frame_source *views, const gt_frame_source *flat, const float *mean, const gt_read_options *o);
/* Finds columns that are air in all views, or parses the given ones. NULL and "auto" find; "no" does nothing.
 * without_white: there is no white level, so air is required. */
gt_status gt_intensity_set_air(gt_intensity *x, const char *air, int without_white, const gt_read_options *o);
/* Transmissions, not divided by air; rows as in gt_frame_source.read. */
gt_status gt_intensity_transmission(gt_intensity *x, size_t view, size_t row, size_t rows, float *out);
/* Resets the counters: values read to find air and axis are read again. */
void      gt_intensity_restart(gt_intensity *x);
/* Notes on the values read since then: black views, values at the floor, saturated values. */
/* GT_ERR_FORMAT: more than 30 % of the values of views that are not black are at most 1/65536 of the given white. */
gt_status gt_intensity_check(const gt_intensity *x, const char *path, double white);
void      gt_intensity_note(const gt_intensity *x, const char *path, const gt_read_options *o);
/* Line integrals; thread-safe. */
gt_status gt_intensity_read(gt_intensity *x, size_t view, size_t row, size_t rows, float *out);

/* For set_air: measures the air of one view in its whole transmission. */
gt_status gt_air_measure(const gt_intensity *x, const float *t, gt_air_level *level);

#endif
