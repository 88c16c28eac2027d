/* A run with the picture and the time of every iteration. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/cli/try.h"
#include "apps/study/iterative/methods/methods.h"

/* What is done between iterations is not theirs. */
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
	if ((size_t)t->iterations == t->room) {
		const size_t room = t->room ? 2 * t->room : 64;
		float *x = realloc(t->x, room * t->n * sizeof *x);
		t->x = x ? x : t->x;
		double *seconds = realloc(t->seconds, room * sizeof *seconds);
		t->seconds = seconds ? seconds : t->seconds;
		t->failed = !x || !seconds;
		if (t->failed)
			return;
		t->room = room;
	}
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
	char *text = method_solver_text(m, times * m->iterations);
	*t = (method_trace){ .n = scene->grid.n[0] * scene->grid.n[1] };
	GT_TRY(text ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory"));
	c.solver = text;
	GT_TRY(gt_volume_new(&scene->grid, &v));
	GT_TRY(quality_recon(s, scene, &c, draw, scene->of->noise, strength, &r));
	gt_recon_on_progress(r, each, t);
	gt_recon_on_slices(r, 0, take, t);
	GT_TRY(gt_recon_run(r, v));
	if (t->failed)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "pictures of all iterations need more memory than there is"));
	if (!t->iterations)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "it made no iteration"));
done:
	free(text);
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
