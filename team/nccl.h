#ifndef GT_TEAM_NCCL_H
#define GT_TEAM_NCCL_H
/* Subset of the NCCL interface, unchanged since version 2.7. dlopen() loads the library on first use, by its system
 * name or GANTRY_NCCL; nothing links it. */
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct { char bytes[128]; } gt_nccl_id;
typedef struct {
	int version;                    /* e.g. 22809 */
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

/* GT_ERR_UNSUPPORTED: not found, GANTRY_NCCL=no, or incomplete. The result is cached. */
gt_status gt_nccl_open(const gt_nccl **n);

#ifdef __cplusplus
}
#endif
#endif
