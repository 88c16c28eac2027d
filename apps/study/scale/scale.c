/* `gantry study scale`: speed-up on several devices, against one and against the model of the time. Table IV is from
 * Liu, Fu, De Man, Yu, "GPU-based branchless distance-driven projection and backprojection", IEEE Trans. Comput.
 * Imaging (2017). */
#include <gantry/recon.h>
#include "apps/study/study.h"
#include "core/order_statistics.h"

/* Its tables. */
enum { SCALE_SPEED = STUDY_OWN, SCALE_PAPER };
enum { SCALE_MAX = 8, SCALE_PAPER_VIEWS = 984 };

typedef struct {
	int count[SCALE_MAX + 1]; /* numbers of ranks, rising; 0 ends them */
	int threads;              /* per rank on the CPU */
	size_t by;                /* sizes are divided by this */
	char claim[256];
} scale_findings;
static scale_findings *scale_found(const study *s) { return (scale_findings *)s->own; }

typedef struct {
	const char *solver, *penalty;
} timed_method;
static const timed_method methods[] = { { "pcg:iterations=9", "qggmrf:strength=100" },
	                                { "os-sart:iterations=9,subsets=12", NULL },
	                                { "fista:iterations=9,prox=yes", "tv:strength=0.01" } };
/* One iteration has one projection and one backprojection, as the cases of table IV. */
static const timed_method one_of_each = { "sirt:iterations=9", NULL };
static const char *const problems[] = { "ge-hd", "ge-hd-helical", "cube512", "cube1024" };
enum { METHODS = sizeof methods / sizeof *methods, PROBLEMS = sizeof problems / sizeof *problems, ON_CPU = 3, QUICK = 1, TIMES = 3 };
/* Relative error of the model that counts as near. */
#define MODEL_OFF 0.2

/* Table IV: seconds of projection and backprojection on 1 to 4 GPUs, for 984, 1968 and 3936 views. */
enum { PAPER_CASES = 3, PAPER_GPUS = 4 };
static const double paper[PAPER_CASES][2][PAPER_GPUS] = {
	{ { 1.478, 1.107, 1.102, 1.101 }, { 1.041, 0.953, 0.944, 0.886 } },
	{ { 2.550, 2.045, 1.762, 1.581 }, { 1.933, 1.504, 1.351, 1.261 } },
	{ { 4.685, 3.513, 2.841, 2.542 }, { 3.579, 2.754, 2.253, 1.842 } },
};

/* One time ------------------------------------------------------------------------------- */

/* A scan with random line integrals: times do not depend on them. */
typedef struct {
	char name[48];
	gt_scan *scan;
	gt_grid grid;
	float *data;
	gt_projections *p;
} problem;

static void free_problem(problem *p)
{
	gt_projections_free(p->p);
	gt_scan_free(p->scan);
	free(p->data);
	*p = (problem){ .scan = NULL };
}

/* A problem of `gantry bench` with `views` times its views, divided by `by`. */
static gt_status new_problem(const char *workload, size_t by, size_t views, problem *p)
{
	const app_workload *w = app_workloads;
	gt_status st = GT_OK;
	*p = (problem){ .grid = { .center = { 0, 0, 0 } } };
	while (strcmp(w->name, workload))
		w++;
	gt_orbit orbit = w->orbit;
	orbit.views *= views;
	gt_orbit_reduce(&orbit, by);
	snprintf(p->name, sizeof p->name, by > 1 ? "%s / %zu" : "%s", workload, by);
	for (int a = 0; a < 3; a++) {
		p->grid.n[a] = w->n[a] / by;
		p->grid.pitch[a] = w->voxel[a] * (double)by;
	}
	GT_TRY(gt_scan_orbit(&orbit, &p->scan));
	GT_TRY(study_host_floats(gt_scan_size(p->scan), "projections", &p->data));
	app_fill_random(p->data, gt_scan_size(p->scan));
	GT_TRY(gt_projections_wrap(p->scan, p->data, NULL, NULL, &p->p));
done:
	if (st != GT_OK)
		free_problem(p);
	return st;
}

typedef struct {
	double last, seconds[TIMES];
	int n;
} iteration_clock;

/* The first iteration warms up and holds the preparation of the solver. */
static int iteration(void *self, const gt_recon_progress *p)
{
	iteration_clock *c = self;
	if (p->phase != GT_RECON_ITERATION)
		return 0;
	if (c->n < TIMES && p->iteration > 1)
		c->seconds[c->n++] = p->seconds - c->last;
	c->last = p->seconds;
	return c->n == TIMES;
}

typedef struct {
	double seconds, model;
	char split[32];
} timed_result;

/* Times an iteration on that number of ranks: the median, and the prediction of the model. */
static gt_status time_method(const study *s, const problem *p, const timed_method *m, int ranks, timed_result *t)
{
	iteration_clock clock = { .n = 0 };
	gt_recon *r = NULL;
	gt_volume *v = NULL;
	gt_status st = GT_OK;
	const char *backend = s->gpu[0]   ? FORMAT(ranks > 1 ? "cuda:0-%d" : "cuda:0", ranks - 1)
	                      : ranks > 1 ? FORMAT("cpu:%dx%d", scale_found(s)->threads, ranks)
	                                  : FORMAT("cpu:%d", scale_found(s)->threads);
	const char *const settings[][2] = { { "solver", m->solver }, { "penalty", m->penalty }, { "backend", backend },
		                            { "init", "zero" },      { "weights", "uniform" },  { "padding", "no" },
		                            { "check", "no" },       { "force", "yes" },        { "balance", ranks > 1 ? "no" : NULL } };
	GT_TRY(gt_recon_new(p->p, &r));
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (settings[i][1])
			GT_TRY(gt_recon_set(r, settings[i][0], settings[i][1]));
	GT_TRY(gt_recon_grid(r, &p->grid));
	GT_TRY(gt_volume_new(&p->grid, &v));
	gt_recon_on_progress(r, iteration, &clock);
	GT_TRY(gt_recon_run(r, v));
	if (clock.n < TIMES)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s ended after %d iterations: expected %d to time", m->solver, clock.n + 1, TIMES + 1));
	const char *model = gt_recon_text(r, "model"); /* until the next text */
	*t = (timed_result){ .seconds = gt_median(clock.seconds, TIMES), .model = model ? strtod(model, NULL) : NAN };
	const char *split = gt_recon_text(r, "split");
	snprintf(t->split, sizeof t->split, "%s", split ? split : "one");
done:
	gt_volume_free(v);
	gt_recon_free(r);
	return st;
}

/* All times -------------------------------------------------------------------------------- */

/* Parses "1,2,4": the first is 1, and the numbers rise. */
static gt_status read_ranks(const char *list, int count[SCALE_MAX + 1])
{
	int n = 0;
	for (const char *c = list;; c++) {
		char *end;
		const long v = strtol(c, &end, 10);
		if (end == c || (*end && *end != ',') || v > 64 || n == SCALE_MAX || (n ? v <= count[n - 1] : v != 1))
			return gt_fail(GT_ERR_ARG, "--members=%s: expected 1, then up to %d greater numbers, as 1,2,4", list,
			               SCALE_MAX - 1);
		count[n++] = (int)v;
		c = end;
		if (!*c)
			break;
	}
	count[n] = 0;
	return GT_OK;
}

static gt_status prepare(study *s, const study_options *o)
{
	scale_findings *f = scale_found(s);
	const int on_gpu = s->gpu[0] != 0, max = on_gpu ? gt_device_count() : 2;
	int n = 0;
	f->threads = !on_gpu && strchr(o->backend, ':') ? s->threads : 1;
	f->by = s->quick ? 2 * STUDY_QUICK : on_gpu ? 1 : STUDY_QUICK;
	for (int ranks = 1; ranks <= max && n < SCALE_MAX; ranks *= 2)
		f->count[n++] = ranks;
	if (o->ranks)
		GT_OR_RETURN(read_ranks(o->ranks, f->count));
	for (n = 0; f->count[n + 1];)
		n++;
	if (on_gpu && f->count[n] > max)
		return gt_fail(GT_ERR_ARG, "--members=%s: found %d GPUs", o->ranks, max);
	snprintf(s->geometry, sizeof s->geometry, "problems of gantry bench, %s; ranks of one device each, on the CPU of %d thread%s",
	         f->by > 1 ? "made smaller" : "of their own size", f->threads, f->threads == 1 ? "" : "s");
	return GT_OK;
}

/* A method on every number of ranks; near: numbers of rows whose model is near, and of all. */
static gt_status run_method(study *s, const problem *p, const timed_method *m, int near[2])
{
	const int length = (int)strcspn(m->solver, ":"), of_penalty = m->penalty ? (int)strcspn(m->penalty, ":") : 0;
	double one = NAN;
	for (const int *n = scale_found(s)->count; *n; n++) {
		timed_result t;
		study_step(s, "%s: %.*s on %d", p->name, length, m->solver, *n);
		const gt_status st = time_method(s, p, m, *n, &t);
		if (app_left_out(st)) {
			study_leave_out(s, p->name, FORMAT("%.*s on %d", length, m->solver, *n));
			continue;
		}
		if (st != GT_OK)
			return st;
		one = *n == 1 ? t.seconds : one;
		const double off = t.model / t.seconds - 1;
		study_row(&s->table[SCALE_SPEED], TXT(p->name),
		          TXT(FORMAT("%.*s%s%.*s", length, m->solver, m->penalty ? " " : "", of_penalty, m->penalty ? m->penalty : "")),
		          NUM(*n), TXT(t.split), NUM(1e3 * t.seconds), NUM(one / t.seconds), NUM(one / t.seconds / *n), NUM(1e3 * t.model),
		          NUM(off));
		near[0] += fabs(off) <= MODEL_OFF;
		near[1]++;
	}
	return GT_OK;
}

static gt_status run_paper(study *s, int which)
{
	const double *forward = paper[which][0], *back = paper[which][1];
	const size_t times = (size_t)1 << which;
	problem p;
	double one = NAN;
	gt_status st = GT_OK;
	GT_OR_RETURN(new_problem("ge-hd", scale_found(s)->by, times, &p));
	for (const int *n = scale_found(s)->count; *n; n++) {
		timed_result t;
		study_step(s, "%zu views on %d", p.scan->views, *n);
		if (*n > PAPER_GPUS)
			continue;
		GT_TRY(time_method(s, &p, &one_of_each, *n, &t));
		one = *n == 1 ? t.seconds : one;
		const double there = forward[*n - 1] + back[*n - 1];
		study_row(&s->table[SCALE_PAPER], NUM(SCALE_PAPER_VIEWS * times), NUM(p.scan->views), NUM(*n), NUM(t.seconds),
		          NUM(one / t.seconds), NUM(there), NUM((forward[0] + back[0]) / there));
	}
done:
	free_problem(&p);
	return st;
}

static gt_status run_problem(study *s, const char *name, int near[2])
{
	problem p;
	gt_status st = new_problem(name, scale_found(s)->by, 1, &p);
	if (st != GT_OK)
		return study_or_left_out(s, st, name, "all");
	for (int k = 0; k < METHODS && st == GT_OK; k++)
		st = run_method(s, &p, &methods[k], near);
	free_problem(&p);
	return st;
}

static gt_status measure(study *s)
{
	scale_findings *f = scale_found(s);
	const int wanted = s->quick ? QUICK : s->gpu[0] ? PROBLEMS : ON_CPU;
	int near[2] = { 0, 0 }, counts = 0;
	while (f->count[counts])
		counts++;
	s->steps = 1 + (size_t)(counts * (wanted * METHODS + PAPER_CASES));
	study_begin_tables(s, SCALE_SPEED, SCALE_PAPER);
	for (int k = 0; k < wanted; k++)
		GT_OR_RETURN(run_problem(s, problems[k], near));
	for (int k = 0; k < PAPER_CASES; k++)
		GT_OR_RETURN(run_paper(s, k));
	snprintf(f->claim, sizeof f->claim, "The model is within %.0f %% of %d of %d measured times%s.", 100 * MODEL_OFF, near[0], near[1],
	         s->gpu[0] ? "" : "; its constants for the CPU hold for one thread of an idle server");
	cli_note(s->call, "%s", f->claim);
	return GT_OK;
}

/* Figures and report ------------------------------------------------------------------------- */

static void draw(study *s, const char *name, int table, size_t keys, size_t speed, int with_paper)
{
	const study_table *t = &s->table[table];
	const study_curves here = { t, 0, study_rows(t), keys, 2, speed }, there = { t, 0, study_rows(t), 1, 2, speed + 2 };
	study_plot p = study_plot_new(s, 900, 480, "%s", name);
	study_blocks(&p, &here, "here");
	if (with_paper)
		study_blocks(&p, &there, "there");
	study_put(&p, "set datafile nocolumnheaders\nset key outside right\nset xlabel 'devices'\nset ylabel 'speed-up'\n"
	              "set xtics 1\nset xrange [0.9:*]\nset yrange [0:*]\n");
	study_series(&p, "x with lines dt 2 lc rgb '#888888' title 'ideal'");
	for (size_t i = 0, n = 0; i < study_rows(t); i++)
		if (study_begins(&here, i))
			study_series(&p, "$here%zu using 1:2 with linespoints title %s", n++,
			             keys > 1 ? QUOTE("%s, %s", study_text_at(t, i, 0), study_text_at(t, i, 1))
			                      : QUOTE("%.0f views", study_at(t, i, 0)));
	for (int k = 0; with_paper && k < 3; k++)
		study_series(&p, "$there%d using 1:2 with linespoints dt 3 title 'Liu et al. 2017, %d views'", k, SCALE_PAPER_VIEWS << k);
	study_series_end(&p);
	study_plot_draw(&p);
}

static void figures(study *s)
{
	if (study_rows(&s->table[SCALE_SPEED]))
		draw(s, "speed-up", SCALE_SPEED, 2, 5, 0);
	draw(s, "table-4", SCALE_PAPER, 1, 4, 1);
}

static void parts(const study *s, study_page *p)
{
	const scale_findings *f = scale_found(s);
	study_page_text(
		p, "Speed-up and model",
		"Medians of three iterations after the first. Efficiency: speed-up over the number of devices. Model: the time that a dry "
		"run predicts; off: its relative error. %s%s",
		f->claim, s->gpu[0] ? "" : " On the CPU ranks are threads of one processor with common memory and caches.");
	study_page_figure(p, "speed-up", "Speed-up over one device; dashed: the number of devices.");
	study_page_table(p, SCALE_SPEED);
	study_page_text(
		p, "Table IV",
		"Liu, Fu, De Man, Yu (2017) partition 512 × 512 × 64 voxels and views of 888 × 64 manually among up to four heterogeneous "
		"GPUs. There: the sum of one projection and one backprojection, with transfers through the host. Here: an iteration of "
		"sirt, which has one of each, the exchange between devices and the passes over the volume.%s",
		f->by > 1 ? " All sizes are smaller here, so compare speed-ups, not seconds." : "");
	study_page_figure(p, "table-4", "Speed-up by devices, here and in table IV.");
	study_page_table(p, SCALE_PAPER);
}

static const study_columns tables[] = {
	{ "speed", "problem$|method$|members|split$|iteration [ms]|speed-up|efficiency|model [ms]|model off" },
	{ "table-4",
	  "views there|views here|members|iteration here [s]|speed-up here|projection and backprojection there [s]|speed-up there" },
};
const study_kind study_kind_scale = {
	.name = "scale",
	.title = "Several devices",
	.intro = "Iterations on one device and on several, among which volume and data are partitioned: the speed-up, the time that the "
		 "model predicts, and table IV of the paper on branchless distance-driven projection.",
	.table = tables,
	.tables = sizeof tables / sizeof *tables,
	.own_size = sizeof(scale_findings),
	.takes = TAKES_RANKS,
	.prepare = prepare,
	.measure = measure,
	.figures = figures,
	.parts = parts,
};
