/* Kernels tuned to a problem and a device. */
#include <string.h>
#include <gantry/tune.h>
#include "apps/cli/cli.h"
#include "apps/cli/try.h"
#include "apps/cli/workload.h"

typedef struct {
	const char *kernel, *workload, *candidate;
	long long every;
} tune_options;
static const tune_options defaults = { .kernel = "dd-forward", .every = 1 };
#define AT(field) offsetof(tune_options, field)
/* clang-format off */
static const cli_option options[] = {
	{ .name = "kernel", .kind = CLI_TEXT, .value = "NAME", .help = "what is tuned (default dd-forward)", .at = AT(kernel) },
	{ .name = "workload", .kind = CLI_TEXT, .value = "NAME", .help = "a problem of gantry bench, in place of a scan", .at = AT(workload) },
	{ .name = "every", .kind = CLI_INT, .value = "N", .help = "every Nth view of it", .at = AT(every), .least = 1, .most = 10000 },
	{ .name = "candidate", .kind = CLI_TEXT, .value = "TEXT",
	  .help = "try this variant alone, \"NAME=value NAME=value\"", .at = AT(candidate) },
	{ 0 },
};
/* clang-format on */

static gt_status find_problem(const tune_options *o, gt_scan **scan, gt_grid *grid)
{
	for (const app_workload *w = app_workloads; w->name; w++)
		if (!strcmp(w->name, o->workload))
			return app_workload_make(w, (size_t)o->every, scan, grid);
	return gt_fail(GT_ERR_UNKNOWN, "no workload \"%s\" (gantry bench --list has them)", o->workload);
}

static int run(const cli_call *call, const void *options_)
{
	const tune_options *o = options_;
	gt_scan *scan = NULL;
	gt_grid grid;
	gt_tune_options t;
	gt_tune_trial trial;
	gt_status st = GT_OK;
	gt_tune_defaults(&t);
	GT_TRY(cli_need("workload", o->workload));
	GT_TRY(find_problem(o, &scan, &grid));
	t.kernel = o->kernel;
	t.scan = scan;
	t.grid = &grid;
	GT_TRY(gt_tune_try(&t, o->candidate ? o->candidate : "", &trial));
	printf("%s: %.4f ms, built-in %.4f ms, %d pairs, off the CPU %.2e, adjoint %.2e %s\n", gt_tune_verdict_text(trial.verdict), trial.ms,
	       trial.built_in_ms, trial.pairs, trial.error, trial.off_adjoint, trial.why);
	if (trial.verdict != GT_TUNE_OK)
		st = gt_fail(GT_ERR_UNSUPPORTED, "the variant is %s: %s", gt_tune_verdict_text(trial.verdict), trial.why);
done:
	gt_scan_free(scan);
	return cli_exit(call, st);
}

const cli_command cli_tune = {
	.name = "tune",
	.about = "fit kernels to a problem and a device",
	.synopsis = "--workload NAME [options]",
	.notes = "  gantry tune --workload odd-101 --minutes 3\n",
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
};
