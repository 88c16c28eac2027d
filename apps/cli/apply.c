/* A projector on a device, and its application to floats on the backend and in the precision of the command line. */
#include "apps/cli/apply.h"
#include "apps/cli/cli.h"
#include "apps/cli/try.h"

gt_status app_operator_make(app_operator *o, const char *projector, gt_type type, const gt_grid *grid, const gt_scan *scan)
{
	gt_status st = GT_OK;
	GT_TRY(gt_projector_new(projector, o->be, type, grid, scan, &o->A));
	GT_TRY(gt_array_new(o->be, type, gt_linop_nx(o->A), &o->x));
	GT_TRY(gt_array_new(o->be, type, gt_linop_ny(o->A), &o->y));
done:
	return st;
}

gt_status app_operator_open(app_operator *o, const char *backend, const char *projector, gt_type type, const gt_grid *grid,
                            const gt_scan *scan)
{
	*o = (app_operator){ 0 };
	const gt_status st = gt_backend_open(backend, &o->be);
	return st == GT_OK ? app_operator_make(o, projector, type, grid, scan) : st;
}

void app_operator_close(app_operator *o)
{
	gt_array_free(o->x);
	gt_array_free(o->y);
	gt_linop_free(o->A);
	gt_backend_close(o->be);
	*o = (app_operator){ 0 };
}

void app_operator_run(const app_operator *o, int adjoint)
{
	if (adjoint)
		gt_adjoint(o->A, o->y, o->x);
	else
		gt_forward(o->A, o->x, o->y);
}

gt_status cli_apply(const cli_call *call, const char *projector, int adjoint, const gt_grid *grid, const gt_scan *scan, const float *in,
                    float *out)
{
	app_operator o = { 0 };
	gt_status st = GT_OK;
	GT_TRY(cli_open(call, &o.be));
	GT_TRY(app_operator_make(&o, projector, cli_type(call), grid, scan));
	gt_array_put_float(in, app_operator_in(&o, adjoint));
	app_operator_run(&o, adjoint);
	gt_array_get_float(app_operator_out(&o, adjoint), out);
	GT_TRY(gt_backend_status(o.be));
done:
	app_operator_close(&o);
	return st;
}
