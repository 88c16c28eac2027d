/* Differences of two images, summed in double precision in the order of slices, lines and pixels. It takes no memory. */
#include <math.h>
#include <gantry/metrics.h>

void gt_image_pair_of_volumes(const gt_grid *grid, const float *a, const float *b, gt_image_pair *p)
{
	const size_t *n = grid->n;
	*p = (gt_image_pair){
		.a = a, .b = b, .slices = n[2], .lines = n[1], .pixels = n[0], .slice_stride = n[1] * n[0], .line_stride = n[0]
	};
}

void gt_image_region_central(size_t slices, double central, gt_image_region *region)
{
	const size_t skip = (size_t)((double)slices * (1 - central) / 2);
	*region = (gt_image_region){ .first_slice = skip, .slices = slices - 2 * skip };
}

void gt_image_region_circle(const gt_grid *grid, double radius, unsigned char *inside)
{
	for (size_t j = 0; j < grid->n[1]; j++)
		for (size_t i = 0; i < grid->n[0]; i++) {
			const double x = gt_grid_first(grid, 0) + (double)i * grid->pitch[0],
				     y = gt_grid_first(grid, 1) + (double)j * grid->pitch[1];
			inside[j * grid->n[0] + i] = isinf(radius) || hypot(x, y) <= radius;
		}
}

struct sums {
	double squares, reference, difference, lowest, highest;
};

static void add_line(const float *a, const float *b, const unsigned char *inside, size_t pixels, struct sums *s, gt_image_distance *d)
{
	for (size_t i = 0; i < pixels; i++) {
		const double y = b[i], difference = a[i] - y;
		if (inside && !inside[i])
			continue;
		d->count++;
		s->squares += difference * difference;
		s->reference += y * y;
		s->difference += difference;
		d->max = fabs(difference) > d->max || isnan(difference) ? fabs(difference) : d->max;
		s->lowest = fmin(s->lowest, y);
		s->highest = fmax(s->highest, y);
	}
}

void gt_image_error(const gt_image_pair *p, const gt_image_region *region, gt_image_distance *d)
{
	struct sums s = { 0, 0, 0, INFINITY, -INFINITY };
	*d = (gt_image_distance){ .max = 0 };
	for (size_t k = region->first_slice; k < region->first_slice + region->slices; k++)
		for (size_t l = 0; l < p->lines; l++) {
			const size_t at = k * p->slice_stride + l * p->line_stride;
			add_line(p->a + at, p->b + at, region->inside ? region->inside + l * p->pixels : NULL, p->pixels, &s, d);
		}
	d->rmse = sqrt(s.squares / (double)d->count);
	d->relative = sqrt(s.squares / s.reference);
	d->mean = s.difference / (double)d->count;
	d->range = s.highest - s.lowest;
	d->psnr = 20 * log10(d->range / d->rmse);
	if (!d->count)
		d->max = d->range = d->psnr = NAN;
}
