#ifndef GT_RECON_STREAM_STREAM_H
#define GT_RECON_STREAM_STREAM_H
/* Iterations on arrays of the host whose operators a device computes: a slab of the volume goes there, and of the views
 * those that see it, a batch at a time, while the batch before is computed. What a device must hold is a slab and some
 * batches, however large the volume is. */
#include <gantry/message.h>
#include <gantry/penalty.h>
#include <gantry/subsets.h>
#include "analytic/fbp/slab.h"
#include "core/team/team.h"

/* Returns the device of "stream:cuda:0", "cuda:0", and "auto" for "stream"; NULL: no such name. */
const char *gt_stream_device(const char *backend);

/* How it is cut: slices of a slab, views of a batch, and what that takes of the device. */
typedef struct { size_t slices, views, slabs; double bytes; } gt_stream_cut;

/* Borrows all that it points to. */
typedef struct {
	const gt_listener *log;
	const char *device;             /* "cuda:0" */
	double limit;                   /* bytes of the device at most; 0: what is free there */
	gt_backend *host;               /* of the arrays: the CPU's */
	gt_type type;
	const char *projector;
	const gt_grid *grid;
	const gt_scan *scan;
	size_t subsets;
	size_t slices, views;           /* of a slab, of a batch; 0: what fits */
} gt_stream_problem;

/* A device, cut for all subsets of a problem. GT_ERR_MEMORY: not even one slice and one view fit. */
typedef struct gt_stream gt_stream;
gt_status gt_stream_new (const gt_stream_problem *q, gt_stream **s);
void      gt_stream_free(gt_stream *s);                 /* when the operators are gone; NULL is fine */
const gt_stream_cut *gt_stream_has(const gt_stream *s);
/* The operator of a scan, one of the subsets, on arrays of the host; in a dry run of the host as well. */
gt_status gt_stream_operator(gt_stream *s, const gt_scan *scan, gt_linop **A);
/* As gt_subsets_new(), and the stream, which the operators hold as well. */
gt_status gt_stream_subsets(const gt_stream_problem *q, const float *data, const float *weights, gt_subsets *s, gt_stream **stream);
/* As gt_regularizer_new() for arrays of the host: the device computes penalties that look at neighbours alone, slab by
 * slab, and the host the others. The penalty holds the stream. */
gt_status gt_stream_penalty(gt_stream *s, const char *spec, const gt_array *kappa, gt_penalty **R);
/* Slices of a direct method by the device into x, on the host, slab by slab; as gt_direct_slab(). */
gt_status gt_stream_direct(const gt_stream_problem *q, const gt_analytic *m, const void *options, const gt_scan *scan, const float *data,
                           gt_array *x);
/* GT_ERR_ARG: what goes to the device and back takes far longer than what is computed there: says how long both
 * take. */
gt_status gt_stream_is_worth(const gt_stream_problem *q);
#endif
