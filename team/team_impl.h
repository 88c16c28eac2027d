#ifndef GT_TEAM_TEAM_IMPL_H
#define GT_TEAM_TEAM_IMPL_H
/* Private to team: state of a team and of its ranks, and the barrier. */
#include <pthread.h>
#include "core/device/backend.h"
#include "team/team.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { GT_TEAM_MAX = 64, GT_TEAM_SCRATCH = 3 };

/* Copies between device memories, in the order of the queues; NULL on the CPU. */
struct gt_exchange_impl {
	gt_status (*open )(gt_backend *const *be, int n, int self, void **state);
	void      (*close)(gt_backend *be, void *state);
	void      (*ready)(gt_backend *be, void *state);        /* signals that the blocks to send are complete */
	void      (*after)(gt_backend *be, const void *peer, int taken);        /* makes the queue wait for a peer */
	void      (*pull )(gt_backend *be, const void *peer, const gt_exchange_block *from, const gt_exchange_block *to);
	void      (*taken)(gt_backend *be, void *state);                        /* signals that the pulled blocks have
	                                                                         * arrived */
	int       (*reaches)(gt_backend *be, gt_backend *peer); /* 1: direct access to a peer's memory, without the
	                                                         * host */
};
extern const struct gt_exchange_impl gt_exchange_cuda;

struct gt_rank {
	gt_team *team;
	int id, alone;
	const void *post, *takes;       /* read by other ranks between two barriers; takes: blocks to receive */
	size_t posts, takings;
	char *packed;                   /* blocks of other processes, concatenated on the host */
	size_t packed_bytes;
	void *state;                    /* state of the exchange */
	struct gt_remote_opening *opening; /* of NCCL; NULL: not begun, or ended */
	void *remote;                   /* state of NCCL (team/remote.h); NULL: exchange through the host */
	char how[352];                  /* transport between GPUs of several processes; empty: not used yet */
	unsigned char join[GT_SLOTS], is_part[GT_SLOTS];
	double part[GT_SLOTS];          /* partial sums computed on the host */
	double *all;                    /* [ranks][GT_SLOTS]: partial results of all ranks */
	/* Buffers that the operators of a team share, as gt_scratch() is: reserved when an operator is created. */
	void *room[GT_TEAM_SCRATCH];
	size_t room_bytes[GT_TEAM_SCRATCH], room_users;
};

/* Ranks of this process are threads; ranks of other processes (team/processes.h) have no object here. */
struct gt_team_state; /* team/barrier.c: barrier and first failure */
struct gt_processes;
struct gt_team {
	int n, first, here, spins;      /* number of ranks; first rank and number here; polls before a rank sleeps */
	gt_backend *be[GT_TEAM_MAX];    /* NULL, as rank[]: the rank belongs to another process */
	struct gt_rank *rank[GT_TEAM_MAX];
	char where[GT_TEAM_MAX][96];    /* name of the device in messages */
	const struct gt_exchange_impl *impl; /* NULL: all ranks use host memory */
	double weight[GT_TEAM_MAX], timeout;
	struct gt_team_state *state;
	struct gt_processes *processes; /* NULL: this one is alone */
	pthread_mutex_t one;            /* see gt_team_lock() */
};

gt_status gt_team_state_new(struct gt_team_state **s);
void      gt_team_state_free(struct gt_team_state *s);
/* Records the first failure of a team with its rank and message, and wakes the others. Thread-safe. */
void gt_team_fail(gt_team *t, int rank, gt_status st, const char *message);
/* First failure of the team, or GT_OK. message: at least 512 characters; may be NULL. */
gt_status gt_team_failure(gt_team *t, int *rank, char *message);
double gt_team_timeout(const gt_team *t);

/* Operations of a rank that core calls: struct gt_rank_ops. */
void gt_team_get      (const gt_array *a, gt_type type, void *host);
void gt_team_slot     (gt_backend *be, size_t slot, int join);
void gt_team_allreduce(gt_backend *be, size_t slots);
void gt_team_failed   (gt_backend *be, gt_status st, const char *message);

gt_status gt_team_scratch_reserve(gt_backend *be, const size_t bytes[GT_TEAM_SCRATCH]);
void      gt_team_scratch_release(gt_backend *be);
/* gt_team_open() without waiting for gt_team_prefetch(), for its thread. */
gt_status gt_team_open_now(const char *spec, gt_team **t);
/* Backend names of a team spec. GT_ERR_ARG. */
gt_status gt_team_parse(const char *spec, int *n, char name[GT_TEAM_MAX][32]);
/* Name of the single device that `ranks` ranks will use; for the CPU with the threads of one rank. */
gt_status gt_team_name_alone(const char *name, int ranks, int *n, char names[GT_TEAM_MAX][32]);
/* Assigns an equal number of ranks to each of n devices. GT_ERR_ARG. */
gt_status gt_team_distribute(const char *spec, int n, char name[GT_TEAM_MAX][32], int ranks, char distributed[GT_TEAM_MAX][32]);
/* Waits for all ranks of this process; 0: the team has failed, and with it the backend. */
int gt_team_barrier(gt_backend *be);
/* Brackets reads of memory of other ranks between two barriers. A barrier that fails returns only after these reads, so
 * that its caller may free that memory. 0: the team has failed; do not read, and do not call end. */
int  gt_team_begin_reading(gt_backend *be);
void gt_team_end_reading(gt_backend *be);
const struct gt_rank *gt_team_peer(const gt_backend *be, int rank);
const struct gt_exchange_impl *gt_team_exchange_impl(const gt_backend *be);  /* NULL: all ranks use host memory */
const struct gt_exchange_impl *gt_exchange_of(const gt_team *t);

#ifdef __cplusplus
}
#endif
#endif
