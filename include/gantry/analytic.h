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
typedef struct gt_analytic_times gt_analytic_times;     /* for benchmarks: <gantry/backend_author.h> */
/* What of a grid is seen over half a turn: slices first ... end-1, all voxels within `radius` of the axis (INFINITY: all that are not
 * masked). pitch: way per turn by the height of the rows at the axis; limit: the most that shows the whole circle of the grid. */
typedef struct { size_t first, end; double radius, pitch, limit; } gt_analytic_coverage;
typedef struct {
	GT_MODULE_MEMBERS
	/* Refuses (GT_ERR_UNSUPPORTED) scans of another kind, too short ones, tilted rows, missing angles. data is left as it is. times may be NULL. */
	gt_status (*run)(gt_backend *be, const gt_grid *grid, const gt_scan *scan,
	                 const void *options, const gt_array *data, gt_array *x, gt_analytic_times *times);
	/* NULL: all slices alike. Fails as run does; where no slice is complete, first = end. */
	gt_status (*coverage)(const gt_grid *grid, const gt_scan *scan, gt_analytic_coverage *coverage);
	/* Refuses scans of another kind, of the methods that go by slabs (slabs.h); NULL: it does not. */
	gt_status (*check)(const gt_scan *scan);
	/* Whether run, with its defaults, supports the scan: refuses as it would; NULL: coverage() tells. */
	gt_status (*supports)(const gt_scan *scan);
} gt_analytic;

GT_API extern const gt_analytic *const gt_analytics[];                /* NULL-terminated */
GT_API extern const gt_module_kind gt_analytic_kind;
GT_API const gt_analytic *gt_analytic_find(const char *name);         /* NULL if there is none */
/* The method that fits the scan: "fdk", "fbp" or "wfbp". */
GT_API const gt_analytic *gt_analytic_for(const gt_scan *scan);
/* GT_OK if the method, with its defaults, supports the scan, else as gt_analytic_run() would fail (GT_ERR_UNSUPPORTED). Computes nothing. */
GT_API gt_status gt_analytic_supports(const gt_analytic *m, const gt_grid *grid, const gt_scan *scan);
/* Checks grid, scan, sizes, types and backends, then runs. options NULL: defaults.
 * x is set, not added to. Allocates scratch of a bounded size (batches of views) and frees it. */
GT_API gt_status gt_analytic_run(const gt_analytic *m, gt_backend *be, const gt_grid *grid, const gt_scan *scan,
                          const void *options, const gt_array *data, gt_array *x);
/* The method as a linear operator: forward makes a volume of projections, to the bits of gt_analytic_run(); the
 * adjoint is exact, in double inside, on the threads of a CPU backend. Keeps copies of what it is given.
 * GT_ERR_UNSUPPORTED as the method refuses; wfbp and GPUs, which have no adjoint. */
GT_API gt_status gt_analytic_linop(const gt_analytic *m, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan,
                                   const void *options, gt_linop **A);
#ifdef __cplusplus
}
#endif
#endif
