#ifndef GANTRY_ANALYTIC_H
#define GANTRY_ANALYTIC_H
#include <gantry/array.h>
#include <gantry/grid.h>
#include <gantry/linop.h>
#include <gantry/module.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Direct reconstruction: data [view][row][column] -> volume [z][y][x] in mm^-1.
 * fdk: cone beam, flat or arc; one row makes it fan-beam FBP. fbp: parallel beam. wfbp: helical. */
typedef struct gt_analytic_times gt_analytic_times;     /* for benchmarks */
/* Voxels that a scan sees over 180 degrees: slices first ... end-1, within `radius` of the axis, mm. INFINITY means
 * all unmasked voxels. The pitch is the feed per rotation over the height of the rows at the axis. The limit is the
 * maximum pitch that covers the circle of the grid. */
typedef struct { size_t first, end; double radius, pitch, limit; } gt_analytic_coverage;
typedef struct {
	GT_MODULE_MEMBERS
	/* Refuses (GT_ERR_UNSUPPORTED) scans of another kind, too short ones, tilted rows, missing angles. data does
	 * not change. times may be NULL. */
	gt_status (*run)(gt_backend *be, const gt_grid *grid, const gt_scan *scan,
	                 const void *options, const gt_array *data, gt_array *x, gt_analytic_times *times);
	/* NULL: all slices have the same coverage. Fails as run does. first = end if no slice is complete. */
	gt_status (*coverage)(const gt_grid *grid, const gt_scan *scan, gt_analytic_coverage *coverage);
	/* Refuses scans that a method by slabs does not support; NULL: no slabs. */
	gt_status (*check)(const gt_scan *scan);
	/* Fails as run would with its defaults; NULL: coverage() decides. */
	gt_status (*supports)(const gt_scan *scan);
} gt_analytic;

GT_API extern const gt_analytic *const gt_analytics[];                /* NULL-terminated */
GT_API const gt_analytic *gt_analytic_find(const char *name);         /* NULL if there is none */
/* The method that fits the scan: "fdk", "fbp" or "wfbp". */
GT_API const gt_analytic *gt_analytic_for(const gt_scan *scan);
/* GT_OK if the method, with its defaults, supports the scan, else as gt_analytic_run() would fail
 * (GT_ERR_UNSUPPORTED). Computes nothing. */
GT_API gt_status gt_analytic_supports(const gt_analytic *m, const gt_grid *grid, const gt_scan *scan);
/* Checks grid, scan, sizes, types and backends, then runs. options NULL: defaults.
 * x is set, not added to. Allocates scratch of a bounded size (batches of views) and frees it. */
GT_API gt_status gt_analytic_run(const gt_analytic *m, gt_backend *be, const gt_grid *grid, const gt_scan *scan,
                          const void *options, const gt_array *data, gt_array *x);
/* Creates a linear operator of the method: forward computes a volume from projections, bit-identical to
 * gt_analytic_run(). The adjoint is the exact transpose of filter, weights and backprojection. Both run on the
 * backend, on its queue, without transfers after the first call; on the CPU the adjoint computes in double.
 * Copies its arguments. GT_ERR_UNSUPPORTED: the method refuses the scan; kernels with textures, and wfbp on a GPU,
 * have no adjoint. */
GT_API gt_status gt_analytic_linop(const gt_analytic *m, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan,
                                   const void *options, gt_linop **A);

/* Backprojects views that are already weighted and filtered, by 3x4 matrices, row-major, of any scale:
 *   x(p) = sum over views of I(u, v) / w^2,   (u w, v w, w) = matrix (p, 1)
 * (Rohkohl et al., Med. Phys. 36 (2009) 3940, eqs 1 and 2). I [row][column] is interpolated bilinearly. Integers are
 * pixel centres; pixels outside the image are 0. The device processes views in batches. */
typedef struct gt_backprojector gt_backprojector;
/* x: voxels of the grid, in single or double precision; is set to 0. batch: views at a time, 0: chosen. */
GT_API gt_status gt_backprojector_new (gt_backend *be, const gt_grid *grid, size_t rows, size_t columns, size_t batch, gt_array *x,
                                gt_backprojector **b);
/* GT_ERR_FORMAT or GT_ERR_UNSUPPORTED, naming the view (counted from 0 on), for a matrix that gt_matrix_check()
 * refuses. An image in page-locked memory (gt_locked_new()) may still be read until gt_backprojector_wait(); others
 * may change at once. */
GT_API gt_status gt_backprojector_add   (gt_backprojector *b, const double matrix[12], const float *image);
GT_API void      gt_backprojector_wait  (gt_backprojector *b);
/* x is complete, on the device. Afterwards only gt_backprojector_free(). */
GT_API gt_status gt_backprojector_finish(gt_backprojector *b);
GT_API void      gt_backprojector_free  (gt_backprojector *b);

/* GT_ERR_FORMAT: not finite, or singular. GT_ERR_UNSUPPORTED: the grid intersects the plane through the source parallel
 * to the detector, or projects outside the image. */
GT_API gt_status gt_matrix_check(const double matrix[12], const gt_grid *grid, size_t rows, size_t columns);

/* Returns the input of this backprojection for fdk: weighted and filtered views [view][row][column], and their matrices
 * with w = 1 at source_to_axis. Flat detectors only. be is a CPU backend; options NULL: defaults of fdk. out may be
 * data. */
GT_API gt_status gt_fdk_filtered(gt_backend *be, const gt_scan *scan, const void *options, const float *data, double (*matrix)[12],
                          float *out);

#ifdef __cplusplus
}
#endif
#endif
