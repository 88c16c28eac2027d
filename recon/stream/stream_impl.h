#ifndef GT_RECON_STREAM_STREAM_IMPL_H
#define GT_RECON_STREAM_STREAM_IMPL_H
/* Inside recon/stream: rooms that all operators of a device share. */
#include <gantry/download.h>
#include <gantry/upload.h>
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
	gt_array *sum, *part[GT_STREAM_TURNS]; /* a slab; batches, or in an adjoint what one batch gives */
	void *up[GT_STREAM_TURNS], *back[GT_STREAM_TURNS];      /* page-locked: pieces; batches */
	size_t packed;                  /* pieces so far */
	void *stands_for;               /* in a dry run, memory of the host beside its arrays: so many bytes */
	size_t beside;
};

/* recon/stream/stream_moves.c: between arrays of the host and a device, through page-locked pieces. */

/* Values of the host into the block that is filled, from byte `into` on: `n` runs of `bytes`, `stride` bytes apart. */
void gt_stream_up(gt_stream *s, gt_upload *to, size_t into, const void *from, size_t n, size_t bytes, size_t stride);
/* x to the host, or added to what is there; waits. */
void gt_stream_down(gt_stream *s, const gt_array *x, void *to, int adds);
/* y += n runs of `run` values from page-locked memory, `stride` values apart in y. */
void gt_stream_add(gt_stream *s, const void *from, size_t n, size_t run, void *y, size_t stride);
gt_status gt_stream_rooms_new (gt_stream *s);
void      gt_stream_rooms_free(gt_stream *s);
#endif
