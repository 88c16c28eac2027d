/* Line integrals of a volume by one of the projectors. */
#include <stdlib.h>
#include "apps/cli.h"
#include "apps/method.h"
#include "projectors/projector.h"

typedef struct {
	const char *scan, *output, *projector;
} project_options;
static const project_options defaults = { .projector = "dd" };
#define AT(field) offsetof(project_options, field)
static const cli_option options[] = {
	{ "scan", 's', CLI_INPUT, "FILE", "whose geometry is projected; its own projections are not read", AT(scan), 0, 0, NULL },
	{ "output", 'o', CLI_OUTPUT, "FILE", "where the projections go (.nc)", AT(output), 0, 0, NULL },
	{ "projector", 0, CLI_TEXT, "NAME", "the model (default dd)", AT(projector), 0, 0, NULL },
	{ 0 },
};

static gt_status project(const cli_call *call, const char *projector, const gt_volume *v, gt_projections *p)
{
	gt_backend *be = NULL;
	gt_linop *A = NULL;
	gt_array *x = NULL, *y = NULL;
	gt_status st = GT_OK;
	const size_t n = gt_scan_cells(p->scan);
	GT_TRY(gt_host_room((double)n * sizeof(float), "the projections"));
	GT_TRY(cli_open(call, &be));
	GT_TRY(gt_projector_new(projector, be, cli_type(call), &v->grid, p->scan, &A));
	GT_TRY(gt_array_new(be, cli_type(call), gt_linop_nx(A), &x));
	GT_TRY(gt_array_new(be, cli_type(call), gt_linop_ny(A), &y));
	if (!(p->data = malloc(n * sizeof *p->data)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "the projections need %.3g MB", (double)n * 4e-6));
	gt_array_put_float(v->data, x);
	gt_forward(A, x, y);
	gt_array_get_float(y, p->data);
	GT_TRY(gt_backend_status(be));
done:
	gt_array_free(x);
	gt_array_free(y);
	gt_linop_free(A);
	gt_backend_close(be);
	return st;
}

static int run(const cli_call *call, const void *given)
{
	const project_options *o = given;
	gt_projections *p = NULL;
	gt_volume *v = NULL;
	char *parameters = NULL;
	gt_status st = GT_OK;
	GT_TRY(cli_need("--scan", o->scan));
	GT_TRY(cli_need("--output", o->output));
	GT_TRY(app_projector_check(o->projector));
	GT_TRY(gt_can_write_projections(o->output));
	GT_TRY(cli_read_scan(call, o->scan, CLI_GEOMETRY, &p));
	GT_TRY(cli_read_volume(call, call->file[0], &v));
	cli_note_share(call, &v->grid, p->scan);
	GT_TRY(project(call, o->projector, v, p));
	if (!(parameters = cli_text("projector=%s precision=%s", o->projector, gt_type_name(cli_type(call)))))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(cli_record(call, p->scan, parameters, &p->from));
	GT_TRY(cli_write_projections(o->output, NULL, p));
done:
	free(parameters);
	gt_projections_free(p);
	gt_volume_free(v);
	return cli_exit(call, st);
}

const cli_command cli_project = {
	.name = "project",
	.about = "line integrals of a volume",
	.synopsis = "VOLUME --scan SCAN -o PROJECTIONS [options]",
	.notes = "  gantry project vol.nc --scan scan.nc -o proj.nc --projector dd --precision double --backend cpu\n",
	.traits = CLI_COMPUTES,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.least_files = 1,
	.most_files = 1,
	.run = run
};
