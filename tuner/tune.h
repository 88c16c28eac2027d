#ifndef GT_TUNER_TUNE_H
#define GT_TUNER_TUNE_H
/* Declarations shared by the files of tuner/. */
#include "tuner/tuner.h"
enum { GT_TUNE_START = 120 }; /* additional seconds for the first variant of a process: device start and CPU reference */
/* Checks that the device, the compiler and the options permit tuning. */
gt_status gt_tune_ready(const gt_tune_options *o);
#endif
