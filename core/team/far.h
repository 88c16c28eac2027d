#ifndef GT_CORE_TEAM_FAR_H
#define GT_CORE_TEAM_FAR_H
/* Pieces between GPUs of several processes in the queues of the devices, by NCCL, which is opened when it is first
 * needed. Where it is missing, or two members share a device, they go through the host (exchange.c). */
#include "core/team/team_impl.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { GT_FAR_ID = 128, GT_FAR_DEVICE = 32, GT_FAR_HOST = 64, GT_FAR_OWN_REASON = 200, GT_FAR_REASON = 320 };

struct gt_far_impl {
	/* The library; why it is not there is in gt_error(). version: as 22809. */
	gt_status (*load)(int *version);
	gt_status (*device)(gt_backend *be, char name[GT_FAR_DEVICE]); /* the same for the same device of a host */
	gt_status (*make_id)(char id[GT_FAR_ID]);
	/* All members come at once, with the id that one of them has made. */
	gt_status (*open)(gt_backend *be, const char id[GT_FAR_ID], int members, int rank, void **state);
	void      (*close)(gt_backend *be, void *state);
	/* In the queue. All members call it, with pieces for other processes alone, of each pair in the same order. */
	void      (*exchange)(gt_backend *be, void *state, const gt_piece *out, size_t outs, const gt_piece *in, size_t ins);
};
extern const struct gt_far_impl gt_far_nccl;

/* What a member says of itself; why: it cannot. */
struct gt_far_says {
	int can, version;
	char device[GT_FAR_DEVICE], host[GT_FAR_HOST], id[GT_FAR_ID], why[GT_FAR_OWN_REASON];
};
/* 1: nothing keeps n members from it; else in why who cannot, and where it is. */
int  gt_far_can(const struct gt_far_says *all, int n, char why[GT_FAR_REASON]);
/* 1: this team's pieces go so. All members come; what they find they keep. */
int  gt_far_is_open(gt_backend *be);
/* All members come. 0: they cannot, and the backend has failed. */
int  gt_far_exchange(gt_backend *be, const gt_piece *out, size_t outs, const gt_piece *in, size_t ins);
void gt_far_close(gt_backend *be);

#ifdef __cplusplus
}
#endif
#endif
