#ifndef GT_CORE_TEAM_NCCL_H
#define GT_CORE_TEAM_NCCL_H
/* What is used of NCCL, which has been the same since its version 2.7. The library is opened when it is first asked
 * for, by the name that the system knows, or GANTRY_NCCL; nothing links it. */
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct { char bytes[128]; } gt_nccl_id;
typedef struct {
	int version;                    /* as 22809 */
	int (*get_version)(int *version);
	int (*get_unique_id)(gt_nccl_id *id);
	int (*comm_init_rank)(void **comm, int ranks, gt_nccl_id id, int rank);
	int (*comm_destroy)(void *comm);
	int (*group_start)(void);
	int (*group_end)(void);
	int (*send)(const void *at, size_t n, int type, int peer, void *comm, void *queue); /* queue: a cudaStream_t */
	int (*recv)(void *at, size_t n, int type, int peer, void *comm, void *queue);
	const char *(*error_string)(int code);
} gt_nccl;

/* GT_ERR_UNSUPPORTED: there is none, GANTRY_NCCL=no, or it lacks what is used; the answer stays. */
gt_status gt_nccl_open(const gt_nccl **n);

#ifdef __cplusplus
}
#endif
#endif
