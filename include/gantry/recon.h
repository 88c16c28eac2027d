#ifndef GANTRY_RECON_H
#define GANTRY_RECON_H
/* From projections to a volume: everything that `gantry recon` can do, from arrays in memory or from files.
 *
 *   gt_recon *r = NULL;
 *   gt_recon_new(projections, &r);
 *   gt_recon_set(r, "preset", "iterative");
 *   gt_recon_run(r, volume);
 *   gt_recon_free(r);
 *
 * What is not set is chosen: the method that fits the scan, the projector, the weights, the start, the strength of the penalty. What was
 * chosen and why is told in messages, and gt_recon_text() has it afterwards. One gt_recon serves one thread at a time. Every function
 * that returns a status takes NULL where something else is needed as GT_ERR_ARG, and leaves a sentence for gt_error(). */
#include <gantry/io.h>
#include <gantry/memory.h>
#include <gantry/message.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct gt_recon gt_recon;

/* From projections in memory, which are borrowed until gt_recon_free() and must not change meanwhile. GT_ERR_ARG: they
 * hold no data. */
GT_API gt_status gt_recon_new (const gt_projections *p, gt_recon **r);
/* From a file or a folder, which is read when something is chosen, planned or run; in parts, where the whole does not
 * fit into memory and method and format allow that. o is copied, what it points to is borrowed; NULL: defaults. */
GT_API gt_status gt_recon_open(const char *path, const gt_read_options *o, gt_recon **r);
GT_API void      gt_recon_free(gt_recon *r);

/* Sets one of the keys below; values are the texts of the command line, and NULL takes a value back. GT_ERR_UNKNOWN with the nearest name for
 * a key, GT_ERR_ARG and GT_ERR_UNKNOWN for a value, with what was found and what was expected; what was set before stays then.
 *   preset (or quality)   none, fast, iterative                       solver          NAME:key=value,...
 *   projector             NAME:key=value,...                          penalty         NAME:key=value,..., noise=10HU or strength=...
 *   weights               auto, uniform, file, photons:..., noise, model
 *   init                  auto, zero, fdk, wfbp or a file of a volume
 *   grid                  NXxNYxNZ@DXxDYxDZ[+CX,CY,CZ] in mm          like            a file whose grid is taken
 *   padding (or margin)   auto, yes, no                               stop            change=0.1HU,gradient=1e-3,seconds=60
 *   outside               auto, subtract, grid, no: the object outside the grid of an iterative method
 *   checkpoint            FILE[:every=10]                             resume          FILE
 *   backend               auto, cpu, cpu:THREADS, cuda, cuda:NUMBER   precision       single, double
 *   split                 auto, views, slices, 2x4: who computes what, where backend is a team (cuda:0-3, cpu:1x4, mpi)
 *   balance               auto, yes, no: members of a team (cpu:1+cpu:2) measure their shares first
 *   reproducible          no, yes: the same bits on 1, 2, 4 or 8 devices: eight members always
 *   device-memory         4GiB: at most so much is taken              host-memory     the same of the host
 *   keep                  auto, memory, scratch, no (by slabs)        scratch         a folder (by slabs)
 *   overlap               yes, no (by slabs)                          data            a file of the projections, for gt_recon_open()
 *   slabs                 auto, yes: by slabs also where all fits
 *   check                 yes, no: compare conjugate rays first, and remark
 *   force                 no, yes: take projections whose values are no line integrals
 *   unit                  mm-1, HU, auto: of the file that is written water           attenuation of water, mm^-1, for HU
 *   command               a line for the record: how this came to be
 *   output                FILE of gt_recon_run_to(), where that is known before: what it cannot hold is refused early */
GT_API gt_status gt_recon_set(gt_recon *r, const char *key, const char *value);
/* Refuses a value as gt_recon_set() would, without a gt_recon. */
GT_API gt_status gt_recon_check(const char *key, const char *value);
/* What a key takes, of keys whose values have names and no table of their own: weights, preset. name: of them this one
 * alone; NULL: all. GT_ERR_UNKNOWN. */
GT_API gt_status gt_recon_help(const char *key, const char *name, FILE *out);
/* The i-th key; NULL at the end. */
GT_API const char *gt_recon_key(size_t i);
/* The voxels, in place of the keys grid and like; NULL takes them back. Without either the volume given to
 * gt_recon_run() says, else what fits the scan. */
GT_API gt_status gt_recon_grid (gt_recon *r, const gt_grid *grid);
/* Where an iterative method starts, in place of the key init: [z][y][x] on the grid, mm^-1, borrowed until the run
 * ends; NULL takes it back. */
GT_API gt_status gt_recon_start(gt_recon *r, const float *volume);

/* Who is told of choices, remarks and steps; say = NULL: nobody. */
GT_API void gt_recon_on_message(gt_recon *r, void (*say)(void *self, const gt_message *m), void *self);

typedef enum {
	GT_RECON_READING,               /* a folder of many files is read: done says how far */
	GT_RECON_BEGINS,                /* all is chosen, and the solver is about to begin: gt_recon_text() has it all */
	GT_RECON_ITERATION,             /* an iteration is done */
	GT_RECON_SAVES,                 /* a checkpoint is about to be written (done = 0), or has been (1) */
	GT_RECON_ENDS,                  /* the solver has ended, however */
	GT_RECON_SLAB,                  /* by slabs: done says how far, text how fast */
	GT_RECON_WRITES,                /* the file of the volume is about to be written */
	GT_RECON_WITHIN                 /* on the CPU, at most ten times a second: a part of an iteration is done, or
	                                 * of a direct method (iterations = 0, done says how far; text "start" where
	                                 * an iterative method begins with it); r must not be used */
} gt_recon_phase;
/* All numbers are NAN where they are not known. */
typedef struct {
	size_t size;                    /* sizeof(gt_recon_progress) of the library: later versions add members at the end */
	gt_recon_phase phase;
	double done;                    /* of this phase, 0 to 1 */
	int iteration, iterations;      /* done, and at most */
	int resumed;                    /* of those done, the ones before this run */
	double seconds;                 /* since the solver began */
	double cost, data, penalty;     /* cost = data + penalty */
	double gradient;                /* |cost'|, mm */
	double residual;                /* |Ax-b|/|b| */
	double change;                  /* root mean square change of the volume in this iteration, mm^-1 */
	double water;                   /* mm^-1: what HU are made with */
	const char *text;               /* NULL, or words for a user; valid during the call */
	int water_told;                 /* by the scan or the user, so that HU mean something; 0: water is the usual one */
	double within;                  /* GT_RECON_WITHIN: of the iteration in progress, 0 to 1; NAN before the first one */
	double left;                    /* GT_RECON_WITHIN: seconds to the end of the last iteration, about */
} gt_recon_progress;
/* Called once per iteration and at the phases above, from the thread that called the library; non-zero stops: an
 * iterative method ends there with the volume that it has, before the iterations gt_recon_run() ends with GT_STOPPED.
 * each = NULL: nobody. */
GT_API void gt_recon_on_progress(gt_recon *r, int (*each)(void *self, const gt_recon_progress *p), void *self);

/* The slices through the middle of the volume as it is after an iteration, mm^-1. */
typedef struct {
	size_t size;                    /* sizeof(gt_recon_slices) of the library: later versions add members at the end */
	const gt_grid *grid;            /* of the volume */
	size_t index[3];                /* of the slice across x, across y, across z */
	const float *slice[3];          /* [z][y], [z][x], [y][x]; valid during the call */
	int iteration;
	double water;                   /* mm^-1 */
} gt_recon_slices;
/* Called after the first iteration, then at most once in so many seconds, and after the last that is asked for, before
 * the progress function of that iteration; only these slices are copied, and only then. A team's volume is not told:
 * take is not called. take = NULL: nobody. */
GT_API void gt_recon_on_slices(gt_recon *r, double seconds, void (*take)(void *self, const gt_recon_slices *s), void *self);

/* Asked from the thread that called the library, also within one projection or one filtered backprojection, some ten
 * times a second at least on the CPU; non-zero gives the run up: GT_STOPPED, and the volume is undefined. cancel must
 * not use r, and goes on to say so. To keep what an iterative method has, stop by the progress function instead.
 * cancel = NULL: nobody. */
GT_API void gt_recon_on_cancel(gt_recon *r, int (*cancel)(void *self), void *self);

/* Chooses all that was left open, and tells it, without computing: reads the projections, or of a run by slabs the
 * geometry alone. The functions below do it first where it was not done since the last setting. */
GT_API gt_status gt_recon_choose(gt_recon *r);
/* The voxels that gt_recon_choose() found. GT_ERR_ARG before. */
GT_API gt_status gt_recon_chosen_grid(const gt_recon *r, gt_grid *grid);
/* 1: an iterative method, 0: a direct one, -1: neither set nor chosen yet. */
GT_API int gt_recon_iterates(const gt_recon *r);
/* What was chosen, or found while it ran: "solver", "method" (its name alone), "projector", "weights", "penalty",
 * "start", "grid", "precision", "backend", "subsets", "slabs", "checkpoint" (the file alone), "parameters" (all of
 * them, as files record it), "split" (of a team), "model" (seconds of an iteration, or of a direct method, as a model
 * predicts them). NULL: not known yet, or there is none. Valid until the next call with r. */
GT_API const char *gt_recon_text(gt_recon *r, const char *name);

/* What a run would take, and its settings as lines key=value, which r owns until the next call: found by running it
 * with nothing computed. Of a run by slabs the memory is left as it was, and gt_recon_slabs_result() has the cut.
 * memory and settings may be NULL; memory->size is set before the call. GT_ERR_MEMORY, with all filled in and a
 * sentence that names what would fit, if it does not. */
GT_API gt_status gt_recon_plan(gt_recon *r, gt_memory_estimate *memory, const char **settings);

/* Computes the volume. Where no grid was set, that of v is taken; else both must be the same (GT_ERR_UNSUPPORTED).
 * GT_ERR_MEMORY names what would fit. GT_OK also where the progress function or a rule stopped the iterations, and
 * where they diverged: gt_recon_result() has it. */
GT_API gt_status gt_recon_run(gt_recon *r, gt_volume *v);
/* The same into a file, whose name decides the format; by slabs where that is what fits. o: NULL: defaults. */
GT_API gt_status gt_recon_run_to(gt_recon *r, const char *path, const gt_write_options *o);

/* Several scans of one object (energies, times) together: n volumes on one grid, v[i] from r[i], with a penalty that
 * takes several volumes (joint-tv, low-rank) and a strength of its own. Solver, penalty, backend, precision, rules to
 * stop and callbacks are those of r[0]; projections, weights, start and projector each's own. Solvers see one volume of
 * all and one operator that is block-diagonal. Weights have the mean 1 in each scan, whatever its dose, so that one
 * strength suits all. Where no grid was set, that of v[0] is taken for all. Texts and results are kept in each r[i];
 * slices are told of the first volume. Memory: that of each, and one volume for each more. Checkpoints are r[0]'s, of
 * all. The backend may be a team of this process, whose members share every volume by slices. GT_ERR_ARG: n is below
 * 1, a direct method, no penalty, a strength that is to be found, different numbers of subsets; GT_ERR_UNSUPPORTED:
 * different grids, a penalty of one volume, members in other processes. Volumes are as they were after a failure. */
GT_API gt_status gt_recon_run_joint(gt_recon *const *r, size_t n, gt_volume *const *v);

/* How the last run went. Texts and numbers are r's until the next call of another function on it. */
typedef struct {
	size_t size;                    /* set it to sizeof(gt_recon_outcome) before the call */
	int iterations, most;           /* done, and at most; 0 of a direct method */
	const char *reason;             /* why it ended before all iterations; NULL: it did not */
	int stopped;                    /* 1: the progress function asked for that */
	int diverged;                   /* 1: it diverged; reason says how that was seen, and the volume is of `kept` */
	int kept;                       /* iteration of which the volume is: of a run that diverged the best */
	double residual;                /* |Ax-b|/|b|, NAN if not known */
	double seconds;                 /* of the computation */
	const char *backend, *parameters;
	const double *cost;             /* [iterations] of the cost, NAN where it is not known; NULL: none */
	size_t costs;
	double device_peak;             /* bytes that were taken on the device at most */
	const char *unsaved;            /* why the last checkpoint was not written; NULL: it was, or none was due */
} gt_recon_outcome;
/* GT_ERR_ARG where nothing has run. */
GT_API gt_status gt_recon_result(const gt_recon *r, gt_recon_outcome *out);

/* How a run by slabs is cut, and what its stages took. */
enum { GT_RECON_STAGE_READ, GT_RECON_STAGE_UPLOAD, GT_RECON_STAGE_FILTER, GT_RECON_STAGE_BACKPROJECT, GT_RECON_STAGE_DOWNLOAD, GT_RECON_STAGE_WRITE,
       GT_RECON_STAGES };
typedef struct {
	size_t size;                    /* set it to sizeof(gt_recon_slabs) before the call */
	size_t slabs, slices, views, rows;      /* and slices of one, views read at a time, rows of the detector that any needs at most */
	const char *kept;               /* where the projections are for the slabs after the first: no, memory, scratch */
	double device, host, process, reserve;  /* bytes that are planned */
	double seconds[GT_RECON_STAGES], bytes[GT_RECON_STAGES];        /* NAN: not known, as stages ran at the same time; BACKPROJECT: updates in place of bytes */
	double whole;                   /* s; 0: it was planned alone */
	double device_peak, process_peak;       /* bytes that were taken */
} gt_recon_slabs;
/* GT_ERR_ARG where the last plan or run was not by slabs. */
GT_API gt_status gt_recon_slabs_result(const gt_recon *r, gt_recon_slabs *out);

/* The grid that a reconstruction takes where none is asked for: gt_grid_default(); of helical scans the slices that are
 * complete, if there are any, and how many below and above are not (either may be NULL). */
GT_API gt_status gt_recon_default_grid(const gt_scan *scan, gt_grid *grid, size_t *below, size_t *above);
/* A remark on a scan whose detector stands before the rotation axis. */
GT_API void      gt_note_detector(const gt_listener *log, const gt_scan *scan);

/* Processes that a launcher of MPI started together (mpirun -n 4 ...) compute as one team: backend "mpi", "mpi:cpu:2",
 * "mpi:cuda". Each reads the projections; all make the same calls in the same order, and process 0 alone writes files.
 * Without a launcher a process is alone. */

/* Joins the others: which of how many this process is. 0 of 1 without a launcher. GT_ERR_UNSUPPORTED: started with
 * others by a build without MPI. */
GT_API gt_status gt_processes_begin(int *process, int *processes);
/* Processes that were started together for works of their own: where no two say the same of theirs, say where its
 * result goes, each is alone from then on, *alone is 1, and gt_processes_end() asks nobody. All call it; an empty text
 * stays with the others. */
GT_API gt_status gt_processes_part(const char *work, int *alone);
/* Tells the others how this process has ended, gt_error() with it, and learns how they have: the first failure of any,
 * whose message names the process. *tells: 1: this process says so to the user. One that has failed waits 4 s for
 * the others, then says so itself. Once; alone it gives st back. */
GT_API gt_status gt_processes_end(gt_status st, int *tells);
/* Parts from the others, behind gt_processes_end(); ends all, with this exit code, where they did not come
 * there. */
GT_API void gt_processes_leave(int code);
/* As gt_processes_begin() said: 0 before it. */
GT_API int gt_process(void);
/* 1: this build has MPI. */
GT_API int gt_has_mpi(void);

#ifdef __cplusplus
}
#endif
#endif
