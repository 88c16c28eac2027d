/* All solvers on each object, and all penalties on a scan of few views, into tables and pictures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/io.h>
#include "apps/cli/try.h"
#include "apps/study/iterative/methods/methods.h"

enum { OBJECTS = 3 };
static const char *const objects[OBJECTS + 1] = { "head-1e5", "torso", "micro-metal", NULL };
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

const quality_case *methods_object(const study *s, int i) { return s->quick && i > 0 ? NULL : methods_case(objects[i]); }

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
	for (int i = 0; methods_object(s, i); i++)
		all += solvers();
	return all + penalties;
}

static const char *set_by(const method *m) { return m->by_iterations ? "iterations" : m->of.knob ? m->of.knob : "strength"; }

static void add_result(study_table *t, const quality_scene *scene, const method *m, const quality_result *r)
{
	const char *same = fabs(log(r->noise / scene->of->noise)) < QUALITY_MAX_OFF ? "yes" : "no";
	study_row(t, TXT(set_by(m)), NUM(r->strength), NUM(r->noise), TXT(same));
	study_numbers(t, r->rms, QUALITY_CLASSES);
}

static void add_run(study *s, const quality_scene *scene, const method *m, const method_run *run)
{
	study_table *t = &s->table[STUDY_METHODS];
	study_row(t, TXT(scene->of->key), TXT(m->of.name));
	add_result(t, scene, m, &run->r);
	study_row(t, TXT(m->penalty ? m->penalty : ""), NUM(run->iterations), NUM(run->seconds), NUM(run->near), NUM(run->near_seconds));
	for (int k = 0; k < run->trace.iterations && k < run->iterations; k++)
		study_row(&s->table[STUDY_PATHS], TXT(scene->of->key), TXT(m->of.name), TXT(m->penalty ? "yes" : "no"), NUM(k + 1),
		          NUM(run->trace.seconds[k]), NUM(method_apart(scene, method_trace_x(&run->trace, k), scene->truth)));
}

static gt_status add_cost(study *s, const quality_scene *scene, const method *m, const double *near)
{
	study_table *t = &s->table[STUDY_COSTS];
	method_cost c;
	const gt_status st = method_cost_of(s, scene, m, &c);
	study_row(t, TXT(m->of.name), NUM(c.forward), NUM(c.back), NUM(c.volumes), NUM(c.data));
	for (int i = 0; methods_object(s, i); i++)
		study_number(t, near[i]);
	return st;
}

/* Start of the search for the next solver with the same penalty. */
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

/* A solver that fails is left out. */
static gt_status run_solver(study *s, const quality_scene *scene, const gt_solver *v, guess list[GUESSES], double *near)
{
	method m = { .solver = NULL };
	method_run run = { .near = NAN };
	gt_status st = GT_OK;
	*near = NAN;
	study_step(s, "%s: %s", scene->of->key, v->name);
	if (study_is_late(s)) {
		study_leave_out_as(s, scene->of->key, v->name, "the time of --seconds was over");
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
		study_leave_out_as(s, scene->of->key, v->name, gt_error());
		st = GT_OK;
	}
done:
	method_run_free(&run);
	method_free(&m);
	return st;
}

static gt_status run_object(study *s, int number, double *near)
{
	quality_scene scene;
	guess list[GUESSES] = { { "", 0 } };
	gt_status st = quality_scene_new(s, methods_object(s, number), methods_size(s), &scene);
	if (st != GT_OK)
		return st;
	for (size_t i = 0; gt_solvers[i]; i++)
		GT_TRY(run_solver(s, &scene, gt_solvers[i], list, &near[i * OBJECTS + (size_t)number]));
done:
	quality_scene_free(&scene);
	return st;
}

static gt_status costs(study *s, const double *near)
{
	quality_scene scene;
	gt_status st = quality_scene_new(s, methods_object(s, 0), methods_size(s), &scene);
	if (st != GT_OK)
		return st;
	for (size_t i = 0; gt_solvers[i] && st == GT_OK; i++) {
		method m;
		GT_TRY(method_of_solver(s, gt_solvers[i], scene.of->noise, &m));
		st = add_cost(s, &scene, &m, near + i * OBJECTS);
		if (st != GT_OK && st != GT_STOPPED) {
			study_leave_out_as(s, "cost", m.of.name, gt_error());
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

/* Writes a file of the folder: the object from all views and many photons. */
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
	method_cost c = { NAN, NAN, NAN, NAN, NAN };
	gt_status st = method_cost_of(s, scene, m, &c);
	GT_TRY(st);
	GT_TRY(quality_pictures(s, scene, FORMAT("prior-%s", m->of.name), r->x)); /* a row needs a picture */
	study_row(t, TXT(m->of.name), TXT(m->text));
	add_result(t, scene, m, r);
	study_row(t, NUM(r->overshoot), NUM(c.penalty));
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
		study_leave_out_as(s, "few views", p->name, m.left_out);
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
		study_leave_out_as(s, "few views", p->name, gt_error());
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
	if (st == GT_OK)
		st = quality_scene_new(s, methods_prior_case(), methods_size(s), &scene);
	if (st != GT_OK) {
		free(path);
		return st;
	}
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
	double *near = NULL;
	gt_status st = GT_OK;
	GT_TRY(study_new(solvers() * OBJECTS, sizeof *near, &near));
	study_begin_tables(s, STUDY_METHODS, STUDY_PRIORS);
	for (int i = 0; methods_object(s, i); i++)
		study_head(&s->table[STUDY_COSTS], "iterations to 1 HU: %s", methods_object(s, i)->key);
	GT_TRY(measure_priors(s));
	for (int i = 0; methods_object(s, i); i++)
		GT_TRY(run_object(s, i, near));
	GT_TRY(costs(s, near));
done:
	free(near);
	return st;
}
