#ifndef GT_APPS_CLI_APPLY_H
#define GT_APPS_CLI_APPLY_H
/* A projector on a device with arrays for its volume and its data. */
#include <gantry/projector.h>

typedef struct {
	gt_backend *be;                 /* owned */
	gt_linop *A;
	gt_array *x, *y;                /* volume and data */
} app_operator;
/* Makes A, x and y on o->be, which is open; the other members are zero. After a failure too, app_operator_close()
 * frees. */
gt_status app_operator_make (app_operator *o, const char *projector, gt_type type, const gt_grid *grid, const gt_scan *scan);
/* Opens the backend first; the members of o are set to zero. */
gt_status app_operator_open (app_operator *o, const char *backend, const char *projector, gt_type type, const gt_grid *grid,
                             const gt_scan *scan);
void      app_operator_close(app_operator *o);
/* y = A x, or x = A' y. */
void      app_operator_run  (const app_operator *o, int adjoint);
static inline gt_array *app_operator_in (const app_operator *o, int adjoint) { return adjoint ? o->y : o->x; }
static inline gt_array *app_operator_out(const app_operator *o, int adjoint) { return adjoint ? o->x : o->y; }
#endif
