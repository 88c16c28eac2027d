#ifndef GT_CORE_DEVICE_BACKEND_H
#define GT_CORE_DEVICE_BACKEND_H
/* Interface that a backend implements. Included by core/, by *_cpu.c and *_cuda.cu, and by the files that call them. */
#include <gantry/array.h>
#include "core/device/tag.h"
#include "core/linop.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef enum { GT_CPU, GT_CUDA, GT_NBACKENDS } gt_kind;

/* enum of all operations, from the one table */
#define MAP(name, expr) GT_MAP_##name,
#define RED(name, start, next)
#define BOTH(name, expr, term)
enum gt_map {
#include "core/device/ops.def"
	GT_NMAPS
};
#undef MAP
#undef RED
#define MAP(name, expr)
#define RED(name, start, next) GT_RED_##name,
enum gt_red {
#include "core/device/ops.def"
	GT_NREDS
};
#undef RED
#undef BOTH
#define RED(name, start, next)
#define BOTH(name, expr, term) GT_BOTH_##name,
enum gt_both {
#include "core/device/ops.def"
	GT_NBOTHS
};
#undef MAP
#undef RED
#undef BOTH

enum { GT_SLOTS = 1024 }; /* numbers that reductions may leave on the device before the host must wait for them */

/* Element i of row k is at first + k * stride + i. */
typedef struct { size_t first, run, rows, stride; } gt_array_rows;

struct gt_backend_ops {
	const char *name;
	gt_status (*open  )(gt_backend *be, const char *arg);          /* sets be->own, be->name, be->about, be->slot */
	void      (*close )(gt_backend *be);
	/* NULL if there is no such memory; not counted here */
	void     *(*alloc )(gt_backend *be, size_t bytes);
	void      (*free  )(gt_backend *be, void *p);
	/* waits: host may be used again */
	void      (*put   )(gt_backend *be, const void *host, void *dst, size_t bytes);
	void      (*get   )(gt_backend *be, const void *src, void *host, size_t bytes);    /* waits */
	void      (*wait  )(gt_backend *be);                            /* and collects asynchronous failures */
	void      (*memory)(gt_backend *be, size_t *available, size_t *total);
	double    (*rate  )(gt_backend *be, gt_resource r);
	void      (*map   )(gt_backend *be, gt_type t, enum gt_map op, size_t n, const void *x, const void *z, const double abc[3], void *y);
	/* Reductions: be->slot[slot] holds the result after the next wait_reductions(). */
	void      (*red   )(gt_backend *be, gt_type t, enum gt_red op, size_t n, const void *x, const void *y, size_t slot);
	void      (*both  )(gt_backend *be, gt_type t, enum gt_both op, size_t n, const void *x, const void *z, void *y, size_t slot);
	void      (*wait_reductions)(gt_backend *be, size_t slots);     /* waits for slots [0, slots) */
	/* y = y times gt_normal_at(seed, index) */
	void      (*mul_normals)(gt_backend *be, gt_type t, size_t n, uint64_t seed, void *y);
	/* y (on the device) = those elements of x, as floats */
	void      (*rows)(gt_backend *be, gt_type t, const void *x, const gt_array_rows *r, float *y);
	/* Called when a thread acquires and releases the lock: save and restore the thread's current device. NULL: no
	 * device to save. */
	void      (*enter )(gt_backend *be);
	void      (*leave )(gt_backend *be);
	/* Later work of the queue waits for a foreign stream (after = 1), or the stream waits for the queued work.
	 * NULL: no streams. */
	void      (*order )(gt_backend *be, void *stream, int after);
	void     *(*stream)(gt_backend *be);                            /* stream of the queue; NULL as order is */
	int       (*devices)(void);                                     /* number of devices; NULL: not a GPU */
	gt_status (*text  )(int device, char *text, size_t size);       /* name and description of a device */
	/* See gt_backend_gather(); NULL: operations are not deferred. */
	gt_status (*gather)(gt_backend *be);
	void      (*catch_up)(gt_backend *be);
	void      (*catch_up_of)(gt_backend *be, const void *p, size_t bytes);  /* operations that access these bytes */
};

enum { GT_STAGED = 2 };
struct gt_backend {
	gt_tag    tag;
	struct gt_lock *lock;           /* see gt_backend_lock() */
	int       lost;                 /* 1: device of the parent process after fork(); unusable */
	const struct gt_backend_ops *ops;
	/* operations of the device while ops are those of a dry run; else NULL */
	const struct gt_backend_ops *dry_run;
	gt_kind   kind;
	gt_status status;               /* sticky: see gt_backend_status() */
	char      message[512];         /* message of the status */
	char      name[32], about[160];
	gt_counters count;
	gt_pool  *pool;                 /* host threads; every backend has them */
	void     *scratch;              /* see gt_scratch_reserve() */
	size_t    scratch_bytes, scratch_users;
	double   *slot;                 /* [GT_SLOTS], on the host */
	double   *later[GT_SLOTS];      /* destinations of the first `pending` slots */
	size_t    pending;
	void     *own;                  /* stream, handles, scratch */
	struct gt_rank *rank;           /* rank in a team (core/partition/rank.h); NULL: no team */
	const struct gt_rank_ops *rank_ops;
	struct gt_mapped_files *files;  /* see gt_backend_scratch(); NULL: none */
	int       late;                 /* 1: operations are deferred, see gt_backend_gather() */
	double    moved;                /* see gt_backend_moved() */
	void     *staged[GT_STAGED];    /* page-locked buffers of staged.c; NULL before their first use */
};
/* Runs of a shared array. A run has `all` elements; this rank holds elements first ... first+n-1, at element `at` of
 * the array's memory. dense: no gaps between the runs. */
typedef struct { size_t all, first, n, at; } gt_partition_run;
typedef struct { size_t count; int dense; gt_partition_run *run; } gt_partition_runs;
/* n local elements. shared: the local range of `all` elements begins at `first`; else all = n, first = 0. */
struct gt_array {
	gt_tag tag;
	gt_backend *be;
	gt_type type;
	size_t n;
	void *data;
	int borrowed, shared;
	size_t all, first;
	gt_partition_runs *runs;        /* owned by a shared array; NULL: one run */
};
/* Returns an array on existing memory; it needs no gt_array_free(). */
static inline gt_array gt_array_at(gt_backend *be, gt_type type, size_t n, void *data)
{
	const gt_array a = { GT_IS_ARRAY, be, type, n, data, 1, 0, n, 0, NULL };
	return a;
}

/* Recursive lock of a backend, because threads share its queue, scratch, counters and pending reductions. Every public
 * function that uses a backend locks it. Functions of modules (operators, penalties, loops) run with the lock held. */
gt_status gt_lock_new(gt_backend *be);
void      gt_lock_free(gt_backend *be);
void      gt_backend_destroy(gt_backend *be);
gt_status gt_backend_check(const gt_backend *be);
void      gt_backend_lock(gt_backend *be);
void      gt_backend_unlock(gt_backend *be);
/* Locks without running the deferred operations; gt_backend_lock() runs them. Used to defer another operation. */
void      gt_backend_lock_to_add(gt_backend *be);
/* 1: the lock is held once, not recursively. */
int       gt_backend_is_outermost(const gt_backend *be);
/* Defers operations on arrays until their result is needed. Operations of equal length then run in one pass through
 * memory, with bit-identical results. Before reading wrapped memory call gt_array_data() or wait for the queue.
 * Without effect on a GPU and in a dry run. */
gt_status gt_backend_gather(gt_backend *be);
static inline void gt_backend_catch_up(gt_backend *be)
{
	if (be->late) {
		gt_backend_lock(be);
		gt_backend_unlock(be);
	}
}
/* Begins a long call: locks the backend and, until gt_backend_end(), polls the callback of gt_backend_poll(). Returns
 * 0 without the lock after a failure or a request to stop, and in a dry run. */
int       gt_backend_begin(gt_backend *be);
/* Begins a long call that accesses x and y only: deferred operations on other arrays stay deferred. */
int       gt_backend_begin_with(gt_backend *be, const gt_array *x, const gt_array *y);
/* Marks an operator that is called by gt_backend_begin_with() and reads the memory of the arrays itself. */
struct gt_linop;
void      gt_linop_lets_wait(struct gt_linop *A);
/* Marks an operator that accepts shared arrays (core/partition/partition.h). */
void      gt_linop_take_shared(struct gt_linop *A);
void      gt_backend_end  (gt_backend *be);
/* Operators applied since gt_backend_poll(), including the fraction of the current one; and the completed fraction of
 * the direct method in progress. Both are 0 without a poll callback. */
double    gt_backend_passes(const gt_backend *be);
double    gt_backend_part  (const gt_backend *be);
/* Reference count: the last gt_backend_let_go() frees the backend. Returns be. */
gt_backend *gt_backend_hold(gt_backend *be);
void        gt_backend_let_go(gt_backend *be);

/* gt_backend_open() without waiting for a device that is being started. */
gt_status gt_backend_open_now(const char *name, gt_backend **out);
/* Places arrays that exceed `memory` bytes, or the free memory, in files of this folder (mapped_files.h). CPU only. */
gt_status gt_backend_scratch(gt_backend *be, const char *folder, double memory);
/* Bytes of arrays that a dry run would have read and written so far, by operators, penalties and loops. */
double    gt_backend_moved(const gt_backend *be);
static inline void gt_backend_moves(gt_backend *be, double bytes)
{
	if (be->dry_run)
		be->moved += bytes;
}
/* Raw memory for a module's tables and scratch, counted like arrays. NULL + gt_fail() text (GT_ERR_MEMORY) on
 * failure. */
void *gt_backend_alloc(gt_backend *be, size_t bytes, const char *what);
void  gt_backend_free (gt_backend *be, void *p, size_t bytes);
void  gt_backend_put  (gt_backend *be, const void *host, void *dst, size_t bytes);   /* counted as one put */
void  gt_backend_get  (gt_backend *be, const void *src, void *host, size_t bytes);   /* counted as one get */

/* Copies these rows of an array to host [rows][run]; waits. GT_ERR_MEMORY; GT_ERR_ARG: the array is shared. */
gt_status gt_array_get_rows(const gt_array *a, const gt_array_rows *r, float *host);

/* Scratch memory that all operators of a backend share: its queue is ordered, so only one uses it at a time.
 * Operators reserve what they need when they are made and release it when they are freed; the block is as large as
 * the largest reservation. Its contents do not outlive a call. */
gt_status gt_scratch_reserve(gt_backend *be, size_t bytes, const char *what);
void      gt_scratch_release(gt_backend *be);
void     *gt_scratch(gt_backend *be);
/* The slot of the next number, which gt_reductions_wait() writes to *result; NAN until then. */
size_t gt_backend_slot(gt_backend *be, double *result);
/* Records the first failure; the text is gt_error() of the caller's gt_fail(). */
void  gt_backend_fail (gt_backend *be, gt_status s);

/* The only place in the project that knows whether CUDA was built in. */
#ifdef GT_HAVE_CUDA
#define GT_IF_CUDA(p) (p)
#else
#define GT_IF_CUDA(p) NULL
#endif
extern const struct gt_backend_ops gt_backend_cpu, gt_backend_cuda;

#ifdef __cplusplus
}
#endif
#endif
