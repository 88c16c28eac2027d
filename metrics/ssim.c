/* Structural similarity: moments under a Gaussian window, along each line first, then across the last eleven lines,
 * which a ring buffer holds. It takes 440 bytes for each pixel of a line and each thread. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/metrics.h>
#include "core/arguments.h"
#include "core/try.h"

enum { WINDOW = GT_SSIM_WINDOW, MOMENTS = 5 }; /* means of a, b, a^2, b^2, ab */
static const double sigma = 1.5, k1 = 0.01, k2 = 0.03;

typedef struct {
	const gt_image_pair *p;
	const gt_image_region *region;
	double range, weight[WINDOW];
	double *rings, *sum; /* WINDOW lines for each worker; one number for each slice */
	size_t *count;       /* windows of each slice */
	size_t wide;         /* windows along a line */
} work;

/* Filters the moments of a and b along a line by the Gaussian window. */
static void filter_line(const work *w, const float *a, const float *b, double *out)
{
	for (size_t c = 0; c < w->wide; c++) {
		double m[MOMENTS] = { 0 };
		for (int k = 0; k < WINDOW; k++) {
			const double g = w->weight[k], x = a[c + (size_t)k], y = b[c + (size_t)k];
			m[0] += g * x;
			m[1] += g * y;
			m[2] += g * x * x;
			m[3] += g * y * y;
			m[4] += g * x * y;
		}
		memcpy(out + MOMENTS * c, m, sizeof m);
	}
}

static double similarity(const double *m, double range)
{
	const double c1 = k1 * range * k1 * range, c2 = k2 * range * k2 * range;
	const double aa = m[2] - m[0] * m[0], bb = m[3] - m[1] * m[1], ab = m[4] - m[0] * m[1];
	return (2 * m[0] * m[1] + c1) * (2 * ab + c2) / ((m[0] * m[0] + m[1] * m[1] + c1) * (aa + bb + c2));
}

/* Adds the windows of the lines in `ring`, the last WINDOW filtered lines; `line`: the oldest of them. */
static void add_windows(const work *w, const double *ring, size_t line, size_t slice)
{
	const unsigned char *inside = w->region->inside;
	const size_t stride = MOMENTS * w->wide, middle = WINDOW / 2;
	for (size_t c = 0; c < w->wide; c++) {
		double m[MOMENTS] = { 0 };
		if (inside && !inside[(line + middle) * w->p->pixels + c + middle])
			continue;
		for (size_t k = 0; k < WINDOW; k++) {
			const double *from = ring + (line + k) % WINDOW * stride + MOMENTS * c;
			for (int i = 0; i < MOMENTS; i++)
				m[i] += w->weight[k] * from[i];
		}
		w->sum[slice] += similarity(m, w->range);
		w->count[slice]++;
	}
}

static void slices(void *self, size_t begin, size_t end, int worker)
{
	const work *w = self;
	const gt_image_pair *p = w->p;
	const size_t stride = MOMENTS * w->wide;
	double *ring = w->rings + (size_t)worker * WINDOW * stride;
	for (size_t s = begin; s < end; s++)
		for (size_t l = 0; l < p->lines; l++) {
			const size_t at = (w->region->first_slice + s) * p->slice_stride + l * p->line_stride;
			filter_line(w, p->a + at, p->b + at, ring + l % WINDOW * stride);
			if (l + 1 >= WINDOW)
				add_windows(w, ring, l + 1 - WINDOW, s);
		}
}

static void fill_weights(double *weight)
{
	double sum = 0;
	for (int k = 0; k < WINDOW; k++)
		sum += weight[k] = exp(-0.5 * (k - WINDOW / 2) * (k - WINDOW / 2) / (sigma * sigma));
	for (int k = 0; k < WINDOW; k++)
		weight[k] /= sum;
}

gt_status gt_ssim(const gt_image_pair *p, const gt_image_region *region, double range, gt_pool *pool, double *mean)
{
	GT_NEED(p);
	GT_NEED(region);
	GT_NEED(mean);
	const size_t n = region->slices;
	work w = { .p = p, .region = region, .range = range };
	double sum = 0;
	size_t count = 0;
	gt_status st = GT_OK;
	*mean = NAN;
	if (p->pixels < WINDOW || p->lines < WINDOW || !n)
		return GT_OK;
	w.wide = p->pixels - WINDOW + 1;
	w.rings = malloc((size_t)gt_pool_threads(pool) * WINDOW * MOMENTS * w.wide * sizeof *w.rings);
	w.sum = calloc(n, sizeof *w.sum);
	w.count = calloc(n, sizeof *w.count);
	if (!w.rings || !w.sum || !w.count)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for the similarity of %zu slices", n));
	fill_weights(w.weight);
	gt_parallel(pool, n, 1, slices, &w);
	for (size_t s = 0; s < n; s++) {
		sum += w.sum[s];
		count += w.count[s];
	}
	if (count)
		*mean = sum / (double)count;
done:
	free(w.rings);
	free(w.sum);
	free(w.count);
	return st;
}
