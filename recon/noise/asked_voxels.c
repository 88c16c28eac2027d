/* Voxels of the object where noise is requested, and means over them. */
#include <stdlib.h>
#include <gantry/array.h>
#include "core/try.h"
#include "geometry/projections.h"
#include "recon/noise/strength_search.h"

/* Voxels of the object summed at a time: sums do not depend on the number of threads. */
enum { SUMMED = 1 << 16 };

struct object_sum {
	const gt_strength_search *s;
	int squares;
	double *part;
};

static void add_part(void *self, size_t begin, size_t end, int worker)
{
	const struct object_sum *a = self;
	const gt_object_voxels *o = &a->s->object;
	(void)worker;
	for (size_t k = begin; k < end; k++) {
		double sum = 0;
		for (size_t i = k * SUMMED; i < o->voxels && i < (k + 1) * SUMMED; i++) {
			const double x = a->s->host[o->at[i]];
			sum += a->squares ? x * x : x;
		}
		a->part[k] = sum;
	}
}

gt_status gt_strength_mean_of_object(const gt_strength_search *s, int squares, double *mean)
{
	const size_t parts = (s->object.voxels + SUMMED - 1) / SUMMED;
	struct object_sum a = { s, squares, malloc((parts + 1) * sizeof *a.part) };
	*mean = 0;
	if (!a.part)
		return gt_fail(GT_ERR_MEMORY, "no memory for a sum of %zu voxels", s->object.voxels);
	gt_parallel(gt_backend_pool(s->be), parts, 1, add_part, &a);
	for (size_t k = 0; k < parts; k++)
		*mean += a.part[k];
	*mean /= (double)s->object.voxels;
	free(a.part);
	return GT_OK;
}

/* 1: noise is requested in the row of voxels along z. */
static int is_asked_across(const gt_strength_problem *q, size_t voxel)
{
	const size_t *n = q->grid->n;
	int is = 1;
	for (int a = 0; a < 2; a++)
		if (q->across[a] && q->across[a] < n[a]) {
			const size_t at = a ? voxel / n[0] % n[1] : voxel % n[0];
			is &= at >= q->first_across[a] && at - q->first_across[a] < q->across[a];
		}
	return is;
}

/* First entry of the object's list at or after a voxel. */
static size_t first_from(const gt_object_voxels *o, size_t voxel)
{
	size_t low = 0, high = o->voxels;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (o->at[middle] < voxel)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Slices where noise is requested, as voxels [range[0], range[1]). */
static void asked_slices(const gt_strength_problem *q, size_t range[2])
{
	const size_t *n = q->grid->n, plane = n[0] * n[1];
	range[0] = q->slices ? q->first_slice * plane : 0;
	range[1] = range[0] + (q->slices ? q->slices : n[2]) * plane;
}

/* Keeps the object's voxels where noise is requested; returns 0, and keeps all, if there are none. */
static int keep_asked(gt_strength_search *s)
{
	const gt_strength_problem *q = s->q;
	size_t range[2], count = 0;
	asked_slices(q, range);
	const size_t first = first_from(&s->object, range[0]), end = first_from(&s->object, range[1]);
	const int all = !((q->across[0] && q->across[0] < q->grid->n[0]) || (q->across[1] && q->across[1] < q->grid->n[1]));
	if (all && end > first)
		s->object.at += first;
	for (size_t i = first; i < end && !all; i++)
		if (is_asked_across(q, s->object.at[i]))
			s->object.at[count++] = s->object.at[i];
	count = all ? end - first : count;
	s->object.voxels = count ? count : s->object.voxels;
	return count > 0;
}

/* Mean of the start over all voxels where noise is requested. */
static double mean_of_asked(const gt_strength_search *s)
{
	size_t range[2];
	double all = 0, count = 0;
	asked_slices(s->q, range);
	for (size_t i = range[0]; i < range[1]; i++)
		if (is_asked_across(s->q, i)) {
			all += s->host[i];
			count++;
		}
	return count > 0 ? all / count : 0;
}

gt_status gt_strength_find_object(gt_strength_search *s)
{
	const gt_strength_problem *q = s->q;
	const gt_object_region region = { { q->first_across[0], q->first_across[1] }, { q->across[0], q->across[1] } };
	gt_status st = GT_OK;
	if (gt_backend_is_dry_run(s->be)) {
		s->object = (gt_object_voxels){ .at = s->listed = calloc(1, sizeof *s->object.at), .voxels = 1 };
		return s->listed ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	}
	gt_array_get_float(q->start, s->host);
	GT_TRY(gt_backend_status(s->be));
	st = gt_object_voxels_find(gt_backend_pool(s->be), q->grid, &region, q->projections->scan, s->host, q->water, &s->object);
	s->listed = s->object.at;
	GT_TRY(st);
	s->has_asked = keep_asked(s);
	if (s->has_asked)
		GT_TRY(gt_strength_mean_of_object(s, 0, &s->mean));
	else
		s->mean = mean_of_asked(s);
done:
	return st;
}
