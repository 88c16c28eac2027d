#ifndef GT_CORE_PARTITION_RANK_H
#define GT_CORE_PARTITION_RANK_H
/* Interface of core to the team of a backend (team/team.h), which is a module above it. */
#include <gantry/array.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Elements, slices or views first ... first+n-1. */
typedef struct { size_t first, n; } gt_range;

/* Combination of a reduction over the ranks. */
enum { GT_JOIN_NOT, GT_JOIN_SUM, GT_JOIN_MAX, GT_JOIN_MIN };

/* Operations of a rank. A backend without a team has none. */
struct gt_rank_ops {
	int       (*ranks    )(const gt_backend *be);                   /* see gt_ranks() */
	/* Allgather of host data in the order of ranks, all: gt_ranks() * bytes. Collective. */
	gt_status (*gather   )(gt_backend *be, const void *mine, size_t bytes, void *all);
	/* Copies a shared array of one run to host memory of this type on every rank that passes memory. Collective. */
	void      (*get      )(const gt_array *a, gt_type type, void *host);
	void      (*slot     )(gt_backend *be, size_t slot, int join);  /* the next reduction of this slot */
	void      (*allreduce)(gt_backend *be, size_t slots);           /* combines slots [0, slots). Collective. */
	void      (*failed   )(gt_backend *be, gt_status st, const char *message);      /* reports the first failure */
};

/* Number of ranks in the team of a backend; 1 without a team, and while the rank is alone. */
int gt_ranks(const gt_backend *be);
/* 1: spec names a team; it may still be invalid. "cpu:1x4": four ranks of one thread each; "cuda:0,2"; "cuda:0-3";
 * "cpu:1+cpu:2": different ranks; "mpi"; "mpi:cpu:1"; "mpi:cuda:0-3": the devices, partitioned among the processes. */
int gt_team_is_spec(const char *spec);
/* 1: the ranks are in several processes: "mpi", "mpi:BACKEND". */
int gt_processes_are_spec(const char *spec);

#ifdef __cplusplus
}
#endif
#endif
