/* Quantises voxels over one range for all slices, so that grey values are comparable and invertible. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "core/order_statistics.h"
#include "geometry/volume.h"
#include "io/write_kit/stored_numbers.h"
#include "io/write_kit/volume_units.h"

/* The range uses at most MAX_FOR_RANGE voxels, and excludes this fraction at either end. */
enum { MAX_FOR_RANGE = 1 << 22 };
#define LEFT_OUT 0.001

static double max_of(const gt_stored_numbers *s) { return s->bits == 8 ? 255 : 65535; }

gt_status gt_stored_numbers_set(const char *path, const gt_write_options *o, const gt_volume *head, gt_stored_numbers *s)
{
	*s = (gt_stored_numbers){ .bits = o->bits ? (unsigned)o->bits : 32, .step = 1 };
	s->water = o->unit == GT_HU ? gt_hu_water(o, head) : 0;
	if (s->bits == 32)
		return GT_OK;
	if (o->low == o->high)
		return gt_fail(GT_ERR_ARG, "%s: the range of all slices is unknown: expected one for %u bits (--range LOW:HIGH)", path,
		               s->bits);
	s->low = o->low;
	s->step = (o->high - o->low) / max_of(s);
	return GT_OK;
}

void gt_stored_numbers_of(gt_stored_numbers *s, const float *from, size_t n, void *to)
{
	const double max = max_of(s);
	for (size_t i = 0; i < n; i++) {
		const double value = s->water > 0 ? 1000 * ((double)from[i] - s->water) / s->water : (double)from[i];
		if (s->bits == 32) {
			((float *)to)[i] = (float)value;
			continue;
		}
		const double number = rint((value - s->low) / s->step), stored = fmin(fmax(number, 0), max);
		s->clipped += stored != number;
		if (s->bits == 16)
			((uint16_t *)to)[i] = (uint16_t)stored;
		else
			((uint8_t *)to)[i] = (uint8_t)stored;
	}
}

void gt_stored_numbers_note(const char *path, const gt_write_options *o, const gt_stored_numbers *s, const gt_grid *grid)
{
	if (s->clipped)
		gt_write_note(o, "%s: %zu voxels (%.2g %%) are outside the range %.6g to %.6g", path, s->clipped,
		              100 * (double)s->clipped / (double)gt_grid_voxels(grid), s->low, s->low + s->step * max_of(s));
}

int gt_stored_numbers_lack_range(const gt_write_options *o) { return o->bits != 0 && o->bits != 32 && o->low == o->high; }

gt_status gt_range_begin(const char *path, const gt_write_options *o, const gt_volume *head, gt_range_finder *r)
{
	const size_t all = gt_grid_voxels(&head->grid);
	*r = (gt_range_finder){ .stride = (all + MAX_FOR_RANGE - 1) / MAX_FOR_RANGE };
	r->water = o->unit == GT_HU ? gt_hu_water(o, head) : 0;
	r->room = (all + r->stride - 1) / r->stride;
	r->some = malloc(r->room * sizeof *r->some);
	return r->some ? GT_OK : gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
}

void gt_range_extend(gt_range_finder *r, size_t first, size_t n, const float *data)
{
	const double water = r->water;
	for (size_t i = (first + r->stride - 1) / r->stride * r->stride; i < first + n && r->n < r->room; i += r->stride) {
		const double value = (double)data[i - first];
		r->some[r->n++] = water > 0 ? 1000 * (value - water) / water : value;
	}
}

void gt_range_end(const char *path, gt_range_finder *r, gt_write_options *o)
{
	o->low = gt_quantile(r->some, r->n, LEFT_OUT);
	o->high = gt_quantile(r->some, r->n, 1 - LEFT_OUT);
	if (!(o->high > o->low))
		o->high = o->low + 1;
	gt_write_note(o, "%s: %d bits over %.6g to %.6g %s, which excludes a thousandth at either end", path, o->bits, o->low, o->high,
	              r->water > 0 ? "HU" : "mm-1");
}

void gt_range_drop(gt_range_finder *r)
{
	free(r->some);
	r->some = NULL;
}

gt_status gt_stored_numbers_range(const char *path, const gt_volume *v, gt_write_options *o)
{
	gt_range_finder r;
	if (!gt_stored_numbers_lack_range(o))
		return GT_OK;
	const gt_status st = gt_range_begin(path, o, v, &r);
	if (st != GT_OK)
		return st;
	gt_range_extend(&r, 0, gt_grid_voxels(&v->grid), v->data);
	gt_range_end(path, &r, o);
	gt_range_drop(&r);
	return GT_OK;
}
