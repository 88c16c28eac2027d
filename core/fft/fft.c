/* Filters of padded slices: checks, batches, and sizes with fast transforms. */
#include <fftw3.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "core/fft/fft.h"
#include "core/fft/fft_impl.h"
#include "core/try.h"

pthread_mutex_t gt_fft_planner = PTHREAD_MUTEX_INITIALIZER;

static int is_smooth(size_t n)
{
	for (size_t p = 2; p <= 7; p++)
		while (n % p == 0)
			n /= p;
	return n == 1;
}

size_t gt_fft_size(size_t min)
{
	size_t n = min < 2 ? 2 : min + min % 2;
	while (!is_smooth(n))
		n += 2;
	return n;
}

struct gt_slice_filter {
	gt_slice_filter_plan plan;
	const struct gt_slice_filter_impl *impl;
	void *state;
};
static const struct gt_slice_filter_impl *const impls[GT_NBACKENDS] = { &gt_slice_filter_cpu, GT_IF_CUDA(&gt_slice_filter_cuda) };

/* Batches of equal size, up to one slice. */
static size_t batch_of(const gt_slice_filter_plan *p)
{
	const size_t max = (size_t)256 << 20, bytes = gt_slice_filter_reals(p) * gt_type_size(p->type);
	size_t n = max / bytes;
	n = n < 1 ? 1 : n < p->n[2] ? n : p->n[2];
	const size_t batches = (p->n[2] + n - 1) / n;
	return (p->n[2] + batches - 1) / batches;
}

gt_status gt_slice_filter_new(gt_backend *be, gt_type type, const size_t n[3], gt_slice_filter **out)
{
	gt_status st = GT_OK;
	for (int a = 0; a < 2; a++)
		if (n[a] < 1 || n[a] > INT_MAX / 8)
			return gt_fail(GT_ERR_UNSUPPORTED, "filter of slices: %zu voxels along %s, expected 1 to %d", n[a], a ? "y" : "x",
			               INT_MAX / 8);
	if (n[2] < 1)
		return gt_fail(GT_ERR_ARG, "filter of slices: no slices, expected at least 1");
	gt_slice_filter *s = calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for a filter of slices");
	s->impl = impls[be->kind];
	s->plan = (gt_slice_filter_plan){ .be = gt_backend_hold(be),
		                          .type = type,
		                          .padded = { gt_fft_size(2 * n[0]), gt_fft_size(2 * n[1]) } };
	memcpy(s->plan.n, n, sizeof s->plan.n);
	s->plan.batch = batch_of(&s->plan);
	gt_backend_lock(be);
	st = s->impl->open(&s->plan, &s->state);
	gt_backend_unlock(be);
	GT_TRY(st);
	*out = s;
done:
	if (st != GT_OK)
		gt_slice_filter_free(s);
	return st;
}

void gt_slice_filter_free(gt_slice_filter *s)
{
	if (!s)
		return;
	gt_backend *be = s->plan.be;
	gt_backend_lock(be);
	if (s->state)
		s->impl->close(s->state);
	gt_backend_unlock(be);
	free(s);
	gt_backend_let_go(be);
}

void gt_slice_filter_padded(const gt_slice_filter *s, size_t padded[2]) { memcpy(padded, s->plan.padded, sizeof s->plan.padded); }

static gt_status transform(const size_t padded[2], double *plane)
{
	pthread_mutex_lock(&gt_fft_planner);
	fftw_plan plan = fftw_plan_dft_r2c_2d((int)padded[1], (int)padded[0], plane, (fftw_complex *)plane, FFTW_ESTIMATE);
	pthread_mutex_unlock(&gt_fft_planner);
	if (!plan)
		return gt_fail(GT_ERR_MEMORY, "no plan for a transform of %zu x %zu samples", padded[0], padded[1]);
	fftw_execute(plan);
	pthread_mutex_lock(&gt_fft_planner);
	fftw_destroy_plan(plan);
	pthread_mutex_unlock(&gt_fft_planner);
	return GT_OK;
}

gt_status gt_slice_filter_spectrum(const gt_slice_filter *s, const double *kernel, const size_t center[2], double *spectrum)
{
	const gt_slice_filter_plan *p = &s->plan;
	const size_t *n = p->n, *wide = p->padded;
	gt_status st = GT_OK;
	double *plane = fftw_malloc(gt_slice_filter_reals(p) * sizeof *plane);
	if (!plane)
		return gt_fail(GT_ERR_MEMORY, "no memory for a transform of %zu x %zu samples", wide[0], wide[1]);
	memset(plane, 0, gt_slice_filter_reals(p) * sizeof *plane);
	for (size_t y = 0; y < n[1]; y++)
		for (size_t x = 0; x < n[0]; x++)
			plane[(y + wide[1] - center[1]) % wide[1] * (wide[0] + 2) + (x + wide[0] - center[0]) % wide[0]] =
				kernel[y * n[0] + x];
	GT_TRY(transform(wide, plane));
	for (size_t i = 0; i < gt_slice_filter_waves(p); i++)
		spectrum[i] = plane[2 * i];
done:
	fftw_free(plane);
	return st;
}

/* A forward and an inverse transform multiply by the number of samples. */
gt_status gt_slice_filter_response(const gt_slice_filter *s, const double *spectrum, gt_array **response)
{
	const gt_slice_filter_plan *p = &s->plan;
	const size_t n = gt_slice_filter_waves(p);
	const double samples = (double)p->padded[0] * (double)p->padded[1];
	gt_status st = GT_OK;
	void *host = malloc(n * gt_type_size(p->type));
	if (!host)
		return gt_fail(GT_ERR_MEMORY, "no memory for a response of %zu numbers", n);
	GT_TRY(gt_array_new(p->be, p->type, n, response));
	for (size_t i = 0; i < n; i++)
		if (p->type == GT_F32)
			((float *)host)[i] = (float)(spectrum[i] / samples);
		else
			((double *)host)[i] = spectrum[i] / samples;
	gt_array_put(host, *response);
	gt_backend_wait(p->be);
done:
	free(host);
	return st;
}

static int fits(const gt_slice_filter_plan *p, const gt_array *a, size_t n, const char *what)
{
	if (gt_array_backend(a) == p->be && a->type == p->type && a->n == n)
		return 1;
	gt_backend_fail(p->be, gt_fail(GT_ERR_ARG, "filter of slices: %s has %zu %s values on %s, expected %zu %s values on %s", what, a->n,
	                               gt_type_name(a->type), a->be->name, n, gt_type_name(p->type), p->be->name));
	return 0;
}

void gt_slice_filter_apply(const gt_slice_filter *s, const gt_array *response, const gt_slice_filter_share *share, int add,
                           const gt_array *x, gt_array *y)
{
	const gt_slice_filter_plan *p = &s->plan;
	const size_t n = p->n[0] * p->n[1] * p->n[2];
	if (fits(p, response, gt_slice_filter_waves(p), "the response") && fits(p, share->scale, n, "the scale") &&
	    (!share->place || fits(p, share->place, n, "the position")) && fits(p, x, n, "the volume") && fits(p, y, n, "the result") &&
	    gt_backend_begin(p->be)) {
		s->impl->filter(s->state, response->data, share, add, x->data, y->data);
		gt_backend_end(p->be);
	}
}
