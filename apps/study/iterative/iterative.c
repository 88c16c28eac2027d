/* The cases of `gantry study iterative`, run by run, into tables and arrays. */
#include <gantry/author/constants.h>
#include "apps/study/iterative/methods/methods.h"

/* key, title, object, solver; strength, photons; iterations, quick; seed; weighted, start_fdk, show_fdk; window;
 * error */
const study_case study_cases[STUDY_CASES] = {
	{ "shepp-logan", "modified Shepp-Logan phantom", "shepp-logan", "os-sart:subsets=10", 0, 0, 40, 5, 0, 0, 0, 0, 0, 1, 20 },
	{ "head", "FORBILD head", "forbild-head", "os-sart:subsets=10", 0, 0, 40, 5, 0, 0, 0, 0, 1, 1.2, 20 },
	{ "pcg", "FORBILD head, 1e5 photons", "forbild-head", "pcg:preconditioner=ramp", 0.3, 1e5, 100, 8, 1, 1, 1, 1, 0.8, 1.2, 100 },
	{ "sart", "FORBILD head, 1e6 photons", "forbild-head", "sirt:momentum", 0, 1e6, 300, 6, 2, 0, 0, 1, 0.8, 1.2, 100 },
};
/* On a helix, figure 18 of the paper: compared with the reference alone. */
static const study_case helix = { .key = "helix",
	                          .title = "FORBILD head on a helix",
	                          .object = "forbild-head",
	                          .solver = "pcg:preconditioner=ramp",
	                          .strength = 0.3,
	                          .photons = 1e5,
	                          .iterations = 100,
	                          .quick = 2,
	                          .seed = 3,
	                          .weighted = 1,
	                          .start_fdk = 1 };
enum { CPU_EVERY = 10, HELIX_TURNS = 2 };

int study_case_iterations(const study *s, const study_case *c) { return s->quick ? c->quick : c->iterations; }

study_device study_device_main(const study *s)
{
	return s->gpu[0] ? (study_device){ s->gpu, "GPU", GT_F32, 1 } : (study_device){ s->cpu, "CPU single", GT_F32, 0 };
}
study_device study_device_reference(const study *s) { return (study_device){ s->cpu, "CPU double", GT_F64, 0 }; }

static char *size_of(const study_scene *c, char text[STUDY_LINE])
{
	return study_format(text, STUDY_LINE, "%zu x %zu x %zu, %zu views", c->grid.n[0], c->grid.n[1], c->grid.n[2], c->scan->views);
}

static void add_times(study *s, const study_job *j, const study_outcome *o)
{
	char size[STUDY_LINE];
	study_row(&s->table[STUDY_ITERATION], TXT(j->c->key), TXT(j->c->solver), TXT(j->d.name), TXT(size_of(j->scene, size)),
	          NUM(o->seconds), NUM(o->forward), NUM(o->back), NUM(o->split - o->forward - o->back), NUM(o->split));
}

static gt_status add_error(study *s, const study_case *c, const study_scene *scene, const char *what, int iterations, const float *x)
{
	study_distance all, central;
	GT_OR_RETURN(study_distance_of(s, &scene->shown, x, scene->truth, 1, &all));
	GT_OR_RETURN(study_distance_of(s, &scene->shown, x, scene->truth, 0.5, &central));
	study_row(&s->table[STUDY_ERRORS], TXT(c->key), TXT(what), NUM(iterations > 0 ? iterations : NAN), NUM(all.rmse), NUM(central.rmse),
	          NUM(central.mean), NUM(central.largest), NUM(all.ssim), NUM(central.ssim));
	return GT_OK;
}

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
	for (size_t i = 0; i < sizeof all / sizeof *all && st == GT_OK; i++)
		if (all[i].a)
			st = study_planes(s, FORMAT("%s-%s", c->key, all[i].name), &scene->shown, all[i].a, all[i].b, NULL);
	return st;
}

/* One column for each case, as long as the longest. */
static void add_convergence(study *s, const double *const rmse[STUDY_CASES])
{
	study_table *t = &s->table[STUDY_CONVERGENCE];
	int max = 0;
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
	study_distance apart, error, reference_error;
	char size[STUDY_LINE];
	GT_OR_RETURN(study_distance_of(s, &scene->shown, of->x, from->x, 1, &apart));
	GT_OR_RETURN(study_distance_of(s, &scene->shown, of->x, scene->truth, 1, &error));
	GT_OR_RETURN(study_distance_of(s, &scene->shown, from->x, scene->truth, 1, &reference_error));
	study_row(&s->table[STUDY_REFERENCE], TXT(c->key), TXT(c->solver), TXT(size_of(scene, size)), TXT(study_device_main(s).name),
	          NUM(of->iterations), NUM(apart.rmse), NUM(apart.largest), NUM(apart.ssim), NUM(error.rmse), NUM(reference_error.rmse));
	if (!pictures)
		return GT_OK;
	GT_OR_RETURN(study_planes(s, FORMAT("%s-reference", c->key), &scene->shown, from->x, NULL, NULL));
	GT_OR_RETURN(study_planes(s, FORMAT("%s-again", c->key), &scene->shown, of->x, NULL, NULL));
	return study_planes(s, FORMAT("%s-difference", c->key), &scene->shown, of->x, from->x, &found_of(s)->narrow[c - study_cases]);
}

/* The same on the main device and on the reference. of: the result of the main device, NULL: unknown. */
static gt_status refer(study *s, const study_case *c, const study_scene *scene, const study_outcome *of, int iterations, int pictures)
{
	study_outcome made = { 0 }, from = { 0 };
	float *data = NULL, *weights = NULL;
	gt_status st = GT_OK;
	GT_TRY(study_case_data(s, c, scene, &data, &weights));
	const study_job main_job = { c, scene, data, weights, study_device_main(s), iterations };
	const study_job reference = { c, scene, data, weights, study_device_reference(s), iterations };
	if (!of) {
		GT_TRY(study_iterate(s, &main_job, &made));
		add_times(s, &main_job, &made);
	}
	GT_TRY(study_iterate(s, &reference, &from));
	add_times(s, &reference, &from);
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
	const int iterations = study_case_iterations(s, c);
	study_outcome o = { 0 };
	float *data = NULL, *weights = NULL;
	gt_status st = GT_OK;
	GT_TRY(study_case_data(s, c, scene, &data, &weights));
	const study_job job = { c, scene, data, weights, study_device_main(s), iterations };
	GT_TRY(study_iterate(s, &job, &o));
	free(data);
	free(weights);
	data = weights = NULL;
	add_times(s, &job, &o);
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

static gt_status run_object(study *s, const char *object, double **rmse)
{
	study_scene scene = { 0 }, small = { 0 }, thin = { 0 };
	const int reduced = found_of(s)->cpu_reduce > 1, head = !strcmp(object, study_cases[1].object);
	gt_status st = GT_OK;
	GT_TRY(study_scene_new(s, object, 1, &scene));
	if (reduced)
		GT_TRY(study_scene_new(s, object, found_of(s)->cpu_reduce, &small));
	for (int i = 0; i < STUDY_CASES; i++)
		if (!strcmp(study_cases[i].object, object))
			GT_TRY(run_case(s, i, &scene, reduced ? &small : NULL, &rmse[i]));
	if (head && reduced && found_of(s)->cpu_iterations > 0) {
		GT_TRY(study_scene_thin(&scene, CPU_EVERY, &thin));
		GT_TRY(refer(s, &study_cases[1], &thin, NULL, found_of(s)->cpu_iterations, 0));
	}
	if (head)
		GT_TRY(study_noise(s, &scene));
done:
	study_scene_free(&thin);
	study_scene_free(&scene);
	study_scene_free(&small);
	return st;
}

/* The views of the circle over two rotations of pitch 31/32 of the detector's height at the axis. */
static gt_status run_helix(study *s)
{
	const gt_orbit circle = s->full;
	study_scene scene = { 0 };
	s->full.turn = HELIX_TURNS * 2 * GT_PI;
	s->full.pitch_per_turn = 31. / 32 * (double)circle.rows * circle.row_pitch * circle.source_to_axis / circle.source_to_detector;
	gt_status st = study_scene_new(s, helix.object, found_of(s)->cpu_reduce, &scene);
	s->full = circle;
	if (st == GT_OK)
		st = refer(s, &helix, &scene, NULL, study_case_iterations(s, &helix), 0);
	study_scene_free(&scene);
	return st;
}

static size_t count_steps(const study *s)
{
	const size_t reduced = found_of(s)->cpu_reduce > 1;
	return 2 * (1 + reduced) + STUDY_CASES * (2 + reduced) + 2 * (reduced && found_of(s)->cpu_iterations > 0) + study_noise_steps(s) +
	       methods_steps(s) + 3 + 1;
}

static gt_status measure(study *s)
{
	double *rmse[STUDY_CASES] = { NULL };
	gt_status st = GT_OK;
	s->steps = found_of(s)->methods_alone ? 1 + methods_steps(s) : count_steps(s);
	if (found_of(s)->methods_alone)
		return methods_measure(s);
	study_begin_tables(s, STUDY_ERRORS, STUDY_RESOLUTION);
	if (found_of(s)->cpu_reduce > 1) {
		const char *why = FORMAT("too long: repeated at 1/%d of the size (--cpu-reduce 1 does it)", found_of(s)->cpu_reduce);
		study_row(&s->table[STUDY_LEFT_OUT], TXT("CPU reference"), TXT("all cases at full size with all iterations"), TXT(why));
	}
	GT_TRY(run_object(s, study_cases[0].object, rmse));
	GT_TRY(run_object(s, study_cases[1].object, rmse));
	GT_TRY(run_helix(s));
	add_convergence(s, (const double *const *)rmse);
	GT_TRY(methods_measure(s));
done:
	for (int i = 0; i < STUDY_CASES; i++)
		free(rmse[i]);
	return st;
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

#define OF_METHODS "set by$|value|noise [HU]|equal noise$|all [HU]|edge [HU]|soft [HU]|bone [HU]|air [HU]|lung [HU]"
static const study_columns tables[] = {
	{ "errors", "case$|volume$|iterations|RMSE, all slices [HU]|RMSE, central half [HU]|mean difference, central half [HU]|"
	            "largest, central half [HU]|SSIM, all slices|SSIM, central half" },
	{ "convergence", "iteration|..." },
	{ "reference", "case$|solver$|size$|device$|iterations|RMSE from the reference [HU]|largest from it [HU]|SSIM with it|"
	               "RMSE from the truth [HU]|reference: RMSE from the truth [HU]" },
	{ "iteration", "case$|solver$|device$|size$|s per iteration|split: projection [s]|backprojection [s]|the rest [s]|the whole [s]" },
	{ "profiles-1", "..." },
	{ "profiles-2", "..." },
	{ "profiles-3", "..." },
	{ "profiles-4", "..." },
	{ "noise", "method$|noise [HU]|..." },
	{ "noise-at-resolution", "method$|edge [HU]|of it$|10-90 % [mm]|noise [HU]|noise of fdk at that width [HU]|ratio" },
	{ "solvers", "body$|method$|" OF_METHODS "|penalty$|iterations|seconds|iterations to 1 HU|seconds to 1 HU" },
	{ "solver-paths", "body$|method$|penalty$|iteration|seconds|error [HU]" },
	{ "solver-costs", "method$|forward per iteration|back per iteration|memory [volumes]|memory [data arrays]|..." },
	{ "penalties", "penalty$|solver$|" OF_METHODS "|overshoot [HU]|memory [volumes]" },
};

const study_kind study_kind_iterative = {
	.name = "iterative",
	.title = "Iterative reconstruction",
	.intro = "All solvers and penalties at equal noise; errors of iterative methods for two heads, differences of a GPU from the CPU, "
		 "the time of an iteration, and noise against resolution. The experiments are those of R. Liu, L. Fu, B. De Man, H. Yu, "
		 "“GPU-based branchless distance-driven projection and backprojection”, IEEE Transactions on Computational Imaging 3 "
		 "(2017), section IV, C; those on scans that are not public are repeated on a phantom.",
	.takes = TAKES_CPU | TAKES_SECONDS | TAKES_SIZE,
	.table = tables,
	.tables = sizeof tables / sizeof *tables,
	.own_size = sizeof(study_findings),
	.prepare = prepare,
	.measure = measure,
	.figures = study_iterative_figures,
	.parts = study_iterative_parts,
};
