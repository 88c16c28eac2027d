#ifndef GT_TUNER_TUNE_H
#define GT_TUNER_TUNE_H
/* Between the files of this room. */
#include <gantry/tune.h>
enum { GT_TUNE_START = 120 }; /* seconds more for the first variant of a process: the device, and the CPU's projections */
/* What tuning on a device needs is there. */
gt_status gt_tune_ready(const gt_tune_options *o);
#endif
