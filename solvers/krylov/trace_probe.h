#ifndef GT_SOLVERS_KRYLOV_TRACE_PROBE_H
#define GT_SOLVERS_KRYLOV_TRACE_PROBE_H
/* Inside this room: what generalised cross-validation of a whole problem needs, its trace, from a random vector: Golub
 * and von Matt, J. Comput. Graph. Stat. 6 (1997) 1. */
#include "solvers/krylov/golub_kahan.h"
#include "solvers/krylov/projected_tikhonov.h"

/* Below this part of the first alpha one is rounding. */
double    gt_trace_tiny (const gt_array *a);
/* Normal numbers u in the inner product of the weights; bidiagonalised for 15 steps at most, in the room that the run
 * itself will take. small knows of it, if anything was seen. */
gt_status gt_trace_probe(gt_golub_kahan *g, gt_projected *random, gt_projected *small);
#endif
