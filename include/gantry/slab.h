#ifndef GANTRY_SLAB_H
#define GANTRY_SLAB_H
/* Filtered backprojection a slab of slices and a batch of views at a time, for volumes and data larger than memory: what
 * gt_analytic_run() gives, up to rounding, whatever the slabs and batches. Of every view a slab needs some rows alone. */
#include <gantry/analytic.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct gt_slab_plan gt_slab_plan;       /* what all slabs of a volume share: weights and places of all views */
typedef struct gt_slab gt_slab;

/* m: fdk or fbp, others GT_ERR_UNSUPPORTED. Fails as gt_analytic_run(). options NULL: defaults. pool: threads of the host. */
GT_API gt_status gt_slab_plan_new (const gt_analytic *m, const gt_grid *grid, const gt_scan *scan, const void *options, gt_pool *pool, gt_slab_plan **s);
GT_API void      gt_slab_plan_free(gt_slab_plan *s);
GT_API int       gt_slab_plan_supports (const gt_analytic *m);
/* Rows *row ... *row + *rows - 1 of the detector, as the scan counts them: what slices first ... first+n-1 see in any view. */
GT_API void      gt_slab_plan_rows(const gt_slab_plan *s, size_t first, size_t n, size_t *row, size_t *rows);
/* Bytes of the tables on the host: of s, and of one slab. */
GT_API size_t    gt_slab_plan_bytes(const gt_slab_plan *s);
GT_API size_t    gt_slab_bytes (const gt_slab_plan *s);

/* Slices first ... first+n-1, for batches of at most `batch` views. x: their voxels [n][y][x] on the backend that computes; is set to 0.
 * s and x must outlive the slab. Allocates on that backend; GT_ERR_UNSUPPORTED: the kernel that was asked for cannot do this scan. */
GT_API gt_status gt_slab_new   (const gt_slab_plan *s, size_t first, size_t n, size_t batch, gt_array *x, gt_slab **slab);
GT_API void      gt_slab_free  (gt_slab *slab);
/* Weighs and filters views first ... first+n-1, n at most `batch`. data: [n][rows][columns], of x's type and on its backend, of the
 * rows that gt_slab_plan_rows() names. Only queued: gt_backend_status() has what went wrong. */
GT_API void      gt_slab_filter(gt_slab *slab, size_t first, size_t n, const void *data);
/* Adds the views that were filtered last. */
GT_API void      gt_slab_back  (gt_slab *slab);

#ifdef __cplusplus
}
#endif
#endif
