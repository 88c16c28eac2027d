#ifndef GT_RECON_STREAM_SCRATCH_H
#define GT_RECON_STREAM_SCRATCH_H
/* Arrays of iterations in files, where memory does not hold them (core/device/mapped_files.h). */
#include <gantry/memory.h>
#include "recon/job.h"

/* Of an iteration: bytes that go to files and come from them, bytes per second of these, seconds of the operators. */
typedef struct { const char *folder, *solver; double moved, rate, operators; } gt_scratch_cost;
/* GT_ERR_ARG, with these numbers, where files take far longer than operators. */
gt_status gt_scratch_is_worth(const gt_scratch_cost *c);

/* A dry run; where part of the arrays would lie in files, the job's operators stream from here on, if that fits: others
 * would read files from one end to the other again and again. */
gt_status gt_recon_stream_files(gt_recon *r, gt_status (*dry_run)(gt_recon *r, gt_memory_estimate *e), gt_memory_estimate *e);
/* Bytes of a job's arrays, which may lie in files: slabs and views on their way stay in memory. */
double gt_scratch_arrays(const gt_recon_job *j, const gt_memory_estimate *e);
/* How much of the job's arrays stays in memory, by what a dry run has found, and says so; what is chosen already stays.
 * Nothing without a folder. */
gt_status gt_recon_choose_scratch(gt_recon *r, const gt_memory_estimate *e);
#endif
