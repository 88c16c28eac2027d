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
 * Settings that are not given are chosen: method, projector, weights, start, strength of the penalty. Messages report
 * the choices with reasons, and gt_recon_text() returns them. A gt_recon is not thread-safe. A NULL argument that is
 * required gives GT_ERR_ARG and a message in gt_error(). */
#include <stddef.h>
#include <gantry/grid.h>
#include <gantry/io.h>
#include <gantry/linop.h>
#include <gantry/message.h>
#include <gantry/scan.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Memory of a reconstruction. */
typedef struct {
	size_t size;                    /* sizeof(gt_memory_estimate) */
	/* Bytes on the device: of the parts, and at most. */
	size_t volume, data, weights, operators, penalty, solver, best_image, peak;
	size_t start_peak;              /* at most, until the start, or all of a direct method, is computed */
	size_t penalty_peak;            /* at most, until the penalty is made */
	size_t free, total;             /* before anything is allocated; what was given, if that is less */
	/* Bytes of the host's memory: of the parts, and at most. host_peak includes the device's where that is the host. */
	double host_data, host_projections, host_volume, host_weights, host_subset, host_strength, host_peak;
	double host_free;               /* before the run; less than 0: not known */
	int on_host;                    /* 1: the device is the host */
	int limited;                    /* 1: free is what was given */
	size_t subsets, views;
	char backend[32], about[160];
	size_t keep_yes_peak, keep_no_peak;     /* device peak with keep=yes and keep=no of the solver; 0: no such key */
	double moved;                   /* bytes of arrays that an iteration reads and writes */
	double scratch;                 /* part of host_peak in files of the scratch folder, bytes; 0: all in memory */
	double host_making;             /* the same until the penalty is made, but for the first parts */
	double host_process;            /* part of host_peak: libraries and buffers, beyond the process before the run */
} gt_memory_estimate;

/* 1: the run fits into what is free or given. */
GT_API int gt_memory_estimate_fits(const gt_memory_estimate *e);

typedef struct gt_recon gt_recon;

/* Reconstructs projections in memory, borrowed until gt_recon_free(); they must not change. GT_ERR_ARG: no data. */
GT_API gt_status gt_recon_new (const gt_projections *p, gt_recon **r);
/* Reconstructs a file or folder. gt_recon_choose(), gt_recon_plan() and the run read it. They read it in chunks if it
 * exceeds the memory, and method and format allow it. o is copied, its pointers are borrowed; NULL: defaults. */
GT_API gt_status gt_recon_open(const char *path, const gt_read_options *o, gt_recon **r);
/* From a callback of a call with r: frees r when that call ends; r must not be used after it. */
GT_API void      gt_recon_free(gt_recon *r);

/* Sets a key. Values are the texts of the command line; NULL resets the key to its default. The message of an error
 * has the value found and the values expected. The earlier value then stays. GT_ERR_UNKNOWN: no such key, with the
 * nearest name, or no such module. GT_ERR_ARG: an invalid value. The keys are:
 *
 *   preset         none, fast, iterative; also under the name quality
 *   solver         NAME:key=value,...
 *   projector      NAME:key=value,...
 *   penalty        NAME:key=value,..., noise=10HU or strength=...
 *   weights        auto, uniform, file, photons:..., noise, model
 *   init           auto, zero, fdk, wfbp, or the file of a start volume
 *   grid           NXxNYxNZ@DXxDYxDZ[+CX,CY,CZ], mm; or NX, the number of voxels along x and y
 *   like           file of a volume with the grid
 *   voxel          size of cubic voxels, 0.5mm, over the default box
 *   slice          slices of the grid to compute: A, or A:B from A to B-1; counted from 0, negative from the end
 *   views          views to use: A:B or A:B:STEP, likewise
 *   padding        auto, yes, no: padding slices; also under the name margin
 *   outside        auto, subtract, grid, no, air: the object outside the grid of an iterative method, or air in it
 *   stop           change=0.1HU,gradient=1e-3,seconds=60
 *   checkpoint     FILE[:every=10]
 *   resume         FILE
 *   backend        auto, cpu, cpu:THREADS, cuda, cuda:NUMBER, or a team (cuda:0-3, cpu:1x4, mpi)
 *   precision      single, double
 *   split          auto, views, slices, 2x4: partition of the work of a team
 *   balance        auto, yes, no: ranks of a team (cpu:1+cpu:2) first measure their load fractions
 *   reproducible   no, yes: always eight ranks, bit-identical on 1, 2, 4 or 8 devices
 *   device-memory  limit of device memory, 4GiB
 *   host-memory    limit of host memory
 *   slabs          auto, yes: by slabs even if the volume fits
 *   keep           auto, memory, scratch, no: cache of projections (by slabs)
 *   scratch        folder of the cache (by slabs)
 *   overlap        yes, no: reading, computing and writing overlap (by slabs)
 *   data           file of the projections, for gt_recon_open()
 *   check          yes, no: check conjugate rays first, and warn
 *   force          no, yes: accept projections whose values are not line integrals
 *   unit           mm-1, HU, auto: unit of the written file
 *   water          attenuation of water for HU, mm^-1
 *   command        text for the record of written files
 *   output         FILE of gt_recon_run_to(): refuses early if it cannot hold the volume */
GT_API gt_status gt_recon_set(gt_recon *r, const char *key, const char *value);
/* Refuses a value as gt_recon_set() would, without a gt_recon. */
GT_API gt_status gt_recon_check(const char *key, const char *value);
/* Prints the values of a key without a module table: weights, preset. name: one value; NULL: all. GT_ERR_UNKNOWN. */
GT_API gt_status gt_recon_help(const char *key, const char *name, FILE *out);
/* The i-th key; NULL at the end. */
GT_API const char *gt_recon_key(size_t i);
/* Sets the voxel grid instead of the keys grid and like; NULL resets it. Default: the grid of the volume given to
 * gt_recon_run(), else a grid that fits the scan. */
GT_API gt_status gt_recon_grid (gt_recon *r, const gt_grid *grid);
/* Sets the start of an iterative method instead of the key init: [z][y][x] on the grid, mm^-1, borrowed until the run
 * ends; NULL resets it. */
GT_API gt_status gt_recon_start(gt_recon *r, const float *volume);

/* Sets the callback for messages about choices, warnings and steps; NULL: none. */
GT_API void gt_recon_on_message(gt_recon *r, void (*say)(void *self, const gt_message *m), void *self);

typedef enum {
	GT_RECON_READING,               /* reads a folder of many files; done: completed fraction */
	GT_RECON_BEGINS,                /* all is chosen, and the solver is about to begin: gt_recon_text() has it all */
	GT_RECON_ITERATION,             /* an iteration is done */
	GT_RECON_SAVES,                 /* a checkpoint is about to be written (done = 0), or has been (1) */
	GT_RECON_ENDS,                  /* the solver has ended, however */
	GT_RECON_SLAB,                  /* by slabs; done: completed fraction, text: speed */
	GT_RECON_WRITES,                /* the file of the volume is about to be written */
	GT_RECON_FRACTION               /* on the CPU, at most ten times a second, within an iteration or a direct
	                                 * method; r must not be used. Direct method: iterations 0, done its fraction,
	                                 * and text "start" if it makes the start of an iterative method. */
} gt_recon_phase;
/* Unknown numbers are NAN. */
typedef struct {
	size_t size;                    /* sizeof(gt_recon_progress) of the library: later versions add members at the end */
	gt_recon_phase phase;
	double done;                    /* completed fraction of this phase, 0 to 1 */
	int iteration, iterations;      /* completed, maximum */
	int resumed;                    /* completed iterations that precede this run */
	double seconds;                 /* since the solver began */
	double cost, data, penalty;     /* cost = data + penalty */
	double gradient;                /* |cost'|, mm */
	double residual;                /* |Ax-b|/|b| */
	double change;                  /* root mean square change of the volume in this iteration, mm^-1 */
	double water;                   /* attenuation of water for HU, mm^-1 */
	const char *text;               /* NULL, or a description for users; valid during the call */
	int water_known;                /* 1: the scan or the user states water; 0: default value, HU are nominal */
	double fraction;                /* GT_RECON_FRACTION: of the iteration in progress, 0 to 1; NAN before the first one */
	double left;                    /* GT_RECON_FRACTION: seconds to the end of the last iteration, about */
} gt_recon_progress;
/* Sets the progress callback: once per iteration and at the phases above, in the calling thread. Non-zero stops: an
 * iterative method returns its volume; before the first iteration gt_recon_run() returns GT_STOPPED. NULL: none. */
GT_API void gt_recon_on_progress(gt_recon *r, int (*each)(void *self, const gt_recon_progress *p), void *self);

/* Central slices of the volume after an iteration, mm^-1. */
typedef struct {
	size_t size;                    /* sizeof(gt_recon_slices) of the library: later versions add members at the end */
	const gt_grid *grid;            /* grid of the volume */
	size_t index[3];                /* indices of the slices across x, y and z */
	const float *slice[3];          /* [z][y], [z][x], [y][x]; valid during the call */
	int iteration;
	double water;                   /* mm^-1 */
} gt_recon_slices;
/* Sets the callback for slices: after the first iteration, then at most once per `seconds`, and after the last
 * requested one, before the progress callback. Only these slices are copied. Not called for teams. take NULL: none. */
GT_API void gt_recon_on_slices(gt_recon *r, double seconds, void (*take)(void *self, const gt_recon_slices *s), void *self);

/* Sets the cancellation callback, called in the calling thread, on the CPU about ten times per second also within one
 * projection. Non-zero cancels the run: GT_STOPPED, and the volume is undefined. cancel must not use r and must keep
 * returning non-zero. To keep the volume of an iterative method, stop in the progress callback. NULL: none. */
GT_API void gt_recon_on_cancel(gt_recon *r, int (*cancel)(void *self), void *self);

/* Chooses and reports the open settings without computing. Reads the projections, or only the geometry of a run by
 * slabs. The functions below call it after a changed setting. */
GT_API gt_status gt_recon_choose(gt_recon *r);
/* Returns the chosen grid. GT_ERR_ARG before gt_recon_choose(). */
GT_API gt_status gt_recon_chosen_grid(const gt_recon *r, gt_grid *grid);
/* 1: an iterative method, 0: a direct one, -1: neither set nor chosen yet. */
GT_API int gt_recon_iterates(const gt_recon *r);
/* Returns a setting or result as text, valid until the next call with r; NULL: unknown or none. Names are "solver",
 * "method" (name alone), "projector", "weights", "penalty", "start", "grid", "precision" and "backend". Others are
 * "subsets", "slabs", "checkpoint" (file alone), "parameters" (all, as files record them) and "split" (team).
 * "model" is the predicted time of an iteration or of a direct method, s. "agreement" is the mean of an iterative
 * result over soft parts, relative to the mean of the analytic method that started it. */
GT_API const char *gt_recon_text(gt_recon *r, const char *name);

/* Dry run: estimates the memory of a run. settings: lines key=value, owned by r until the next call. A run by slabs
 * leaves *memory unchanged; gt_recon_slabs_result() returns its plan. memory and settings may be NULL; set memory->size
 * before the call. GT_ERR_MEMORY: the run does not fit; all results are set, and the message names a fitting choice. */
GT_API gt_status gt_recon_plan(gt_recon *r, gt_memory_estimate *memory, const char **settings);

/* Computes the volume on the grid of v. GT_ERR_UNSUPPORTED: another grid was set. GT_ERR_MEMORY names a fitting choice.
 * GT_OK also if the progress callback or a rule stopped the iterations, or if they diverged: see gt_recon_result(). */
GT_API gt_status gt_recon_run(gt_recon *r, gt_volume *v);
/* Computes into a file, whose name determines the format; by slabs if memory requires it. o NULL: defaults. */
GT_API gt_status gt_recon_run_to(gt_recon *r, const char *path, const gt_write_options *o);

/* Reconstructs several scans of one object (energies, times) together: n volumes on one grid, v[i] from r[i]. The
 * penalty takes several volumes (joint-tv, low-rank) and needs a given strength. r[0] determines solver, penalty,
 * backend, precision, stopping rules, callbacks and checkpoints. Each r[i] has its own projections, weights, start and
 * projector. Solvers see one array of all volumes and one block-diagonal operator. Weights have the mean 1 in each
 * scan, so that one strength suits all doses. Default grid: the grid of v[0]. Each r[i] keeps its texts and results.
 * The slice callback gets the first volume. The backend may be a team of this process. Volumes are unchanged after a
 * failure. GT_ERR_ARG: n is 0, a direct method, no penalty, no given strength, different numbers of subsets.
 * GT_ERR_UNSUPPORTED: different grids, a penalty of one volume, ranks in other processes. */
GT_API gt_status gt_recon_run_joint(gt_recon *const *r, size_t n, gt_volume *const *v);

/* Outcome of the last run. Texts and arrays belong to r until the next call of another function on it. */
typedef struct {
	size_t size;                    /* set it to sizeof(gt_recon_outcome) before the call */
	int iterations, max;            /* completed, maximum; 0 for a direct method */
	const char *reason;             /* reason for an early end; NULL: all iterations were done */
	int stopped;                    /* 1: the progress callback stopped it */
	int diverged;                   /* 1: it diverged; reason has the criterion */
	int kept;                       /* iteration of the returned volume; the best one after divergence */
	double residual;                /* |Ax-b|/|b|, NAN if not known */
	double seconds;                 /* time of the computation */
	const char *backend, *parameters;
	const double *cost;             /* [costs], cost of each iteration, NAN: unknown; NULL: none */
	size_t costs;
	double device_peak;             /* maximum bytes on the device */
	const char *unsaved;            /* reason why the last checkpoint was not written; NULL: no failure */
} gt_recon_outcome;
/* GT_ERR_ARG: no run yet. */
GT_API gt_status gt_recon_result(const gt_recon *r, gt_recon_outcome *out);

/* Plan of a run by slabs, and times of its stages. */
enum { GT_RECON_STAGE_READ, GT_RECON_STAGE_UPLOAD, GT_RECON_STAGE_FILTER, GT_RECON_STAGE_BACKPROJECT, GT_RECON_STAGE_DOWNLOAD, GT_RECON_STAGE_WRITE,
       GT_RECON_STAGES };
typedef struct {
	size_t size;                    /* set it to sizeof(gt_recon_slabs) before the call */
	size_t slabs, slices, views, rows;      /* slabs, slices and maximum rows of a slab, views per read */
	const char *kept;               /* cache of projections for later slabs: no, memory, scratch */
	double device, host, process, reserve;  /* planned bytes */
	double seconds[GT_RECON_STAGES], bytes[GT_RECON_STAGES];        /* NAN: stages overlapped; bytes[BACKPROJECT]: updates */
	double whole;                   /* time of the run, s; 0: planned only */
	double device_peak, process_peak;       /* used bytes */
} gt_recon_slabs;
/* GT_ERR_ARG: the last plan or run was not by slabs. */
GT_API gt_status gt_recon_slabs_result(const gt_recon *r, gt_recon_slabs *out);

/* Returns the default grid of a reconstruction: gt_grid_default(), for helical scans only its complete slices if there
 * are any. Sets the numbers of incomplete slices below and above, which may be NULL. */
GT_API gt_status gt_recon_default_grid(const gt_scan *scan, gt_grid *grid, size_t *below, size_t *above);

/* A scan cut into ordered subsets, for a gt_problem. Subset k holds views k, k + subsets, ...: one operator and one array of data, and one of
 * weights if there are any (w), each. */
typedef struct {
	size_t subsets;
	gt_linop **A;
	gt_array **b, **w;              /* w: NULL if all weights are 1 */
} gt_subsets;
/* projector: "NAME:key=value,...". data, weights: [view][row][column] of the whole scan; weights may be NULL. GT_ERR_ARG: subsets is not between
 * 1 and the number of views. After a failure s is empty. */
GT_API gt_status gt_subsets_new(const char *projector, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan,
                                const float *data, const float *weights, size_t subsets, gt_subsets *s);
GT_API void      gt_subsets_free(gt_subsets *s);
GT_API double    gt_subsets_norm(const gt_subsets *s);          /* |b| of all subsets */

#ifdef __cplusplus
}
#endif
#endif
