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

/* One variant. Verdict GT_TUNE_OK: ms is its time, else why says what was wrong. */
typedef enum { GT_TUNE_OK, GT_TUNE_NOT_LEGAL, GT_TUNE_NOT_BUILT, GT_TUNE_WRONG, GT_TUNE_ENDED } gt_tune_verdict;
typedef struct {
	size_t size;                    /* sizeof(gt_tune_evaluation) of the library */
	gt_tune_verdict verdict;
	double ms, built_in_ms;         /* the second in turn with it */
	double error;                   /* forward's from the CPU in double, relative RMS of the worst of the small problems */
	double off_adjoint;             /* entries of the adjoint from forward's, of the largest */
	int pairs;                      /* that were timed */
	char why[512];
} gt_tune_evaluation;
GT_API const char *gt_tune_verdict_text(gt_tune_verdict v);

typedef struct {
	size_t size;                    /* sizeof(gt_tune_options) */
	const char *kernel;             /* of those that gt_tune_kernel_name() names: "dd-forward" */
	const char *backend;            /* "cuda:0" */
	const gt_scan *scan;
	const gt_grid *grid;
	double seconds;                 /* for a search; 0: no limit */
	size_t evaluations;             /* likewise */
	const char *strategy;           /* NULL: "auto"; "near": only what is kept for neighbouring classes of problems */
	uint64_t seed;
	double limit;                   /* seconds that one variant may take */
	const char *log;                /* a file, one line for each variant; NULL: none */
	int keep;                       /* 1: what was found goes into the cache */
	gt_listener listener;
	void (*tried)(void *self, size_t evaluation, const char *variant, const gt_tune_evaluation *t);
	void *self;
} gt_tune_options;
GT_API void gt_tune_defaults(gt_tune_options *o);

/* Tries one variant, "NAME=value NAME=value"; what it does not name is as in the built-in kernel. */
GT_API gt_status gt_tune_try(const gt_tune_options *o, const char *variant, gt_tune_evaluation *t);

/* What a search came to. variant "": the built-in kernel is not beaten by 1 %. */
typedef struct {
	size_t size;                    /* sizeof(gt_tune_outcome) of the library */
	char about[512], built_in[512]; /* the class of the problem; the built-in kernel, as a variant */
	char variant[512];
	double ms, built_in_ms;         /* at last, in turn, in a process of their own */
	size_t candidates, evaluations, failed;
	double seconds;
} gt_tune_outcome;
/* Searches, checks the best once more, and keeps it. Fails where nothing can be tuned: no NVRTC, no GPU, no legal
 * candidate, a budget that does not do for one. GT_ERR_IO with the outcome filled: it could not be kept. */
GT_API gt_status gt_tune_search(const gt_tune_options *o, gt_tune_outcome *out);

/* What a run uses: the kernels of both directions of a projector ("dd", "sf-tr", "joseph"), as often each, so that the
 * budget goes by their times. why: "", or why that one is left as it is. The log's name gets the kernel's behind it. */
typedef struct {
	size_t size;                    /* sizeof(gt_tune_part) of the library */
	const char *kernel;
	double ms, share;               /* of the built-in kernel, and of both */
	gt_tune_outcome outcome;
	char why[512];
} gt_tune_part;
GT_API gt_status gt_tune_projector(const gt_tune_options *o, const char *projector, void (*each)(void *self, const gt_tune_part *part));

/* A searcher on a log, without a device: best[i] is the best time after i + 1 programs, INFINITY as long as none was
 * right; programs it did not come to have the last one. best has room for `programs`. */
typedef struct {
	size_t size, candidates, right;
	double first_ms, best_ms, built_in_ms;
	double updates, seconds;        /* views times voxels; of the search: 0 where the log does not say */
	char kernel[64], device[128], about[512], problem[200];
	int ended;                      /* 1: the search came to its end, and what follows is there */
	char chosen[512];               /* the variant, "": the built-in kernel stays */
	double chosen_ms, chosen_built_in_ms; /* in turn, after the search */
} gt_tune_log_facts;
/* GT_ERR_UNSUPPORTED: it is of a kernel that could not be tuned for its problem, with the reason. */
GT_API gt_status gt_tune_log_facts_of(const char *log, gt_tune_log_facts *facts);
GT_API gt_status gt_tune_replay(const char *log, const char *strategy, uint64_t seed, size_t evaluations, double *best);
/* The same of a log that is read once, for many searches; the file is not needed any more. Errors as above. */
typedef struct gt_tune_log gt_tune_log;
GT_API gt_status gt_tune_log_open(const char *path, gt_tune_log **log);
GT_API void      gt_tune_log_close(gt_tune_log *log);
GT_API void      gt_tune_log_describe(const gt_tune_log *log, gt_tune_log_facts *facts);
GT_API gt_status gt_tune_log_replay(const gt_tune_log *log, const char *strategy, uint64_t seed, size_t evaluations, double *best);
/* Names of searchers; NULL ends. */
GT_API const char *gt_tune_strategy_name(size_t i);

/* What is kept in the user's cache; why: NULL if operators of this library may use it, else a sentence. */
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
