/* User-defined denoisers as proximal steps. The volume is passed in batches of slices, copied to the host or in the
 * memory of the backend. The result is validated and copied back. */
#include <math.h>
#include <stddef.h>
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
	size_t slices, slice; /* largest number per call; voxels of one */
	void *in, *out;       /* a batch each, on the host */
	gt_array *made;       /* a batch on the backend */
};

/* Unknown: a denoiser adds no value to the cost. */
static double value(void *self, const gt_array *x)
{
	(void)self, (void)x;
	return 0;
}

static double element(gt_type type, const void *values, size_t i)
{
	return type == GT_F64 ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

/* Validates n values on the host, which begin at slice `first`. */
static gt_status check_values(const struct state *s, const void *values, size_t first, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const double found = element(s->site.type, values, i);
		if (!isfinite(found))
			return gt_fail(GT_ERR_ARG, "denoiser '%s': returned %g at voxel (%zu, %zu, %zu): expected finite values", s->d.name,
			               found, i % s->site.n[0], i / s->site.n[0] % s->site.n[1], first + i / s->slice);
	}
	return GT_OK;
}

/* A finite sum proves that all values are finite. Otherwise the values are fetched and searched. */
static gt_status check_array(const struct state *s, const gt_array *a, size_t first)
{
	gt_status st = GT_OK;
	if (isfinite(gt_sum(a)))
		return GT_OK;
	GT_TRY(gt_backend_known(s->site.be));
	void *values = malloc(gt_array_bytes(a));
	if (!values)
		return gt_fail(GT_ERR_ARG, "denoiser '%s': returned values that are not finite: expected finite values", s->d.name);
	gt_array_get(a, values);
	st = check_values(s, values, first, gt_array_size(a));
	free(values);
done:
	return st;
}

static gt_status call_denoiser(const struct state *s, gt_denoise_call *call)
{
	const size_t n = call->slices * s->slice;
	const gt_status st = s->d.denoise(s->d.self, call);
	if (st != GT_OK)
		return gt_fail(st, "denoiser '%s' failed: %s", s->d.name, gt_error());
	if (call->written != n)
		return gt_fail(GT_ERR_ARG, "denoiser '%s': returned %zu values, expected %zu, the number that it was given", s->d.name,
		               call->written, n);
	return GT_OK;
}

/* Denoises slices `first` and following of z to x; both are parts of the volume. */
static gt_status denoise(const struct state *s, double t, size_t first, const gt_array *z, gt_array *x)
{
	const size_t n = gt_array_size(z);
	gt_denoise_call call = { .size = sizeof call, .grid = &s->grid, .type = s->site.type, .t = t };
	gt_status st = GT_OK;
	call.memory = s->d.memory;
	call.first = first;
	call.slices = n / s->slice;
	if (s->made) {
		gt_array made = gt_array_at(s->site.be, s->site.type, n, gt_array_data(s->made));
		call.in = gt_array_data(z);
		call.out = made.data;
		call.stream = gt_backend_stream(s->site.be);
		GT_TRY(call_denoiser(s, &call));
		GT_TRY(check_array(s, &made, first));
		gt_copy(&made, x);
		return GT_OK;
	}
	gt_array_get(z, s->in);
	GT_TRY(gt_backend_known(s->site.be));
	call.in = s->in;
	call.out = s->out;
	GT_TRY(call_denoiser(s, &call));
	GT_TRY(check_values(s, s->out, first, n));
	gt_array_put(s->out, x);
done:
	return st;
}

static gt_array part(const struct state *s, const gt_array *a, size_t first, size_t slices)
{
	return gt_array_at(s->site.be, s->site.type, slices * s->slice,
	                   (char *)gt_array_data(a) + first * s->slice * gt_type_size(s->site.type));
}

static void prox(void *self, double t, double lo, double hi, const gt_array *z, gt_array *x)
{
	struct state *s = self;
	if (!gt_site_fits(&s->site, z) || !gt_site_fits(&s->site, x) || !gt_site_takes_step(&s->site, t, lo, hi))
		return;
	if (!(t > 0)) {
		if (x != z)
			gt_copy(z, x);
	} else if (!gt_backend_is_dry_run(s->site.be))
		for (size_t first = 0; first < s->site.n[2]; first += s->slices) {
			const size_t left = s->site.n[2] - first, slices = left < s->slices ? left : s->slices;
			const gt_array from = part(s, z, first, slices);
			gt_array to = part(s, x, first, slices);
			const gt_status st = denoise(s, t, first, &from, &to);
			if (st != GT_OK) {
				gt_backend_fail(s->site.be, st);
				return;
			}
		}
	if (lo > -INFINITY || hi < INFINITY)
		gt_clamp(lo, hi, x);
}

static void release(void *self)
{
	struct state *s = self;
	if (s->d.free)
		s->d.free(s->d.self);
	gt_site_close(&s->site);
	gt_array_free(s->made);
	free(s->in);
	free(s->out);
	free(s);
}

/* Copies the members that the caller's version of the struct has. */
static gt_status take_given(const gt_denoiser *d, const gt_grid *grid, gt_denoiser *own)
{
	const size_t before = offsetof(gt_denoiser, memory);
	if (!d || !d->denoise || !d->name)
		return gt_fail(GT_ERR_ARG, "a denoiser as a penalty: expected its name and its function, found NULL");
	if (d->size != sizeof *d && d->size != before)
		return gt_fail(GT_ERR_ARG, "denoiser '%s': a struct of %zu bytes, expected %zu", d->name, d->size, sizeof *d);
	memcpy(own, d, d->size);
	if (own->memory != GT_HOST_MEMORY && own->memory != GT_DEVICE_MEMORY)
		return gt_fail(GT_ERR_ARG, "denoiser '%s': memory %d, expected GT_HOST_MEMORY or GT_DEVICE_MEMORY", d->name,
		               (int)own->memory);
	return gt_grid_check(grid, NULL);
}

/* Allocates the memory of a batch. */
static gt_status allocate(struct state *s, gt_backend *be, gt_type type)
{
	const size_t n = s->slices * s->slice, size = gt_type_size(type);
	if (s->d.memory == GT_DEVICE_MEMORY)
		return gt_array_new(be, type, n, &s->made);
	if (!(s->in = calloc(n, size)) || !(s->out = calloc(n, size)))
		return gt_fail(GT_ERR_MEMORY, "denoiser '%s' needs %.3g MB on the host", s->d.name, 2e-6 * (double)n * (double)size);
	return GT_OK;
}

gt_status gt_penalty_of_denoiser(const gt_denoiser *d, gt_backend *be, gt_type type, const gt_grid *grid, gt_penalty **R)
{
	struct state *s = NULL;
	gt_denoiser own = { .size = 0 };
	gt_status st = take_given(d, grid, &own);
	GT_TRY(st);
	GT_TRY(gt_backend_check(be));
	if (gt_ranks(be) > 1)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "denoiser '%s' cannot run on several devices together: expected one", d->name));
	if (!(s = calloc(1, sizeof *s)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for denoiser '%s'", d->name));
	s->d = own;
	s->grid = *grid;
	s->slice = grid->n[0] * grid->n[1];
	s->slices = own.slices && own.slices < grid->n[2] ? own.slices : grid->n[2];
	s->ops = (struct gt_penalty_ops){ .name = d->name, .value = value, .prox = prox, .free = release };
	GT_TRY(allocate(s, be, type));
	GT_TRY(gt_site_open(&s->site, d->name, be, type, grid));
	return gt_penalty_new(&s->ops, s, be, type, gt_grid_voxels(grid), 0, R);
done:
	if (s)
		release(s);
	else if (d && d->free)
		d->free(d->self);
	return st;
}
