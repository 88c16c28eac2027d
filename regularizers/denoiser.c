/* User-defined denoisers as proximal steps: the volume is copied to the host, denoised, validated and copied back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "core/try.h"
#include "regularizers/pass.h"

struct state {
	gt_denoiser d;
	struct gt_penalty_ops ops;
	struct gt_site site;
	gt_grid grid;
	void *in, *out; /* one volume each, on the host */
};

/* Unknown: a denoiser adds no value to the cost. */
static double value(void *self, const gt_array *x)
{
	(void)self, (void)x;
	return 0;
}

static double element(const struct state *s, size_t i)
{
	return s->site.type == GT_F64 ? ((const double *)s->out)[i] : (double)((const float *)s->out)[i];
}

/* Validates the denoiser's output. */
static gt_status check(const struct state *s, const gt_denoise_call *call)
{
	const size_t n = s->site.voxels;
	if (call->written != n)
		return gt_fail(GT_ERR_ARG, "denoiser '%s': returned %zu values, expected %zu, the number that it was given", s->d.name,
		               call->written, n);
	for (size_t i = 0; i < n; i++)
		if (!isfinite(element(s, i)))
			return gt_fail(GT_ERR_ARG, "denoiser '%s': returned %g at voxel (%zu, %zu, %zu): expected finite values", s->d.name,
			               element(s, i), i % s->site.n[0], i / s->site.n[0] % s->site.n[1], i / s->site.n[0] / s->site.n[1]);
	return GT_OK;
}

static gt_status denoise(const struct state *s, double t)
{
	gt_denoise_call call = { sizeof call, &s->grid, s->site.type, t, s->in, s->out, 0 };
	const gt_status st = s->d.denoise(s->d.self, &call);
	return st == GT_OK ? check(s, &call) : gt_fail(st, "denoiser '%s' failed: %s", s->d.name, gt_error());
}

static void prox(void *self, double t, double lo, double hi, const gt_array *z, gt_array *x)
{
	struct state *s = self;
	if (!gt_site_fits(&s->site, z) || !gt_site_fits(&s->site, x) || !gt_site_takes_step(&s->site, t, lo, hi))
		return;
	if (t > 0) {
		gt_array_get(z, s->in);
		if (s->site.be->status != GT_OK)
			return;
		const gt_status st = denoise(s, t);
		if (st != GT_OK) {
			gt_backend_fail(s->site.be, st);
			return;
		}
		gt_array_put(s->out, x);
	} else if (x != z)
		gt_copy(z, x);
	gt_clamp(lo, hi, x);
}

static void release(void *self)
{
	struct state *s = self;
	if (s->d.free)
		s->d.free(s->d.self);
	gt_site_close(&s->site);
	free(s->in);
	free(s->out);
	free(s);
}

static gt_status check_given(const gt_denoiser *d, const gt_grid *grid)
{
	if (!d || !d->denoise || !d->name)
		return gt_fail(GT_ERR_ARG, "a denoiser as a penalty: expected its name and its function, found NULL");
	if (d->size != sizeof *d)
		return gt_fail(GT_ERR_ARG, "denoiser '%s': a struct of %zu bytes, expected %zu", d->name, d->size, sizeof *d);
	return gt_grid_check(grid, NULL);
}

gt_status gt_penalty_of_denoiser(const gt_denoiser *d, gt_backend *be, gt_type type, const gt_grid *grid, gt_penalty **R)
{
	struct state *s = NULL;
	gt_status st = check_given(d, grid);
	GT_TRY(st);
	GT_TRY(gt_backend_check(be));
	if (gt_ranks(be) > 1)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "denoiser '%s' cannot run on several devices together: expected one", d->name));
	if (!(s = calloc(1, sizeof *s)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for denoiser '%s'", d->name));
	s->d = *d;
	s->grid = *grid;
	s->ops = (struct gt_penalty_ops){ .name = d->name, .value = value, .prox = prox, .free = release };
	const size_t n = gt_grid_voxels(grid), size = gt_type_size(type);
	if (!(s->in = calloc(n, size)) || !(s->out = calloc(n, size)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "denoiser '%s' needs %.3g MB on the host", d->name, 2e-6 * (double)n * (double)size));
	GT_TRY(gt_site_open(&s->site, d->name, be, type, grid));
	return gt_penalty_new(&s->ops, s, be, type, n, 0, R);
done:
	if (s)
		release(s);
	else if (d && d->free)
		d->free(d->self);
	return st;
}
