#ifndef GT_TEAM_REMOTE_H
#define GT_TEAM_REMOTE_H
/* Exchange between GPUs of several processes by NCCL, in the order of the queues. NCCL is opened in a thread, because
 * that takes a second. Without it, or if two ranks share a device, blocks go through the host (exchange.c). */
#include "team/team_impl.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { GT_REMOTE_ID = 128, GT_REMOTE_DEVICE = 32, GT_REMOTE_HOST = 64, GT_REMOTE_OWN_REASON = 200, GT_REMOTE_REASON = 320 };

struct gt_remote_impl {
	/* Opens the library; gt_error() has the reason of a failure. version: for example 22809. */
	gt_status (*load)(int *version);
	gt_status (*device)(gt_backend *be, char name[GT_REMOTE_DEVICE], int *number); /* name: unique within a host */
	gt_status (*make_id)(char id[GT_REMOTE_ID]);
	/* Collective; all ranks pass the id that one of them made. In a thread of its own. */
	gt_status (*open)(int device, const char id[GT_REMOTE_ID], int ranks, int rank, void **state);
	void      (*close)(gt_backend *be, void *state);
	/* Collective, in the order of the queue. Blocks to other processes only; each pair uses the same order. */
	void      (*exchange)(gt_backend *be, void *state, const gt_exchange_block *out, size_t outs,
	                      const gt_exchange_block *in, size_t ins);
};
extern const struct gt_remote_impl gt_remote_nccl;

/* Capabilities of a rank. why: reason if can is 0. */
struct gt_remote_report {
	int can, version;
	char device[GT_REMOTE_DEVICE], host[GT_REMOTE_HOST], id[GT_REMOTE_ID], why[GT_REMOTE_OWN_REASON];
};
/* 1: all n ranks can exchange directly; else why names the rank, its host and the reason. */
int  gt_remote_can(const struct gt_remote_report *all, int n, char why[GT_REMOTE_REASON]);
/* Begins to open NCCL. Collective; may be called again. */
void gt_remote_begin  (gt_backend *be);
/* 1: the team exchanges by NCCL. Collective; the result is cached. */
int  gt_remote_is_open(gt_backend *be);
/* Collective. 0: failed, and so has the backend. */
int  gt_remote_exchange(gt_backend *be, const gt_exchange_block *out, size_t outs, const gt_exchange_block *in, size_t ins);
void gt_remote_close(gt_backend *be);

#ifdef __cplusplus
}
#endif
#endif
