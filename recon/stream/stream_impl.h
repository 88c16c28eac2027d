#ifndef GT_RECON_STREAM_STREAM_IMPL_H
#define GT_RECON_STREAM_STREAM_IMPL_H
/* Inside recon/stream: rooms that all operators of a device share. */
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
	int users;                      /* the caller, and operators */
	size_t slab, batch, piece;      /* bytes of a slab, of a batch, of a piece of page-locked memory */
	gt_upload *slabs, *batches;
	gt_download *down;
	gt_array *sum[GT_STREAM_TURNS];         /* slabs, or the one there is */
	gt_array *part[GT_STREAM_TURNS];        /* batches, or in an adjoint what one batch gives */
	void *up[GT_STREAM_TURNS], *back[GT_STREAM_TURNS];      /* page-locked: pieces; batches */
	size_t packed;                  /* pieces so far */
	void *stands_for;               /* in a dry run, memory of the host beside its arrays: so many bytes */
	size_t beside;
};

/* While one slab leaves, the next one is computed. */
static inline size_t gt_stream_sums(const gt_stream *s) { return s->cut.slabs > 1 ? GT_STREAM_TURNS : 1; }

/* recon/stream/stream_moves.c: between arrays of the host and a device, through page-locked pieces. */

/* Values of the host into the block that is filled, from byte `into` on: `n` runs of `bytes`, `stride` bytes apart. */
void gt_stream_up(gt_stream *s, gt_upload *to, size_t into, const void *from, size_t n, size_t bytes, size_t stride);
/* One page-locked piece to the host. */
void gt_stream_out(gt_stream *s, void *packed, void *to, size_t bytes);
/* x to the host, or added to what is there; waits. */
void gt_stream_down(gt_stream *s, const gt_array *x, void *to, int adds);
/* n runs of `run` values, from_stride apart where they come from and stride apart where they go. */
typedef struct { size_t n, run, from_stride, stride; } gt_stream_runs;
/* Those of page-locked memory become values of y, or are added to them. */
void gt_stream_keep(gt_stream *s, const void *from, const gt_stream_runs *of, void *y, int adds);
gt_status gt_stream_rooms_new (gt_stream *s);
void      gt_stream_rooms_free(gt_stream *s);
#endif
