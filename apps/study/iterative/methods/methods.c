/* All solvers on each object, and all penalties on a scan of few views, into tables and pictures. */
#include <gantry/io.h>
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
	study_row(t, TXT(m->penalty), NUM(run->iterations), NUM(run->seconds), NUM(run->near), NUM(run->near_seconds));
	for (int k = 0; k < run->trace.iterations && k < run->iterations; k++)
		study_row(&s->table[STUDY_PATHS], TXT(scene->of->key), TXT(m->of.name), TXT(*m->penalty ? "yes" : "no"), NUM(k + 1),
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
	if (!*m->penalty || m->of.knob || strlen(m->penalty) >= sizeof list->penalty)
		return NULL;
	for (int i = 0; i < GUESSES; i++) {
		if (!*list[i].penalty)
			memcpy(list[i].penalty, m->penalty, strlen(m->penalty) + 1);
		if (!strcmp(list[i].penalty, m->penalty))
			return &list[i];
	}
	return NULL;
}

/* Leaves out a method that failed, unless the user stopped it. */
static gt_status left_out(study *s, gt_status st, const char *part, const char *name)
{
	if (st == GT_OK || st == GT_STOPPED)
		return st;
	study_leave_out(s, part, name);
	return GT_OK;
}

static gt_status run_solver(study *s, const quality_scene *scene, const gt_solver *v, guess list[GUESSES], double *near)
{
	method m;
	method_run run = { .near = NAN };
	*near = NAN;
	study_step(s, "%s: %s", scene->of->key, v->name);
	if (study_is_late(s)) {
		study_leave_out_as(s, scene->of->key, v->name, "the time of --seconds was over");
		return GT_OK;
	}
	method_of_solver(s, v, scene->of->noise, &m);
	guess *known = guess_of(list, &m);
	m.guess = known && known->strength > 0 ? known->strength : m.guess;
	const gt_status st = method_measure(s, scene, &m, scene->of->noise, &run);
	if (st == GT_OK) {
		add_run(s, scene, &m, &run);
		*near = run.near;
		if (known && fabs(log(run.r.noise / scene->of->noise)) < QUALITY_MAX_OFF)
			known->strength = run.r.strength;
	}
	method_run_free(&run);
	return left_out(s, st, scene->of->key, v->name);
}

static gt_status run_object(study *s, int number, double *near)
{
	quality_scene scene;
	guess list[GUESSES] = { { "", 0 } };
	gt_status st = GT_OK;
	GT_OR_RETURN(quality_scene_new(s, methods_object(s, number), methods_size(s), &scene));
	for (size_t i = 0; gt_solvers[i] && st == GT_OK; i++)
		st = run_solver(s, &scene, gt_solvers[i], list, &near[i * OBJECTS + (size_t)number]);
	quality_scene_free(&scene);
	return st;
}

static gt_status costs(study *s, const double *near)
{
	quality_scene scene;
	gt_status st = GT_OK;
	GT_OR_RETURN(quality_scene_new(s, methods_object(s, 0), methods_size(s), &scene));
	for (size_t i = 0; gt_solvers[i] && st == GT_OK; i++) {
		method m;
		method_of_solver(s, gt_solvers[i], scene.of->noise, &m);
		st = left_out(s, add_cost(s, &scene, &m, near + i * OBJECTS), "cost", m.of.name);
	}
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
	gt_status st = GT_OK;
	GT_OR_RETURN(quality_scene_new(s, &c, methods_size(s), &scene));
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
	GT_OR_RETURN(method_cost_of(s, scene, m, &c));
	GT_OR_RETURN(quality_pictures(s, scene, FORMAT("prior-%s", m->of.name), r->x)); /* a row needs a picture */
	study_row(t, TXT(m->of.name), TXT(m->text));
	add_result(t, scene, m, r);
	study_row(t, NUM(r->overshoot), NUM(c.penalty));
	return GT_OK;
}

static gt_status run_prior(study *s, const quality_scene *scene, const gt_regularizer *p, const char *file, double *strength)
{
	method m;
	quality_result r = { .runs = 0 }, asked = { .runs = 0 };
	gt_status st = GT_OK;
	study_step(s, "few views: %s", p->name);
	GT_TRY(method_of_prior(s, p, scene, file, &m));
	if (m.left_out) {
		study_leave_out_as(s, "few views", p->name, m.left_out);
		return GT_OK;
	}
	const double begin = m.of.knob ? m.guess : p->no_automatic_strength ? *strength : 0;
	st = quality_match(s, scene, &m.of, scene->of->noise, begin, begin > 0 ? NULL : &asked, &r);
	GT_TRY(st == GT_OK ? add_prior(s, scene, &m, &r) : st);
	if (!strcmp(p->name, "tv"))
		*strength = r.strength;
done:
	quality_result_free(&r);
	return left_out(s, st, "few views", p->name);
}

static gt_status measure_priors(study *s)
{
	quality_scene scene;
	double strength = 0.1;
	gt_volume *v = NULL;
	const char *path = PATH("%s/earlier.nc", s->folder.tmp);
	gt_status st = GT_OK;
	GT_OR_RETURN(quality_scene_new(s, methods_prior_case(), methods_size(s), &scene));
	GT_TRY(earlier_scan(s, path));
	GT_TRY(quality_pictures(s, &scene, "prior-truth", NULL));
	GT_TRY(direct(s, &scene, &v));
	GT_TRY(quality_pictures(s, &scene, "prior-fdk", gt_volume_data(v)));
	for (size_t i = 0; gt_regularizers[i]; i++)
		GT_TRY(run_prior(s, &scene, gt_regularizers[i], path, &strength));
done:
	gt_volume_free(v);
	quality_scene_free(&scene);
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
