/* Transmitted photon counts on the CPU: ray by ray, so independent of the threads. */
#include "core/counts/counts_impl.h"

enum { GRAIN = 4096 };

#define LOOP(T)                                                                                                                   \
	static void rays_##T(void *self, size_t i, size_t end, int worker)                                                        \
	{                                                                                                                         \
		const gt_counts_work *j = self;                                                                                   \
		const T *l = j->l, *p = j->p, *w = j->w;                                                                          \
		T *out = j->out;                                                                                                  \
		(void)worker;                                                                                                     \
		for (; i < end; i++)                                                                                              \
			out[i] = (T)((w ? (double)w[i] : 1) * gt_counts_ray(j->what, j->background, (double)l[i], (double)p[i])); \
	}
LOOP(float)
LOOP(double)

static void run(gt_backend *be, gt_type type, const gt_counts_work *w)
{
	gt_counts_work job = *w;
	gt_parallel(be->pool, w->n, GRAIN, type == GT_F32 ? rays_float : rays_double, &job);
}

const struct gt_counts_impl gt_counts_cpu = { run };
