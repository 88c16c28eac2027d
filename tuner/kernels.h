#ifndef GT_TUNER_KERNELS_H
#define GT_TUNER_KERNELS_H
/* Kernels that can be tuned: whose they are, and in which direction. */
#include <gantry/status.h>
typedef struct {
	const char *name;
	const char *projector; /* whose kernel it is; NULL: of filtered backprojection */
	int back;              /* 1: of its adjoint */
	int loose;             /* 1: by texture units, whose places have 8 bits behind the point */
	int at_run_time;       /* 1: nothing is compiled: what operators take is not asked for */
} gt_tunable;
/* GT_ERR_UNKNOWN names those that there are. */
gt_status gt_tunable_find(const char *name, const gt_tunable **k);
#endif
