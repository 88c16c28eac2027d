/* Applies a projector or its adjoint once, on the backend and in the precision of the command line. */
#include <gantry/projector.h>
#include "apps/cli/cli.h"
#include "apps/cli/try.h"

gt_status cli_apply(const cli_call *call, const char *projector, int adjoint, const gt_grid *grid, const gt_scan *scan, const float *in,
                    float *out)
{
	gt_backend *be = NULL;
	gt_linop *A = NULL;
	gt_array *x = NULL, *y = NULL;
	gt_status st = GT_OK;
	GT_TRY(cli_open(call, &be));
	GT_TRY(gt_projector_new(projector, be, cli_type(call), grid, scan, &A));
	GT_TRY(gt_array_new(be, cli_type(call), gt_linop_nx(A), &x));
	GT_TRY(gt_array_new(be, cli_type(call), gt_linop_ny(A), &y));
	gt_array_put_float(in, adjoint ? y : x);
	if (adjoint)
		gt_adjoint(A, y, x);
	else
		gt_forward(A, x, y);
	gt_array_get_float(adjoint ? x : y, out);
	GT_TRY(gt_backend_status(be));
done:
	gt_array_free(x);
	gt_array_free(y);
	gt_linop_free(A);
	gt_backend_close(be);
	return st;
}
