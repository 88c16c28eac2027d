/* Candidates for every solver and penalty, whose noise can be set to a target. Only options are listed here: a
 * module that is not listed is compared with its defaults. */
#include <gantry/author/constants.h>
#include "apps/study/iterative/methods/methods.h"

enum { ITERATIONS = 40, SUBSETS = 6, QUICKER = 8, LEAST = 4 };

typedef struct {
	const char *name, *options, *with, *knob, *left_out; /* with: the penalty of a solver, the solver of a penalty */
	int knob_of_solver, iterations;
	double guess, max; /* values of the key that sets the noise */
} request;

static const request none = { .name = NULL };
static const request solver_requests[] = {
	{ .name = "sirt", .iterations = 200 },
	{ .name = "mlem", .options = "negative=zero", .iterations = 200 },
	{ .name = "osem", .options = "negative=zero" },
	{ .name = "ab-gmres", .options = "steps=2", .iterations = 20 },
	{ .name = "ba-gmres", .options = "steps=2", .iterations = 20 },
	{ .name = "hybrid-lsqr", .options = "strength=fixed", .knob = "lambda", .knob_of_solver = 1, .guess = 10 },
	{ .name = "asd-pocs", .with = "tv:strength=1", .knob = "alpha", .knob_of_solver = 1, .guess = 0.1, .max = 1 },
	{ .name = "saga", .options = "step=1" },
	{ .name = "svrg", .options = "step=1" },
};
static const request prior_requests[] = {
	{ .name = "awtv", .options = "delta=60HU" },
	{ .name = "nltv", .options = "h=20HU,smooth=2HU", .with = "fista", .iterations = 30 },
	{ .name = "piccs", .options = "smooth=2HU" },
	{ .name = "nlm", .options = "strength=1", .with = "pnp-fista", .knob = "h", .iterations = 20 },
	{ .name = "low-rank", .left_out = "it is a penalty of several volumes, and only scales a single one" },
};

static const request *find(const request *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].name, name))
			return &list[i];
	return &none;
}

static int has_key(const gt_param *p, const char *key)
{
	for (; p && p->key; p++)
		if (!strcmp(p->key, key))
			return 1;
	return 0;
}

static void set_solver(const study *s, const gt_solver *v, const request *w, method *m)
{
	const int wanted = w->iterations ? w->iterations : ITERATIONS, few = wanted / QUICKER > LEAST ? wanted / QUICKER : LEAST;
	m->iterations = s->quick ? few : wanted;
	snprintf(m->solver, sizeof m->solver, "%s", v->name);
	if (has_key(v->params, "subsets"))
		study_spec(m->solver, m->solver, "subsets=%d", SUBSETS);
	if (w->options)
		study_spec(m->solver, m->solver, "%s", w->options);
	m->of.solver = study_spec(m->text, m->solver, "iterations=%d", m->iterations);
}

/* All start from zero, so that times are comparable, with data without weights, so that all solve one problem. */
static void begin(const char *name, const request *w, double noise, method *m)
{
	*m = (method){ .of = { .name = name,
		               .weights = "uniform",
		               .init = "zero",
		               .padding = "no",
		               .knob = w->knob,
		               .knob_of_solver = w->knob_of_solver,
		               .max = w->max },
		       .left_out = w->left_out,
		       .guess = w->guess };
	if (w->knob && !strcmp(w->knob, "h"))
		m->guess = noise / 1000 * GT_WATER_DEFAULT;
}

void method_of_solver(const study *s, const gt_solver *v, double noise, method *m)
{
	const request *w = find(solver_requests, sizeof solver_requests / sizeof *solver_requests, v->name);
	const unsigned smooth = GT_SUPPORTS_GRADIENT | GT_SUPPORTS_LINE;
	begin(v->name, w, noise, m);
	if (strstr(v->name, "lem") || strstr(v->name, "sem"))
		m->of.init = NULL; /* multiplicative steps keep 0 */
	set_solver(s, v, w, m);
	if (w->with)
		snprintf(m->penalty, sizeof m->penalty, "%s", w->with);
	else if (v->traits & smooth)
		snprintf(m->penalty, sizeof m->penalty, "qggmrf:c=%gHU", noise);
	else if (v->traits & GT_SUPPORTS_PROX)
		snprintf(m->penalty, sizeof m->penalty, "tv");
	m->of.penalty = *m->penalty ? m->penalty : NULL;
	m->by_iterations = !*m->penalty && !m->of.knob;
	m->of.knob = m->by_iterations ? "" : m->of.knob;
}

/* Chooses the solver by the operations of the penalty. */
static gt_status solver_for(const char *penalty, const gt_regularizer *r, const quality_scene *scene, const char **solver)
{
	gt_backend *be = NULL;
	gt_penalty *R = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_backend_open("cpu:1", &be));
	GT_TRY(gt_regularizer_new(SPEC(penalty, "strength=1"), be, GT_F32, &scene->grid, NULL, &R));
	const unsigned has = gt_penalty_has(R);
	*solver = has & GT_HAS_PROX ? "fista" : has & GT_HAS_GRADIENT ? "os-sqs" : NULL;
	if (!*solver)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s has neither a gradient nor a proximal step", r->name));
done:
	gt_penalty_free(R);
	gt_backend_close(be);
	return st;
}

gt_status method_of_prior(const study *s, const gt_regularizer *r, const quality_scene *scene, const char *prior, method *m)
{
	const request *w = find(prior_requests, sizeof prior_requests / sizeof *prior_requests, r->name);
	const char *solver = w->with;
	request of_solver = none;
	begin(r->name, w, scene->of->noise, m);
	snprintf(m->penalty, sizeof m->penalty, "%s", r->name);
	if (has_key(r->params, "prior"))
		study_spec(m->penalty, m->penalty, "prior=%s", prior);
	if (w->options)
		study_spec(m->penalty, m->penalty, "%s", w->options);
	m->of.penalty = m->penalty;
	if (m->left_out)
		return GT_OK;
	if (!solver)
		GT_OR_RETURN(solver_for(m->penalty, r, scene, &solver));
	of_solver.iterations = w->iterations ? w->iterations : !strcmp(solver, "os-sqs") ? ITERATIONS / 2 : ITERATIONS;
	of_solver.options = !w->with && !strcmp(solver, "fista") ? "prox=yes" : NULL;
	set_solver(s, gt_solver_find(solver), &of_solver, m);
	return GT_OK;
}
