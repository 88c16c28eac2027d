#ifndef GT_RECON_STREAM_STREAM_H
#define GT_RECON_STREAM_STREAM_H
/* Iterations on host arrays with operators computed by a device. A slab of the volume and batches of the views that see
 * it are uploaded, each during the computation of the previous batch. The device holds one slab and a few batches, for
 * any size of the volume. */
#include <gantry/message.h>
#include <gantry/author/penalty.h>
#include <gantry/recon.h>
#include "analytic/fbp/slab.h"
#include "team/team.h"

/* Returns the device of "stream:cuda:0", "cuda:0", and "auto" for "stream"; NULL: no such name. */
const char *gt_stream_device(const char *backend);

/* Cut: slices per slab, views per batch, number of slabs, and bytes of the device. */
typedef struct { size_t slices, views, slabs; double bytes; } gt_stream_cut;

/* Borrows all that it points to. */
typedef struct {
	const gt_listener *log;
	const char *device;             /* "cuda:0" */
	double limit;                   /* maximum bytes of the device; 0: its free memory */
	gt_backend *host;               /* CPU backend of the arrays */
	gt_type type;
	const char *projector;
	const gt_grid *grid;
	const gt_scan *scan;
	size_t subsets;
	size_t slices, views;           /* per slab, per batch; 0: the largest that fit */
} gt_stream_problem;

/* A device, cut for all subsets of a problem. GT_ERR_MEMORY: not even one slice and one view fit. */
typedef struct gt_stream gt_stream;
gt_status gt_stream_new (const gt_stream_problem *q, gt_stream **s);
void      gt_stream_free(gt_stream *s);                 /* call it after freeing the operators; NULL is allowed */
/* Allocate and release the buffers of the slabs and batches; gt_stream_new() allocates them. Another stream may use the
 * memory while they are released, but no operator of s may run. */
gt_status gt_stream_buffers_new (gt_stream *s);
void      gt_stream_buffers_free(gt_stream *s);
/* Makes the operator of a scan, one of the subsets, on host arrays; also in a dry run of the host. */
gt_status gt_stream_operator(gt_stream *s, const gt_scan *scan, gt_linop **A);
/* Like gt_subsets_new(); also returns the stream, which the operators share. */
gt_status gt_stream_subsets(const gt_stream_problem *q, const float *data, const float *weights, gt_subsets *s, gt_stream **stream);
/* Like gt_regularizer_new() for host arrays. The device computes penalties that depend on adjacent slices only, slab by
 * slab; the host computes the others. The penalty shares the stream. */
gt_status gt_stream_penalty(gt_stream *s, const char *spec, const gt_array *kappa, gt_penalty **R);
/* Reconstructs slices by an analytic method on the device into x, on the host, slab by slab; like gt_direct_slab(). */
gt_status gt_stream_direct(const gt_stream_problem *q, const gt_analytic *m, const void *options, const gt_scan *scan, const float *data,
                           gt_array *x);
/* GT_ERR_ARG if transfers take far longer than computation; the message states both times. */
gt_status gt_stream_is_worth(const gt_stream_problem *q);
#endif
