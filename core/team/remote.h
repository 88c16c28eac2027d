#ifndef GT_CORE_TEAM_REMOTE_H
#define GT_CORE_TEAM_REMOTE_H
/* Pieces between GPUs of several processes in the queues of the devices, by NCCL, which is opened when it is first
 * needed. Where it is missing, or two members share a device, they go through the host (exchange.c). */
#include "core/team/team_impl.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { GT_REMOTE_ID = 128, GT_REMOTE_DEVICE = 32, GT_REMOTE_HOST = 64, GT_REMOTE_OWN_REASON = 200, GT_REMOTE_REASON = 320 };

struct gt_remote_impl {
	/* The library; why it is not there is in gt_error(). version: as 22809. */
	gt_status (*load)(int *version);
	gt_status (*device)(gt_backend *be, char name[GT_REMOTE_DEVICE]); /* the same for the same device of a host */
	gt_status (*make_id)(char id[GT_REMOTE_ID]);
	/* All members come at once, with the id that one of them has made. */
	gt_status (*open)(gt_backend *be, const char id[GT_REMOTE_ID], int ranks, int rank, void **state);
	void      (*close)(gt_backend *be, void *state);
	/* In the queue. All members call it, with pieces for other processes alone, of each pair in the same order. */
	void      (*exchange)(gt_backend *be, void *state, const gt_exchange_block *out, size_t outs,
	                      const gt_exchange_block *in, size_t ins);
};
extern const struct gt_remote_impl gt_remote_nccl;

/* What a member says of itself; why: it cannot. */
struct gt_remote_report {
	int can, version;
	char device[GT_REMOTE_DEVICE], host[GT_REMOTE_HOST], id[GT_REMOTE_ID], why[GT_REMOTE_OWN_REASON];
};
/* 1: nothing keeps n members from it; else in why who cannot, and where it is. */
int  gt_remote_can(const struct gt_remote_report *all, int n, char why[GT_REMOTE_REASON]);
/* 1: this team's pieces go so. All members come; what they find they keep. */
int  gt_remote_is_open(gt_backend *be);
/* All members come. 0: they cannot, and the backend has failed. */
int  gt_remote_exchange(gt_backend *be, const gt_exchange_block *out, size_t outs, const gt_exchange_block *in, size_t ins);
void gt_remote_close(gt_backend *be);

#ifdef __cplusplus
}
#endif
#endif
