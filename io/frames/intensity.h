#ifndef GT_IO_FRAMES_INTENSITY_H
#define GT_IO_FRAMES_INTENSITY_H
/* From counts to line integrals, view by view; private to io/. p = -ln((I - dark) / gain / air). */
#include <pthread.h>
#include <gantry/io.h>
#include "geometry/air_columns.h"
#include "io/frames/frame_source.h"

/* A cell without light, and the cells around it whose mean it gets. */
enum { GT_FILL_REACH = 3, GT_FILL_MOST = (2 * GT_FILL_REACH + 1) * (2 * GT_FILL_REACH + 1) - 1 };
typedef struct { size_t row, column, from[GT_FILL_MOST], n; } gt_filled_cell;

/* Air beside the body: a line through the medians of both sides, or what one side has. */
typedef struct { float at_left, at_right; int known; } gt_air_level;

typedef struct {
	size_t rows, columns, views;
	const gt_frame_source *frames;
	float *dark, *gain;             /* [row][column]: mean dark field, mean flat field less that; NULL: counts are divided by nothing */
	float *after;                   /* of flat fields after the scan: straight lines between; NULL: none */
	gt_filled_cell *fill;           /* by rows */
	size_t fills;
	gt_air_columns air;
	gt_air_level *level;            /* [views]; NULL: views are not divided by air */
	pthread_mutex_t lock;           /* of the two below, and of level */
	size_t floored, saturated;      /* values that were, since the counters were set to 0 */
} gt_intensity;

/* flat, dark: NULL: none. white: counts without a body where there is no flat; 0: 1. Cells whose gain is below a
 * tenth of what is around them are filled. Errors name the field's file. */
gt_status gt_intensity_new(const gt_frame_source *frames, const gt_frame_source *flat, const gt_frame_source *dark, double white,
                           const gt_read_options *o, gt_intensity **x);
void      gt_intensity_free(gt_intensity *x);
/* Flat fields after the scan: view v of n is divided by (1 - a) before + a after, a = v/(n - 1). */
gt_status gt_intensity_set_after(gt_intensity *x, const gt_frame_source *flat, const gt_read_options *o);
/* Finds columns that are air in all views, or takes those that are given; NULL and "auto" find, "no" does nothing.
 * without_flat: the level is that of white, so air must be found. */
gt_status gt_intensity_set_air(gt_intensity *x, const char *air, int without_white, const gt_read_options *o);
/* Transmissions, without a division by air; rows as gt_frame_source.read. */
gt_status gt_intensity_transmission(gt_intensity *x, size_t view, size_t row, size_t rows, float *out);
/* Line integrals; any number of threads at a time. */
gt_status gt_intensity_read(gt_intensity *x, size_t view, size_t row, size_t rows, float *out);

/* For set_air: the air of one view from its whole transmission. */
gt_status gt_air_measure(const gt_intensity *x, const float *t, gt_air_level *level);

#endif
