#ifndef GT_ANALYTIC_TABLE_H
#define GT_ANALYTIC_TABLE_H
/* Times of the stages of analytic methods, for benchmarks. */
#include <gantry/analytic.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Seconds of the stages of an analytic method: tables on the host, weights and filter, backprojection. */
struct gt_analytic_times { double plan, filter, back; };
/* As gt_analytic_run(), and what each stage took: the device is waited for between stages. */
gt_status gt_analytic_run_timed(const gt_analytic *m, gt_backend *be, const gt_grid *grid, const gt_scan *scan, const void *options,
                                const gt_array *data, gt_array *x, gt_analytic_times *times);

#ifdef __cplusplus
}
#endif
#endif
