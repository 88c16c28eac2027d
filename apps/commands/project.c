/* gantry project: line integrals of a volume by a projector. */
#include <stdlib.h>
#include <gantry/recon.h>
#include "apps/cli/cli.h"
#include "apps/cli/try.h"
#include "recon/choose.h"

typedef struct {
	const char *scan, *output, *projector;
} project_options;
static const project_options defaults = { 0 };
#define AT(field) offsetof(project_options, field)
/* clang-format off */
static const cli_option options[] = {
	{ .name = "scan", .letter = 's', .kind = CLI_INPUT, .value = "FILE",
	  .help = "scan with the geometry to use; its projections are not read", .at = AT(scan) },
	{ .name = "output", .letter = 'o', .kind = CLI_OUTPUT, .value = "FILE",
	  .help = "name of the written projections (.nc)", .at = AT(output) },
	{ .name = "projector", .kind = CLI_TEXT, .value = "NAME",
	  .help = "projector (default dd, or a projector that supports the detector)", .at = AT(projector) },
	{ 0 },
};
/* clang-format on */

static int run(const cli_call *call, const void *given)
{
	const project_options *o = given;
	const char *projector;
	gt_projections *geometry = NULL, *p = NULL;
	gt_volume *v = NULL;
	char *parameters = NULL;
	gt_status st = GT_OK;
	GT_TRY(cli_need("--scan", o->scan));
	GT_TRY(cli_need("--output", o->output));
	if (o->projector)
		GT_TRY(gt_recon_check("projector", o->projector));
	GT_TRY(gt_can_write_projections(o->output, NULL));
	GT_TRY(cli_read_scan(call, o->scan, CLI_GEOMETRY, &geometry));
	GT_TRY(cli_read_volume(call, call->file[0], &v));
	const gt_scan *scan = gt_projections_scan(geometry);
	const gt_grid *grid = gt_volume_grid(v);
	GT_TRY(gt_fail_in(gt_grid_check(grid, scan), "%s", call->file[0]));
	cli_note_share(call, grid, scan);
	projector = gt_projector_for_grid(&call->log, o->projector, grid, scan);
	GT_TRY(gt_has_space_for_projections(o->output, NULL, scan));
	GT_TRY(gt_projections_new(scan, &p));
	if (gt_projections_position_known(geometry))
		GT_TRY(gt_projections_set_position(p, gt_projections_position(geometry)));
	GT_TRY(gt_projections_set_water(p, gt_projections_water(geometry)));
	GT_TRY(cli_apply(call, projector, 0, grid, scan, gt_volume_data(v), gt_projections_data(p)));
	if (!(parameters = cli_text("projector=%s precision=%s", projector, gt_type_name(cli_type(call)))))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(gt_projections_set_provenance(p, call->line, parameters, scan));
	GT_TRY(cli_write_projections(o->output, NULL, p));
done:
	free(parameters);
	gt_projections_free(geometry);
	gt_projections_free(p);
	gt_volume_free(v);
	return cli_exit(call, st);
}

const cli_command cli_project = {
	.name = "project",
	.about = "forward-project a volume: compute its line integrals",
	.synopsis = "VOLUME --scan SCAN -o PROJECTIONS [options]",
	.notes = "  gantry project vol.nc --scan scan.nc -o proj.nc --projector dd --precision double --backend cpu\n",
	.traits = CLI_COMPUTES,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.min_files = 1,
	.max_files = 1,
	.run = run
};
