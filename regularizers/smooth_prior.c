/* Penalties made of four passes: value, gradient with majorizer, majorizer of all volumes, line. */
#include <math.h>
#include <stdlib.h>
#include "core/try.h"
#include "regularizers/smooth_prior.h"

struct prior {
	struct gt_site site;
	struct gt_smooth_passes passes;
	struct gt_pass_call call;
	struct gt_penalty_ops ops;
	gt_array *own, *room[4];
};

/* Arrays of a pass. In a team they are buffers with a halo: inputs are fetched, outputs that accumulate start at 0. */
enum { X, ALONG, G, D, GIVEN };

static struct gt_pass_call call_of(const struct prior *s, const gt_array *const given[GIVEN])
{
	struct gt_pass_call call = s->call;
	for (int i = 0; i < GIVEN; i++) {
		call.a[i] = given[i] ? given[i]->data : NULL;
		if (!given[i] || !s->site.shares)
			continue;
		if (i < G)
			gt_halo_fetch(&s->site.halo, given[i], s->room[i]);
		else
			gt_fill(0, s->room[i]);
		call.a[i] = gt_halo_begin(&s->site.halo, s->room[i]);
	}
	return call;
}

static void added(const struct prior *s, int which, gt_array *to)
{
	if (to && s->site.shares)
		gt_halo_add(&s->site.halo, s->room[which], to);
}

static void value_async(void *self, const gt_array *x, double *value)
{
	const struct prior *s = self;
	*value = NAN;
	if (!gt_site_fits(&s->site, x))
		return;
	const struct gt_pass_call call = call_of(s, (const gt_array *[GIVEN]){ [X] = x });
	gt_site_run(&s->site, s->passes.value, &call, value, NULL);
}

static double value(void *self, const gt_array *x)
{
	double sum;
	value_async(self, x, &sum);
	gt_reductions_wait(((const struct prior *)self)->site.be);
	return sum;
}

static void gradient(void *self, const gt_array *x, gt_array *g, gt_array *d)
{
	const struct prior *s = self;
	if (!gt_site_fits(&s->site, x) || !gt_site_fits(&s->site, g) || (d && !gt_site_fits(&s->site, d)))
		return;
	const struct gt_pass_call call = call_of(s, (const gt_array *[GIVEN]){ [X] = x, [G] = g, [D] = d });
	gt_site_run(&s->site, s->passes.gradient, &call, NULL, NULL);
	added(s, G, g);
	added(s, D, d);
}

static void majorize(void *self, gt_array *d)
{
	const struct prior *s = self;
	if (!gt_site_fits(&s->site, d))
		return;
	const struct gt_pass_call call = call_of(s, (const gt_array *[GIVEN]){ [D] = d });
	gt_site_run(&s->site, s->passes.majorize, &call, NULL, NULL);
	added(s, D, d);
}

static void line(void *self, const gt_array *x, const gt_array *p, double a, double *slope, double *curvature)
{
	const struct prior *s = self;
	*slope = *curvature = NAN;
	if (gt_site_fits(&s->site, x) && gt_site_fits(&s->site, p)) {
		struct gt_pass_call call = call_of(s, (const gt_array *[GIVEN]){ [X] = x, [ALONG] = p });
		call.k[GT_PASS_ALONG] = a;
		gt_site_run(&s->site, s->passes.line, &call, slope, curvature);
	}
	gt_reductions_wait(s->site.be);
}

static void release(void *self)
{
	struct prior *s = self;
	gt_array_free(s->own);
	for (int i = 0; i < GIVEN; i++)
		gt_array_free(s->room[i]);
	gt_site_close(&s->site);
	free(s);
}

void gt_pass_call_set(struct gt_pass_call *call, const gt_grid *grid, double strength)
{
	call->k[GT_PASS_STRENGTH] = strength;
	for (int a = 0; a < 3; a++)
		call->k[GT_PASS_W + a] = grid->pitch[0] / grid->pitch[a];
}

gt_status gt_smooth_prior_new(struct gt_site *site, const struct gt_smooth_passes *passes, const struct gt_pass_call *call, int convex,
                              gt_array *own, gt_penalty **R)
{
	gt_status st = GT_OK;
	struct prior *s = malloc(sizeof *s);
	if (!s) {
		gt_array_free(own);
		gt_site_close(site);
		return gt_fail(GT_ERR_MEMORY, "no memory for penalty '%s'", site->name);
	}
	*s = (struct prior){ .site = *site, .passes = *passes, .call = *call, .own = own };
	s->ops = (struct gt_penalty_ops){ .name = site->name,
		                          .value = value,
		                          .gradient = gradient,
		                          .majorize = majorize,
		                          .line = line,
		                          .free = release,
		                          .value_async = value_async };
	for (int i = 0; i < GIVEN && site->shares; i++)
		GT_TRY(gt_halo_room(&site->halo, 1, &s->room[i]));
	return gt_penalty_new(&s->ops, s, site->be, site->type, site->shares ? site->halo.slices * site->halo.plane : site->voxels, convex,
	                      R);
done:
	release(s);
	return st;
}
