#ifndef GANTRY_MEMORY_H
#define GANTRY_MEMORY_H
/* Memory of a reconstruction. */
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	size_t size;                    /* sizeof(gt_memory_estimate) */
	/* Bytes on the device: of the parts, and at most. */
	size_t volume, data, weights, operators, penalty, solver, best_image, peak;
	size_t start_peak;              /* at most, until the start, or all of a direct method, is computed */
	size_t penalty_peak;            /* at most, until the penalty is made */
	size_t free, total;             /* before anything is allocated; what was given, if that is less */
	/* Bytes of the host's memory: of the parts, and at most. host_peak includes the device's where that is the host. */
	double host_data, host_projections, host_volume, host_weights, host_subset, host_strength, host_peak;
	double host_free;               /* before the run; less than 0: not known */
	int on_host;                    /* 1: the device is the host */
	int limited;                    /* 1: free is what was given */
	size_t subsets, views;
	char backend[32], about[160];
	size_t keep_yes_peak, keep_no_peak;     /* device peak with keep=yes and keep=no of the solver; 0: no such key */
	double moved;                   /* bytes of arrays that an iteration reads and writes */
	double scratch;                 /* part of host_peak in files of the scratch folder, bytes; 0: all in memory */
	double host_making;             /* the same until the penalty is made, but for the first parts */
	double host_process;            /* part of host_peak: libraries and buffers, beyond the process before the run */
} gt_memory_estimate;

/* 1: the run fits into what is free or given. */
GT_API int gt_memory_estimate_fits(const gt_memory_estimate *e);

#ifdef __cplusplus
}
#endif
#endif
