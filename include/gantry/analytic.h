#ifndef GANTRY_ANALYTIC_H
#define GANTRY_ANALYTIC_H
#include <gantry/array.h>
#include <gantry/module.h>
#include <gantry/grid.h>
#include <gantry/linop.h>
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
#ifdef __cplusplus
}
#endif
#endif
