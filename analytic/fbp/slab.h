#ifndef GT_ANALYTIC_FBP_SLAB_H
#define GT_ANALYTIC_FBP_SLAB_H
/* Filtered backprojection by slabs of slices and batches of views, for volumes and data larger than memory. The
 * result equals gt_analytic_run() up to rounding for any slabs and batches. A slab needs only some of the rows. */
#include <gantry/analytic.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct gt_slab_plan gt_slab_plan;       /* data common to all slabs: weights and positions of all views */
typedef struct gt_slab gt_slab;

/* m: fdk or fbp; GT_ERR_UNSUPPORTED for others. Fails as gt_analytic_run(). options NULL: defaults. pool: threads of
 * the host. */
gt_status gt_slab_plan_new (const gt_analytic *m, const gt_grid *grid, const gt_scan *scan, const void *options, gt_pool *pool,
                            gt_slab_plan **s);
void      gt_slab_plan_free(gt_slab_plan *s);
int       gt_slab_plan_supports (const gt_analytic *m);
/* Returns the detector rows *row ... *row + *rows - 1 that slices first ... first+n-1 see in any view. */
void      gt_slab_plan_rows(const gt_slab_plan *s, size_t first, size_t n, size_t *row, size_t *rows);
/* Bytes of the tables of one slab on the host. */
size_t    gt_slab_bytes (const gt_slab_plan *s);

/* Creates a slab of slices first ... first+n-1, for at most `batch` views at a time. x: voxels [n][y][x] on
 * the backend, set to 0. s and x must outlive the slab. Allocates on that backend. GT_ERR_UNSUPPORTED: the
 * requested kernel does not support this scan. */
gt_status gt_slab_new   (const gt_slab_plan *s, size_t first, size_t n, size_t batch, gt_array *x, gt_slab **slab);
void      gt_slab_free  (gt_slab *slab);
/* Weights and filters views first ... first+n-1, n at most `batch`. data: [n][rows][columns], of the type and backend
 * of x, with the rows of gt_slab_plan_rows(). Only queued: gt_backend_status() returns failures. */
void      gt_slab_filter(gt_slab *slab, size_t first, size_t n, const void *data);
/* Backprojects the views filtered last. */
void      gt_slab_back  (gt_slab *slab);

#ifdef __cplusplus
}
#endif
#endif
