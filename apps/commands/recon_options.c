/* The options of `gantry recon`, and the settings of the library that they are. */
#include <stdio.h>
#include "apps/commands/recon.h"

static const char *const units[] = { "mm-1", "HU", "auto", NULL }, *const presets[] = { "none", "fast", "iterative", NULL },
			 *const margins[] = { "auto", "yes", "no", NULL }, *const places[] = { "no", "memory", "scratch", "auto", NULL };
enum { UNIT_AUTO = 2, KEEP_AUTO = 3 };
const recon_options recon_defaults = { .unit = UNIT_AUTO, .keep = KEEP_AUTO };
#define AT(field) offsetof(recon_options, field)
const cli_option recon_table[] = {
	{ "output", 'o', CLI_OUTPUT, "FILE", "name of the written volume, which decides the format (.nc, .mha, .nii, a folder/ of DICOM)",
	  AT(output), 0, 0, NULL },
	{ "grid", 0, CLI_TEXT, "SPEC", "its grid, NXxNYxNZ@DXxDYxDZ[+CX,CY,CZ] (default: what fits the scan)", AT(grid), 0, 0, NULL },
	{ "like", 0, CLI_INPUT, "FILE", "the grid of this volume", AT(like), 0, 0, NULL },
	{ "quality", 0, CLI_CHOICE, NULL, "all settings at once: fast is the analytic method, iterative a low-noise picture without tuning",
	  AT(quality), 0, 0, presets },
	{ "solver", 0, CLI_TEXT, "NAME[:key=value,...]", "the method; 'gantry help solver NAME' lists its parameters", AT(solver), 0, 0,
	  NULL },
	{ "projector", 0, CLI_TEXT, "NAME", "the projector of an iterative method (default dd; sf-tr for tilted or rolled detectors)",
	  AT(projector), 0, 0, NULL },
	{ "init", 0, CLI_INPUT, "auto|zero|fdk|wfbp|FILE", "volume that an iterative method starts from", AT(init), 0, 0, NULL },
	{ "margin", 0, CLI_CHOICE, NULL,
	  "padding slices beyond both ends that an iterative method computes and does not write (auto: as many as rays through the object need)",
	  AT(margin), 0, 0, margins },
	{ "weights", 0, CLI_TEXT, "auto|uniform|file|photons:...|noise",
	  "weights of the data, by their noise (photons:count=1e5,electronic=10)", AT(weights), 0, 0, NULL },
	{ "penalty", 0, CLI_TEXT, "NAME[:key=value,...]",
	  "penalty on the volume, e.g. huber:noise=10HU; 'gantry help penalty NAME' lists its parameters", AT(penalty), 0, 0, NULL },
	{ "stop", 0, CLI_TEXT, "change=0.1HU,...", "stop when the change or the gradient is small enough, or the time is over", AT(stop), 0,
	  0, NULL },
	{ "log", 0, CLI_OUTPUT, "FILE", "cost, change ... of every iteration, as CSV, or JSON by the name", AT(log), 0, 0, NULL },
	{ "plot", 0, CLI_OUTPUT, "FILE.png", "plot of the same by gnuplot, at the end", AT(plot), 0, 0, NULL },
	{ "checkpoint", 0, CLI_TEXT, "FILE[:every=10]", "file to continue from, saved during the run", AT(checkpoint), 0, 0, NULL },
	{ "resume", 0, CLI_INPUT, "FILE", "continue the run that saved this checkpoint, with the same options except iterations",
	  AT(resume), 0, 0, NULL },
	{ "data", 0, CLI_INPUT, "FILE.mhd", "the projections, where SCAN holds the geometry alone: MetaImage of columns x rows x views",
	  AT(data), 0, 0, NULL },
	{ "device-memory", 0, CLI_TEXT, "SIZE", "limit of device memory, e.g. 4GiB; fdk and fbp compute by slabs if needed",
	  AT(device_memory), 0, 0, NULL },
	{ "host-memory", 0, CLI_TEXT, "SIZE", "limit of the host's memory", AT(host_memory), 0, 0, NULL },
	{ "keep", 0, CLI_CHOICE, NULL, "by slabs: where projections are kept for the slabs after the first (no: read again; default auto)",
	  AT(keep), 0, 0, places },
	{ "scratch", 0, CLI_TEXT, "FOLDER", "by slabs: folder for a file of them, if memory does not hold them", AT(scratch), 0, 0, NULL },
	{ "no-overlap", 0, CLI_FLAG, NULL, "by slabs: run the stages one after the other, to time each alone", AT(no_overlap), 0, 0, NULL },
	{ "dry-run", 0, CLI_FLAG, NULL, "dry run: check all and compute nothing; print what would be done and the memory that it needs",
	  AT(dry_run), 0, 0, NULL },
	{ "unit", 0, CLI_CHOICE, NULL, "unit of the written volume (default: HU in NIfTI and DICOM, else mm-1)", AT(unit), 0, 0, units },
	{ "water", 0, CLI_REAL, "MM-1", "attenuation of water in mm-1, for HU (default: as the scan states, else 0.02)", AT(water), 1e-9,
	  1e3, NULL },
	{ 0 },
};

gt_status recon_set(gt_recon *r, const cli_call *call, const recon_options *o)
{
	char water[32];
	snprintf(water, sizeof water, "%.17g", o->water);
	const char *const list[][2] = {
		{ "preset", presets[o->quality] },
		{ "solver", o->solver },
		{ "projector", o->projector },
		{ "penalty", o->penalty },
		{ "weights", o->weights },
		{ "init", o->init },
		{ "grid", o->grid },
		{ "like", o->like },
		{ "margin", margins[o->margin] },
		{ "stop", o->stop },
		{ "checkpoint", o->checkpoint },
		{ "resume", o->resume },
		{ "data", o->data },
		{ "device-memory", o->device_memory },
		{ "host-memory", o->host_memory },
		{ "keep", places[o->keep] },
		{ "scratch", o->scratch },
		{ "overlap", o->no_overlap ? "no" : "yes" },
		{ "unit", units[o->unit] },
		{ "water", o->water > 0 ? water : NULL },
		{ "backend", call->common.backend },
		{ "precision", call->common.precision ? "double" : "single" },
		{ "command", call->line },
		{ "output", o->output },
	};
	gt_status st = GT_OK;
	for (size_t i = 0; i < sizeof list / sizeof *list && st == GT_OK; i++)
		if (list[i][1])
			st = gt_recon_set(r, list[i][0], list[i][1]);
	return st;
}
