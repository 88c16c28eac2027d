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

/* Work on indices [begin, end); worker in [0, gt_pool_threads()) identifies the scratch memory of the thread. */
typedef void (*gt_loop)(void *self, size_t begin, size_t end, int worker);

/* Runs `body` over [0, n) in chunks of `grain` indices (0: one equal chunk per thread). Idle threads take the chunks in
 * ascending order. Returns when all are done. pool NULL: runs in the calling thread. Concurrent calls with one pool are
 * serialised by a lock. A nested call runs in its calling thread. A child of fork() creates new workers on first use.
 * `body` must not compute on the backend of this pool. */
GT_API void gt_parallel(gt_pool *pool, size_t n, size_t grain, gt_loop body, void *self);

#ifdef __cplusplus
}
#endif
#endif
