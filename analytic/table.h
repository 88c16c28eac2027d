#ifndef GT_ANALYTIC_TABLE_H
#define GT_ANALYTIC_TABLE_H
/* Times of the stages of analytic methods, and of fetches of textures, for benchmarks. */
#include <gantry/analytic.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Seconds of the stages of an analytic method: tables on the host, weights and filter, backprojection. */
struct gt_analytic_times { double plan, filter, back; };
/* As gt_analytic_run(), and what each stage took: the device is waited for between stages. */
gt_status gt_analytic_run_timed(const gt_analytic *m, gt_backend *be, const gt_grid *grid, const gt_scan *scan, const void *options,
                                const gt_array *data, gt_array *x, gt_analytic_times *times);

/* One thread of a GPU fetches all texels (floats) of some images, as in figure 6 of Lu, Ino, Hagihara (2016). The
 * images are layers of one texture (layered) or a texture each. inter_layer_first: all layers at a position before the
 * next position. Else it fetches layer by layer. */
struct gt_texture_walk {
	size_t columns, rows, layers;
	int layered, inter_layer_first;
};
/* GT_ERR_UNSUPPORTED: not a GPU, or more layers than the textures of a launch; GT_ERR_MEMORY. */
gt_status gt_texture_walk(gt_backend *be, const struct gt_texture_walk *w, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
