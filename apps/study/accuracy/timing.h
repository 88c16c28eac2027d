#ifndef GT_APPS_STUDY_ACCURACY_TIMING_H
#define GT_APPS_STUDY_ACCURACY_TIMING_H
/* The time of a projector's two directions. */
#include "apps/study/accuracy/accuracy.h"

enum { FORWARD, BACK, DIRECTIONS };
/* Seconds of the operator on resident data, and from host memory to host memory; NAN where it was not measured. */
typedef struct {
	double apply[DIRECTIONS], total[DIRECTIONS], copies;
} study_seconds;

/* What is timed. full: a long case on a GPU too is timed with all of its views. careful: after a run to warm up, and
 * from host to host too. */
typedef struct {
	const study_variant *variant;
	const gt_scan *scan;
	const gt_grid *grid;
	int full, careful;
} study_timing;

/* Counts one step. A case that cannot be done, or has no room, is told and left out: t is NAN then. part: of the study,
 * for those words. */
gt_status study_time(study *s, const char *part, const study_timing *c, study_seconds *t);
#endif
