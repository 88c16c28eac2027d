#ifndef GT_SOLVERS_KRYLOV_TRACE_PROBE_H
#define GT_SOLVERS_KRYLOV_TRACE_PROBE_H
/* Private to solvers/. Trace estimate for generalised cross-validation of the full problem by a random vector: Golub
 * and von Matt, J. Comput. Graph. Stat. 6 (1997) 1. */
#include "solvers/krylov/golub_kahan.h"
#include "solvers/krylov/projected_tikhonov.h"

/* Returns the fraction of the first alpha below which one is rounding. */
double    gt_trace_tiny (const gt_array *a);
/* Bidiagonalises a normal random vector u, in the inner product of the weights, for up to 15 steps in the memory of
 * the run. If u is not 0, `small` uses the result. */
gt_status gt_trace_probe(gt_golub_kahan *g, gt_projected *random, gt_projected *small);
#endif
