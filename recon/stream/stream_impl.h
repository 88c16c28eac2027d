#ifndef GT_RECON_STREAM_STREAM_IMPL_H
#define GT_RECON_STREAM_STREAM_IMPL_H
/* Internal to recon/stream: buffers shared by all operators of a device. */
#include "core/device/download.h"
#include "core/device/upload.h"
#include "recon/stream/stream.h"

enum { GT_STREAM_TURNS = 2 };

struct gt_stream {
	const gt_listener *log;
	gt_backend *host, *device;
	gt_type type;
	char *projector;
	gt_grid grid;
	gt_stream_cut cut;
	int users;                      /* number of owners: the caller and operators */
	size_t slab, batch, piece;      /* bytes of a slab, of a batch, of a page-locked block */
	gt_upload *slabs, *batches;
	gt_download *down;
	gt_array *sum[GT_STREAM_TURNS];         /* slabs; one if there is a single slab */
	gt_array *part[GT_STREAM_TURNS];        /* batches; in an adjoint the contribution of one batch */
	void *up[GT_STREAM_TURNS], *back[GT_STREAM_TURNS];      /* page-locked: blocks; batches */
	size_t packed;                  /* number of blocks so far */
	void *stands_for;               /* dry run: stands for `beside` bytes of host memory in addition to arrays */
	size_t beside;
};

/* One slab is downloaded during the computation of the next one. */
static inline size_t gt_stream_sums(const gt_stream *s) { return s->cut.slabs > 1 ? GT_STREAM_TURNS : 1; }

/* recon/stream/stream_moves.c: transfers between host arrays and a device through page-locked blocks. */

/* Copies host values into the block being filled, from byte `into` on: `n` runs of `bytes`, `stride` bytes apart. */
void gt_stream_up(gt_stream *s, gt_upload *to, size_t into, const void *from, size_t n, size_t bytes, size_t stride);
/* Copies one page-locked block to the host. */
void gt_stream_out(gt_stream *s, void *packed, void *to, size_t bytes);
/* Copies x to the host, or adds it to the values there; waits. */
void gt_stream_down(gt_stream *s, const gt_array *x, void *to, int adds);
/* n runs of `run` values, from_stride apart in the source and stride apart in the destination. */
typedef struct { size_t n, run, from_stride, stride; } gt_stream_runs;
/* Stores values of page-locked memory in y, or adds them. */
void gt_stream_keep(gt_stream *s, const void *from, const gt_stream_runs *of, void *y, int adds);
#endif
