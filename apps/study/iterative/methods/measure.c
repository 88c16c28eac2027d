/* One run with the picture and the time of every iteration; a method at the target noise, by its strength, else by
 * its last iteration. */
#include "apps/study/iterative/methods/methods.h"

/* Excludes the work between iterations from their time. */
static int each(void *self, const gt_recon_progress *p)
{
	method_trace *t = self;
	if (p->phase == GT_RECON_BEGINS || p->phase == GT_RECON_ITERATION)
		t->begun = app_seconds();
	return t->failed;
}

/* Comes before each() of the same iteration. */
static void take(void *self, const gt_recon_slices *s)
{
	method_trace *t = self;
	t->spent += app_seconds() - t->begun;
	const size_t done = (size_t)t->iterations;
	t->failed = !study_grow(&t->x, done, &t->x_capacity, t->n * sizeof *t->x) ||
	            !study_grow(&t->seconds, done, &t->capacity, sizeof *t->seconds);
	if (t->failed)
		return;
	memcpy(t->x + (size_t)t->iterations * t->n, s->slice[2], t->n * sizeof *t->x);
	t->seconds[t->iterations++] = t->spent;
}

gt_status method_trace_run(const study *s, const quality_scene *scene, const method *m, int draw, double strength, int times,
                           method_trace *t)
{
	quality_candidate c = m->of;
	gt_recon *r = NULL;
	gt_volume *v = NULL;
	gt_status st = GT_OK;
	*t = (method_trace){ .n = scene->grid.n[0] * scene->grid.n[1] };
	c.solver = SPEC(m->solver, "iterations=%d", times * m->iterations);
	GT_TRY(gt_volume_new(&scene->grid, &v));
	GT_TRY(quality_recon(s, scene, &c, draw, scene->of->noise, strength, &r));
	gt_recon_on_progress(r, each, t);
	gt_recon_on_slices(r, 0, take, t);
	GT_TRY(gt_recon_run(r, v));
	if (t->failed)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "pictures of all iterations need more memory than there is"));
	if (!t->iterations)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "the solver completed no iteration"));
done:
	gt_recon_free(r);
	gt_volume_free(v);
	if (st != GT_OK)
		method_trace_free(t);
	return st;
}

void method_trace_free(method_trace *t)
{
	free(t->seconds);
	free(t->x);
	*t = (method_trace){ .n = 0 };
}

double method_apart(const quality_scene *scene, const float *a, const float *b)
{
	const size_t n = scene->grid.n[0] * scene->grid.n[1];
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
	return 1000 / scene->of->water * sqrt(sum / (double)n);
}

enum { LONGER = 3, HALVINGS = 12 };
#define NEAR 1.0 /* HU */

/* Finds the iteration from which pictures stay near the last one. */
static void find_near(const quality_scene *scene, const method_trace *t, const float *last, int iterations, method_run *run)
{
	run->near = run->near_seconds = NAN;
	for (int k = iterations - 1; k >= 0 && method_apart(scene, method_trace_x(t, k), last) <= NEAR; k--) {
		run->near = k + 1;
		run->near_seconds = t->seconds[k];
	}
}

static gt_status by_strength(study *s, const quality_scene *scene, const method *m, double noise, method_run *run)
{
	method_trace longer = { .n = 0 };
	quality_result asked = { .runs = 0 };
	gt_status st = GT_OK;
	GT_TRY(quality_match(s, scene, &m->of, noise, m->guess, m->guess > 0 ? NULL : &asked, &run->r));
	GT_TRY(method_trace_run(s, scene, m, 0, run->r.strength, 1, &run->trace));
	GT_TRY(method_trace_run(s, scene, m, 0, run->r.strength, LONGER, &longer));
	run->iterations = run->trace.iterations;
	run->seconds = run->trace.seconds[run->trace.iterations - 1];
	find_near(scene, &run->trace, method_trace_x(&longer, longer.iterations - 1), run->trace.iterations, run);
done:
	method_trace_free(&longer);
	return st;
}

/* Mixes the iterations k and k + 1 of all draws. */
static void mix(const method_trace t[QUALITY_DRAWS], int k, double part, float *x[QUALITY_DRAWS])
{
	for (int d = 0; d < QUALITY_DRAWS; d++) {
		const float *a = method_trace_x(&t[d], k), *b = k + 1 < t[d].iterations ? method_trace_x(&t[d], k + 1) : a;
		for (size_t i = 0; i < t[d].n; i++)
			x[d][i] = (float)(a[i] + part * ((double)b[i] - a[i]));
	}
}

static double noise_at(const quality_scene *scene, const method_trace t[QUALITY_DRAWS], double at, float *x[QUALITY_DRAWS],
                       quality_result *r)
{
	mix(t, (int)at, at - floor(at), x);
	quality_errors(scene, (const float *const *)x, r);
	return r->noise;
}

/* Returns the position at which the noise first reaches the target, counted from 0; the last iteration if it does
 * not. */
static double find_stop(const quality_scene *scene, const method_trace t[QUALITY_DRAWS], int iterations, float *x[QUALITY_DRAWS],
                        quality_result *r)
{
	const double noise = scene->of->noise;
	for (int k = 0; k < iterations; k++) {
		if (!(noise_at(scene, t, k, x, r) > noise))
			continue;
		double low = k ? k - 1 : 0, high = k;
		for (int i = 0; i < HALVINGS && k; i++) {
			const double centre = (low + high) / 2;
			*(noise_at(scene, t, centre, x, r) > noise ? &high : &low) = centre;
		}
		return high;
	}
	return iterations - 1;
}

static gt_status by_iterations(study *s, const quality_scene *scene, const method *m, method_run *run)
{
	method_trace t[QUALITY_DRAWS] = { { .n = 0 } };
	float *x[QUALITY_DRAWS] = { NULL };
	int min = m->iterations;
	gt_status st = GT_OK;
	for (int d = 0; d < QUALITY_DRAWS; d++) {
		GT_TRY(method_trace_run(s, scene, m, d, 0, 1, &t[d]));
		min = t[d].iterations < min ? t[d].iterations : min;
		GT_TRY(study_host_floats(t[d].n, "a picture", &x[d]));
	}
	run->r = (quality_result){ .strength = NAN, .overshoot = NAN, .runs = 1 };
	const double stop = find_stop(scene, t, min, x, &run->r);
	noise_at(scene, t, stop, x, &run->r);
	const int whole = (int)ceil(stop);
	run->iterations = run->r.strength = stop + 1;
	run->seconds = t[0].seconds[whole];
	find_near(scene, &t[0], x[0], whole + 1, run);
	run->r.x = x[0];
	run->trace = t[0];
	x[0] = NULL;
	t[0] = (method_trace){ .n = 0 };
done:
	for (int d = 0; d < QUALITY_DRAWS; d++) {
		method_trace_free(&t[d]);
		free(x[d]);
	}
	return st;
}

gt_status method_measure(study *s, const quality_scene *scene, const method *m, double noise, method_run *run)
{
	*run = (method_run){ .near = NAN };
	const gt_status st = m->by_iterations ? by_iterations(s, scene, m, run) : by_strength(s, scene, m, noise, run);
	if (st != GT_OK)
		method_run_free(run);
	return st;
}

void method_run_free(method_run *run)
{
	quality_result_free(&run->r);
	method_trace_free(&run->trace);
}
