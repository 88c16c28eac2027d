/* gantry denoise: applies the proximal step of a penalty, or a denoiser, to volumes or projections. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "apps/cli/cli.h"
#include "apps/cli/try.h"

typedef struct {
	const char *output, *penalty;
	long long iterations;
	int nonneg, unit;
} denoise_options;
static const char *const units[] = { "mm-1", "HU", "auto", NULL };
enum { UNIT_AUTO = 2 };
static const denoise_options defaults = { .iterations = 200, .unit = UNIT_AUTO };
#define AT(field) offsetof(denoise_options, field)
/* clang-format off */
static const cli_option options[] = {
	{ .name = "output", .letter = 'o', .kind = CLI_OUTPUT, .value = "FILE",
	  .help = "name of the written volume or projections", .at = AT(output) },
	{ .name = "penalty", .kind = CLI_TEXT, .value = "NAME[:key=value,...]",
	  .help = "penalty or denoiser, e.g. nlm:h=20HU; 'gantry help penalty NAME' lists its parameters", .at = AT(penalty) },
	{ .name = "iterations", .kind = CLI_INT, .value = "N",
	  .help = "number of iterations for penalties without a proximal step", .at = AT(iterations), .min = 1, .max = 1e6 },
	{ .name = "nonneg", .kind = CLI_FLAG, .help = "constrain the result to values of at least 0", .at = AT(nonneg) },
	{ .name = "unit", .kind = CLI_CHOICE,
	  .help = "unit of a written volume (default: HU in NIfTI and DICOM, else mm-1)", .at = AT(unit), .names = units },
	{ 0 },
};
/* clang-format on */

static gt_status check_penalty(const char *spec)
{
	const gt_module *module;
	void *parsed = NULL;
	const gt_status st = gt_module_parse("regularizer", spec, &module, &parsed);
	gt_free(parsed);
	return st;
}

static gt_status volume(const cli_call *call, const denoise_options *o, gt_backend *be, const gt_denoise_options *d)
{
	gt_volume *v = NULL;
	char *parameters = NULL;
	gt_write_options w = gt_write_defaults;
	gt_status st = GT_OK;
	w.unit = o->unit == UNIT_AUTO ? GT_UNIT_AUTO : (gt_unit)o->unit;
	GT_TRY(gt_can_write_volume(o->output, NULL));
	GT_TRY(cli_read_volume(call, call->file[0], &v));
	GT_TRY(gt_has_space_for_volume(o->output, &w, gt_volume_grid(v)));
	const char *was = gt_volume_provenance(v)->parameters;
	if (!(parameters = cli_text("%s%sdenoise=%s", was ? was : "", was ? " " : "", o->penalty)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(gt_denoise_volume(be, cli_type(call), d, v));
	GT_TRY(gt_volume_set_provenance(v, call->line, parameters, NULL));
	GT_TRY(cli_write_volume(o->output, &w, v));
done:
	free(parameters);
	gt_volume_free(v);
	return st;
}

static gt_status write_numbered(const cli_call *call, const denoise_options *o, size_t i, gt_volume *v)
{
	gt_write_options w = gt_write_defaults;
	const char *was = gt_volume_provenance(v)->parameters;
	char *name = cli_numbered(o->output, i + 1);
	char *parameters = cli_text("%s%sdenoise=%s volume=%zu", was ? was : "", was ? " " : "", o->penalty, i + 1);
	gt_status st = GT_OK;
	w.unit = o->unit == UNIT_AUTO ? GT_UNIT_AUTO : (gt_unit)o->unit;
	if (!name || !parameters)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(gt_volume_set_provenance(v, call->line, parameters, NULL));
	GT_TRY(cli_write_volume(name, &w, v));
done:
	free(name);
	free(parameters);
	return st;
}

static gt_status volumes(const cli_call *call, const denoise_options *o, gt_backend *be, const gt_denoise_options *d)
{
	gt_status st = GT_OK;
	gt_volume **v = calloc(call->files, sizeof *v);
	if (!v)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(cli_check_numbered(call, o->output));
	for (size_t i = 0; i < call->files; i++)
		GT_TRY(cli_read_volume(call, call->file[i], &v[i]));
	GT_TRY(gt_denoise_volumes(be, cli_type(call), d, v, call->files));
	for (size_t i = 0; i < call->files; i++)
		GT_TRY(write_numbered(call, o, i, v[i]));
done:
	for (size_t i = 0; i < call->files; i++)
		gt_volume_free(v[i]);
	free(v);
	return st;
}

static gt_status projections(const cli_call *call, const denoise_options *o, gt_backend *be, const gt_denoise_options *d)
{
	gt_projections *p = NULL;
	char *parameters = NULL;
	gt_status st = GT_OK;
	if (o->unit != UNIT_AUTO)
		GT_TRY(gt_fail(GT_ERR_ARG, "--unit=%s: projections have no unit", units[o->unit]));
	GT_TRY(gt_can_write_projections(o->output, NULL));
	GT_TRY(cli_read_scan(call, call->file[0], CLI_WITH_DATA, &p));
	GT_TRY(gt_has_space_for_projections(o->output, NULL, gt_projections_scan(p)));
	const char *was = gt_projections_provenance(p)->parameters;
	if (!(parameters = cli_text("%s%sdenoise=%s", was ? was : "", was ? " " : "", o->penalty)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(gt_denoise_projections(be, cli_type(call), d, p));
	GT_TRY(gt_projections_set_provenance(p, call->line, parameters, gt_projections_scan(p)));
	GT_TRY(cli_write_projections(o->output, NULL, p));
done:
	free(parameters);
	gt_projections_free(p);
	return st;
}

static int run(const cli_call *call, const void *given)
{
	const denoise_options *o = given;
	const gt_format *format = NULL;
	gt_denoise_options d = gt_denoise_defaults;
	gt_backend *be = NULL;
	int are_projections = 0;
	gt_status st = GT_OK;
	GT_TRY(cli_need("--output", o->output));
	GT_TRY(cli_need("--penalty", o->penalty));
	GT_TRY(check_penalty(o->penalty));
	d.penalty = o->penalty;
	d.iterations = (int)o->iterations;
	d.min = o->nonneg ? 0 : -INFINITY;
	GT_TRY(gt_file_kind(call->file[0], &format, &are_projections));
	GT_TRY(cli_open(call, &be));
	if (call->files > 1)
		GT_TRY(volumes(call, o, be, &d));
	else
		GT_TRY(are_projections ? projections(call, o, be, &d) : volume(call, o, be, &d));
	cli_note(call, call->files > 1 ? "%s: written one file per volume, with its number in the name" : "%s: written", o->output);
done:
	gt_backend_close(be);
	return cli_exit(call, st);
}

static void list(FILE *out)
{
	fprintf(out, "\npenalties:\n");
	for (const gt_regularizer *const *r = gt_regularizers; *r; r++)
		fprintf(out, "  %-10s %s\n", (*r)->name, (*r)->about);
}

const cli_command cli_denoise = {
	.name = "denoise",
	.about = "denoise a volume or projections by a penalty or a denoiser",
	.synopsis = "VOLUME...|SCAN -o FILE --penalty NAME:key=value,... [options]",
	.notes = "A penalty R gives the minimiser u of R(u) + |u - z|^2/2 for the data z; a denoiser gives its own output.\n"
		 "The strength has the unit of the data: mm-1 in volumes, none in projections. Start with the standard deviation of\n"
		 "the noise. HU refer to the water of the volume, or to 0.02 mm-1 if the file does not state it (1 HU = 2e-5 mm-1).\n\n"
		 "  gantry denoise vol.nc -o smooth.nc --penalty nlm:h=20HU\n"
		 "  gantry denoise vol.nc -o smooth.nc --penalty tgv:strength=4e-4,inner=200\n"
		 "  gantry denoise scan.nc -o smooth-scan.nc --penalty tv:strength=0.02,z=0\n\n"
		 "joint-tv and low-rank denoise several volumes on one grid (energies, times) jointly. They are written as out-1.nc,\n"
		 "out-2.nc, ...\n\n"
		 "  gantry denoise low.nc high.nc -o out.nc --penalty joint-tv:strength=4e-4,kind=nuclear\n",
	.min_files = 1,
	.max_files = 1024,
	.traits = CLI_COMPUTES,
	.list = list,
	.run = run,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
};
