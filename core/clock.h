#ifndef GT_CORE_CLOCK_H
#define GT_CORE_CLOCK_H

double gt_seconds(void);        /* seconds on a monotonic clock */
double gt_seconds_coarse(void); /* the same clock at its last tick, some ms ago; cheaper */

/* Marks for gt_timings(): ends the running stage and begins this one; equal names share one entry. The name outlives
 * the process: a literal. Does nothing in other threads than that of gt_timings_start(). */
void gt_mark_stage(const char *name);

#endif
