#ifndef GT_PREPARE_STEP_H
#define GT_PREPARE_STEP_H
/* Contract between preparation steps and their caller; private to prepare/. */
#include <gantry/prepare.h>
#include <gantry/threads.h>
#include "geometry/projections.h"

/* Members of every step with a table of parameters. */
#define GT_STEP_MEMBERS .params = params, .defaults = &defaults, .options_size = sizeof defaults, .run = run

/* All uncorrected projections, read by whole views. */
typedef struct {
	const gt_scan *scan;
	gt_status (*read)(void *self, size_t first, size_t views, float *out);
	void *self;
} gt_prepare_source;

struct gt_prepare_call {
	gt_projections **p;             /* values belong to the handle; a chunk, or all projections */
	gt_pool *pool;
	const gt_prepare_options *o;
	const char *step;               /* name of the step, for messages */
	gt_prepare_source source;       /* all projections, for inspect() */
	double water;                   /* attenuation of water in the projections, mm-1; 0: unknown */
	int ask_again;                  /* advise() sets it if the step may be needed once more, with other parameters */
	int round;                      /* number of earlier calls of advise() for this step */
	int in_chunks;                  /* *p is a chunk; inspect() has none */
	void *known;                    /* inspect() makes it, run() adds to it, report() reports it */
	void (*forget)(void *known);    /* frees it; NULL: free() does */
};

/* Allocates c->known, zeroed. GT_ERR_MEMORY. */
gt_status gt_prepare_known(gt_prepare_call *c, size_t bytes);
/* "A:B:...": 1 to `most` finite numbers with colons between them; GT_ERR_ARG names the key. */
gt_status gt_prepare_numbers(const char *key, const char *text, size_t max, double *x, size_t *n);
/* For inspect(): GT_ERR_UNSUPPORTED in a chunked run, because `what` needs all projections at once. */
gt_status gt_prepare_needs_all(const gt_prepare_call *c, const char *what);
/* GT_ERR_FORMAT if one of the fields holds NaN or an infinite number. what: "flat", "dark". */
gt_status gt_prepare_fields_finite(const gt_field_images *f, const char *what, size_t pixels);
/* Calls work on disjoint ranges of values in parallel; returns the sum of its results. */
typedef size_t (*gt_value_work)(const void *self, float *x, size_t n);
size_t gt_prepare_values(const gt_prepare_call *c, gt_value_work work, const void *self);
/* Creates the scan of the given views and of rows row ... row+rows-1. */
gt_status gt_prepare_part_of(const gt_scan *scan, const size_t *view, size_t views, size_t row, size_t rows, gt_scan **out);

/* A step with its parameters and its findings. */
typedef struct {
	const gt_preparation *step;
	void *options, *known;
	void (*forget)(void *known);
} gt_prepared_step;
gt_status gt_prepared_step_new(const char *spec, gt_prepared_step *s);
void      gt_prepared_step_free(gt_prepared_step *s);
/* Call the function of the step on c. */
gt_status gt_prepared_inspect(gt_prepare_call *c, gt_prepared_step *s);
gt_status gt_prepared_run (gt_prepare_call *c, gt_prepared_step *s);
void      gt_prepared_report(gt_prepare_call *c, gt_prepared_step *s);
/* Appends the step to the parameters of p. */
gt_status gt_prepared_record(gt_projections *p, const gt_prepared_step *s);
gt_status gt_prepare_options_of(const gt_prepare_options *given, gt_prepare_options *full);

/* One step of a 16-bit detector: smaller transmissions are not resolved. */
#define GT_MIN_TRANSMISSION (1.0 / 65536)

void gt_prepare_note(const gt_prepare_call *c, const char *format, ...) GT_PRINTF(2, 3);
/* Returns the weights of the projections, created as 1 if there are none. */
gt_status gt_prepare_weights(gt_prepare_call *c, float **weights);
/* Multiplies the weights of marked pixels by `weight`, except for weights equal to it. marked: [n], repeated over all
 * values. */
gt_status gt_prepare_mark(gt_prepare_call *c, const unsigned char *marked, size_t n, float weight);
/* Creates zeroed projections of another scan, with weights and photons if p has them. */
gt_status gt_prepare_like(const gt_projections *p, const gt_scan *scan, gt_projections **out);
void      gt_prepare_replace(gt_prepare_call *c, gt_projections *by);

/* Calls work for each detector row: sinogram[view][column] is copied back afterwards. scratch: number of doubles per
 * thread. */
typedef void (*gt_row_work)(void *self, size_t row, float *sinogram, double *scratch);
gt_status gt_prepare_rows(const gt_prepare_call *c, gt_row_work work, void *self, size_t scratch);

/* Upper bound of estimated photons, which stands for projections without noise: a standard deviation of 0.1 %. */
#define GT_MAX_PHOTONS 1e6
/* For inspect() and advise(): photons of an unattenuated pixel from the projections, else estimated from differences of
 * neighbouring pixels in 8 central views. At most GT_MAX_PHOTONS. 0: too few pixels. */
gt_status gt_prepare_photons(const gt_prepare_call *c, double *photons);
/* Returns the median of n <= 64 values and reorders them. */
float gt_median_few(float *x, size_t n);

/* Interpolates bad[row][column] from good neighbours in all views and sets their weights to 0. */
gt_status gt_prepare_fill(gt_prepare_call *c, const unsigned char *bad);
/* Median and robust standard deviation (1.4826 median |x - median x|) of n values. */
gt_status gt_robust_spread(const float *x, size_t n, double *median, double *deviation);
/* out = the median of the 5 x 5 pixels around each; at edges the window is smaller and symmetric. */
void gt_local_medians(const float *x, size_t rows, size_t columns, gt_pool *pool, float *out);

#endif
