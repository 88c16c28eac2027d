/* gantry backproject: the adjoint of a projector. */
#include <stdlib.h>
#include <gantry/recon.h>
#include "apps/cli/cli.h"
#include "apps/cli/try.h"
#include "recon/choose.h"

typedef struct {
	const char *output, *grid, *like, *projector;
} backproject_options;
static const backproject_options defaults = { 0 };
#define AT(field) offsetof(backproject_options, field)
/* clang-format off */
static const cli_option options[] = {
	{ .name = "output", .letter = 'o', .kind = CLI_OUTPUT, .value = "FILE",
	  .help = "name of the written volume (.nc, .mha)", .at = AT(output) },
	{ .name = "grid", .kind = CLI_TEXT, .value = "SPEC",
	  .help = "grid of the volume, NXxNYxNZ@DXxDYxDZ[+CX,CY,CZ] (default: the field of view)", .at = AT(grid) },
	{ .name = "like", .kind = CLI_INPUT, .value = "FILE", .help = "use the grid of this volume", .at = AT(like) },
	{ .name = "projector", .kind = CLI_TEXT, .value = "NAME",
	  .help = "projector (default dd, or a projector that supports the detector)", .at = AT(projector) },
	{ 0 },
};
/* clang-format on */

static int run(const cli_call *call, const void *given)
{
	const backproject_options *o = given;
	const char *projector;
	gt_projections *p = NULL;
	gt_volume *v = NULL;
	gt_grid grid;
	char *parameters = NULL;
	gt_write_options plain = gt_write_defaults;
	gt_status st = GT_OK;
	GT_TRY(cli_need("--output", o->output));
	if (o->projector)
		GT_TRY(gt_recon_check("projector", o->projector));
	GT_TRY(gt_can_write_volume(o->output, NULL));
	GT_TRY(cli_read_scan(call, call->file[0], CLI_DATA_ALONE, &p));
	const gt_scan *scan = gt_projections_scan(p);
	GT_TRY(cli_grid(call, o->grid, o->like, scan, &grid));
	GT_TRY(gt_has_space_for_volume(o->output, NULL, &grid));
	GT_TRY(gt_volume_new(&grid, &v));
	if (gt_projections_position_known(p))
		GT_TRY(gt_volume_set_position(v, gt_projections_position(p)));
	projector = gt_projector_for_grid(&call->log, o->projector, &grid, scan);
	GT_TRY(cli_apply(call, projector, 1, &grid, scan, gt_projections_data(p), gt_volume_data(v)));
	if (!(parameters = cli_text("projector=%s precision=%s", projector, gt_type_name(cli_type(call)))))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(gt_volume_set_provenance(v, call->line, parameters, scan));
	plain.unit = GT_PER_MM; /* The result is not an attenuation. */
	GT_TRY(cli_write_volume(o->output, &plain, v));
done:
	free(parameters);
	gt_projections_free(p);
	gt_volume_free(v);
	return cli_exit(call, st);
}

const cli_command cli_backproject = {
	.name = "backproject",
	.about = "backproject projections by the exact adjoint of a projector, without a filter",
	.synopsis = "PROJECTIONS -o VOLUME [options]",
	.notes = "  gantry backproject proj.nc --grid 32x24x16@1x1x1.5+7.3,-4.1,3.7 -o back.nc\n"
		 "  gantry backproject proj.nc --like vol.nc -o back.nc\n",
	.traits = CLI_COMPUTES,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.min_files = 1,
	.max_files = 1,
	.run = run,
};
