#ifndef GT_TUNER_PAIRS_H
#define GT_TUNER_PAIRS_H
/* Timing of a variant alternately with the built-in kernel. */
#include "tuner/operation.h"
#include "tuner/tuner.h"
enum { GT_MAX_PAIRS = 64 };
typedef struct {
	const gt_operation *built_in;
	const gt_array *in;
	gt_array *out;
	int max;                        /* number of pairs, up to GT_MAX_PAIRS; a much slower variant has three */
	double seconds;                 /* after this time only the first three pairs are completed */
} gt_evaluation_pair;
gt_status gt_evaluation_pair_time(const gt_evaluation_pair *p, const gt_operation *A, gt_tune_evaluation *t);
#endif
