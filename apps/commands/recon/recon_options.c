/* Options of `gantry recon`, and their settings in the library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/commands/recon/recon.h"

static const char *const units[] = { "mm-1", "HU", "auto", NULL }, *const presets[] = { "none", "fast", "iterative", NULL },
			 *const paddings[] = { "auto", "yes", "no", NULL }, *const outsides[] = { "auto", "subtract", "grid",
	                                                                                          "no",   "air",      NULL },
			 *const teams[] = { "auto", "mpi", NULL }, *const places[] = { "no", "memory", "scratch", "auto", NULL };
enum { UNIT_AUTO = 2, KEEP_AUTO = 3 };
const recon_options recon_defaults = { .unit = UNIT_AUTO, .keep = KEEP_AUTO, .frames = CLI_FRAMES_DEFAULTS };
#define AT(field) offsetof(recon_options, field)
#define FRAMES_AT(field) offsetof(recon_options, frames.field)
/* clang-format off */
const cli_option recon_table[] = {
	{ .name = "output", .group = "Volume", .letter = 'o', .kind = CLI_OUTPUT, .value = "FILE",
	  .help = "name and format of the written volume (.nc, .mha, .nii, .tif, a folder/ of DICOM)", .at = AT(output) },
	{ .name = "grid", .kind = CLI_TEXT, .value = "SPEC",
	  .help = "grid of the volume, NXxNYxNZ@DXxDYxDZ[+CX,CY,CZ], or N voxels across (default: the field of view)", .at = AT(grid) },
	{ .name = "voxel", .kind = CLI_TEXT, .value = "LENGTH",
	  .help = "voxel size (mm; 10um) over the field of view, or of --grid N", .at = AT(voxel) },
	{ .name = "slice", .kind = CLI_TEXT, .value = "K|A:B",
	  .help = "reconstruct slice K of the grid alone, or slices A to B-1, from 0 (below 0: from the end)", .at = AT(slice) },
	{ .name = "like", .kind = CLI_INPUT, .value = "FILE", .help = "use the grid of this volume", .at = AT(like) },
	{ .name = "padding", .was = "margin", .kind = CLI_CHOICE,
	  .help = "compute padding slices beyond the grid without writing them (auto: those that rays through the object cross)",
	  .at = AT(padding), .names = paddings },
	{ .name = "outside", .kind = CLI_CHOICE,
	  .help = "object outside the grid: subtract it, widen the grid, ignore it; air: compute no air in it (default auto)",
	  .at = AT(outside), .names = outsides },
	{ .name = "unit", .kind = CLI_CHOICE,
	  .help = "unit of the written volume (default: HU in NIfTI and DICOM, else mm-1)", .at = AT(unit), .names = units },
	{ .name = "water", .kind = CLI_REAL, .value = "MM-1",
	  .help = "attenuation of water in mm-1, for HU (default: as the scan states, else 0.02)", .at = AT(water), .min = 1e-9, .max = 1e3 },
	{ .name = "number", .kind = CLI_CHOICE, .help = "TIFF, .npy, .raw: sample type (default float)", .at = AT(number),
	  .names = cli_numbers },
	{ .name = "range", .kind = CLI_TEXT, .value = "LOW:HIGH",
	  .help = "values of the smallest and largest integer, in the unit (default: 0.1 and 99.9 % of the voxels)", .at = AT(range) },
	{ .name = "preset", .group = "Method", .was = "quality", .kind = CLI_CHOICE,
	  .help = "set all settings: fast is the analytic method, iterative a low-noise method without tuning",
	  .at = AT(preset), .names = presets },
	{ .name = "solver", .kind = CLI_TEXT, .value = "NAME[:key=value,...]",
	  .help = "reconstruction method; 'gantry help solver NAME' lists its parameters", .at = AT(solver) },
	{ .name = "projector", .kind = CLI_TEXT, .value = "NAME",
	  .help = "projector of an iterative method (default dd, or a projector that supports the detector)", .at = AT(projector) },
	{ .name = "penalty", .kind = CLI_TEXT, .value = "NAME[:key=value,...]",
	  .help = "penalty on the volume, e.g. huber:noise=10HU; 'gantry help penalty NAME' lists its parameters", .at = AT(penalty) },
	{ .name = "weights", .kind = CLI_TEXT, .value = "auto|uniform|file|photons:...|noise|model",
	  .help = "statistical weights of the data (photons:count=1e5,electronic=10)", .at = AT(weights) },
	{ .name = "init", .kind = CLI_INPUT, .value = "auto|zero|fdk|wfbp|FILE",
	  .help = "starting volume of an iterative method", .at = AT(init) },
	{ .name = "stop", .kind = CLI_TEXT, .value = "change=0.1HU,...",
	  .help = "stop below a change of the volume or a gradient, or after a time", .at = AT(stop) },
	{ .name = "views", .group = "Projections", .kind = CLI_TEXT, .value = "A:B[:STEP]",
	  .help = "use views A to B-1 of the scan alone, or every STEP-th of them", .at = AT(views) },
	{ .name = "data", .kind = CLI_INPUT, .value = "FILE.mhd",
	  .help = "projections, if SCAN holds the geometry alone: MetaImage of columns x rows x views", .at = AT(data) },
	{ .name = "auto", .kind = CLI_FLAG,
	  .help = "first correct the projections as 'gantry prepare --auto' does: necessary steps, with the reasons", .at = AT(automatic) },
	{ .name = "no-check", .kind = CLI_FLAG,
	  .help = "skip the comparison of conjugate rays (0.1 s), which detects flipped columns and a wrong centre", .at = AT(no_check) },
	{ .name = "force", .kind = CLI_FLAG,
	  .help = "accept projections that are not line integrals", .at = AT(force) },
	{ .name = "dry-run", .group = "Reports and dry run", .kind = CLI_FLAG,
	  .help = "check everything and compute nothing; print the settings and the required memory", .at = AT(dry_run) },
	{ .name = "log", .kind = CLI_OUTPUT, .value = "FILE",
	  .help = "write cost, change and other figures of every iteration, as CSV or (.json) JSON", .at = AT(log) },
	{ .name = "plot", .kind = CLI_OUTPUT, .value = "FILE.png", .help = "plot the figures of --log by gnuplot, at the end", .at = AT(plot) },
	{ .name = "report", .kind = CLI_TEXT, .value = "FOLDER",
	  .help = "write a page there: settings with reasons, cost, times, memory, central slices before and after", .at = AT(report) },
	{ .name = "watch", .kind = CLI_FLAG,
	  .help = "serve a page to browsers of this machine: central slices, cost and change during the iteration", .at = AT(watch) },
	{ .name = "port", .kind = CLI_INT, .value = "N",
	  .help = "with --watch: port of 127.0.0.1 (default 0: any that is free)", .at = AT(port), .min = 0, .max = 65535 },
	{ .name = "checkpoint", .group = "Interrupted runs", .kind = CLI_TEXT, .value = "FILE[:every=10]",
	  .help = "save the state during the run, for --resume", .at = AT(checkpoint) },
	{ .name = "resume", .kind = CLI_INPUT, .value = "FILE",
	  .help = "continue the run that saved this checkpoint, with the same options except iterations", .at = AT(resume) },
	{ .name = "gpus", .group = "Devices and memory", .kind = CLI_TEXT, .value = "COUNT|LIST",
	  .help = "compute on several GPUs together: 2 (the first two) or 0,2 (these two)", .at = AT(gpus) },
	{ .name = "team", .kind = CLI_CHOICE,
	  .help = "mpi: the processes of mpirun compute together, each on --backend or its part of --gpus (auto: if several)",
	  .at = AT(team), .names = teams },
	{ .name = "split", .kind = CLI_TEXT, .value = "auto|views|slices|PxQ",
	  .help = "partition the work by views, by slices, or into P slabs times Q view ranges (default auto)", .at = AT(split) },
	{ .name = "balance", .kind = CLI_TEXT, .value = "auto|yes|no",
	  .help = "partition by measured speed: auto for heterogeneous devices, measured once and cached; yes: measure now",
	  .at = AT(balance) },
	{ .name = "reproducible", .kind = CLI_FLAG,
	  .help = "give bit-identical results on 1, 2, 4 or 8 devices; always uses eight partitions, which costs time and memory",
	  .at = AT(reproducible) },
	{ .name = "device-memory", .kind = CLI_TEXT, .value = "SIZE",
	  .help = "limit the device memory, e.g. 4GiB; fdk and fbp compute by slabs if necessary", .at = AT(device_memory) },
	{ .name = "host-memory", .kind = CLI_TEXT, .value = "SIZE",
	  .help = "limit the host memory", .at = AT(host_memory) },
	{ .name = "keep", .kind = CLI_CHOICE,
	  .help = "by slabs: cache of projections for later slabs (no: read them again; default auto)",
	  .at = AT(keep), .names = places },
	{ .name = "scratch", .kind = CLI_TEXT, .value = "FOLDER",
	  .help = "folder for temporary files of data larger than memory: projections by slabs, arrays of iterations", .at = AT(scratch) },
	{ .name = "no-overlap", .kind = CLI_FLAG, .help = "by slabs: run the stages in sequence, to time each alone", .at = AT(no_overlap) },
	CLI_FRAMES_OPTIONS(FRAMES_AT),
	{ 0 },
};
/* clang-format on */

const cli_hint recon_hints[] = {
	{ "iterations", "--solver NAME:iterations=N, e.g. --solver os-sart:iterations=10" },
	{ "subsets", "--solver NAME:subsets=N, e.g. --solver os-sart:subsets=12" },
	{ "filter", "--solver fdk:filter=NAME, e.g. fdk:filter=hann; 'gantry help solver fdk' lists the filters" },
	{ "algorithm", "--solver NAME; 'gantry help solver' lists the methods" },
	{ "method", "--solver NAME; 'gantry help solver' lists the methods" },
	{ "noise", "--penalty NAME:noise=VALUE, e.g. --penalty huber:noise=10HU" },
	{ "strength", "--penalty NAME:strength=VALUE, e.g. --penalty tv:strength=1.5x" },
	{ "regularizer", "--penalty NAME; 'gantry help penalty' lists the penalties" },
	{ "regularization", "--penalty NAME; 'gantry help penalty' lists the penalties" },
	{ "center", "--axis COLUMN" },
	{ "rotation-axis", "--axis COLUMN" },
	{ "voxel-size", "--voxel LENGTH, e.g. --voxel 10um" },
	{ "size", "--grid N, e.g. --grid 512" },
	{ 0 },
};

/* Converts --gpus, a count or a list, to a backend. */
static gt_status backend_of_gpus(const cli_call *call, const char *gpus, char *text, size_t size)
{
	char *end;
	const long count = strtol(gpus, &end, 10);
	if (call->common.backend)
		return gt_fail(GT_ERR_ARG, "--gpus and --backend cannot be combined");
	if (strlen(gpus) + 8 > size || gpus[strspn(gpus, "0123456789,-")] || (!*end && (count < 1 || count > 64)) || end == gpus)
		return gt_fail(GT_ERR_ARG, "--gpus=%s: expected a number, or a list as 0,2", gpus);
	if (*end)
		snprintf(text, size, "cuda:%s", gpus);
	else
		snprintf(text, size, count > 1 ? "cuda:0-%ld" : "cuda:%ld", count - 1);
	return GT_OK;
}

static gt_status find_backend(const cli_call *call, const recon_options *o, char text[64], const char **backend)
{
	char gpus[48];
	*backend = call->common.backend;
	if (o->gpus && backend_of_gpus(call, o->gpus, gpus, sizeof gpus) != GT_OK)
		return GT_ERR_ARG;
	if (o->gpus)
		*backend = gpus;
	const int joins = (o->team || call->processes > 1) && !(*backend && !strncmp(*backend, "mpi", 3));
	if (joins && *backend && strlen(*backend) > 56)
		return gt_fail(GT_ERR_ARG, "--backend=%s: expected a shorter name", *backend);
	if (!joins && !o->gpus)
		return GT_OK;
	snprintf(text, 64, "%s%.56s", joins ? "mpi:" : "", *backend ? *backend : "auto");
	*backend = text;
	return GT_OK;
}

gt_status recon_set(gt_recon *r, const cli_call *call, const recon_options *o)
{
	char water[32], text[64];
	const char *backend;
	if (find_backend(call, o, text, &backend) != GT_OK)
		return GT_ERR_ARG;
	snprintf(water, sizeof water, "%.17g", o->water);
	const char *const list[][2] = {
		{ "preset", presets[o->preset] },
		{ "solver", o->solver },
		{ "projector", o->projector },
		{ "penalty", o->penalty },
		{ "weights", o->weights },
		{ "init", o->init },
		{ "grid", o->grid },
		{ "like", o->like },
		{ "voxel", o->voxel },
		{ "slice", o->slice },
		{ "views", o->views },
		{ "padding", paddings[o->padding] },
		{ "outside", call->files > 1 && !o->outside ? "no" : outsides[o->outside] },
		{ "stop", o->stop },
		{ "checkpoint", o->checkpoint },
		{ "resume", o->resume },
		{ "data", o->data },
		{ "device-memory", o->device_memory },
		{ "host-memory", o->host_memory },
		{ "keep", places[o->keep] },
		{ "scratch", o->scratch },
		{ "overlap", o->no_overlap ? "no" : "yes" },
		{ "check", o->no_check ? "no" : "yes" },
		{ "force", o->force ? "yes" : "no" },
		{ "unit", units[o->unit] },
		{ "water", o->water > 0 ? water : NULL },
		{ "backend", backend },
		{ "precision", call->common.precision ? "double" : "single" },
		{ "split", o->split },
		{ "balance", o->balance },
		{ "reproducible", o->reproducible ? "yes" : NULL },
		{ "command", call->line },
		{ "output", o->output },
	};
	gt_status st = GT_OK;
	for (size_t i = 0; i < sizeof list / sizeof *list && st == GT_OK; i++)
		if (list[i][1])
			st = gt_recon_set(r, list[i][0], list[i][1]);
	return st;
}
