#ifndef GT_PREPARE_STEP_H
#define GT_PREPARE_STEP_H
/* What steps of preparation share; private to prepare/. */
#include <gantry/prepare.h>
#include <gantry/threads.h>
#include "geometry/projections.h"

/* What every step with a table of parameters says alike. */
#define GT_STEP_MEMBERS .params = params, .defaults = &defaults, .options_size = sizeof defaults, .run = run

/* All projections as a step gets them, whole views at a time. */
typedef struct {
	const gt_scan *scan;
	gt_status (*read)(void *self, size_t first, size_t views, float *out);
	void *self;
} gt_prepare_source;

struct gt_prepare_call {
	gt_projections **p;             /* values are there and the handle's own; a piece, or all */
	gt_pool *pool;
	const gt_prepare_options *o;
	const char *step;               /* its name, for messages */
	gt_prepare_source source;       /* for look() */
	double water;                   /* of the projections, mm-1; 0: not known */
	int in_chunks;                  /* *p is no more than a piece; look() has none */
	void *known;                    /* look() makes it, run() adds to it, tell() says it */
	void (*forget)(void *known);    /* frees it; NULL: free() does */
};

/* Room of that size, 0 throughout, as what is known; GT_ERR_MEMORY. */
gt_status gt_prepare_known(gt_prepare_call *c, size_t bytes);
/* "A:B:...": 1 to `most` finite numbers with colons between them; GT_ERR_ARG names the key. */
gt_status gt_prepare_numbers(const char *key, const char *text, size_t max, double *x, size_t *n);
/* For look(): GT_ERR_UNSUPPORTED in pieces, since `what` takes all projections at once. */
gt_status gt_prepare_needs_all(const gt_prepare_call *c, const char *what);
/* GT_ERR_FORMAT if one of the fields holds NaN or an infinite number. what: "flat", "dark". */
gt_status gt_prepare_fields_finite(const gt_field_images *f, const char *what, size_t pixels);
/* Work on values, any of them at a time; the sum of what it gives back. */
typedef size_t (*gt_value_work)(const void *self, float *x, size_t n);
size_t gt_prepare_values(const gt_prepare_call *c, gt_value_work work, const void *self);
/* The scan of those views, and of rows row ... row+rows-1. */
gt_status gt_prepare_part_of(const gt_scan *scan, const size_t *view, size_t views, size_t row, size_t rows, gt_scan **out);

/* A step with its parameters and what it knows. */
typedef struct {
	const gt_preparation *step;
	void *options, *known;
	void (*forget)(void *known);
} gt_prepared_step;
gt_status gt_prepared_step_new(const char *spec, gt_prepared_step *s);
void      gt_prepared_step_free(gt_prepared_step *s);
/* look(), run() and tell() of it, with c as it stands. */
gt_status gt_prepared_look(gt_prepare_call *c, gt_prepared_step *s);
gt_status gt_prepared_run (gt_prepare_call *c, gt_prepared_step *s);
void      gt_prepared_report(gt_prepare_call *c, gt_prepared_step *s);
/* Adds it to the parameters of p. */
gt_status gt_prepared_record(gt_projections *p, const gt_prepared_step *s);
gt_status gt_prepare_options_of(const gt_prepare_options *given, gt_prepare_options *full);

/* What passes less than one step of a 16-bit detector is not known better than that. */
#define GT_MIN_TRANSMISSION (1.0 / 65536)

void gt_prepare_note(const gt_prepare_call *c, const char *format, ...) GT_PRINTF(2, 3);
/* Weights of the projections, 1 where there are none yet. */
gt_status gt_prepare_weights(gt_prepare_call *c, float **weights);
/* The same projections, of that scan, in new arrays; weights and photons where there are some; the values are 0. */
gt_status gt_prepare_like(const gt_projections *p, const gt_scan *scan, gt_projections **out);
void      gt_prepare_replace(gt_prepare_call *c, gt_projections *by);

/* Row by row: sinogram [view][column] of a row of the detector, which is put back afterwards, and scratch of that
 * many doubles, one per thread. */
typedef void (*gt_row_work)(void *self, size_t row, float *sinogram, double *scratch);
gt_status gt_prepare_rows(const gt_prepare_call *c, gt_row_work work, void *self, size_t scratch);

/* For look(): photons of a pixel that nothing attenuated, as the projections have them, else as differences of
 * neighbours tell in 8 views in the middle of the scan; 0: cannot be told. */
gt_status gt_prepare_photons(const gt_prepare_call *c, double *photons);
/* Median of n <= 64 values, which are put into another order. */
float gt_median_few(float *x, size_t n);

/* Marks bad[row][column] in all views: values are interpolated from good neighbours, weights are 0. */
gt_status gt_prepare_fill(gt_prepare_call *c, const unsigned char *bad);
/* |x| beyond `factor` robust deviations (1.4826 median |x - median x|) of n values; both may be NULL. */
gt_status gt_robust_spread(const float *x, size_t n, double *median, double *deviation);
/* out = the median of the 5 x 5 pixels around each, fewer at edges, on both sides alike. */
void gt_local_medians(const float *x, size_t rows, size_t columns, gt_pool *pool, float *out);

#endif
