#ifndef GT_CORE_TEAM_WIRE_H
#define GT_CORE_TEAM_WIRE_H
/* Messages between processes that a launcher of MPI started together: all that is used of MPI. wire_mpi.c, or
 * wire_none.c in a build without it. One thread at a time calls these. */
#include <stddef.h>
#include <gantry/status.h>

typedef struct gt_wire gt_wire; /* one message on its way */

/* 1: a launcher has started this process, maybe with others. */
int gt_wire_is_launched(void);
/* Joins the others; again: what it said before. local: the number among those of this host; locals: how many. */
typedef struct { int me, n, local, locals; } gt_wire_place;
gt_status gt_wire_start(gt_wire_place *place);
/* Waits for all others to do so; nothing can be sent any more. */
void gt_wire_stop(void);
/* The same for good: what this process of the launcher starts later, or starts again, is alone as well. */
void gt_wire_part(void);
/* Ends all processes, this one too. */
void gt_wire_abort(int code);

/* The k-th message of a tag from a process to another meets the k-th that is taken there. NULL: it cannot be. */
gt_wire *gt_wire_send(int to,   int tag, const void *at, size_t bytes);
gt_wire *gt_wire_take(int from, int tag, void *at, size_t bytes);
/* 1: done; -1: something of another size came, or it failed. */
int  gt_wire_test(gt_wire *w);
/* Frees it; one that is not done is given up. NULL is fine. */
void gt_wire_free(gt_wire *w);
/* A process of which a message with this tag waits to be taken; -1: there is none. from -1: of any. */
int  gt_wire_waiting(int from, int tag);
#endif
