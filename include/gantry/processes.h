#ifndef GANTRY_PROCESSES_H
#define GANTRY_PROCESSES_H
/* Processes of one MPI launch (mpirun -n 4 ...) as one team: backends "mpi", "mpi:cpu:2", "mpi:cuda". Each process
 * reads the projections. All processes make the same calls in the same order, and process 0 alone writes files.
 * Without a launcher a process is alone. */
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Joins the other processes. Sets the index of this process and the number of processes; 0 and 1 without a launcher.
 * GT_ERR_UNSUPPORTED: a launcher started several processes of a build without MPI. */
GT_API gt_status gt_processes_begin(int *process, int *processes);
/* Separates processes with independent work; all call it. work: names the output of this process. If all texts
 * differ, each process is alone from then on, and *alone is 1. An empty text keeps the process with the others. */
GT_API gt_status gt_processes_part(const char *work, int *alone);
/* Exchanges the final status st and gt_error() between the processes; call it once. Returns the first failure, and its
 * message names the process. *tells: 1 if this process reports the failure to the user. A failed process waits 4 s for
 * the others and then reports its own failure. A process that is alone returns st. */
GT_API gt_status gt_processes_end(gt_status st, int *tells);
/* Leaves the group after gt_processes_end(). If the processes did not reach gt_processes_end(), it ends all of them
 * with this exit code. */
GT_API void gt_processes_leave(int code);
/* Returns 1 if this build has MPI. */
GT_API int gt_has_mpi(void);

#ifdef __cplusplus
}
#endif
#endif
