#ifndef GT_CORE_TEAM_TEAM_IMPL_H
#define GT_CORE_TEAM_TEAM_IMPL_H
/* Inside core/team: what a team and a member hold, and how members meet. */
#include "core/device/backend.h"
#include "core/team/team.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { GT_TEAM_MAX = 64, GT_TEAM_ROOMS = 3 };

/* Copies between the memories of devices, in their queues; NULL on the CPU, whose memory is the host's. */
struct gt_exchange_impl {
	gt_status (*open )(gt_backend *const *be, int n, int self, void **state);
	void      (*close)(gt_backend *be, void *state);
	void      (*ready)(gt_backend *be, void *state);        /* what is sent is there by now */
	void      (*after)(gt_backend *be, const void *peer, int taken);        /* the queue waits for a peer */
	void      (*pull )(gt_backend *be, const void *peer, const gt_piece *from, const gt_piece *to);
	void      (*taken)(gt_backend *be, void *state);                        /* what was pulled is here */
	int       (*reaches)(gt_backend *be, gt_backend *peer); /* 1: the memory of a peer, without the host */
};
extern const struct gt_exchange_impl gt_exchange_cuda;

struct gt_member {
	gt_team *team;
	int rank, alone;
	size_t exchanged;               /* bytes */
	const void *post;               /* what the others look at between two meetings */
	size_t posts;
	void *state;                    /* of the exchange */
	unsigned char join[GT_SLOTS], is_part[GT_SLOTS];
	double part[GT_SLOTS];          /* numbers that the host made */
	double *sum;                    /* [GT_SLOTS] */
	/* Memory that operators of a team use while they run, as gt_scratch(): they reserve it when they are made. */
	void *room[GT_TEAM_ROOMS];
	size_t room_bytes[GT_TEAM_ROOMS], room_users;
};

gt_status gt_team_room_reserve(gt_backend *be, const size_t bytes[GT_TEAM_ROOMS]);
void      gt_team_room_release(gt_backend *be);
/* The backends of a team's name. GT_ERR_ARG. */
gt_status gt_team_parse(const char *spec, int *n, char name[GT_TEAM_MAX][32]);
/* The one device of a name, or of NULL, that `members` will use; of the CPU the threads of one of these. */
gt_status gt_team_name_alone(const char *name, int members, int *n, char names[GT_TEAM_MAX][32]);
/* All members come here; 0: the team has failed, and with it the backend. */
int gt_team_meet(gt_backend *be);
const struct gt_member *gt_team_peer(const gt_backend *be, int rank);
const struct gt_exchange_impl *gt_team_exchange_impl(const gt_backend *be);  /* NULL: all share the host's */
const struct gt_exchange_impl *gt_exchange_of(const gt_team *t);

#ifdef __cplusplus
}
#endif
#endif
