#ifndef GANTRY_ARRAY_H
#define GANTRY_ARRAY_H
#include <stddef.h>
#include <stdint.h>
#include <gantry/status.h>
#include <gantry/threads.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A backend is one device (the CPU threads, or one GPU) with one ordered queue. A failure is sticky: later operations
 * do nothing until gt_backend_status(). Threads may share a backend: calls are serialised by a lock, and the first
 * thread that asks receives the failure. Threads that share arrays must order their own calls. Backends run
 * concurrently. After fork() a child may use a CPU backend; a GPU backend fails there. */
typedef struct gt_backend gt_backend;
typedef enum { GT_F32, GT_F64 } gt_type;

/* Opens a backend: "cpu" (all processors), "cpu:8" (8 threads), "cuda", "cuda:0" (this device). "auto" is a GPU if one
 * exists, else the CPU. "cuda:0,shared=48KiB" limits the shared memory of a block. GT_ERR_UNKNOWN: no such backend in
 * this build. GT_ERR_DEVICE: no such device. */
GT_API gt_status   gt_backend_open(const char *name, gt_backend **be);
/* Releases the reference of the caller. Arrays, operators and penalties hold references too. They may be freed later,
 * in any order and by any thread; the last release frees the backend. NULL is fine. */
GT_API void        gt_backend_close(gt_backend *be);
GT_API const char *gt_backend_name(const gt_backend *be);               /* "cpu:2", "cuda:0" */
GT_API const char *gt_backend_describe(const gt_backend *be);           /* the device in words */
GT_API int         gt_backend_is_gpu(const gt_backend *be);
GT_API gt_pool    *gt_backend_pool(const gt_backend *be);               /* threads for work on the host */
/* First failure of any operation queued since the last call, then cleared. Waits for the queue. */
GT_API gt_status   gt_backend_status(gt_backend *be);
/* Returns the first failure known so far. Neither waits for the queue nor clears the failure. */
GT_API gt_status   gt_backend_known(gt_backend *be);
GT_API void        gt_backend_wait(gt_backend *be);
/* Calls stop(self) at most every 10 ms during computations, in the thread that calls the library: between operators,
 * on the CPU also within one. If it returns non-zero, the backend fails with GT_STOPPED. The current result is then
 * undefined. stop must not use the backend or wait for a thread that does. NULL, the default: no callback. */
GT_API void        gt_backend_poll(gt_backend *be, int (*stop)(void *self), void *self);
/* Bytes available for an allocation now, and bytes of the device. */
GT_API void        gt_backend_memory(gt_backend *be, size_t *available, size_t *total);

/* Number of GPUs that this process can open as "cuda:0", "cuda:1" ...; 0 in a build without CUDA. Opens no device. */
GT_API int         gt_device_count(void);
/* "cuda:0: NAME, memory, compute capability"; valid until the next call of this thread. NULL and gt_error(): no such
 * device. */
GT_API const char *gt_device_text(int device);

/* Orders the queue against a foreign CUDA stream (cudaStream_t). After gt_backend_after(), later work of the queue
 * waits for the work on the stream. After gt_backend_before(), later work on the stream waits for the queued work.
 * The host does not wait. No effect on the CPU. */
GT_API gt_status   gt_backend_after (gt_backend *be, void *stream);
GT_API gt_status   gt_backend_before(gt_backend *be, void *stream);
GT_API void       *gt_backend_stream(gt_backend *be);                   /* stream of the queue; NULL on the CPU */

/* Counters since the backend was opened. Copies of reduction scalars are not counted. */
typedef struct {
	size_t allocations;                 /* number of calls */
	size_t bytes, peak_bytes;           /* held now, and at most */
	size_t puts, put_bytes;             /* host -> device */
	size_t gets, get_bytes;             /* device -> host */
	size_t waits;                       /* waits of the host: one per gt_reductions_wait(), put and get */
} gt_counters;
GT_API gt_status gt_backend_counters(const gt_backend *be, gt_counters *count);

/* Switches be to dry-run mode until it is closed. Allocations are counted, operations do nothing, reductions return 1.
 * peak_bytes is then the memory of the real run. GT_ERR_ARG if be already holds an allocation. */
GT_API gt_status gt_backend_dry_run (gt_backend *be);
GT_API int       gt_backend_is_dry_run(const gt_backend *be);

/* A flat array of one element type, living on one backend. */
typedef struct gt_array gt_array;
/* Contents are undefined. GT_ERR_MEMORY states the required and the available memory. */
GT_API gt_status gt_array_new (gt_backend *be, gt_type type, size_t n, gt_array **a);
GT_API gt_status gt_array_like(const gt_array *model, gt_array **a);
/* View of the elements first ... first+n-1 of whole, which must outlive it. GT_ERR_ARG: out of range. */
GT_API gt_status gt_array_part(const gt_array *whole, size_t first, size_t n, gt_array **part);
/* Wraps n elements on the device of be without a copy. The memory stays the caller's, must outlive the array, and is
 * neither counted nor freed. GT_ERR_ARG if data is not aligned to its type. */
GT_API gt_status gt_array_wrap(gt_backend *be, gt_type type, size_t n, void *data, gt_array **a);
/* Device address of the elements; queued operations may still write them. */
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
GT_API void gt_mul_normals(uint64_t seed, gt_array *y);          /* y = y times standard normal numbers of (seed, index) */
/* Fused operations, in one pass through memory. */
GT_API void gt_add_scaled_clamped  (double a, const gt_array *x, const gt_array *w, double lo, double hi, gt_array *y);         /* y = y + a w x, clamped */
GT_API void gt_divide_step(const gt_array *x, const gt_array *d, double min, double lo, double hi, gt_array *y);       /* y = x - gt_divide(y), clamped */

/* Reductions accumulate in double, in an order fixed by n alone, and wait for the result. */
GT_API double gt_sum(const gt_array *x);
GT_API double gt_dot(const gt_array *x, const gt_array *y);
GT_API double gt_weighted_norm2(const gt_array *x, const gt_array *w);           /* sum w x^2 */
GT_API double gt_max(const gt_array *x);                                /* -INFINITY where n is 0 */
GT_API double gt_min(const gt_array *x);
GT_API double gt_distance2(const gt_array *x, const gt_array *y);           /* sum (x-y)^2 */

/* Asynchronous reductions. *result must stay valid and is set by gt_reductions_wait() or any synchronous reduction; NAN
 * before that and on failure. One wait completes all of them. */
GT_API void gt_sum_async  (const gt_array *x, double *result);
GT_API void gt_dot_async  (const gt_array *x, const gt_array *y, double *result);
GT_API void gt_weighted_norm2_async (const gt_array *x, const gt_array *w, double *result);
GT_API void gt_distance2_async(const gt_array *x, const gt_array *y, double *result);
/* x: counts, y: expected counts: sum y - x + x log(x/y) over y > 0, the negative Poisson log-likelihood minus its
 * minimum. */
GT_API void gt_poisson_misfit_async(const gt_array *x, const gt_array *y, double *result);
GT_API void gt_reductions_wait(gt_backend *be);
/* Residual and sum of squares in one pass. */
GT_API void gt_weighted_residual_async  (const gt_array *x, const gt_array *w, gt_array *y, double *result);    /* y = w (x-y); sum (x-y)^2, old y */
GT_API void gt_data_misfit_async(const gt_array *x, const gt_array *w, gt_array *y, double *result);    /* y = w (y-x); sum w (y-x)^2; w NULL: 1 */

/* Checks that an array of `bytes` bytes fits. GT_ERR_MEMORY states the required and the available memory. */
GT_API gt_status gt_host_has_memory(double bytes, const char *what);

/* Allocates page-locked host memory, which a device reads directly; on the CPU any memory. what: name in messages.
 * NULL, with a message in gt_error(), on failure. */
GT_API void *gt_locked_new (gt_backend *be, size_t bytes, const char *what);
GT_API void  gt_locked_free(gt_backend *be, void *p);

#ifdef __cplusplus
}
#endif
#endif
