#ifndef GT_TUNER_TUNER_H
#define GT_TUNER_TUNER_H
/* Tunes kernels for a problem and a device by a search over the values of their macros. NVRTC compiles the variants;
 * a child process verifies and times them. The best one is cached in the user's cache, where operators find it. Logs
 * of searches are replayed without a GPU. Call it before the process opens a GPU, because a child of fork() cannot
 * use it. */
#include <stdint.h>
#include <gantry/grid.h>
#include <gantry/message.h>
#include <gantry/scan.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Evaluation of one variant. GT_TUNE_OK: ms is its time; other verdicts: why states the reason. */
typedef enum { GT_TUNE_OK, GT_TUNE_NOT_LEGAL, GT_TUNE_NOT_BUILT, GT_TUNE_WRONG, GT_TUNE_ENDED } gt_tune_verdict;
typedef struct {
	size_t size;                    /* sizeof(gt_tune_evaluation) of the library */
	gt_tune_verdict verdict;
	double ms, built_in_ms;         /* from medians of alternating measurements */
	double error;                   /* forward against the CPU in double: worst relative RMS of the check problems */
	double off_adjoint;             /* largest difference of adjoint and forward entries over the largest entry */
	int pairs;                      /* number of timed pairs */
	char why[512];
} gt_tune_evaluation;
const char *gt_tune_verdict_text(gt_tune_verdict v);

typedef struct {
	size_t size;                    /* sizeof(gt_tune_options) */
	const char *kernel;             /* a name of gt_tune_kernel_name(): "dd-forward"; not used with source */
	const char *source, *check;     /* a user's annotated file and its check command (tuner/source.h); NULL: kernel */
	const char *best;               /* with source: file for the best program; NULL: none */
	const char *backend;            /* "cuda:0" */
	const gt_scan *scan;
	const gt_grid *grid;
	double seconds;                 /* time limit of a search; 0: none */
	size_t evaluations;             /* maximum number of evaluations; 0: no limit */
	const char *strategy;           /* search strategy of gt_tune_strategy_name(); NULL: "climb" */
	uint64_t seed;
	double limit;                   /* time limit of one variant, or of one check, seconds */
	const char *log;                /* log file with one line per variant; NULL: none */
	int keep;                       /* 1: caches the result */
	gt_listener listener;
	void (*tried)(void *self, size_t evaluation, const char *variant, const gt_tune_evaluation *t);
	void *self;
} gt_tune_options;
void gt_tune_defaults(gt_tune_options *o);

/* Evaluates one variant, "NAME=value NAME=value"; other macros have the values of the built-in kernel. */
gt_status gt_tune_try(const gt_tune_options *o, const char *variant, gt_tune_evaluation *t);

/* Result of a search. variant "": no variant is at least 1 % faster than the built-in kernel. */
typedef struct {
	size_t size;                    /* sizeof(gt_tune_outcome) of the library */
	char about[512], built_in[512]; /* class of the problem; macros of the built-in kernel */
	char variant[512];
	double ms, built_in_ms;         /* final times, measured alternately in a separate process */
	size_t candidates, evaluations, failed;
	double seconds;
} gt_tune_outcome;
/* Searches, verifies the best variant again, and caches it. Fails without NVRTC, a GPU or a legal candidate, and if the
 * budget is too small for one evaluation. GT_ERR_IO with a complete outcome: the cache could not be written. */
gt_status gt_tune_search(const gt_tune_options *o, gt_tune_outcome *out);

/* Tunes the kernels of both directions of a projector ("dd", "sf-tr", "joseph"). Their times divide the budget, because
 * a run calls both equally often. why: "", or the reason not to tune. The name of the kernel is appended to the log. */
typedef struct {
	size_t size;                    /* sizeof(gt_tune_part) of the library */
	const char *kernel;
	double ms, share;               /* time of the built-in kernel, and its fraction of the time of both */
	gt_tune_outcome outcome;
	char why[512];
} gt_tune_part;
gt_status gt_tune_projector(const gt_tune_options *o, const char *projector, void (*each)(void *self, const gt_tune_part *part));

/* Replays a search strategy on a log, without a device. best[i], i < evaluations: best time after i + 1 evaluations;
 * INFINITY before the first correct variant. Entries after the end of the search repeat the last time. */
typedef struct {
	size_t size, candidates, right;
	double first_ms, best_ms, built_in_ms;
	double updates, seconds;        /* views times voxels; time of the search. 0: not in the log */
	char kernel[64], device[128], about[512], problem[200];
	int ended;                      /* 1: the search finished, and the next members are set */
	char chosen[512];               /* chosen variant; "": the built-in kernel */
	double chosen_ms, chosen_built_in_ms; /* measured alternately after the search */
} gt_tune_log_facts;
/* GT_ERR_UNSUPPORTED: the kernel could not be tuned for its problem; the message has the reason. */
gt_status gt_tune_log_facts_of(const char *log, gt_tune_log_facts *facts);
gt_status gt_tune_replay(const char *log, const char *strategy, uint64_t seed, size_t evaluations, double *best);
/* Reads a log once for many replays; the file is not used afterwards. Errors as above. */
typedef struct gt_tune_log gt_tune_log;
gt_status gt_tune_log_open(const char *path, gt_tune_log **log);
void      gt_tune_log_close(gt_tune_log *log);
void      gt_tune_log_describe(const gt_tune_log *log, gt_tune_log_facts *facts);
gt_status gt_tune_log_replay(const gt_tune_log *log, const char *strategy, uint64_t seed, size_t evaluations, double *best);
/* Name of search strategy i; NULL: i is past the last. */
const char *gt_tune_strategy_name(size_t i);

/* An entry of the cache; why: NULL if operators of this library may use it, else the reason. */
typedef struct {
	size_t size;
	char kernel[64], device[128], about[512], variant[512], strategy[32], when[24];
	double ms, built_in_ms;
	const char *why;
	int shipped;                    /* 1: it came with the library */
} gt_tune_entry;
gt_status gt_tune_list(const char *kernel, void (*each)(void *self, const gt_tune_entry *e), void *self);
gt_status gt_tune_forget(const char *kernel);
/* Exports the cache to one file for other machines with the same device. Calls each (may be NULL) for every entry; why:
 * reason to omit it. GT_ERR_UNSUPPORTED: no entry suits another machine. */
gt_status gt_tune_export(const char *path, void (*each)(void *self, const gt_tune_entry *e), void *self);
/* Imports such a file into the user's cache, with the same calls. Entries must be legal and have the sources of this
 * library and the device of `backend`, "cuda:0"; NULL, or no such device: any device. Existing entries of their class
 * stay. GT_ERR_UNSUPPORTED: no entry can be used here. */
gt_status gt_tune_import(const char *path, const char *backend, void (*each)(void *self, const gt_tune_entry *e),
                         void *self);
/* Returns the name of tunable kernel i; NULL at the end. gt_tune_kernel_of() returns the kernel of a projector
 * ("dd:memory=100"), back: of its adjoint; NULL: none. */
const char *gt_tune_kernel_name(size_t i);
const char *gt_tune_kernel_of(const char *projector, int back);

#ifdef __cplusplus
}
#endif
#endif
