/* The cases of `gantry study iterative`, run by run, into tables and arrays. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/cli/try.h"
#include "apps/study/iterative/iterative.h"
#include "apps/study/iterative/methods/methods.h"

const study_case study_cases[STUDY_CASES] = {
	{ .key = "shepp-logan",
	  .title = "modified Shepp-Logan phantom",
	  .body = "shepp-logan",
	  .solver = "os-sart:subsets=10",
	  .iterations = 40,
	  .quick = 5,
	  .low = 0,
	  .high = 1,
	  .error = 20 },
	{ .key = "head",
	  .title = "FORBILD head",
	  .body = "forbild-head",
	  .solver = "os-sart:subsets=10",
	  .iterations = 40,
	  .quick = 5,
	  .low = 1,
	  .high = 1.2,
	  .error = 20 },
	{ .key = "pcg",
	  .title = "FORBILD head, 1e5 photons",
	  .body = "forbild-head",
	  .solver = "pcg:preconditioner=ramp",
	  .strength = 0.3,
	  .photons = 1e5,
	  .seed = 1,
	  .iterations = 100,
	  .quick = 8,
	  .weighted = 1,
	  .start_fdk = 1,
	  .show_fdk = 1,
	  .low = 0.8,
	  .high = 1.2,
	  .error = 100 },
	{ .key = "sart",
	  .title = "FORBILD head, 1e6 photons",
	  .body = "forbild-head",
	  .solver = "sirt:momentum",
	  .photons = 1e6,
	  .seed = 2,
	  .iterations = 300,
	  .quick = 6,
	  .show_fdk = 1,
	  .low = 0.8,
	  .high = 1.2,
	  .error = 100 },
};
enum { CPU_EVERY = 10 };

int study_case_iterations(const study *s, const study_case *c) { return s->quick ? c->quick : c->iterations; }

study_device study_device_main(const study *s)
{
	return s->gpu[0] ? (study_device){ s->gpu, "GPU", GT_F32, 1 } : (study_device){ s->cpu, "CPU single", GT_F32, 0 };
}
study_device study_device_reference(const study *s) { return (study_device){ s->cpu, "CPU double", GT_F64, 0 }; }

static void heads(study_table *t, const char *const *head)
{
	for (; *head; head++)
		study_head(t, "%s", *head);
}

static void make_tables(study *s)
{
	static const char *const errors[] = { "case",
		                              "volume",
		                              "iterations",
		                              "RMSE, all slices [HU]",
		                              "RMSE, central half [HU]",
		                              "mean difference, central half [HU]",
		                              "largest, central half [HU]",
		                              "SSIM, all slices",
		                              "SSIM, central half",
		                              NULL };
	static const char *const reference[] = { "case",
		                                 "solver",
		                                 "size",
		                                 "device",
		                                 "iterations",
		                                 "RMSE from the reference [HU]",
		                                 "largest from it [HU]",
		                                 "SSIM with it",
		                                 "RMSE from the truth [HU]",
		                                 "reference: RMSE from the truth [HU]",
		                                 NULL };
	static const char *const iteration[] = {
		"case",         "solver",        "device", "size", "s per iteration", "split: projection [s]", "backprojection [s]",
		"the rest [s]", "the whole [s]", NULL
	};
	heads(&s->table[STUDY_ERRORS], errors);
	heads(&s->table[STUDY_REFERENCE], reference);
	heads(&s->table[STUDY_ITERATION], iteration);
}

static char *size_of(const study_scene *c, char text[64])
{
	snprintf(text, 64, "%zu x %zu x %zu, %zu views", c->grid.n[0], c->grid.n[1], c->grid.n[2], c->scan->views);
	return text;
}

static void add_times(study *s, const study_case *c, const study_scene *scene, const study_device *d, const study_outcome *o)
{
	study_table *t = &s->table[STUDY_ITERATION];
	char size[64];
	study_text(t, "%s", c->key);
	study_text(t, "%s", c->solver);
	study_text(t, "%s", d->name);
	study_text(t, "%s", size_of(scene, size));
	study_number(t, o->seconds);
	study_number(t, o->forward);
	study_number(t, o->back);
	study_number(t, o->split - o->forward - o->back);
	study_number(t, o->split);
}

static gt_status add_error(study *s, const study_case *c, const study_scene *scene, const char *what, int iterations, const float *x)
{
	study_table *t = &s->table[STUDY_ERRORS];
	study_distance all, central;
	gt_status st = GT_OK;
	GT_TRY(study_distance_of(s, &scene->shown, x, scene->truth, 1, &all));
	GT_TRY(study_distance_of(s, &scene->shown, x, scene->truth, 0.5, &central));
	study_text(t, "%s", c->key);
	study_text(t, "%s", what);
	study_number(t, iterations > 0 ? iterations : NAN);
	study_number(t, all.rmse);
	study_number(t, central.rmse);
	study_number(t, central.mean);
	study_number(t, central.largest);
	study_number(t, all.ssim);
	study_number(t, central.ssim);
done:
	return st;
}

/* Along x and along y through the middle, as a share of water. */
static void add_profiles(study *s, int number, const study_scene *scene, const study_outcome *o)
{
	study_table *t = &s->table[STUDY_PROFILES + number];
	const gt_grid *g = &scene->shown;
	const float *of[3] = { scene->truth, o->x, o->fdk };
	const char *names[3] = { "truth", "iterative", "fdk" };
	for (int axis = 0; axis < 2; axis++) {
		study_head(t, "%s [mm]", axis ? "y" : "x");
		for (int i = 0; i < 3; i++)
			if (of[i])
				study_head(t, "%s along %s", names[i], axis ? "y" : "x");
	}
	for (size_t p = 0; p < g->n[0] && p < g->n[1]; p++)
		for (int axis = 0; axis < 2; axis++) {
			const size_t slice = g->n[2] / 2, y = axis ? p : g->n[1] / 2, x = axis ? g->n[0] / 2 : p;
			study_number(t, gt_grid_first(g, axis) + (double)p * g->pitch[axis]);
			for (int i = 0; i < 3; i++)
				if (of[i])
					study_number(t, of[i][(slice * g->n[1] + y) * g->n[0] + x] / GT_WATER_DEFAULT);
		}
}

static gt_status add_pictures(study *s, const study_case *c, const study_scene *scene, const study_outcome *o)
{
	const struct {
		const char *name;
		const float *a, *b;
	} all[] = { { "truth", scene->truth, NULL },
		    { "iterative", o->x, NULL },
		    { "error", o->x, scene->truth },
		    { "fdk", o->fdk, NULL },
		    { "fdk-error", o->fdk, scene->truth } };
	gt_status st = GT_OK;
	for (size_t i = 0; i < sizeof all / sizeof *all && st == GT_OK; i++) {
		char name[64];
		snprintf(name, sizeof name, "%s-%s", c->key, all[i].name);
		if (all[i].a)
			st = study_planes(s, name, &scene->shown, all[i].a, all[i].b, NULL);
	}
	return st;
}

/* One column for each case, as long as the longest. */
static void add_convergence(study *s, const double *const rmse[STUDY_CASES])
{
	study_table *t = &s->table[STUDY_CONVERGENCE];
	int max = 0;
	study_head(t, "iteration");
	for (int i = 0; i < STUDY_CASES; i++) {
		const int n = study_case_iterations(s, &study_cases[i]);
		study_head(t, "%s [HU]", study_cases[i].key);
		max = n > max ? n : max;
	}
	for (int k = 0; k < max; k++) {
		study_number(t, k + 1);
		for (int i = 0; i < STUDY_CASES; i++)
			study_number(t, rmse[i] && k < study_case_iterations(s, &study_cases[i]) ? rmse[i][k] : NAN);
	}
}

static gt_status add_reference(study *s, const study_case *c, const study_scene *scene, const study_outcome *of, const study_outcome *from,
                               int pictures)
{
	const size_t number = (size_t)(c - study_cases);
	study_table *t = &s->table[STUDY_REFERENCE];
	study_distance apart, error, reference_error;
	char size[64], name[64];
	gt_status st = GT_OK;
	GT_TRY(study_distance_of(s, &scene->shown, of->x, from->x, 1, &apart));
	GT_TRY(study_distance_of(s, &scene->shown, of->x, scene->truth, 1, &error));
	GT_TRY(study_distance_of(s, &scene->shown, from->x, scene->truth, 1, &reference_error));
	study_text(t, "%s", c->key);
	study_text(t, "%s", c->solver);
	study_text(t, "%s", size_of(scene, size));
	study_text(t, "%s", study_device_main(s).name);
	study_number(t, of->iterations);
	study_number(t, apart.rmse);
	study_number(t, apart.largest);
	study_number(t, apart.ssim);
	study_number(t, error.rmse);
	study_number(t, reference_error.rmse);
	if (!pictures)
		return GT_OK;
	snprintf(name, sizeof name, "%s-reference", c->key);
	GT_TRY(study_planes(s, name, &scene->shown, from->x, NULL, NULL));
	snprintf(name, sizeof name, "%s-again", c->key);
	GT_TRY(study_planes(s, name, &scene->shown, of->x, NULL, NULL));
	snprintf(name, sizeof name, "%s-difference", c->key);
	GT_TRY(study_planes(s, name, &scene->shown, of->x, from->x, &found_of(s)->narrow[number]));
done:
	return st;
}

/* The same on the main device and on the reference. of: what the main device has already made there; NULL: not yet. */
static gt_status refer(study *s, const study_case *c, const study_scene *scene, const study_outcome *of, int iterations, int pictures)
{
	const study_device main_device = study_device_main(s), reference = study_device_reference(s);
	study_outcome made = { 0 }, from = { 0 };
	float *data = NULL, *weights = NULL;
	gt_status st = GT_OK;
	GT_TRY(study_case_data(s, c, scene, &data, &weights));
	if (!of)
		GT_TRY(study_iterate(s, c, scene, data, weights, &main_device, iterations, &made));
	if (!of)
		add_times(s, c, scene, &main_device, &made);
	GT_TRY(study_iterate(s, c, scene, data, weights, &reference, iterations, &from));
	add_times(s, c, scene, &reference, &from);
	GT_TRY(add_reference(s, c, scene, of ? of : &made, &from, pictures));
done:
	free(data);
	free(weights);
	study_outcome_free(&made);
	study_outcome_free(&from);
	return st;
}

/* small: the scene of the references; NULL: the same. */
static gt_status run_case(study *s, int number, const study_scene *scene, const study_scene *small, double **rmse)
{
	const study_case *c = &study_cases[number];
	const study_device d = study_device_main(s);
	const int iterations = study_case_iterations(s, c);
	study_outcome o = { 0 };
	float *data = NULL, *weights = NULL;
	gt_status st = GT_OK;
	GT_TRY(study_case_data(s, c, scene, &data, &weights));
	GT_TRY(study_iterate(s, c, scene, data, weights, &d, iterations, &o));
	free(data);
	free(weights);
	data = weights = NULL;
	add_times(s, c, scene, &d, &o);
	if (o.fdk)
		GT_TRY(add_error(s, c, scene, "fdk", 0, o.fdk));
	GT_TRY(add_error(s, c, scene, c->solver, iterations, o.x));
	add_profiles(s, number, scene, &o);
	GT_TRY(add_pictures(s, c, scene, &o));
	GT_TRY(refer(s, c, small ? small : scene, small ? NULL : &o, iterations, 1));
	*rmse = o.rmse;
	o.rmse = NULL;
done:
	free(data);
	free(weights);
	study_outcome_free(&o);
	return st;
}

/* Cases of one body, made once; the noise of the head. */
static gt_status run_body(study *s, const char *body, double **rmse)
{
	study_scene scene = { 0 }, small = { 0 }, thin = { 0 };
	const int reduced = found_of(s)->cpu_reduce > 1, head = !strcmp(body, study_cases[1].body);
	gt_status st = GT_OK;
	GT_TRY(study_scene_new(s, body, 1, &scene));
	if (reduced)
		GT_TRY(study_scene_new(s, body, found_of(s)->cpu_reduce, &small));
	for (int i = 0; i < STUDY_CASES; i++)
		if (!strcmp(study_cases[i].body, body))
			GT_TRY(run_case(s, i, &scene, reduced ? &small : NULL, &rmse[i]));
	if (head && reduced && found_of(s)->cpu_iterations > 0) {
		GT_TRY(study_scene_thin(&scene, CPU_EVERY, &thin));
		GT_TRY(refer(s, &study_cases[1], &thin, NULL, found_of(s)->cpu_iterations, 0));
	}
	if (head)
		GT_TRY(study_noise(s, &scene));
done:
	study_scene_thin_free(&thin);
	study_scene_free(&scene);
	study_scene_free(&small);
	return st;
}

static size_t count_steps(const study *s)
{
	const size_t reduced = found_of(s)->cpu_reduce > 1;
	return 2 * (1 + reduced) + STUDY_CASES * (2 + reduced) + 2 * (reduced && found_of(s)->cpu_iterations > 0) + study_noise_steps(s) +
	       methods_steps(s) + 1;
}

static gt_status measure(study *s)
{
	double *rmse[STUDY_CASES] = { NULL };
	gt_status st = GT_OK;
	s->steps = found_of(s)->methods_alone ? 1 + methods_steps(s) : count_steps(s);
	if (found_of(s)->methods_alone)
		return methods_measure(s);
	make_tables(s);
	if (found_of(s)->cpu_reduce > 1) {
		study_table *t = &s->table[STUDY_LEFT_OUT];
		study_text(t, "CPU reference");
		study_text(t, "all cases at full size with all iterations");
		study_text(t, "too long: repeated at 1/%d of the size (--cpu-reduce 1 does it)", found_of(s)->cpu_reduce);
	}
	GT_TRY(run_body(s, study_cases[0].body, rmse));
	GT_TRY(run_body(s, study_cases[1].body, rmse));
	add_convergence(s, (const double *const *)rmse);
	GT_TRY(methods_measure(s));
done:
	for (int i = 0; i < STUDY_CASES; i++)
		free(rmse[i]);
	return st;
}

static gt_status check(const cli_call *call, const study_options *o)
{
	if (call->files > 1)
		return gt_fail(GT_ERR_ARG, "%s: the study 'iterative' has a scan of its own: expected no file", call->file[1]);
	return o->grid ? gt_fail(GT_ERR_ARG, "--grid=%s: the study 'iterative' has a grid of its own", o->grid) : GT_OK;
}

/* Voxels for a head. */
static gt_status prepare(study *s, const study_options *o)
{
	found_of(s)->cpu_reduce = o->cpu_reduce > 0 ? (int)o->cpu_reduce : s->quick || !s->gpu[0] ? 1 : 4;
	found_of(s)->cpu_iterations = o->cpu_iterations >= 0 ? (int)o->cpu_iterations : 5;
	found_of(s)->methods_alone = o->size && !strcmp(o->size, "small");
	if (!found_of(s)->methods_alone)
		return study_scanner(s, s->quick ? 1100 : 2200, 0.5);
	snprintf(s->geometry, sizeof s->geometry, "several scans, one slice, pixels of four to eight times the scanner's");
	return GT_OK;
}

static const char *const table_names[] = {
	[STUDY_ERRORS - STUDY_OWN] = "errors",
	[STUDY_CONVERGENCE - STUDY_OWN] = "convergence",
	[STUDY_REFERENCE - STUDY_OWN] = "reference",
	[STUDY_ITERATION - STUDY_OWN] = "iteration",
	[STUDY_PROFILES - STUDY_OWN] = "profiles-1",
	[STUDY_PROFILES + 1 - STUDY_OWN] = "profiles-2",
	[STUDY_PROFILES + 2 - STUDY_OWN] = "profiles-3",
	[STUDY_PROFILES + 3 - STUDY_OWN] = "profiles-4",
	[STUDY_NOISE - STUDY_OWN] = "noise",
	[STUDY_RESOLUTION - STUDY_OWN] = "noise-at-resolution",
	[STUDY_METHODS - STUDY_OWN] = "solvers",
	[STUDY_PATHS - STUDY_OWN] = "solver-paths",
	[STUDY_COSTS - STUDY_OWN] = "solver-costs",
	[STUDY_PRIORS - STUDY_OWN] = "penalties",
};

const study_kind study_kind_iterative = {
	.name = "iterative",
	.title = "Iterative reconstruction",
	.intro = "All solvers and penalties at equal noise; the errors of iterative methods for two heads, the difference of a "
		 "GPU from the CPU, the time of an iteration, and noise against resolution. The experiments are those of R. Liu, "
		 "L. Fu, B. De Man, H. Yu, “GPU-based branchless distance-driven projection and backprojection”, IEEE "
		 "Transactions on Computational Imaging 3 (2017), section IV, C; those on scans that are not public are repeated "
		 "on a phantom.",
	.table_name = table_names,
	.tables = sizeof table_names / sizeof *table_names,
	.own_size = sizeof(study_findings),
	.check = check,
	.prepare = prepare,
	.measure = measure,
	.figures = study_iterative_figures,
	.parts = study_iterative_parts,
};
