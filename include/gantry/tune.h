#ifndef GANTRY_TUNE_H
#define GANTRY_TUNE_H
/* Kernels tuned to a problem and a device: values of their macros are searched, variants compiled by NVRTC, checked and
 * timed in a child process, and the best is kept in the user's cache, where operators find it. Logs of searches are
 * replayed without a GPU. Call it before the process opens a GPU: a child of fork() could not. */
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
GT_API const char *gt_tune_verdict_text(gt_tune_verdict v);

typedef struct {
	size_t size;                    /* sizeof(gt_tune_options) */
	const char *kernel;             /* a name of gt_tune_kernel_name(): "dd-forward" */
	const char *backend;            /* "cuda:0" */
	const gt_scan *scan;
	const gt_grid *grid;
	double seconds;                 /* time limit of a search; 0: none */
	size_t evaluations;             /* maximum number of evaluations; 0: no limit */
	const char *strategy;           /* search strategy of gt_tune_strategy_name(); NULL: "climb" */
	uint64_t seed;
	double limit;                   /* time limit of one variant, seconds */
	const char *log;                /* log file with one line per variant; NULL: none */
	int keep;                       /* 1: caches the result */
	gt_listener listener;
	void (*tried)(void *self, size_t evaluation, const char *variant, const gt_tune_evaluation *t);
	void *self;
} gt_tune_options;
GT_API void gt_tune_defaults(gt_tune_options *o);

/* Evaluates one variant, "NAME=value NAME=value"; other macros have the values of the built-in kernel. */
GT_API gt_status gt_tune_try(const gt_tune_options *o, const char *variant, gt_tune_evaluation *t);

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
GT_API gt_status gt_tune_search(const gt_tune_options *o, gt_tune_outcome *out);

/* Tunes the kernels of both directions of a projector ("dd", "sf-tr", "joseph"). Their times divide the budget, because
 * a run calls both equally often. why: "", or the reason not to tune. The name of the kernel is appended to the log. */
typedef struct {
	size_t size;                    /* sizeof(gt_tune_part) of the library */
	const char *kernel;
	double ms, share;               /* time of the built-in kernel, and its fraction of the time of both */
	gt_tune_outcome outcome;
	char why[512];
} gt_tune_part;
GT_API gt_status gt_tune_projector(const gt_tune_options *o, const char *projector, void (*each)(void *self, const gt_tune_part *part));

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
GT_API gt_status gt_tune_log_facts_of(const char *log, gt_tune_log_facts *facts);
GT_API gt_status gt_tune_replay(const char *log, const char *strategy, uint64_t seed, size_t evaluations, double *best);
/* Reads a log once for many replays; the file is not used afterwards. Errors as above. */
typedef struct gt_tune_log gt_tune_log;
GT_API gt_status gt_tune_log_open(const char *path, gt_tune_log **log);
GT_API void      gt_tune_log_close(gt_tune_log *log);
GT_API void      gt_tune_log_describe(const gt_tune_log *log, gt_tune_log_facts *facts);
GT_API gt_status gt_tune_log_replay(const gt_tune_log *log, const char *strategy, uint64_t seed, size_t evaluations, double *best);
/* Name of search strategy i; NULL: i is past the last. */
GT_API const char *gt_tune_strategy_name(size_t i);

/* An entry of the cache; why: NULL if operators of this library may use it, else the reason. */
typedef struct {
	size_t size;
	char kernel[64], device[128], about[512], variant[512], strategy[32], when[24];
	double ms, built_in_ms;
	const char *why;
	int shipped;                    /* 1: it came with the library */
} gt_tune_entry;
GT_API gt_status gt_tune_list(const char *kernel, void (*each)(void *self, const gt_tune_entry *e), void *self);
GT_API gt_status gt_tune_forget(const char *kernel);
/* What is kept, as one file for other machines of the same device; each (or NULL) is told of every entry, why: left
 * out. GT_ERR_UNSUPPORTED: nothing is kept that another machine could use. */
GT_API gt_status gt_tune_export(const char *path, void (*each)(void *self, const gt_tune_entry *e), void *self);
/* Such a file into the user's cache: each is told of every entry, why: not taken. Taken are those of this library's
 * sources, legal, of this device ("cuda:0"; NULL, or none there: it is not compared, as operators on another pass them
 * over), if no other is kept for their class. GT_ERR_UNSUPPORTED: none can be used here. */
GT_API gt_status gt_tune_import(const char *path, const char *backend, void (*each)(void *self, const gt_tune_entry *e),
                                void *self);
/* Kernels that can be tuned; NULL ends. That of a projector ("dd:memory=100" as well), back: of its adjoint; NULL:
 * none. */
GT_API const char *gt_tune_kernel_name(size_t i);
GT_API const char *gt_tune_kernel_of(const char *projector, int back);

/* The instruction set that the CPU's kernels use, which are compiled for each: the widest that the processor has of
 * "avx512", "avx2" and "any", the last for those that every processor of its kind has. GANTRY_INSTRUCTIONS in the
 * environment names the widest that may be, to compare and to look for faults; loops that the compiler makes for
 * several processors by itself do not ask. */
GT_API const char *gt_cpu_instructions(void);

#ifdef __cplusplus
}
#endif
#endif
