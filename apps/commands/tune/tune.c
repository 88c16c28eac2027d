/* `gantry tune`: tunes kernels for a problem and a device, replays search strategies on logs, and manages the cache. */
#include <math.h>
#include <string.h>
#include <gantry/author/params.h>
#include <gantry/solver.h>
#include "apps/cli/cli.h"
#include "apps/cli/try.h"
#include "apps/commands/tune/tune.h"
#include "core/module.h"
#include "recon/choose.h"
#include "tuner/tuner.h"

typedef struct {
	const char *kernel, *solver, *projector, *workload, *grid, *candidate, *search, *device;
	const char *log, *folder, *replay, *curve, *forget, *to, *from, *source, *check, *output;
	double minutes, within;
	long long every, evaluations, seed, seeds;
	int list, no_keep;
} tune_options;
static const tune_options defaults = { .every = 1, .device = "cuda:0", .seed = 1, .seeds = 20 };
#define AT(field) offsetof(tune_options, field)
/* clang-format off */
static const cli_option options[] = {
	{ .name = "kernel", .kind = CLI_TEXT, .value = "NAME", .help = "kernel to tune (default dd-forward)", .at = AT(kernel) },
	{ .name = "solver", .kind = CLI_TEXT, .value = "SPEC",
	  .help = "tune both directions of the projector for this solver and its subsets; search time in proportion to run time",
	  .at = AT(solver) },
	{ .name = "projector", .kind = CLI_TEXT, .value = "NAME",
	  .help = "tune both directions of this projector (with --solver: default as for recon)", .at = AT(projector) },
	{ .name = "workload", .kind = CLI_TEXT, .value = "NAME",
	  .help = "use a problem of gantry bench instead of a scan; NAME:every=N: every Nth view", .at = AT(workload) },
	{ .name = "every", .kind = CLI_INT, .value = "N",
	  .help = "use every Nth view only, as in a subset", .at = AT(every), .min = 1, .max = 10000 },
	{ .name = "grid", .kind = CLI_TEXT, .value = "SPEC",
	  .help = "NXxNYxNZ@DXxDYxDZ[+CX,CY,CZ] (default: the field of view)", .at = AT(grid) },
	{ .name = "device", .kind = CLI_TEXT, .value = "NAME",
	  .help = "use this GPU (default cuda:0); cuda:0,shared=48KiB limits the shared memory of a block",
	  .at = AT(device) },
	{ .name = "minutes", .kind = CLI_REAL, .value = "T",
	  .help = "limit the search time (default 3 without --programs)", .at = AT(minutes), .min = 0.001, .max = 1e5 },
	{ .name = "programs", .kind = CLI_INT, .value = "N",
	  .help = "limit the number of candidates", .at = AT(evaluations), .min = 1, .max = 1e7 },
	{ .name = "search", .kind = CLI_TEXT, .value = "NAME",
	  .help = "search strategy: climb (default), ants, ants:as-published, random or exhaustive", .at = AT(search) },
	{ .name = "seed", .kind = CLI_INT, .value = "N",
	  .help = "set the random seed of the search (default 1)", .at = AT(seed), .min = 0, .max = 9e15 },
	{ .name = "log", .kind = CLI_OUTPUT, .value = "FILE", .help = "write a line per candidate", .at = AT(log) },
	{ .name = "folder", .kind = CLI_TEXT, .value = "FOLDER",
	  .help = "search every --workload NAME,... with every --kernel NAME,... for --minutes; write logs and results.csv",
	  .at = AT(folder) },
	{ .name = "within", .kind = CLI_REAL, .value = "T",
	  .help = "with --folder: start no search that would end after T minutes",
	  .at = AT(within), .min = 0.001, .max = 1e5 },
	{ .name = "no-keep", .kind = CLI_FLAG, .help = "do not cache the result", .at = AT(no_keep) },
	{ .name = "candidate", .kind = CLI_TEXT, .value = "TEXT",
	  .help = "try this variant alone, \"NAME=value NAME=value\"; \"\" is the built-in kernel", .at = AT(candidate) },
	{ .name = "source", .kind = CLI_INPUT, .value = "FILE",
	  .help = "tune this source file by its \"// tune\" lines (docs/guide/tuning.md)", .at = AT(source) },
	{ .name = "check", .kind = CLI_TEXT, .value = "COMMAND",
	  .help = "with --source: build, verify and time {}; print the time in ms last, exit with 0 if correct", .at = AT(check) },
	{ .name = "output", .letter = 'o', .kind = CLI_OUTPUT, .value = "FILE",
	  .help = "with --source: write the best program", .at = AT(output) },
	{ .name = "replay", .kind = CLI_INPUT, .value = "LOG",
	  .help = "replay --search, or all strategies, on a log, without a GPU", .at = AT(replay) },
	{ .name = "seeds", .kind = CLI_INT, .value = "N",
	  .help = "set the number of searches per strategy of a replay (default 20)", .at = AT(seeds), .min = 1, .max = 10000 },
	{ .name = "curve", .kind = CLI_OUTPUT, .value = "FILE",
	  .help = "write the best so far per evaluation of a replay as CSV", .at = AT(curve) },
	{ .name = "list", .kind = CLI_FLAG, .help = "list the cache", .at = AT(list) },
	{ .name = "export", .kind = CLI_OUTPUT, .value = "FILE",
	  .help = "write the cache to a file for other machines with the same GPU", .at = AT(to) },
	{ .name = "import", .kind = CLI_INPUT, .value = "FILE",
	  .help = "add the entries of another machine's --export to the cache", .at = AT(from) },
	{ .name = "forget", .kind = CLI_TEXT, .value = "KERNEL", .help = "remove the kernel from the cache", .at = AT(forget) },
	{ 0 },
};
/* clang-format on */

static gt_status find_problem(const cli_call *call, const tune_options *o, gt_scan **scan, gt_grid *grid)
{
	gt_projections *p = NULL;
	gt_scan *all = NULL;
	gt_status st = GT_OK;
	if (o->workload && call->files)
		return gt_fail(GT_ERR_ARG, "expected a scan or --workload, found both");
	if (!o->workload && !call->files)
		return gt_fail(GT_ERR_ARG, "expected a scan or --workload NAME");
	if (o->workload) {
		st = tune_workload(o->workload, (size_t)o->every, scan, grid);
		return st == GT_OK && o->grid ? cli_grid(call, o->grid, NULL, *scan, grid) : st;
	}
	GT_TRY(cli_read_scan(call, call->file[0], CLI_GEOMETRY, &p));
	GT_TRY(cli_grid(call, o->grid, NULL, gt_projections_scan(p), grid));
	const size_t views = gt_projections_scan(p)->views;
	if ((size_t)o->every > views)
		GT_TRY(gt_fail(GT_ERR_ARG, "%s: expected --every, or subsets of --solver, of at most its %zu views, found %lld",
		               call->file[0], views, o->every));
	GT_TRY(gt_scan_subset(gt_projections_scan(p), 0, (size_t)o->every, scan));
done:
	gt_projections_free(p);
	gt_scan_free(all);
	return st;
}

typedef struct {
	const cli_call *call;
	double best;
} watching;

static void tried(void *self, size_t evaluation, const char *variant, const gt_tune_evaluation *t)
{
	watching *w = self;
	if (t->verdict == GT_TUNE_OK && t->ms < w->best) {
		w->best = t->ms;
		cli_note(w->call, "%5zu  %9.4f ms  %s", evaluation, t->ms, variant);
	}
}

static gt_status search(const gt_tune_options *t)
{
	gt_tune_outcome out;
	const gt_status st = gt_tune_search(t, &out);
	if (st != GT_OK && (st != GT_ERR_IO || !(out.seconds > 0))) /* without an outcome */
		return st;
	printf("%s for %s\n", t->kernel, out.about);
	printf("%-8s  %9.4f ms  %s\n", t->source ? "first" : "built-in", out.built_in_ms, out.built_in);
	if (*out.variant)
		printf("best      %9.4f ms  %s\n%.2f times as fast", out.ms, out.variant, out.built_in_ms / out.ms);
	else
		printf("no candidate is faster by 1 %%: the %s stays", t->source ? "first program" : "built-in kernel");
	printf("; %zu of %zu candidates in %.0f s, %zu of which failed%s\n", out.evaluations, out.candidates, out.seconds, out.failed,
	       !t->keep      ? ""
	       : st == GT_OK ? ", kept"
	                     : ", not kept");
	return st;
}

/* Reads the number of subsets: a subset has every Nth view. */
static gt_status subsets_of(const char *solver, long long *subsets)
{
	const gt_module *m = NULL;
	void *chosen = NULL;
	const gt_status st = gt_module_parse_kind(&gt_solver_kind, solver, &m, &chosen);
	*subsets = 1;
	for (const gt_param *p = st == GT_OK ? m->params : NULL; p && p->key; p++)
		if (!strcmp(p->key, "subsets") && p->kind == GT_INT)
			*subsets = *(const int *)((const char *)chosen + p->at);
	gt_free(chosen);
	return st;
}

static void print_part(void *self, const gt_tune_part *p)
{
	const gt_tune_outcome *o = &p->outcome;
	(void)self;
	if (p->ms > 0 && *o->variant)
		printf("%-14s  %3.0f %% of the time  %9.4f ms, tuned %9.4f ms: %.2f times as fast; %zu candidates in %.0f s: %s\n",
		       p->kernel, 100 * p->share, o->built_in_ms, o->ms, o->built_in_ms / o->ms, o->evaluations, o->seconds, o->variant);
	else if (p->ms > 0)
		printf("%-14s  %3.0f %% of the time  %9.4f ms, as built in; none of %zu candidates in %.0f s is faster by 1 %%\n",
		       p->kernel, 100 * p->share, o->built_in_ms, o->evaluations, o->seconds);
	else
		printf("%-14s  not tuned: %s\n", p->kernel, p->why);
}

static gt_status try_one(const gt_tune_options *t, const char *candidate)
{
	gt_tune_evaluation evaluation;
	const gt_status st = gt_tune_try(t, candidate, &evaluation);
	if (st != GT_OK)
		return st;
	if (evaluation.verdict != GT_TUNE_OK)
		return gt_fail(GT_ERR_UNSUPPORTED, "the variant is %s: %s", gt_tune_verdict_text(evaluation.verdict), evaluation.why);
	printf("%.4f ms, built-in %.4f ms, in %d pairs; differs from the CPU in double by %.2e, adjoint entries by %.2e\n", evaluation.ms,
	       evaluation.built_in_ms, evaluation.pairs, evaluation.error, evaluation.off_adjoint);
	return GT_OK;
}

static const char *kernel_of(const tune_options *o) { return o->kernel ? o->kernel : "dd-forward"; }

static void set_search(const tune_options *o, gt_tune_options *t)
{
	gt_tune_defaults(t);
	t->kernel = kernel_of(o);
	t->backend = o->device;
	t->strategy = o->search ? o->search : t->strategy;
	t->seed = (uint64_t)o->seed;
	t->evaluations = (size_t)o->evaluations;
	t->seconds = o->minutes > 0 ? 60 * o->minutes : o->evaluations ? 0 : 180;
	t->log = o->log;
	t->keep = !o->no_keep;
}

static gt_status tune_source(const cli_call *call, const tune_options *o)
{
	gt_tune_options t;
	watching w = { call, INFINITY };
	const char *slash = strrchr(o->source, '/'), *other = o->kernel      ? "--kernel"
	                                                      : o->solver    ? "--solver"
	                                                      : o->projector ? "--projector"
	                                                      : o->workload  ? "--workload"
	                                                      : o->grid      ? "--grid"
	                                                      : o->candidate ? "--candidate"
	                                                      : call->files  ? "a scan"
	                                                                     : NULL;
	if (other)
		return gt_fail(GT_ERR_ARG, "--source=%s: cannot be combined with %s", o->source, other);
	set_search(o, &t);
	t.kernel = slash ? slash + 1 : o->source;
	t.source = o->source;
	t.check = o->check;
	t.best = o->output;
	t.limit = 120;
	t.keep = 0;
	t.tried = tried;
	t.self = &w;
	return search(&t);
}

static gt_status tune(const cli_call *call, const tune_options *o)
{
	gt_scan *scan = NULL;
	gt_grid grid;
	gt_tune_options t;
	watching w = { call, INFINITY };
	tune_options in_subsets = *o;
	gt_status st = GT_OK;
	set_search(o, &t);
	if (o->solver && o->candidate)
		GT_TRY(gt_fail(GT_ERR_ARG, "--solver=%s: cannot be combined with --candidate, which is for one kernel", o->solver));
	if (o->kernel && (o->solver || o->projector))
		GT_TRY(gt_fail(GT_ERR_ARG, "--kernel=%s: cannot be combined with %s, which tunes both directions of a projector", o->kernel,
		               o->solver ? "--solver" : "--projector"));
	if (o->solver)
		GT_TRY(subsets_of(o->solver, &in_subsets.every));
	in_subsets.every *= o->solver ? o->every : 1;
	GT_TRY(find_problem(call, &in_subsets, &scan, &grid));
	t.scan = scan;
	t.grid = &grid;
	t.tried = tried;
	t.self = &w;
	const char *projector = o->solver ? gt_projector_for_grid(NULL, o->projector, &grid, scan) : o->projector;
	st = projector ? gt_tune_projector(&t, projector, print_part) : o->candidate ? try_one(&t, o->candidate) : search(&t);
done:
	gt_scan_free(scan);
	return st;
}

static gt_status fill_folder(const cli_call *call, const tune_options *o)
{
	tune_folder f = { .call = call,
		          .path = o->folder,
		          .workloads = o->workload,
		          .kernels = kernel_of(o),
		          .every = (size_t)o->every,
		          .within = 60 * o->within };
	const char *other = o->solver      ? "--solver"
	                    : o->projector ? "--projector"
	                    : o->candidate ? "--candidate"
	                    : o->log       ? "--log"
	                    : o->grid      ? "--grid"
	                    : call->files  ? "a scan"
	                                   : NULL;
	if (other)
		return gt_fail(GT_ERR_ARG, "--folder=%s: cannot be combined with %s", o->folder, other);
	if (!o->workload)
		return gt_fail(GT_ERR_ARG, "--folder=%s: expected --workload NAME,NAME:every=N,...", o->folder);
	set_search(o, &f.search);
	return tune_folder_fill(&f);
}

/* Checks options that replace a search: at most one of them is permitted. */
static gt_status check(const tune_options *o)
{
	const char *const other[] = { o->list ? "--list" : NULL,     o->forget ? "--forget" : NULL, o->replay ? "--replay" : NULL,
		                      o->folder ? "--folder" : NULL, o->to ? "--export" : NULL,     o->from ? "--import" : NULL,
		                      o->source ? "--source" : NULL };
	const char *one = NULL;
	for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
		if (one && other[i])
			return gt_fail(GT_ERR_ARG, "%s: cannot be combined with %s", one, other[i]);
		one = other[i] ? other[i] : one;
	}
	if (!o->source && (o->check || o->output))
		return gt_fail(GT_ERR_ARG, "--%s: expected with --source", o->check ? "check" : "output");
	if (strncmp(o->device, "cuda", 4) != 0)
		return gt_fail(GT_ERR_ARG, "--device=%s: expected an NVIDIA GPU, as cuda:0 or cuda:0,shared=48KiB", o->device);
	return o->within > 0 && !o->folder ? gt_fail(GT_ERR_ARG, "--within=%g: expected with --folder", o->within) : GT_OK;
}

static int run(const cli_call *call, const void *options_)
{
	const tune_options *o = options_;
	gt_status st = check(o);
	if (st == GT_OK)
		st = o->folder   ? fill_folder(call, o)
		     : o->list   ? tune_list()
		     : o->forget ? gt_tune_forget(o->forget)
		     : o->replay ? tune_replay(&(tune_replays){ .path = o->replay,
		                                                .search = o->search,
		                                                .curve = o->curve,
		                                                .seed = (uint64_t)o->seed,
		                                                .evaluations = o->evaluations ? (size_t)o->evaluations : 600,
		                                                .seeds = (size_t)o->seeds })
		     : o->to     ? tune_export(o->to)
		     : o->from   ? tune_import(o->from)
		     : o->source ? tune_source(call, o)
		                 : tune(call, o);
	return cli_exit(call, st);
}

const cli_command cli_tune = {
	.name = "tune",
	.about = "tune GPU kernels for a problem and a device",
	.synopsis = "SCAN [options] | --workload NAME [options] | --source FILE --check COMMAND | --replay LOG | --list",
	.notes = "  gantry tune scan.nc --minutes 3\n"
		 "  gantry tune scan.nc --solver os-sart:subsets=12 --minutes 5\n"
		 "  gantry tune --workload ge-hd --every 49 --programs 150 --search ants:as-published --log ants.txt\n"
		 "  gantry tune --replay ants.txt --search random\n"
		 "  gantry tune --source sum.cu --check 'nvcc -O3 {} -o {}.out && {}.out' -o best.cu\n",
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.max_files = 1,
	.run = run,
};
