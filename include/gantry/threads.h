#ifndef GANTRY_THREADS_H
#define GANTRY_THREADS_H
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A pool of POSIX threads that live as long as the pool. */
typedef struct gt_pool gt_pool;

/* threads: 0 = one per processor this process may use. The caller counts as one of them. */
GT_API gt_status gt_pool_new(int threads, gt_pool **pool);
GT_API void      gt_pool_free(gt_pool *pool);
GT_API int       gt_pool_threads(const gt_pool *pool);        /* NULL: 1 */

/* Work on indices [begin, end); worker in [0, gt_pool_threads()) names the thread's scratch. */
typedef void (*gt_loop)(void *self, size_t begin, size_t end, int worker);

/* Runs body over [0, n) in pieces of `grain` indices (0: one equal piece per thread), which idle threads take in
 * ascending order; returns when all are done. A NULL pool runs it in the caller. Threads that call it for one pool
 * take turns; a call from inside a body runs in that body's thread. A child of fork() makes its workers anew when
 * it first needs them. A body must not compute on a backend whose pool this is. */
GT_API void gt_parallel(gt_pool *pool, size_t n, size_t grain, gt_loop body, void *self);

#ifdef __cplusplus
}
#endif
#endif
