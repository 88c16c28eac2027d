#ifndef GT_TEAM_TEAM_H
#define GT_TEAM_TEAM_H
/* SPMD ranks: threads of this process or of other MPI processes, each with its own backend and a local range of every
 * shared array. All ranks must make the collective calls in the same order. If one rank fails or returns, the others
 * fail with its error instead of deadlocking. */
#include "core/partition/rank.h"

typedef struct gt_team gt_team;

/* GT_ERR_ARG: spec is invalid or names a device twice. Other errors: see gt_backend_open(). */
gt_status gt_team_open(const char *spec, gt_team **t);
/* Opens `ranks` ranks, distributed evenly over the devices of spec; spec NULL: auto. One device may run all ranks.
 * GT_ERR_ARG: `ranks` is neither a multiple nor a divisor of the number of devices. */
gt_status gt_team_open_distributed(const char *spec, int ranks, gt_team **t);
/* Starts the devices of spec, a device or a team, in a background thread, with the access of its GPUs to each other.
 * See gt_backend_prefetch(). A process of several starts its own device. */
void      gt_team_prefetch(const char *spec);
void      gt_team_close(gt_team *t);                    /* NULL is fine */
int       gt_team_size(const gt_team *t);
gt_backend *gt_team_backend(const gt_team *t, int rank); /* NULL: the rank belongs to another process */
gt_backend *gt_team_backend_here(const gt_team *t);     /* backend of the first rank of this process */
const char *gt_team_where(const gt_team *t, int rank);  /* "cpu:1"; "host b, cpu:1" if there are several processes */
/* Returns a warning with a remedy if an MPI launcher binds this process to fewer processors than it can use; NULL: no
 * such binding, or no memory. spec: that of t. The caller frees the text. */
char     *gt_team_binding(const gt_team *t, const char *spec);
/* Sets the load fractions of the ranks: [size], above 0, copied; NULL: equal fractions, the default. */
gt_status gt_team_set_weights(gt_team *t, const double *weight);
/* Sets the minimum timeout of collective calls, in seconds. On expiry every rank fails. */
void      gt_team_set_timeout(gt_team *t, double seconds);
/* Runs text(be, self) on all ranks; the lowest rank of a process runs in the thread of the caller. Returns the first
 * failure of any rank. The message names the rank if its device failed. */
gt_status gt_team_run(gt_team *t, gt_status (*text)(gt_backend *be, void *self), void *self);

/* Rank of a backend; 0 without a team. Number of ranks: gt_ranks(). */
int gt_rank(const gt_backend *be);
/* 1: the lowest rank of its process, or no team. This rank creates the host data that its process shares. */
int gt_team_leads(const gt_backend *be);
/* Returns the range of n items that a rank holds, in proportion to the load fractions. */
gt_range gt_team_range(const gt_backend *be, int rank, size_t n);
/* Partitions n items among the ranks first ... first+ranks-1 only. */
gt_range gt_team_range_among(const gt_backend *be, int first, int ranks, int rank, size_t n);
gt_range gt_local_range  (const gt_backend *be, size_t n);

/* Suspends the team on this rank until a call with 0: new arrays and penalties belong to this rank alone. */
void gt_team_alone (gt_backend *be, int alone);
/* Mutex across the ranks of a process, for libraries that are not thread-safe (file readers). Make no collective call
 * while holding it. */
void gt_team_lock  (gt_backend *be);
void gt_team_unlock(gt_backend *be);

/* Collective calls. Without a team, and after a failure, they return their input. */

/* Allgather of host data: `bytes` bytes of each rank, in the order of ranks; all: gt_ranks() * bytes. */
gt_status gt_team_gather(gt_backend *be, const void *mine, size_t bytes, void *all);
double gt_team_first(gt_backend *be, double v);         /* value of rank 0 */
double gt_team_min(gt_backend *be, double v);

/* `count` rows of `bytes` bytes, `stride` bytes apart, in the memory of the rank's backend. */
typedef struct { int peer; void *at; size_t bytes, count, stride; } gt_exchange_block;
/* Exchanges blocks in the order of the queue. The k-th block to a peer matches the k-th that the peer receives from
 * this rank; bytes and count must agree. */
void   gt_team_exchange(gt_backend *be, const gt_exchange_block *out, size_t outs, const gt_exchange_block *in, size_t ins);
/* Begins to connect the GPUs of several processes in the background, as the first exchange does otherwise. */
void   gt_team_connect(gt_backend *be);
/* Returns the transport of blocks between GPUs of several processes: "NCCL 2.28.9", or "memory of the host: rank 2
 * (host): WHY"; NULL: no such block was exchanged. */
const char *gt_team_exchanges(const gt_backend *be);
/* Declares *value, the result of a reduction, a partial sum: gt_reductions_wait() adds the values of all ranks. */
void   gt_team_join_later(gt_backend *be, double *value);
/* Creates an array of n things of `each` elements, partitioned in whole things; without a team a plain array. */
gt_status gt_array_new_shared(gt_backend *be, gt_type type, size_t each, size_t n, gt_array **a);

#endif
