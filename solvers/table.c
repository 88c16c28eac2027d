/* Table of all solvers. */
#include <gantry/solver.h>
#include "core/module.h"

#define SOLVERS(X)     \
	X(os_sart)     \
	X(sirt)        \
	X(sart)        \
	X(cgls)        \
	X(pcg)         \
	X(fista)       \
	X(os_sqs)      \
	X(lsqr)        \
	X(pdhg)        \
	X(asd_pocs)    \
	X(lsmr)        \
	X(ab_gmres)    \
	X(ba_gmres)    \
	X(hybrid_lsqr) \
	X(mlem)        \
	X(osem)        \
	X(mltr)        \
	X(saga)        \
	X(svrg)        \
	X(spdhg)       \
	X(os_lalm)     \
	X(admm)        \
	X(pnp_fista)   \
	X(pnp_admm)    \
	X(red)

#define DECLARE(name) extern const gt_solver gt_solver_##name;
#define LIST(name) &gt_solver_##name,
SOLVERS(DECLARE)
const gt_solver *const gt_solvers[] = { SOLVERS(LIST) NULL };

static const gt_module *nth(size_t i) { return (const gt_module *)gt_solvers[i]; }
const gt_module_kind gt_solver_kind = { "solver", "solver", nth };

const gt_solver *gt_solver_find(const char *name) { return (const gt_solver *)gt_module_find(&gt_solver_kind, name); }
