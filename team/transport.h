#ifndef GT_TEAM_TRANSPORT_H
#define GT_TEAM_TRANSPORT_H
/* Point-to-point messages between MPI processes; the only code that calls MPI. Not thread-safe. Implemented by
 * transport_mpi.c, or transport_none.c in a build without MPI. */
#include <stddef.h>
#include <gantry/status.h>

typedef struct gt_transfer gt_transfer; /* a message in flight */

/* 1: an MPI launcher started this process. */
int gt_transport_is_launched(void);
/* Joins the other processes; a second call returns the first result. me of n; local of locals on this host. */
typedef struct { int me, n, local, locals; } gt_transport_position;
gt_status gt_transport_start(gt_transport_position *place);
/* Waits until all processes call it; afterwards nothing can be sent. */
void gt_transport_stop(void);
/* Leaves the group for good: later commands of this launcher rank are alone as well. */
void gt_transport_leave(void);
void gt_transport_abort(int code);

/* The k-th message of a tag between two processes matches the k-th receive. NULL: failed. */
gt_transfer *gt_transport_send(int to,   int tag, const void *at, size_t bytes);
gt_transfer *gt_transport_receive(int from, int tag, void *at, size_t bytes);
/* 1: complete; 0: in flight; -1: failed, or another size arrived. */
int  gt_transport_test(gt_transfer *w);
/* Frees a transfer and abandons an incomplete one. NULL is fine. */
void gt_transport_free(gt_transfer *w);
/* Returns a process with a pending message of this tag, or -1. from -1: any process. */
int  gt_transport_waiting(int from, int tag);
#endif
