#ifndef GT_CORE_TEAM_TRANSPORT_H
#define GT_CORE_TEAM_TRANSPORT_H
/* Messages between processes that a launcher of MPI started together: all that is used of MPI. transport_mpi.c, or
 * transport_none.c in a build without it. One thread at a time calls these. */
#include <stddef.h>
#include <gantry/status.h>

typedef struct gt_transfer gt_transfer; /* one message on its way */

/* 1: a launcher has started this process, maybe with others. */
int gt_transport_is_launched(void);
/* Joins the others; again: what it said before. local: the number among those of this host; locals: how many. */
typedef struct { int me, n, local, locals; } gt_transport_position;
gt_status gt_transport_start(gt_transport_position *place);
/* Waits for all others to do so; nothing can be sent any more. */
void gt_transport_stop(void);
/* The same for good: what this process of the launcher starts later, or starts again, is alone as well. */
void gt_transport_leave(void);
/* Ends all processes, this one too. */
void gt_transport_abort(int code);

/* The k-th message of a tag from a process to another meets the k-th that is taken there. NULL: it cannot be. */
gt_transfer *gt_transport_send(int to,   int tag, const void *at, size_t bytes);
gt_transfer *gt_transport_receive(int from, int tag, void *at, size_t bytes);
/* 1: done; -1: something of another size came, or it failed. */
int  gt_transport_test(gt_transfer *w);
/* Frees it; one that is not done is given up. NULL is fine. */
void gt_transport_free(gt_transfer *w);
/* A process of which a message with this tag waits to be taken; -1: there is none. from -1: of any. */
int  gt_transport_waiting(int from, int tag);
#endif
