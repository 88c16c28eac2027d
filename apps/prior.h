#ifndef GT_APPS_PRIOR_H
#define GT_APPS_PRIOR_H
/* What is known beside the projections: the weights of the data and a penalty on the volume, by their texts. */
#include "apps/cli.h"
#include "core/penalty.h"
#include "solvers/solver.h"

typedef enum { APP_WEIGHTS_AUTO, APP_WEIGHTS_UNIFORM, APP_WEIGHTS_FILE, APP_WEIGHTS_PHOTONS } app_weights_kind;
typedef struct { app_weights_kind kind; double count, electronic; } app_weights;
/* "auto", "uniform", "file", "photons:count=1e5,electronic=10": GT_ERR_UNKNOWN with the nearest name, GT_ERR_ARG. */
gt_status app_weights_parse(const char *spec, app_weights *w);
/* Weights of all cells of p with the mean 1; *w is malloc'ed, NULL where they are uniform. auto: the file's weights, else those of its photon
 * counts, else uniform; also where the solver (its traits) does not take weights. *text: what they are, malloc'ed, for the record. */
gt_status app_weights_new(const app_weights *o, unsigned traits, const char *solver, const gt_projections *p, gt_pool *pool, float **w,
                          char **text);

/* GT_ERR_UNKNOWN with the nearest name, GT_ERR_ARG for a parameter that it does not take. */
gt_status app_penalty_check(const char *spec);
#endif
