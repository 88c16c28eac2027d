/* Filters of padded slices on the CPU by FFTW: each worker transforms one slice at a time. */
#include <fftw3.h>
#include <stdlib.h>
#include <string.h>
#include "core/fft/fft.h"
#include "core/fft/fft_impl.h"

struct state {
	gt_slice_filter_plan plan;
	char *work;
	size_t stride, bytes; /* bytes of one worker's slice, and in all */
	fftwf_plan fftwf_forth, fftwf_back;
	fftw_plan fftw_forth, fftw_back;
};
struct filtering {
	const struct state *state;
	const void *response, *x;
	const gt_slice_filter_share *share;
	void *y;
	int add;
};

#define T float
#define NAMED(name) name##_single
#define FFTW(name) fftwf_##name
#include "core/fft/fft_cpu_typed.inc"
#undef T
#undef NAMED
#undef FFTW
#define T double
#define NAMED(name) name##_double
#define FFTW(name) fftw_##name
#include "core/fft/fft_cpu_typed.inc"
#undef T
#undef NAMED
#undef FFTW

static void close_(void *self)
{
	struct state *s = self;
	pthread_mutex_lock(&gt_fft_planner);
	drop_single(s);
	drop_double(s);
	pthread_mutex_unlock(&gt_fft_planner);
	gt_backend_free(s->plan.be, s->work, s->bytes);
	free(s);
}

static gt_status open_(const gt_slice_filter_plan *p, void **out)
{
	struct state *s = calloc(1, sizeof *s);
	gt_status st = GT_OK;
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for a filter of slices");
	s->plan = *p;
	s->stride = (gt_slice_filter_reals(p) * gt_type_size(p->type) + 63) / 64 * 64;
	s->bytes = s->stride * (size_t)gt_pool_threads(p->be->pool);
	if (!(s->work = gt_backend_alloc(p->be, s->bytes, "padded slices"))) {
		st = GT_ERR_MEMORY;
	} else if (!p->be->dry_run) {
		pthread_mutex_lock(&gt_fft_planner);
		const int planned = p->type == GT_F32 ? plan_single(s) : plan_double(s);
		pthread_mutex_unlock(&gt_fft_planner);
		if (!planned)
			st = gt_fail(GT_ERR_MEMORY, "no plan for transforms of %zu x %zu samples", p->padded[0], p->padded[1]);
	}
	if (st != GT_OK)
		close_(s);
	else
		*out = s;
	return st;
}

static void filter_(void *self, const void *response, const gt_slice_filter_share *share, int add, const void *x, void *y)
{
	const struct state *s = self;
	struct filtering f = { s, response, x, share, y, add };
	gt_parallel(s->plan.be->pool, s->plan.n[2], 1, s->plan.type == GT_F32 ? filter_slices_single : filter_slices_double, &f);
}

const struct gt_slice_filter_impl gt_slice_filter_cpu = { open_, filter_, close_ };
