#ifndef GT_RECON_STREAM_SCRATCH_H
#define GT_RECON_STREAM_SCRATCH_H
/* Keeps arrays of iterations in files if memory is too small (core/device/mapped_files.h). */
#include <gantry/recon.h>
#include "recon/job.h"

/* Per iteration: bytes written to and read from files, their rate in bytes per second, seconds of the operators. */
typedef struct { const char *folder, *solver; double moved, rate, operators; } gt_scratch_cost;
/* GT_ERR_ARG, with these numbers, if files take far longer than operators. */
gt_status gt_scratch_is_worth(const gt_scratch_cost *c);

/* Runs a dry run. If part of the arrays would be in files, the job's operators stream from then on if that fits. Other
 * operators would read whole files repeatedly. */
gt_status gt_recon_stream_files(gt_recon *r, gt_status (*dry_run)(gt_recon *r, gt_memory_estimate *e), gt_memory_estimate *e);
/* Returns the bytes of a job's arrays that may be in files; slabs and views in transfer stay in memory. */
double gt_scratch_arrays(const gt_recon_job *j, const gt_memory_estimate *e);
/* Chooses and reports how much of the job's arrays stays in memory, from a dry run's estimate; keeps an earlier choice.
 * Does nothing without a folder. */
gt_status gt_recon_choose_scratch(gt_recon *r, const gt_memory_estimate *e);
#endif
