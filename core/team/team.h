#ifndef GT_CORE_TEAM_TEAM_H
#define GT_CORE_TEAM_TEAM_H
/* Members that run the same text, each in a thread of this process, or of others that a launcher of MPI started
 * with it, each with a backend of its own and a share of every shared array. What one of them does with all the
 * others (a settle, a gather, an exchange) all must do, in the same order: one that fails or ends takes the others
 * down, and nobody waits for ever. */
#include <gantry/array.h>

typedef struct gt_team gt_team;
/* A run of elements, slices or views. */
typedef struct { size_t first, n; } gt_range;

/* "cpu:1x4" (four members of one thread each), "cuda:0,2", "cuda:0-3", "cpu:1+cpu:2" (unlike members), "mpi",
 * "mpi:cpu:1", "mpi:cuda:0-3" (of each process its share of these). 1: such a text; it may still be wrong. */
int       gt_team_is_spec(const char *spec);
/* GT_ERR_ARG: no such text, or a device that is named twice; else as gt_backend_open(). */
gt_status gt_team_open(const char *spec, gt_team **t);
/* So many members, dealt evenly to the devices of spec, which may be one alone; NULL: auto. GT_ERR_ARG: `members` is
 * no multiple of these. */
gt_status gt_team_open_distributed(const char *spec, int ranks, gt_team **t);
void      gt_team_close(gt_team *t);                    /* NULL is fine */
int       gt_team_size(const gt_team *t);
gt_backend *gt_team_backend(const gt_team *t, int rank); /* NULL: it is of another process */
gt_backend *gt_team_backend_here(const gt_team *t); /* of the first member of this process */
const char *gt_team_where(const gt_team *t, int rank); /* "cpu:1"; of several processes "host b, cpu:1" */
/* Shares are in proportion to these: [size], above 0; NULL: equal, as at first. Kept. */
gt_status gt_team_set_weights(gt_team *t, const double *weight);
/* How long a member waits for the others at least, in seconds, before all give up. */
void      gt_team_set_timeout(gt_team *t, double seconds);
/* Runs text(be, self) on every member; the first of a process in the caller's thread. The first failure of any
 * member is that of all; its message names the member where the failure is of its device. */
gt_status gt_team_run(gt_team *t, gt_status (*text)(gt_backend *be, void *self), void *self);

/* Of a member's backend; 0 and 1 without a team. */
int gt_rank (const gt_backend *be);
int gt_ranks(const gt_backend *be);
/* 1: the first member of its process, or of no team: it makes what the members of a process share on the host. */
int gt_team_leads(const gt_backend *be);
/* The rule of shares: which of n things in a row are a member's. */
gt_range gt_team_range(const gt_backend *be, int rank, size_t n);
/* The same of `members` of them from `first` on, as if there were no others. */
gt_range gt_team_range_among(const gt_backend *be, int first, int ranks, int rank, size_t n);
gt_range gt_local_range  (const gt_backend *be, size_t n);

/* Until 0 follows, a member computes for itself, as if there were no team: arrays and penalties that are made are
 * its own. */
void gt_team_alone (gt_backend *be, int alone);
/* One member at a time, for libraries that serve one thread: what files are read with. No meeting in between. */
void gt_team_lock  (gt_backend *be);
void gt_team_unlock(gt_backend *be);

/* Members together. Without a team, and where it has failed, they do nothing but give back what they were given. */

/* A few bytes of the host, member by member: all has gt_ranks() times as many. */
gt_status gt_team_gather(gt_backend *be, const void *mine, size_t bytes, void *all);
double gt_team_first(gt_backend *be, double v);         /* that of member 0 */
double gt_team_min(gt_backend *be, double v);

/* `count` blocks of `bytes`, `stride` bytes apart, on the members' backends. */
typedef struct { int peer; void *at; size_t bytes, count, stride; } gt_exchange_block;
/* In the queue. The k-th piece to a peer meets the k-th that the peer takes from here, of the same bytes and
 * count. */
void   gt_team_exchange(gt_backend *be, const gt_exchange_block *out, size_t outs, const gt_exchange_block *in, size_t ins);
size_t gt_team_exchanged(const gt_backend *be);         /* bytes that this member took from others so far */
/* What pieces between GPUs of several processes go by: "NCCL 2.28.9", "memory of the host: member 2 (host): WHY";
 * NULL: there were none. */
const char *gt_team_exchanges(const gt_backend *be);
/* *value, which a reduction has left or leaves, is a part of a sum over the members: it is the sum after
 * gt_reductions_wait(). */
void   gt_team_join_later(gt_backend *be, double *value);

/* What core/device asks of a team. */
enum { GT_JOIN_NOT, GT_JOIN_SUM, GT_JOIN_MAX, GT_JOIN_MIN };
void gt_team_slot  (gt_backend *be, size_t slot, int join);
void gt_team_allreduce(gt_backend *be, size_t slots);
void gt_team_failed(gt_backend *be, gt_status st, const char *message);
#endif
