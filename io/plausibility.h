#ifndef GT_IO_PLAUSIBILITY_H
#define GT_IO_PLAUSIBILITY_H
/* Checks that the values of projections can be line integrals, and not counts or another unit. */
#include <gantry/data.h>
#include <gantry/message.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Largest ratio of the sides of a detector pixel; sides in mm and in um exceed it. */
enum { GT_MAX_PITCH_RATIO = 50 };

/* Range of values, accumulated by several calls. Initially 0 except for the size. */
typedef struct {
	size_t size;                    /* sizeof(gt_value_range) */
	size_t looked, implausible;     /* number of values; of impossible values of -ln(I/I0) */
	float min, max;                 /* range of the arrays with impossible values */
	size_t negative, positive;      /* number of values below and above those of air */
	size_t deep, high;              /* likewise, beyond those of air with a drift of the source */
} gt_value_range;
void gt_value_range_scan(gt_value_range *r, const float *value, size_t n);
/* Warns, with the name of the file, of impossible values and of a reversed sign. */
void gt_value_range_warn(const gt_value_range *r, const gt_listener *log, const char *path);
/* Likewise as a failure: GT_ERR_FORMAT. */
gt_status gt_value_range_check(const gt_value_range *r, const char *path);
/* GT_ERR_FORMAT if some values of p are impossible: their number and range, and view, row and column of the first.
 * GT_OK without data. */
gt_status gt_projections_plausible(const gt_projections *p, const char *path);
/* Checks all values of p and warns; returns 1 if some are impossible, 0 without data. */
int  gt_projections_implausible(const gt_projections *p, const gt_listener *log, const char *path);
/* Warns if a sample of the views has mostly negative values: the sign is reversed. */
void gt_projections_note_sign(const gt_projections *p, const gt_listener *log, const char *path);
/* Warns of rows between others that have one value in all sampled views: dead, or missing data. */
void gt_projections_constant_rows(const gt_projections *p, const gt_listener *log, const char *path);
/* Warns of columns whose mean over views and rows deviates from both neighbours: dead or saturated pixels. */
void gt_projections_outlier_columns(const gt_projections *p, const gt_listener *log, const char *path);
/* Warns of every second row or view mirrored left to right, and of exchanged halves of the detector. */
void gt_projections_misplaced_pixels(const gt_projections *p, const gt_listener *log, const char *path);
/* Warns of all faults that a sample of the values, or the geometry, shows: those above, pixels of an impossible shape,
 * and clipped line integrals. */
void gt_projections_note_all(const gt_projections *p, const gt_listener *log, const char *path);

#ifdef __cplusplus
}
#endif
#endif
