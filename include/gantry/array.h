#ifndef GANTRY_ARRAY_H
#define GANTRY_ARRAY_H
#include <stddef.h>
#include <stdint.h>
#include <gantry/status.h>
#include <gantry/threads.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A backend is one device (the CPU's threads, or one GPU) with one ordered queue. A failure of an operation sticks
 * to it: later operations do nothing until gt_backend_status(). Threads may use one backend at a time together:
 * each call waits for its turn, and a failure is told to the thread that asks first. What one thread makes with
 * another's arrays is theirs to order. Several backends compute side by side. A child of fork() may go on with a
 * CPU backend; a GPU's refuses everything there. */
typedef struct gt_backend gt_backend;
typedef enum { GT_F32, GT_F64 } gt_type;

/* name: "cpu" (all processors), "cpu:8" (8 threads), "cuda" or "cuda:0" (that device), "cuda:0,shared=48KiB" (as if
 * its blocks had no more shared memory), "auto" (a GPU if there is one, else the CPU). GT_ERR_UNKNOWN: no such backend
 * in this build; GT_ERR_DEVICE: no such device. */
GT_API gt_status   gt_backend_open(const char *name, gt_backend **be);
/* Gives up the caller's hold. Arrays, operators, penalties and all else that lives on the backend hold it as well:
 * they may be freed before or after, in any order and by any thread, and the last one frees the backend. */
GT_API void        gt_backend_close(gt_backend *be);
/* Begins to start the device in a thread, for who will open it a little later: gt_backend_open() waits until it has. What fails is said by
 * gt_backend_open(). Who may end the program without opening one calls the second, which waits too; calling it twice is fine. */
GT_API void        gt_backend_prefetch(const char *name);
GT_API void        gt_backend_prefetch_end(void);
GT_API const char *gt_backend_name(const gt_backend *be);               /* "cpu:2", "cuda:0" */
GT_API const char *gt_backend_describe(const gt_backend *be);           /* the device in words */
GT_API int         gt_backend_is_gpu(const gt_backend *be);
GT_API gt_pool    *gt_backend_pool(const gt_backend *be);               /* threads for work on the host */
/* First failure of any operation queued since the last call, then cleared. Waits for the queue. */
GT_API gt_status   gt_backend_status(gt_backend *be);
/* The same of what is known by now: does not wait for the queue, and clears nothing. */
GT_API gt_status   gt_backend_known(gt_backend *be);
GT_API void        gt_backend_wait(gt_backend *be);
/* Asks stop(self), from the thread that calls the library, at most every 10 ms while a call computes: between
 * calls, and on the CPU between the pieces of one. Once it returns non-zero, GT_STOPPED sticks to the backend as a
 * failure does, and what was being computed is undefined. stop must not use the backend, nor wait for a thread that
 * does. stop NULL: nobody is asked, as at first. */
GT_API void        gt_backend_poll(gt_backend *be, int (*stop)(void *self), void *self);
/* Bytes that an allocation could get now, and bytes in all. */
GT_API void        gt_backend_memory(gt_backend *be, size_t *available, size_t *total);

/* GPUs that this process could open as "cuda:0" on; 0 in a build without CUDA. Opens none. */
GT_API int         gt_device_count(void);
/* "cuda:0: NAME, memory, compute capability"; valid until this thread's next call. NULL + gt_error() if there is
 * none. */
GT_API const char *gt_device_text(int device);

/* A CUDA stream of others (cudaStream_t; on the CPU there are none, and nothing is to do). after: what is queued on
 * be from here on waits for all that is on the stream. before: what comes on the stream waits for all that is
 * queued on be. The host waits for neither. */
GT_API gt_status   gt_backend_after (gt_backend *be, void *stream);
GT_API gt_status   gt_backend_before(gt_backend *be, void *stream);
GT_API void       *gt_backend_stream(gt_backend *be);                   /* of the queue; NULL on the CPU */

/* What a backend did since it was opened. Copies count arrays only, not the few scalars of reductions. */
typedef struct {
	size_t allocations;                 /* number of calls */
	size_t bytes, peak_bytes;           /* held now, and at most */
	size_t puts, put_bytes;             /* host -> device */
	size_t gets, get_bytes;             /* device -> host */
	size_t waits;                       /* how often the host waited for results: once for all reductions of a gt_reductions_wait(), for each put and get */
} gt_counters;
GT_API gt_status gt_backend_counters(const gt_backend *be, gt_counters *count);

/* From here on be does nothing: its memory is only counted, operations on arrays, operators, penalties and direct methods leave
 * all as it is, and every reduction is 1. The same code as a run's so tells what the run needs: peak_bytes. Ends with be.
 * GT_ERR_ARG if something is allocated on be already. */
GT_API gt_status gt_backend_dry_run (gt_backend *be);
GT_API int       gt_backend_is_dry_run(const gt_backend *be);

/* A flat array of one element type, living on one backend. */
typedef struct gt_array gt_array;
/* Contents not set. GT_ERR_MEMORY says how much was needed and how much was there. */
GT_API gt_status gt_array_new (gt_backend *be, gt_type type, size_t n, gt_array **a);
GT_API gt_status gt_array_like(const gt_array *model, gt_array **a);
/* n elements of whole from `first` on, without a copy; whole must outlive it. GT_ERR_ARG if they are not all there. */
GT_API gt_status gt_array_part(const gt_array *whole, size_t first, size_t n, gt_array **part);
/* n elements that someone else holds, on be's device, without a copy: they must outlive the array, and are neither
 * counted nor freed. GT_ERR_ARG if data is not aligned to its type. */
GT_API gt_status gt_array_wrap(gt_backend *be, gt_type type, size_t n, void *data, gt_array **a);
/* Its elements, on the device; what is queued may still write them. */
GT_API void     *gt_array_data(const gt_array *a);
GT_API void      gt_array_free(gt_array *a);
GT_API void      gt_array_put (const void *host, gt_array *a);          /* host has a's type */
GT_API void      gt_array_get (const gt_array *a, void *host);          /* waits */
GT_API void      gt_array_put_float(const float *host, gt_array *a);    /* converts to a's type */
GT_API void      gt_array_get_float(const gt_array *a, float *host);    /* converts to float; waits */
GT_API size_t    gt_array_size(const gt_array *a);
GT_API gt_type   gt_array_type(const gt_array *a);
GT_API size_t    gt_array_bytes(const gt_array *a);
GT_API gt_backend *gt_array_backend(const gt_array *a);
GT_API size_t    gt_type_size(gt_type type);
GT_API const char *gt_type_name(gt_type type);                          /* "single", "double" */

/* Element-wise operations: one line each in core/device/ops.def. y is read and written. */
GT_API void gt_fill (double a, gt_array *y);                            /* y = a                          */
GT_API void gt_copy (const gt_array *x, gt_array *y);                   /* y = x                          */
GT_API void gt_scale(double a, gt_array *y);                            /* y = a y                        */
GT_API void gt_axpy (double a, const gt_array *x, gt_array *y);         /* y = y + a x                    */
GT_API void gt_xpay (const gt_array *x, double a, gt_array *y);         /* y = x + a y                    */
GT_API void gt_axpby(double a, const gt_array *x, double b, gt_array *y);       /* y = a x + b y          */
GT_API void gt_mul  (const gt_array *x, gt_array *y);                   /* y = y x                        */
GT_API void gt_reciprocal  (double min, gt_array *y);                          /* y = 1/y if y > min, else 0 */
GT_API void gt_divide (const gt_array *x, double min, gt_array *y);       /* y = y/x if x > min, else 0 */
GT_API void gt_sub_clamped (const gt_array *x, double lo, double hi, gt_array *y);     /* y = x - y, clamped; NaN stays NaN */
GT_API void gt_clamp(double lo, double hi, gt_array *y);                /* NaN stays NaN                  */
GT_API void gt_pow(double a, gt_array *y);                            /* y = y^a where y > 0, else 0    */
GT_API void gt_log  (double min, double b, gt_array *y);                /* y = b log(y/min) if y > min > 0, else 0 */
GT_API void gt_mul_normals(uint64_t seed, gt_array *y);                 /* y = y times normal numbers: gt_normal() (<gantry/random.h>) of (seed, index) */
/* What solvers do in several of these, in one pass. */
GT_API void gt_add_scaled_clamped  (double a, const gt_array *x, const gt_array *w, double lo, double hi, gt_array *y);         /* y = y + a w x, clamped */
GT_API void gt_divide_step(const gt_array *x, const gt_array *d, double min, double lo, double hi, gt_array *y);       /* y = x - gt_divide(y), clamped */

/* Reductions accumulate in double, in an order fixed by n alone, and wait for the result. */
GT_API double gt_sum(const gt_array *x);
GT_API double gt_dot(const gt_array *x, const gt_array *y);
GT_API double gt_weighted_norm2(const gt_array *x, const gt_array *w);           /* sum w x^2 */
GT_API double gt_max(const gt_array *x);                                /* -INFINITY where n is 0 */
GT_API double gt_min(const gt_array *x);
GT_API double gt_distance2(const gt_array *x, const gt_array *y);           /* sum (x-y)^2 */

/* The same without waiting: *result, which must live until then, is there after gt_reductions_wait(), as is that of all before it, for one
 * wait. NAN until then, and where the backend failed. Reductions that wait settle too. */
GT_API void gt_sum_async  (const gt_array *x, double *result);
GT_API void gt_dot_async  (const gt_array *x, const gt_array *y, double *result);
GT_API void gt_weighted_norm2_async (const gt_array *x, const gt_array *w, double *result);
GT_API void gt_distance2_async(const gt_array *x, const gt_array *y, double *result);
/* Counts x, their means y: sum y - x + x log(x/y) over y > 0, the negative logarithm of the likelihood less its
 * least. */
GT_API void gt_poisson_misfit_async(const gt_array *x, const gt_array *y, double *result);
GT_API void gt_reductions_wait(gt_backend *be);
/* Residuals and their squares in one pass. */
GT_API void gt_weighted_residual_async  (const gt_array *x, const gt_array *w, gt_array *y, double *result);    /* y = w (x-y); sum (x-y)^2, old y */
GT_API void gt_data_misfit_async(const gt_array *x, const gt_array *w, gt_array *y, double *result);    /* y = w (y-x); sum w (y-x)^2; w NULL: 1 */

#ifdef __cplusplus
}
#endif
#endif
