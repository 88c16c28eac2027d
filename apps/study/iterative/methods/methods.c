/* All solvers on each body, and all penalties on a scan of few views, into tables and pictures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/io.h>
#include "apps/cli/try.h"
#include "apps/study/iterative/methods/methods.h"

enum { BODIES = 3 };
static const char *const bodies[BODIES + 1] = { "head-1e5", "torso", "micro-metal", NULL };
/* Photons of an earlier scan with all views, over those of the scan. */
#define EARLIER 10

quality_size methods_size(const study *s) { return s->quick ? QUALITY_TINY : s->gpu[0] ? QUALITY_SMALL : QUALITY_COARSE; }

const quality_case *methods_case(const char *key)
{
	for (int i = 0; key && i < QUALITY_CASES; i++)
		if (!strcmp(quality_cases[i].key, key))
			return &quality_cases[i];
	return NULL;
}

const quality_case *methods_body(const study *s, int i) { return s->quick && i > 0 ? NULL : methods_case(bodies[i]); }

const quality_case *methods_prior_case(void) { return methods_case("head-few"); }

static size_t solvers(void)
{
	size_t n = 0;
	while (gt_solvers[n])
		n++;
	return n;
}

size_t methods_steps(const study *s)
{
	size_t penalties = 0, all = 0;
	while (gt_regularizers[penalties])
		penalties++;
	for (int i = 0; methods_body(s, i); i++)
		all += solvers();
	return all + penalties;
}

void methods_leave_out(study *s, const char *kind, const char *name, const char *why)
{
	study_table *t = &s->table[STUDY_LEFT_OUT];
	study_text(t, "%s", kind);
	study_text(t, "%s", name);
	study_text(t, "%s", why);
	cli_note(s->call, "%s %s: left out: %s", kind, name, why);
}

static void head_of(study_table *t, const char *first, const char *second)
{
	study_head(t, "%s", first);
	study_head(t, "%s", second);
	study_head(t, "set by");
	study_head(t, "value");
	study_head(t, "noise [HU]");
	study_head(t, "equal noise");
	for (int k = 0; k < QUALITY_CLASSES; k++)
		study_head(t, "%s [HU]", quality_class_names[k]);
}

static const char *set_by(const method *m) { return m->by_iterations ? "iterations" : m->of.knob ? m->of.knob : "strength"; }

/* The cells that both tables begin with. */
static void add_result(study_table *t, const quality_scene *scene, const method *m, const quality_result *r)
{
	study_text(t, "%s", set_by(m));
	study_number(t, r->strength);
	study_number(t, r->noise);
	study_text(t, "%s", fabs(log(r->noise / scene->of->noise)) < QUALITY_MAX_OFF ? "yes" : "no");
	for (int k = 0; k < QUALITY_CLASSES; k++)
		study_number(t, r->rms[k]);
}

static void add_run(study *s, const quality_scene *scene, const method *m, const method_run *run)
{
	study_table *t = &s->table[STUDY_METHODS], *path = &s->table[STUDY_PATHS];
	study_text(t, "%s", scene->of->key);
	study_text(t, "%s", m->of.name);
	add_result(t, scene, m, &run->r);
	study_text(t, "%s", m->penalty ? m->penalty : "");
	study_number(t, run->iterations);
	study_number(t, run->seconds);
	study_number(t, run->near);
	study_number(t, run->near_seconds);
	for (int k = 0; k < run->trace.iterations && k < run->iterations; k++) {
		study_text(path, "%s", scene->of->key);
		study_text(path, "%s", m->of.name);
		study_text(path, "%s", m->penalty ? "yes" : "no");
		study_number(path, k + 1);
		study_number(path, run->trace.seconds[k]);
		study_number(path, method_apart(scene, method_trace_x(&run->trace, k), scene->truth));
	}
}

static void heads(study *s)
{
	static const char *const path[] = { "body", "method", "penalty", "iteration", "seconds", "error [HU]" };
	static const char *const cost[] = { "method", "forward per iteration", "back per iteration", "memory [volumes]",
		                            "memory [data arrays]" };
	study_table *t = &s->table[STUDY_METHODS];
	head_of(t, "body", "method");
	study_head(t, "penalty");
	study_head(t, "iterations");
	study_head(t, "seconds");
	study_head(t, "iterations to 1 HU");
	study_head(t, "seconds to 1 HU");
	for (size_t i = 0; i < sizeof path / sizeof *path; i++)
		study_head(&s->table[STUDY_PATHS], "%s", path[i]);
	for (size_t i = 0; i < sizeof cost / sizeof *cost; i++)
		study_head(&s->table[STUDY_COSTS], "%s", cost[i]);
	for (int i = 0; methods_body(s, i); i++)
		study_head(&s->table[STUDY_COSTS], "iterations to 1 HU: %s", methods_body(s, i)->key);
}

static gt_status add_cost(study *s, const quality_scene *scene, const method *m, const double *near)
{
	study_table *t = &s->table[STUDY_COSTS];
	method_cost c;
	const gt_status st = method_cost_of(s, scene, m, &c);
	study_text(t, "%s", m->of.name);
	study_number(t, c.forward);
	study_number(t, c.back);
	study_number(t, c.volumes);
	study_number(t, c.data);
	for (int i = 0; methods_body(s, i); i++)
		study_number(t, near[i]);
	return st;
}

/* What was found for a penalty is where the next solver that takes it begins. */
typedef struct {
	char penalty[64];
	double strength;
} guess;
enum { GUESSES = 8 };

static guess *guess_of(guess list[GUESSES], const method *m)
{
	if (!m->penalty || m->of.knob || strlen(m->penalty) >= sizeof list->penalty)
		return NULL;
	for (int i = 0; i < GUESSES; i++) {
		if (!*list[i].penalty)
			snprintf(list[i].penalty, sizeof list[i].penalty, "%s", m->penalty);
		if (!strcmp(list[i].penalty, m->penalty))
			return &list[i];
	}
	return NULL;
}

static int time_is_over(const study *s) { return s->seconds >= 0 && app_seconds() - s->started > s->seconds; }

/* One that fails is left out, and the others go on. */
static gt_status run_solver(study *s, const quality_scene *scene, const gt_solver *v, guess list[GUESSES], double *near)
{
	method m = { .solver = NULL };
	method_run run = { .near = NAN };
	gt_status st = GT_OK;
	*near = NAN;
	study_step(s, "%s: %s", scene->of->key, v->name);
	if (time_is_over(s)) {
		methods_leave_out(s, scene->of->key, v->name, "the time of --seconds was over");
		return GT_OK;
	}
	GT_TRY(method_of_solver(s, v, scene->of->noise, &m));
	guess *known = guess_of(list, &m);
	m.guess = known && known->strength > 0 ? known->strength : m.guess;
	st = method_measure(s, scene, &m, scene->of->noise, &run);
	if (st == GT_OK) {
		add_run(s, scene, &m, &run);
		*near = run.near;
		if (known && fabs(log(run.r.noise / scene->of->noise)) < QUALITY_MAX_OFF)
			known->strength = run.r.strength;
	} else if (st != GT_STOPPED) {
		methods_leave_out(s, scene->of->key, v->name, gt_error());
		st = GT_OK;
	}
done:
	method_run_free(&run);
	method_free(&m);
	return st;
}

static gt_status run_body(study *s, int number, double *near)
{
	quality_scene scene;
	guess list[GUESSES] = { { "", 0 } };
	gt_status st = quality_scene_new(s, methods_body(s, number), methods_size(s), &scene);
	if (st != GT_OK)
		return st;
	for (size_t i = 0; gt_solvers[i]; i++)
		GT_TRY(run_solver(s, &scene, gt_solvers[i], list, &near[i * BODIES + (size_t)number]));
done:
	quality_scene_free(&scene);
	return st;
}

static gt_status costs(study *s, const double *near)
{
	quality_scene scene;
	gt_status st = quality_scene_new(s, methods_body(s, 0), methods_size(s), &scene);
	if (st != GT_OK)
		return st;
	for (size_t i = 0; gt_solvers[i] && st == GT_OK; i++) {
		method m;
		GT_TRY(method_of_solver(s, gt_solvers[i], scene.of->noise, &m));
		st = add_cost(s, &scene, &m, near + i * BODIES);
		if (st != GT_OK && st != GT_STOPPED) {
			methods_leave_out(s, "cost", m.of.name, gt_error());
			st = GT_OK;
		}
		method_free(&m);
	}
done:
	quality_scene_free(&scene);
	return st;
}

/* The direct method, at the detector's resolution. */
static gt_status direct(const study *s, const quality_scene *scene, gt_volume **v)
{
	const quality_candidate fdk = { .name = "fdk" };
	gt_recon *r = NULL;
	gt_status st = gt_volume_new(&scene->grid, v);
	GT_TRY(st);
	GT_TRY(quality_recon(s, scene, &fdk, 0, 0, 1, &r));
	st = gt_recon_run(r, *v);
done:
	gt_recon_free(r);
	return st;
}

/* A file of the folder: the body with all views and many photons. */
static gt_status earlier_scan(study *s, const char *path)
{
	quality_case c = *methods_prior_case();
	quality_scene scene;
	gt_volume *v = NULL;
	c.key = "earlier";
	c.every = 1;
	c.photons *= EARLIER;
	gt_status st = quality_scene_new(s, &c, methods_size(s), &scene);
	if (st != GT_OK)
		return st;
	GT_TRY(direct(s, &scene, &v));
	GT_TRY(gt_write_volume(path, NULL, v));
done:
	gt_volume_free(v);
	quality_scene_free(&scene);
	return st;
}

static gt_status add_prior(study *s, const quality_scene *scene, const method *m, const quality_result *r)
{
	study_table *t = &s->table[STUDY_PRIORS];
	char name[64];
	method_cost c = { NAN, NAN, NAN, NAN, NAN };
	gt_status st = method_cost_of(s, scene, m, &c);
	GT_TRY(st);
	snprintf(name, sizeof name, "prior-%s", m->of.name);
	GT_TRY(quality_pictures(s, scene, name, r->x));
	/* Of what has a row there is a picture. */
	study_text(t, "%s", m->of.name);
	study_text(t, "%s", m->text);
	add_result(t, scene, m, r);
	study_number(t, r->overshoot);
	study_number(t, c.penalty);
done:
	return st;
}

static gt_status run_prior(study *s, const quality_scene *scene, const gt_regularizer *p, const char *file, double *strength)
{
	method m = { .solver = NULL };
	quality_result r = { .runs = 0 }, asked = { .runs = 0 };
	gt_status st = GT_OK;
	study_step(s, "few views: %s", p->name);
	GT_TRY(method_of_prior(s, p, scene, file, &m));
	if (m.left_out) {
		methods_leave_out(s, "few views", p->name, m.left_out);
		method_free(&m);
		return GT_OK;
	}
	const double begin = m.of.knob ? m.guess : p->no_automatic_strength ? *strength : 0;
	st = quality_match(s, scene, &m.of, scene->of->noise, begin, begin > 0 ? NULL : &asked, &r);
	GT_TRY(st == GT_OK ? add_prior(s, scene, &m, &r) : st);
	if (!strcmp(p->name, "tv"))
		*strength = r.strength;
done:
	if (st != GT_OK && st != GT_STOPPED) {
		methods_leave_out(s, "few views", p->name, gt_error());
		st = GT_OK;
	}
	quality_result_free(&r);
	method_free(&m);
	return st;
}

static gt_status measure_priors(study *s)
{
	quality_scene scene;
	double strength = 0.1;
	gt_volume *v = NULL;
	char *path = cli_text("%s/earlier.nc", s->folder.tmp);
	gt_status st = path ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	study_table *t = &s->table[STUDY_PRIORS];
	if (st == GT_OK)
		st = quality_scene_new(s, methods_prior_case(), methods_size(s), &scene);
	if (st != GT_OK) {
		free(path);
		return st;
	}
	head_of(t, "penalty", "solver");
	study_head(t, "overshoot [HU]");
	study_head(t, "memory [volumes]");
	GT_TRY(earlier_scan(s, path));
	GT_TRY(quality_pictures(s, &scene, "prior-truth", NULL));
	GT_TRY(direct(s, &scene, &v));
	GT_TRY(quality_pictures(s, &scene, "prior-fdk", gt_volume_data(v)));
	for (size_t i = 0; gt_regularizers[i]; i++)
		GT_TRY(run_prior(s, &scene, gt_regularizers[i], path, &strength));
done:
	gt_volume_free(v);
	quality_scene_free(&scene);
	free(path);
	return st;
}

/* The penalties come first: they are few, and --seconds is for the solvers. */
gt_status methods_measure(study *s)
{
	double *near = malloc(solvers() * BODIES * sizeof *near);
	gt_status st = near ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	heads(s);
	GT_TRY(measure_priors(s));
	for (int i = 0; methods_body(s, i); i++)
		GT_TRY(run_body(s, i, near));
	GT_TRY(costs(s, near));
done:
	free(near);
	return st;
}
