#ifndef GT_TUNER_PAIRS_H
#define GT_TUNER_PAIRS_H
/* A variant timed in turn with the built-in kernel. */
#include <gantry/tune.h>
#include "tuner/operation.h"
enum { GT_MAX_PAIRS = 64 };
typedef struct {
	const gt_operation *built_in;
	const gt_array *in;
	gt_array *out;
	int max;                        /* pairs, up to GT_MAX_PAIRS; a variant that is much slower has three */
	double seconds;                 /* no pair after the third begins later than that */
} gt_evaluation_pair;
gt_status gt_evaluation_pair_time(const gt_evaluation_pair *p, const gt_operation *A, gt_tune_evaluation *t);
#endif
