#ifndef GT_TUNER_KERNELS_H
#define GT_TUNER_KERNELS_H
/* Tunable kernels, their projectors and directions. */
#include <gantry/status.h>
typedef struct {
	const char *name;
	const char *projector; /* NULL: filtered backprojection */
	int back;              /* 1: kernel of the adjoint */
	int loose;             /* 1: uses texture units, whose coordinates have 8 fractional bits */
	int at_run_time;       /* 1: chosen at run time without compiling; operators' requests are not compared */
} gt_tunable;
/* GT_ERR_UNKNOWN lists the valid names. */
gt_status gt_tunable_find(const char *name, const gt_tunable **k);
#endif
