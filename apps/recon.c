/* Projections -> volume, by a direct method or by iteration. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/cli.h"
#include "apps/method.h"
#include "apps/plan.h"
#include "apps/prior.h"
#include "apps/quality.h"
#include "apps/strength.h"
#include "apps/watch.h"
#include "core/host_memory.h"
#include "regularizers/regularizer.h"

typedef struct {
	const char *output, *grid, *like, *solver, *projector, *init, *weights, *penalty, *stop, *log, *plot, *checkpoint, *resume;
	int unit, quality, dry_run;
	double water;
} recon_options;
static const char *const units[] = { "mm-1", "HU", NULL };
static const recon_options defaults = { .projector = "dd", .init = "auto", .weights = "auto", .water = GT_WATER_DEFAULT };
#define AT(field) offsetof(recon_options, field)
static const cli_option options[] = {
	{ "output", 'o', CLI_OUTPUT, "FILE", "where the volume goes (.nc, .mha)", AT(output), 0, 0, NULL },
	{ "grid", 0, CLI_TEXT, "SPEC", "its voxels, NXxNYxNZ@DXxDYxDZ[+CX,CY,CZ] (default: what fits the scan)", AT(grid), 0, 0, NULL },
	{ "like", 0, CLI_INPUT, "FILE", "the grid of this volume", AT(like), 0, 0, NULL },
	{ "quality", 0, CLI_CHOICE, NULL, "all settings at once: fast is the direct method, iterative a quiet picture without tuning",
	  AT(quality), 0, 0, app_quality_names },
	{ "solver", 0, CLI_TEXT, "NAME[:key=value,...]", "the method; 'gantry help solver NAME' lists its parameters", AT(solver), 0, 0,
	  NULL },
	{ "projector", 0, CLI_TEXT, "NAME", "the model of an iterative method (default dd)", AT(projector), 0, 0, NULL },
	{ "init", 0, CLI_INPUT, "auto|zero|fdk|FILE", "where an iterative method starts", AT(init), 0, 0, NULL },
	{ "weights", 0, CLI_TEXT, "auto|uniform|file|photons:...|noise", "of the data, by their noise (photons:count=1e5,electronic=10)",
	  AT(weights), 0, 0, NULL },
	{ "penalty", 0, CLI_TEXT, "NAME[:key=value,...]",
	  "on the volume, e.g. huber:noise=10HU; 'gantry help penalty NAME' lists its parameters", AT(penalty), 0, 0, NULL },
	{ "stop", 0, CLI_TEXT, "change=0.1HU,...", "end where the change, the gradient or the time says so", AT(stop), 0, 0, NULL },
	{ "log", 0, CLI_OUTPUT, "FILE", "cost, change ... of every iteration, as CSV, or JSON by the name", AT(log), 0, 0, NULL },
	{ "plot", 0, CLI_OUTPUT, "FILE.png", "the same drawn by gnuplot, when all is done", AT(plot), 0, 0, NULL },
	{ "checkpoint", 0, CLI_TEXT, "FILE[:every=10]", "to continue from, saved while it runs", AT(checkpoint), 0, 0, NULL },
	{ "resume", 0, CLI_INPUT, "FILE", "continue the run that saved this, with the same options but for iterations", AT(resume), 0, 0,
	  NULL },
	{ "dry-run", 0, CLI_FLAG, NULL, "check all, compute nothing: what would be done, and the memory that it needs", AT(dry_run), 0, 0,
	  NULL },
	{ "unit", 0, CLI_CHOICE, NULL, "of the volume that is written (default mm-1)", AT(unit), 0, 0, units },
	{ "water", 0, CLI_REAL, "MM-1", "attenuation of water, for HU (default 0.02)", AT(water), 1e-9, 1e3, NULL },
	{ 0 },
};

/* What a run did, for the report. */
typedef struct {
	app_watch watch; /* of an iterative method */
	app_plan *plan;  /* rehearse only, and note what that takes; NULL: run */
	double seconds;
	const char *start;
	char *weights, *penalty; /* owned */
	char backend[32];
} result;

static gt_status direct(const gt_analytic *method, const void *method_options, const gt_grid *grid, const gt_projections *p, gt_array *x)
{
	gt_backend *be = gt_array_backend(x);
	gt_array *data = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_new(be, gt_array_type(x), gt_scan_cells(p->scan), &data));
	gt_array_put_float(p->data, data);
	GT_TRY(gt_analytic_run(method, be, grid, p->scan, method_options, data, x));
	GT_TRY(gt_backend_status(be));
done:
	gt_array_free(data);
	return st;
}

static gt_status init_from_file(const cli_call *call, const char *path, const gt_grid *grid, gt_array *x)
{
	gt_volume *v = NULL;
	char have[256], want[256];
	gt_status st = GT_OK;
	GT_TRY(cli_read_volume(call, path, &v));
	gt_grid_print(&v->grid, have, sizeof have);
	gt_grid_print(grid, want, sizeof want);
	if (!gt_grid_same(&v->grid, grid))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s: its grid is %s, expected %s (--like %s takes its grid)", path, have, want, path));
	gt_array_put_float(v->data, x);
	GT_TRY(gt_backend_status(gt_array_backend(x)));
done:
	gt_volume_free(v);
	return st;
}

static int is_file(const char *init) { return strcmp(init, "auto") && strcmp(init, "zero") && strcmp(init, "fdk"); }

static gt_status initialise(const cli_call *call, const char *init, const gt_grid *grid, const gt_projections *p, gt_array *x, result *r)
{
	const int automatic = !strcmp(init, "auto");
	r->start = init;
	if (!strcmp(init, "zero")) {
		gt_fill(0, x);
		return GT_OK;
	}
	if (is_file(init))
		return init_from_file(call, init, grid, x);
	const gt_analytic *method = gt_analytic_for(p->scan);
	const gt_status st = direct(method, NULL, grid, p, x);
	r->start = method->name;
	if (st == GT_OK)
		cli_note(call, "start: %s", method->name);
	if (st != GT_ERR_UNSUPPORTED || !automatic)
		return st;
	cli_note(call, "start: zero (%s)", gt_error());
	r->start = "zero";
	gt_fill(0, x);
	return GT_OK;
}

static gt_status count_subsets(const app_method *m, const gt_scan *scan, size_t *subsets)
{
	*subsets = 1;
	return m->solver && m->solver->subsets ? m->solver->subsets(m->options, scan->views, subsets) : GT_OK;
}

/* What a run is: the head of its log, and the plan. */
struct facts {
	app_fact list[11];
	char grid[256], *method, *projector;
};

static void add_fact(struct facts *f, const char *key, const char *value)
{
	size_t n = 0;
	while (f->list[n].key)
		n++;
	if (value)
		f->list[n] = (app_fact){ key, value };
}

static void facts_free(struct facts *f)
{
	free(f->method);
	free(f->projector);
}

static gt_status facts_new(const cli_call *call, const recon_options *o, const app_method *m, const gt_grid *grid, const result *r,
                           struct facts *f)
{
	*f = (struct facts){ .method = app_method_print(m), .projector = app_projector_text(o->projector) };
	if (!f->method || !f->projector) {
		facts_free(f);
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	}
	gt_grid_print(grid, f->grid, sizeof f->grid);
	add_fact(f, "command", call->line);
	add_fact(f, "scan", call->file[0]);
	add_fact(f, "grid", f->grid);
	add_fact(f, "solver", f->method);
	if (m->solver) {
		add_fact(f, "projector", f->projector);
		add_fact(f, "weights", r->weights);
		add_fact(f, "penalty", r->plan && o->penalty ? o->penalty : r->penalty ? r->penalty : "none");
		add_fact(f, "start", r->start);
	}
	add_fact(f, "precision", gt_type_name(cli_type(call)));
	add_fact(f, "backend", r->backend);
	return GT_OK;
}

static gt_status open_log(const cli_call *call, const recon_options *o, const app_method *m, const gt_grid *grid, result *r)
{
	struct facts run;
	gt_status st = facts_new(call, o, m, grid, r, &run);
	if (st != GT_OK)
		return st;
	r->watch.log = (app_runlog){ .log = o->log, .plot = o->plot };
	if (!r->plan)
		st = app_runlog_open(&r->watch.log, run.list);
	facts_free(&run);
	return st;
}

static gt_status open_checkpoint(const cli_call *call, const recon_options *o, const app_method *m, const gt_grid *grid,
                                 const gt_projections *p, const float *w, result *r)
{
	char *projector = app_projector_text(o->projector);
	const app_run run = { call, m, p, w, grid, projector, r->weights, r->penalty, r->start, r->backend };
	r->watch.checkpoint = (app_checkpoint){ .spec = o->checkpoint, .resume = o->resume };
	const gt_status st = projector ? app_checkpoint_open(&r->watch.checkpoint, &run) : gt_fail(GT_ERR_MEMORY, "out of memory");
	free(projector);
	return st;
}

static gt_status iterate(const cli_call *call, const recon_options *o, const app_method *m, const gt_grid *grid, const gt_projections *p,
                         gt_array *x, result *r)
{
	gt_backend *be = gt_array_backend(x);
	const gt_type type = gt_array_type(x);
	app_subsets s = { 0 };
	app_weights weights = { APP_WEIGHTS_AUTO, 0, 0 };
	app_penalty penalty = { .factor = 1 };
	gt_penalty *R = NULL;
	float *w = NULL;
	size_t subsets = 1;
	gt_status st = GT_OK;
	GT_TRY(count_subsets(m, p->scan, &subsets));
	GT_TRY(app_weights_parse(o->weights, &weights));
	if (o->penalty)
		GT_TRY(app_penalty_parse(o->penalty, &penalty));
	GT_TRY(app_weights_new(&weights, m->solver->traits, m->solver->name, p, gt_backend_pool(be), &w, &r->weights));
	GT_TRY(initialise(call, o->init, grid, p, x, r));
	app_plan_started(r->plan, be);
	cli_note(call, "preparing %zu subset%s of %zu views, weights %s ...", subsets, subsets == 1 ? "" : "s", p->scan->views, r->weights);
	GT_TRY(app_subsets_new(o->projector, be, type, grid, p->scan, p->data, w, subsets, &s));
	app_plan_subsets(r->plan, be, &s, w != NULL, p->scan);
	const app_prior_case prior = { o->projector, grid, p, &weights, w, &s, x, o->water };
	if (o->penalty)
		GT_TRY(app_penalty_new(call, &penalty, &prior, &R, &r->penalty));
	const gt_problem problem = { .subsets = subsets,
		                     .A = s.A,
		                     .b = s.b,
		                     .w = s.w,
		                     .R = R,
		                     .grid = grid,
		                     .hi = INFINITY,
		                     .lo = m->solver->nonneg && m->solver->nonneg(m->options) ? 0 : -INFINITY };
	app_plan_penalty(r->plan, be, penalty.automatic);
	app_watch *watch = &r->watch;
	watch->progress = app_progress_start("recon", call->common.quiet);
	watch->progress.data_norm = app_subsets_norm(&s);
	watch->progress.water = o->water;
	GT_TRY(app_stop_parse(o->stop, &watch->stop));
	if (!r->plan)
		GT_TRY(open_checkpoint(call, o, m, grid, p, w, r));
	GT_TRY(open_log(call, o, m, grid, r));
	GT_TRY(app_watch_solve(watch, m->solver, &problem, m->options, x));
	app_plan_solved(r->plan, be, watch->held, watch->best);
	if (watch->reason)
		cli_note(call, "ended after %d of %d iterations: %s", watch->iterations, watch->most, watch->reason);
done:
	app_checkpoint_free(&r->watch.checkpoint);
	app_subsets_free(&s);
	app_penalty_free(&penalty);
	gt_penalty_free(R);
	free(w);
	return st;
}

/* The grid that is computed: a default one of an iterative method gets a margin, which is not written. */
static gt_grid working_grid(const cli_call *call, const recon_options *o, const app_method *m, const gt_scan *scan, const gt_grid *asked,
                            size_t *below)
{
	gt_grid g = *asked;
	size_t above;
	*below = 0;
	if (m->analytic || o->grid || o->like || is_file(o->init))
		return g;
	gt_grid_margin(asked, scan, below, &above);
	g.n[2] += *below + above;
	g.center[2] += ((double)above - (double)*below) / 2 * g.pitch[2];
	if (*below + above)
		cli_note(call, "%zu slices below and %zu above are computed too, where the beam is wider than on the axis, and not written",
		         *below, above);
	return g;
}

static gt_status get_slices(const gt_array *x, const gt_grid *g, size_t below, gt_volume *v)
{
	gt_array *part = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_part(x, below * g->n[0] * g->n[1], gt_grid_voxels(&v->grid), &part));
	gt_array_get_float(part, v->data);
done:
	gt_array_free(part);
	return st;
}

/* Fills in v, but not in a rehearsal. */
static gt_status compute(const cli_call *call, const recon_options *o, const app_method *m, const gt_projections *p, gt_volume *v,
                         result *r)
{
	size_t below;
	const gt_grid grid = working_grid(call, o, m, p->scan, &v->grid, &below);
	gt_backend *be = NULL;
	gt_array *x = NULL;
	gt_status st = GT_OK;
	GT_TRY(cli_open(call, &be));
	snprintf(r->backend, sizeof r->backend, "%s", gt_backend_name(be));
	if (r->plan)
		GT_TRY(gt_backend_rehearse(be));
	app_plan_open(r->plan, be);
	const double start = app_seconds();
	GT_TRY(gt_array_new(be, cli_type(call), gt_grid_voxels(&grid), &x));
	app_plan_volume(r->plan, be);
	if (m->analytic)
		GT_TRY(direct(m->analytic, m->options, &grid, p, x));
	else
		GT_TRY(iterate(call, o, m, &grid, p, x, r));
	app_plan_close(r->plan, be);
	if (!r->plan)
		GT_TRY(get_slices(x, &grid, below, v));
	GT_TRY(gt_backend_status(be));
	r->seconds = app_seconds() - start;
done:
	gt_array_free(x);
	gt_backend_close(be);
	return st;
}

/* The run with nothing computed. */
struct rehearsing {
	const cli_call *call;
	const recon_options *o;
	const app_method *m;
	const gt_projections *p;
	const gt_grid *grid;
};

static gt_status rehearse(void *self, const app_variant *variant, app_plan *plan)
{
	const struct rehearsing *a = self;
	cli_call call = *a->call;
	recon_options o = *a->o;
	app_method m = *a->m;
	gt_volume v = { .grid = variant->grid ? *variant->grid : *a->grid };
	result r = { .plan = plan };
	call.common.quiet = 1;
	if (variant->single)
		call.common.precision = 0;
	if (variant->options)
		m.options = (void *)variant->options;
	if (variant->grid)
		o.grid = "as the variant says";
	app_plan_begin(plan, a->p, &v.grid);
	const gt_status st = compute(&call, &o, &m, a->p, &v, &r);
	free(r.weights);
	free(r.penalty);
	return st;
}

static app_rehearsal rehearsal_of(struct rehearsing *a)
{
	return (app_rehearsal){ rehearse, a, a->m, a->grid, cli_type(a->call) == GT_F64 };
}

static gt_status dry_run(struct rehearsing *a, double host_free)
{
	app_plan plan = { .host_free = host_free };
	gt_volume v = { .grid = *a->grid };
	result r = { .plan = &plan };
	struct facts facts = { 0 };
	const app_rehearsal again = rehearsal_of(a);
	gt_status st = GT_OK;
	app_plan_begin(&plan, a->p, a->grid);
	GT_TRY(compute(a->call, a->o, a->m, a->p, &v, &r));
	GT_TRY(facts_new(a->call, a->o, a->m, a->grid, &r, &facts));
	GT_TRY(app_plan_print(&again, &plan, facts.list, a->call->common.json));
done:
	facts_free(&facts);
	free(r.weights);
	free(r.penalty);
	return st;
}

/* Refuses at once what would not fit in the end. failed: what did not, NULL if nothing did yet. */
static gt_status check_memory(struct rehearsing *a, double host_free, const char *failed)
{
	app_plan plan = { .host_free = host_free };
	const app_rehearsal again = rehearsal_of(a);
	gt_status st = GT_OK;
	GT_TRY(rehearse(a, &(app_variant){ 0 }, &plan));
	char *needs = app_plan_fits(&plan) ? NULL : app_plan_explain(&again, &plan);
	if (needs)
		st = gt_fail(GT_ERR_MEMORY, "%s%s%s", failed ? failed : "", failed ? "; in all it " : "", needs);
	else if (failed)
		st = gt_fail(GT_ERR_MEMORY, "%s", failed);
	free(needs);
done:
	return st;
}

/* The volume, or how much was lacking. */
static gt_status compute_or_explain(struct rehearsing *a, double host_free, gt_volume *v, result *r)
{
	const gt_status st = compute(a->call, a->o, a->m, a->p, v, r);
	char *failed = st == GT_ERR_MEMORY ? cli_text("%s", gt_error()) : NULL;
	if (failed)
		check_memory(a, host_free, failed);
	free(failed);
	return st;
}

static char *record_text(const cli_call *call, const recon_options *o, const app_method *m, const result *r)
{
	char *method = app_method_print(m), *text = NULL;
	if (method && m->analytic)
		text = cli_text("solver=%s precision=%s backend=%s", method, gt_type_name(cli_type(call)), r->backend);
	else if (method)
		text = cli_text("solver=%s projector=%s weights=%s penalty=%s init=%s precision=%s backend=%s done=%d/%d", method,
		                o->projector, r->weights, r->penalty ? r->penalty : "none", r->start, gt_type_name(cli_type(call)),
		                r->backend, r->watch.iterations, r->watch.most);
	free(method);
	return text;
}

static void report(const cli_call *call, const recon_options *o, const app_method *m, const gt_volume *v, const result *r)
{
	if (!call->common.json) {
		cli_note(call, "%s: %s in %.2f s on %s", o->output, app_method_name(m), r->seconds, r->backend);
		return;
	}
	cJSON *json = cJSON_CreateObject();
	char grid[256];
	gt_grid_print(&v->grid, grid, sizeof grid);
	cJSON_AddStringToObject(json, "output", o->output);
	cJSON_AddStringToObject(json, "grid", grid);
	cJSON_AddStringToObject(json, "parameters", v->from.parameters);
	cJSON_AddStringToObject(json, "backend", r->backend);
	cJSON_AddNumberToObject(json, "seconds", r->seconds);
	if (m->solver) {
		cJSON_AddNumberToObject(json, "iterations", r->watch.iterations);
		cJSON_AddBoolToObject(json, "stopped", r->watch.reason != NULL);
		if (r->watch.reason)
			cJSON_AddStringToObject(json, "reason", r->watch.reason);
		if (isfinite(r->watch.residual))
			cJSON_AddNumberToObject(json, "residual", r->watch.residual);
	}
	cli_json(json);
}

static gt_status check_prior(const recon_options *o, const app_method *m)
{
	app_weights w = { APP_WEIGHTS_AUTO, 0, 0 };
	app_stop stop;
	gt_status st = GT_OK;
	GT_TRY(app_weights_parse(o->weights, &w));
	GT_TRY(app_stop_parse(o->stop, &stop));
	if (o->penalty)
		GT_TRY(app_penalty_check(o->penalty));
	if (m->analytic && (o->penalty || (w.kind != APP_WEIGHTS_AUTO && w.kind != APP_WEIGHTS_UNIFORM)))
		GT_TRY(gt_fail(GT_ERR_ARG,
		               "--%s: %s is a direct method, which takes neither weights nor a penalty: expected an iterative --solver",
		               o->penalty ? "penalty" : "weights", m->analytic->name));
done:
	return st;
}

static gt_status check_checkpoint(const recon_options *o, const app_method *m, const char *input)
{
	const app_checkpoint c = { .spec = o->checkpoint, .resume = o->resume };
	const char *const others[] = { input, o->output ? o->output : input, o->like ? o->like : input, o->init, NULL };
	if (m->analytic && (c.spec || c.resume))
		return gt_fail(GT_ERR_ARG, "--%s: %s is a direct method, which has no iterations: expected an iterative --solver",
		               c.spec ? "checkpoint" : "resume", m->analytic->name);
	return app_checkpoint_check(&c, others);
}

static gt_status check_init(const recon_options *o, const app_method *m)
{
	if (!m->analytic || !strcmp(o->init, "auto"))
		return GT_OK;
	return gt_fail(GT_ERR_ARG, "--init=%s: %s is a direct method, which starts from nothing: expected an iterative --solver", o->init,
	               m->analytic->name);
}

static app_settings settings_of(const recon_options *o) { return (app_settings){ o->solver, o->weights, o->penalty }; }

static gt_status set_quality(recon_options *o, const gt_projections *p, char **solver)
{
	app_settings s = settings_of(o);
	const gt_status st = app_quality_set((app_quality)o->quality, p, &s, solver);
	o->solver = s.solver;
	o->weights = s.weights;
	o->penalty = s.penalty;
	return st;
}

/* What can be refused by the options alone. */
static gt_status check(const recon_options *o, app_method *m)
{
	int projections = 0;
	gt_status st = GT_OK;
	if (!o->dry_run)
		GT_TRY(cli_need("--output", o->output));
	const app_settings asked = settings_of(o);
	GT_TRY(app_quality_check((app_quality)o->quality, &asked));
	if (o->solver)
		GT_TRY(app_method_parse(o->solver, m));
	GT_TRY(check_init(o, m));
	GT_TRY(check_prior(o, m));
	GT_TRY(app_projector_check(o->projector));
	GT_TRY(app_runlog_check(o->log, o->plot));
	if (o->output)
		GT_TRY(gt_can_write_volume(o->output));
	if (o->grid && o->like)
		GT_TRY(gt_fail(GT_ERR_ARG, "--grid and --like cannot be combined"));
	if (is_file(o->init)) {
		GT_TRY(gt_fail_in(gt_file_kind(o->init, NULL, &projections), "--init"));
		if (projections)
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: holds projections, expected a volume", o->init));
	}
done:
	return st;
}

static gt_status how_it_ended(const recon_options *o, const app_method *m, const app_watch *w)
{
	if (w->diverged)
		return gt_fail(GT_ERR_DIVERGED, "solver '%s' diverged: after %d of %d iterations %s; %s holds %s %d", app_method_name(m),
		               w->iterations, w->most, w->diverged, o->output,
		               w->kept < w->iterations ? "the best image, of iteration" : "the last image, of iteration", w->kept);
	if (w->interrupted)
		return gt_fail(GT_STOPPED, "stopped after %d of %d iterations; %s holds the result so far", w->iterations, w->most,
		               o->output);
	return GT_OK;
}

static int run(const cli_call *call, const void *given)
{
	recon_options set = *(const recon_options *)given;
	const recon_options *o = &set;
	char *solver = NULL;
	app_method m = { 0 };
	gt_projections *p = NULL;
	gt_volume *v = NULL;
	gt_grid grid;
	size_t subsets;
	result r = { .watch.residual = NAN };
	gt_write_options w = gt_write_defaults;
	gt_status st = GT_OK;
	const double host_free = gt_host_available();
	GT_TRY(check(o, &m));
	GT_TRY(check_checkpoint(o, &m, call->file[0]));
	GT_TRY(cli_read_scan(call, call->file[0], CLI_WITH_DATA, &p));
	GT_TRY(set_quality(&set, p, &solver));
	if (solver)
		GT_TRY(app_method_parse(solver, &m));
	if (!o->solver)
		GT_TRY(app_method_for(p->scan, &m));
	GT_TRY(check_init(o, &m));
	GT_TRY(check_checkpoint(o, &m, call->file[0]));
	GT_TRY(check_prior(o, &m));
	GT_TRY(count_subsets(&m, p->scan, &subsets));
	GT_TRY(cli_grid(call, o->grid, o->like, p->scan, &grid));
	cli_note_slices(call, &grid, p->scan);
	struct rehearsing run_of = { call, o, &m, p, &grid };
	if (o->dry_run) {
		GT_TRY(dry_run(&run_of, host_free));
		goto done;
	}
	GT_TRY(check_memory(&run_of, host_free, NULL));
	GT_TRY(cli_volume_new(&grid, &v));
	GT_TRY(compute_or_explain(&run_of, host_free, v, &r));
	v->water = o->water;
	w.unit = (gt_unit)o->unit;
	w.water = o->water;
	char *parameters = record_text(call, o, &m, &r);
	st = parameters ? cli_record(call, p->scan, parameters, &v->from) : gt_fail(GT_ERR_MEMORY, "out of memory");
	free(parameters);
	GT_TRY(st);
	GT_TRY(cli_write_volume(o->output, &w, v));
	report(call, o, &m, v, &r);
	GT_TRY(app_watch_end(&r.watch));
	st = how_it_ended(o, &m, &r.watch);
done:
	app_watch_drop(&r.watch);
	app_method_free(&m);
	free(solver);
	free(r.weights);
	free(r.penalty);
	gt_projections_free(p);
	gt_volume_free(v);
	return cli_exit(call, st);
}

static void list(FILE *out)
{
	fprintf(out, "\nmethods:\n");
	for (const gt_analytic *const *a = gt_analytics; *a; a++)
		fprintf(out, "  %-10s %s\n", (*a)->name, (*a)->about);
	for (const gt_solver *const *s = gt_solvers; *s; s++)
		fprintf(out, "  %-10s %s\n", (*s)->name, (*s)->about);
}

const cli_command cli_recon = {
	.name = "recon",
	.about = "reconstruct a volume from projections",
	.synopsis = "SCAN -o VOLUME [options]",
	.notes = "Without --solver: the direct method where the scan allows one (circular), else the first iterative one.\n"
		 "--init auto starts from the direct method where the scan allows one, else from zero; 'fdk' insists on it.\n"
		 "Ctrl-C ends after the iteration in progress, writes what there is and exits with 1; a second one, or one\n"
		 "before the iterations, writes nothing and exits with 130. With --checkpoint SIGTERM does what Ctrl-C does.\n"
		 "A run that was killed goes on by the same command with --resume, and ends with the same bits.\n\n"
		 "  gantry recon scan.nc -o vol.nc\n"
		 "  gantry recon scan.nc -o vol.nc --solver fdk:filter=hann\n"
		 "  gantry recon scan.nc -o vol.nc --solver os-sart:iterations=20,subsets=12 --init fdk --unit HU\n",
	.traits = CLI_COMPUTES | CLI_REPORTS,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.least_files = 1,
	.most_files = 1,
	.run = run,
	.list = list,
};
