#ifndef GT_CORE_TEAM_TEAM_IMPL_H
#define GT_CORE_TEAM_TEAM_IMPL_H
/* Inside core/team: what a team and a member hold, and how members meet. */
#include <pthread.h>
#include "core/device/backend.h"
#include "core/team/team.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { GT_TEAM_MAX = 64, GT_TEAM_SCRATCH = 3 };

/* Copies between the memories of devices, in their queues; NULL on the CPU, whose memory is the host's. */
struct gt_exchange_impl {
	gt_status (*open )(gt_backend *const *be, int n, int self, void **state);
	void      (*close)(gt_backend *be, void *state);
	void      (*ready)(gt_backend *be, void *state);        /* what is sent is there by now */
	void      (*after)(gt_backend *be, const void *peer, int taken);        /* the queue waits for a peer */
	void      (*pull )(gt_backend *be, const void *peer, const gt_exchange_block *from, const gt_exchange_block *to);
	void      (*taken)(gt_backend *be, void *state);                        /* what was pulled is here */
	int       (*reaches)(gt_backend *be, gt_backend *peer); /* 1: the memory of a peer, without the host */
};
extern const struct gt_exchange_impl gt_exchange_cuda;

struct gt_rank {
	gt_team *team;
	int id, alone;
	size_t exchanged;               /* bytes */
	const void *post, *takes;       /* what the others look at between two meetings; takes: pieces that come */
	size_t posts, takings;
	char *packed;                   /* pieces of other processes, one after the other on the host */
	size_t packed_bytes;
	void *state;                    /* of the exchange */
	void *remote;                   /* of one with other processes (core/team/remote.h); NULL: through the host */
	char how[352];                  /* what such pieces go by; empty: there were none yet */
	unsigned char join[GT_SLOTS], is_part[GT_SLOTS];
	double part[GT_SLOTS];          /* numbers that the host made */
	double *all;                    /* [members][GT_SLOTS]: those of all */
	/* Memory that operators of a team use while they run, as gt_scratch(): they reserve it when they are made. */
	void *room[GT_TEAM_SCRATCH];
	size_t room_bytes[GT_TEAM_SCRATCH], room_users;
};

/* Members are threads; those of other processes (core/team/processes.h) are known by their number alone. */
struct gt_team_state; /* core/team/barrier.c: where the members of this process meet */
struct gt_processes;
struct gt_team {
	int n, first, here, spins;      /* members; those of this process; looks before one sleeps */
	gt_backend *be[GT_TEAM_MAX];    /* NULL: of another process, as member[] */
	struct gt_rank *rank[GT_TEAM_MAX];
	char where[GT_TEAM_MAX][96];    /* what messages call a member's device */
	const struct gt_exchange_impl *impl; /* NULL: the memory of all is the host's */
	double weight[GT_TEAM_MAX], timeout;
	struct gt_team_state *state;
	struct gt_processes *processes; /* NULL: this one is alone */
	pthread_mutex_t one;            /* see gt_team_lock() */
};

/* core/team/barrier.c */
gt_status gt_team_state_new(struct gt_team_state **s);
void      gt_team_state_free(struct gt_team_state *s);
/* The first failure of a team: of a member, with what it says; the others are woken. Any thread. */
void gt_team_fail(gt_team *t, int rank, gt_status st, const char *message);
/* That failure; GT_OK: there is none. message: of 512 characters; may be NULL. */
gt_status gt_team_failure(gt_team *t, int *rank, char *message);
/* How long to wait for others now, in seconds. */
double gt_team_timeout(const gt_team *t);

gt_status gt_team_scratch_reserve(gt_backend *be, const size_t bytes[GT_TEAM_SCRATCH]);
void      gt_team_scratch_release(gt_backend *be);
/* The backends of a team's name. GT_ERR_ARG. */
gt_status gt_team_parse(const char *spec, int *n, char name[GT_TEAM_MAX][32]);
/* The one device of a name, or of NULL, that `members` will use; of the CPU the threads of one of these. */
gt_status gt_team_name_alone(const char *name, int ranks, int *n, char names[GT_TEAM_MAX][32]);
/* Names of n devices, as many members of each as there must be. GT_ERR_ARG. */
gt_status gt_team_distribute(const char *spec, int n, char name[GT_TEAM_MAX][32], int ranks, char distributed[GT_TEAM_MAX][32]);
/* All members of this process come here; 0: the team has failed, and with it the backend. */
int gt_team_barrier(gt_backend *be);
/* Brackets reads of memory of other ranks between two barriers: a barrier that fails returns only after them, so that
 * its caller may free that memory. 0: the team has failed; do not read, and do not call end. */
int  gt_team_begin_reading(gt_backend *be);
void gt_team_end_reading(gt_backend *be);
const struct gt_rank *gt_team_peer(const gt_backend *be, int rank);
const struct gt_exchange_impl *gt_team_exchange_impl(const gt_backend *be);  /* NULL: all share the host's */
const struct gt_exchange_impl *gt_exchange_of(const gt_team *t);

#ifdef __cplusplus
}
#endif
#endif
