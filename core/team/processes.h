#ifndef GT_CORE_TEAM_PROCESSES_H
#define GT_CORE_TEAM_PROCESSES_H
/* A team whose members are of several processes. The first member of a process, which runs in the caller's thread,
 * alone sends and takes messages, for all of its process. All processes do the same in the same order. */
#include "core/team/team_impl.h"

/* "mpi", "mpi:BACKEND". */
int gt_processes_are_spec(const char *spec);
/* Joins the other processes. name: of the *n members of this one, by the devices of spec; members: of all
 * processes, 0: as spec says. GT_ERR_ARG, GT_ERR_UNSUPPORTED: no launcher, or no MPI. */
gt_status gt_processes_new(const char *spec, int ranks, int *n, char name[GT_TEAM_MAX][32], struct gt_processes **p);
void      gt_processes_free(struct gt_processes *p);
/* Members of all, and the first of this one; until they have agreed, those of this process alone are right. */
void      gt_processes_place(const struct gt_processes *p, int *n, int *first);
/* st: of what this process has made. That of all; and that they are of one version. */
gt_status gt_processes_agree(gt_team *t, gt_status st);
void      gt_processes_begin_run(gt_team *t);
/* Waits until all have ended; where one has failed all know of it. */
void      gt_processes_end_run(gt_team *t);

/* Of the first member of each process; where it fails, the team has failed. `bytes` of each local member, at its
 * post; those of all members, until the next call. NULL: failed. */
const void *gt_processes_gather(gt_team *t, size_t bytes);
/* Pieces between processes: of local members at post and takes, dense and on the host. */
void gt_processes_exchange(gt_team *t);
/* The members of the process that has `member`: first ... end - 1. */
void gt_processes_ranks(const gt_team *t, int rank, int *first, int *end);
/* Members of a process all call it together, with pieces that lie dense on the host: those of other processes. */
void gt_team_exchange_host(gt_backend *be, const gt_exchange_block *out, size_t outs, const gt_exchange_block *in, size_t ins);
/* 1: a member of another process. */
static inline int gt_is_remote(const gt_team *t, int rank) { return rank < t->first || rank >= t->first + t->here; }
#endif
