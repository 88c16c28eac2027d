/* `gantry study scale`: which problems, methods and members, and the tables of what they gain. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/cli/try.h"
#include "apps/study/scale/scale.h"

static const scale_method methods[] = { { "pcg:iterations=9", "qggmrf:strength=100" },
	                                { "os-sart:iterations=9,subsets=12", NULL },
	                                { "fista:iterations=9,prox=yes", "tv:strength=0.01" } };
static const char *const problems[] = { "ge-hd", "ge-hd-helical", "cube512", "cube1024" };
enum { METHODS = sizeof methods / sizeof *methods, PROBLEMS = sizeof problems / sizeof *problems, ON_CPU = 3, QUICK = 1 };
/* How far the model may be off. */
#define MODEL_OFF 0.2

/* Table IV: seconds of projection and backprojection on 1 to 4 GPUs, of 984, 1968 and 3936 views. One of its paper's
 * projections and backprojections beside one iteration of sirt, which has one of each. */
enum { PAPER_CASES = 3, PAPER_GPUS = 4, PAPER_VIEWS = 984 };
static const double paper[PAPER_CASES][2][PAPER_GPUS] = {
	{ { 1.478, 1.107, 1.102, 1.101 }, { 1.041, 0.953, 0.944, 0.886 } },
	{ { 2.550, 2.045, 1.762, 1.581 }, { 1.933, 1.504, 1.351, 1.261 } },
	{ { 4.685, 3.513, 2.841, 2.542 }, { 3.579, 2.754, 2.253, 1.842 } },
};
static const scale_method one_of_each = { "sirt:iterations=9", NULL };

/* What is measured -------------------------------------------------------------------- */

static gt_status check(const cli_call *call, const study_options *o)
{
	if (call->files > 1)
		return gt_fail(GT_ERR_ARG, "the study 'scale' has scans of its own: %s cannot be given", call->file[1]);
	if (o->grid)
		return gt_fail(GT_ERR_ARG, "--grid=%s: the study 'scale' has grids of its own", o->grid);
	return GT_OK;
}

/* "1,2,4"; the first is 1, and they rise. */
static gt_status read_members(const char *list, int count[SCALE_MAX + 1])
{
	int n = 0;
	for (const char *c = list;; c++) {
		char *end;
		const long v = strtol(c, &end, 10);
		if (end == c || (*end && *end != ',') || v > 64 || n == SCALE_MAX || (n ? v <= count[n - 1] : v != 1))
			return gt_fail(GT_ERR_ARG, "--members=%s: expected 1 and greater numbers behind it, %d at most, as 1,2,4", list,
			               SCALE_MAX);
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
	const char *colon = strchr(o->backend, ':');
	gt_status st = GT_OK;
	int n = 0;
	f->threads = !on_gpu && colon ? s->threads : 1;
	f->by = s->quick ? 2 * STUDY_QUICK : on_gpu ? 1 : STUDY_QUICK;
	for (int ranks = 1; ranks <= max && n < SCALE_MAX; ranks *= 2)
		f->count[n++] = ranks;
	if (o->ranks)
		GT_TRY(read_members(o->ranks, f->count));
	for (n = 0; f->count[n + 1];)
		n++;
	if (on_gpu && f->count[n] > max)
		GT_TRY(gt_fail(GT_ERR_ARG, "--members=%s: there are %d GPUs", o->ranks, max));
	snprintf(s->geometry, sizeof s->geometry, "problems of gantry bench, %s; members of one device each, on the CPU of %d thread%s",
	         f->by > 1 ? "made smaller" : "of their own size", f->threads, f->threads == 1 ? "" : "s");
done:
	return st;
}

/* Tables --------------------------------------------------------------------------------- */

static void heads(study *s)
{
	static const char *const of_speed[] = { "problem",  "method",     "members",    "split",     "iteration [ms]",
		                                "speed-up", "efficiency", "model [ms]", "model off", NULL };
	static const char *const of_paper[] = { "views there",    "views here",
		                                "members",        "iteration here [s]",
		                                "speed-up here",  "projection and backprojection there [s]",
		                                "speed-up there", NULL };
	for (int k = 0; of_speed[k]; k++)
		study_head(&s->table[SCALE_SPEED], "%s", of_speed[k]);
	for (int k = 0; of_paper[k]; k++)
		study_head(&s->table[SCALE_PAPER], "%s", of_paper[k]);
}

/* A method on every number of members; near: lines of which the model is near, and all. */
static gt_status run_method(study *s, const scale_problem *p, const scale_method *m, int near[2])
{
	const int length = (int)strcspn(m->solver, ":");
	study_table *t = &s->table[SCALE_SPEED];
	double one = NAN;
	for (const int *n = scale_found(s)->count; *n; n++) {
		scale_time time;
		study_step(s, "%s: %.*s on %d", p->name, length, m->solver, *n);
		const gt_status st = scale_measure(s, p, m, *n, &time);
		if (app_left_out(st) || st == GT_ERR_ARG) {
			char what[96];
			snprintf(what, sizeof what, "%.*s on %d", length, m->solver, *n);
			study_leave_out(s, p->name, what);
			continue;
		}
		if (st != GT_OK)
			return st;
		one = *n == 1 ? time.seconds : one;
		const double off = time.model / time.seconds - 1;
		study_text(t, "%s", p->name);
		study_text(t, "%.*s%s%.*s", length, m->solver, m->penalty ? " " : "", m->penalty ? (int)strcspn(m->penalty, ":") : 0,
		           m->penalty ? m->penalty : "");
		study_number(t, *n);
		study_text(t, "%s", time.split);
		study_number(t, 1e3 * time.seconds);
		study_number(t, one / time.seconds);
		study_number(t, one / time.seconds / *n);
		study_number(t, 1e3 * time.model);
		study_number(t, off);
		near[0] += fabs(off) <= MODEL_OFF;
		near[1]++;
	}
	return GT_OK;
}

static gt_status run_paper(study *s, int which)
{
	study_table *t = &s->table[SCALE_PAPER];
	const size_t times = (size_t)1 << which;
	scale_problem p;
	double one = NAN;
	gt_status st = scale_problem_new("ge-hd", scale_found(s)->by, times, &p);
	if (st != GT_OK)
		return st;
	for (const int *n = scale_found(s)->count; *n && st == GT_OK; n++) {
		scale_time time;
		const double *const there[2] = { paper[which][0], paper[which][1] };
		study_step(s, "%zu views on %d", p.scan->views, *n);
		if (*n > PAPER_GPUS)
			continue;
		GT_TRY(scale_measure(s, &p, &one_of_each, *n, &time));
		one = *n == 1 ? time.seconds : one;
		study_number(t, (double)(PAPER_VIEWS * times));
		study_number(t, (double)p.scan->views);
		study_number(t, *n);
		study_number(t, time.seconds);
		study_number(t, one / time.seconds);
		study_number(t, there[0][*n - 1] + there[1][*n - 1]);
		study_number(t, (there[0][0] + there[1][0]) / (there[0][*n - 1] + there[1][*n - 1]));
	}
done:
	scale_problem_free(&p);
	return st;
}

static gt_status run_problem(study *s, const char *name, int near[2])
{
	scale_problem p;
	gt_status st = scale_problem_new(name, scale_found(s)->by, 1, &p);
	if (app_left_out(st)) {
		study_leave_out(s, name, "all");
		return GT_OK;
	}
	for (int k = 0; k < METHODS && st == GT_OK; k++)
		st = run_method(s, &p, &methods[k], near);
	scale_problem_free(&p);
	return st;
}

static gt_status measure(study *s)
{
	scale_findings *f = scale_found(s);
	const int wanted = s->quick ? QUICK : s->gpu[0] ? PROBLEMS : ON_CPU;
	int near[2] = { 0, 0 }, counts = 0;
	gt_status st = GT_OK;
	while (f->count[counts])
		counts++;
	s->steps = 1 + (size_t)(counts * (wanted * METHODS + PAPER_CASES));
	heads(s);
	for (int k = 0; k < wanted; k++)
		GT_TRY(run_problem(s, problems[k], near));
	for (int k = 0; k < PAPER_CASES; k++)
		GT_TRY(run_paper(s, k));
	snprintf(f->claim, sizeof f->claim, "The model is within %.0f %% of %d of %d measured times%s.", 100 * MODEL_OFF, near[0], near[1],
	         s->gpu[0] ? "" : "; its constants for the CPU are of one thread of a server that does nothing else");
	cli_note(s->call, "%s", f->claim);
done:
	return st;
}

static const char *const tables[] = { "speed", "table-4" };
const study_kind study_kind_scale = {
	.name = "scale",
	.title = "Several devices",
	.intro = "Iterations on one device and on several, which share volume and data: what they gain, what they were said to take "
		 "before they ran, and table IV of the paper on branchless distance-driven projection beside ours.",
	.table_name = tables,
	.tables = sizeof tables / sizeof *tables,
	.own_size = sizeof(scale_findings),
	.check = check,
	.prepare = prepare,
	.measure = measure,
	.figures = scale_figures,
	.parts = scale_parts,
};
