#ifndef GT_TEAM_PROCESSES_H
#define GT_TEAM_PROCESSES_H
/* Teams of several processes. The lowest rank of a process runs in the thread of the caller and sends and receives for
 * its process. All processes make the same calls in the same order. */
#include "team/team_impl.h"

/* Joins the other processes. name: backends of the *n ranks of this process, from the devices of spec; ranks: total
 * number, 0: one per device. GT_ERR_ARG; GT_ERR_UNSUPPORTED: no launcher, or no MPI. */
gt_status gt_processes_new(const char *spec, int ranks, int *n, char name[GT_TEAM_MAX][32], struct gt_processes **p);
void      gt_processes_free(struct gt_processes *p);
/* Number of the `locals` processes of this host that share the processors of this process: fewer if a launcher binds
 * them. */
int       gt_processes_sharing(int locals);
/* Number of ranks and first rank of this process. Before gt_processes_agree() only local ranks are known. */
void      gt_processes_place(const struct gt_processes *p, int *n, int *first);
/* Combines the status st of all processes and checks that they run the same version. */
gt_status gt_processes_agree(gt_team *t, gt_status st);
void      gt_processes_begin_run(gt_team *t);
/* Waits until all processes have ended the run; the first failure fails the team. */
void      gt_processes_end_run(gt_team *t);

/* Allgather, called by the lowest rank of each process. Input: `bytes` bytes at the post of each local rank. Returns
 * the data of all ranks, valid until the next call; NULL: the team has failed. */
const void *gt_processes_gather(gt_team *t, size_t bytes);
/* Exchanges dense host blocks between processes: post and takes of the local ranks. */
void gt_processes_exchange(gt_team *t);
/* Ranks of the process that holds `rank`: first ... end - 1. */
void gt_processes_ranks(const gt_team *t, int rank, int *first, int *end);
/* Exchanges dense host blocks with ranks of other processes. Collective among the ranks of a process. */
void gt_team_exchange_host(gt_backend *be, const gt_exchange_block *out, size_t outs, const gt_exchange_block *in, size_t ins);
static inline int gt_is_remote(const gt_team *t, int rank) { return rank < t->first || rank >= t->first + t->here; }
#endif
