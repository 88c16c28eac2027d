/* Voxels of the object where noise is requested, means over them, and positions that represent them. */
#include <math.h>
#include <stdint.h>
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

/* Largest number of sorted voxels, about. Relative difference of equal information. */
enum { SORTED_VOXELS = 20000 };
#define LIKE 0.005

/* A voxel and its information from the data, which determines its noise best. */
struct known_voxel {
	float known;
	size_t voxel;
};

static int by_known(const void *a, const void *b)
{
	const struct known_voxel *x = a, *y = b;
	return x->known != y->known ? (x->known < y->known ? -1 : 1) : (x->voxel > y->voxel) - (x->voxel < y->voxel);
}

/* A number that looks random for each voxel and position. */
static uint64_t lot(size_t voxel, size_t k)
{
	uint64_t x = ((uint64_t)voxel + 1) * 0x9e3779b97f4a7c15u + ((uint64_t)k + 1) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 31)) * 0x94d049bb133111ebu;
	return x ^ (x >> 32);
}

/* Collects a sample of the object's voxels, sorted by information; returns its size. `all` NULL: counts. A voxel is
 * chosen independently of the number of voxels, which may depend on rounding. */
static size_t sample(const gt_strength_search *s, const float *known, struct known_voxel *all)
{
	const size_t every = s->object.voxels / SORTED_VOXELS + 1;
	size_t n = 0;
	for (size_t i = 0; i < s->object.voxels; i++) {
		const size_t at = s->object.at[i];
		if (lot(at, GT_NOISE_PATCHES) % every)
			continue;
		if (all)
			all[n] = (struct known_voxel){ known[at], at };
		n++;
	}
	if (all)
		qsort(all, n, sizeof *all, by_known);
	return n;
}

/* Draws a voxel of about this information. Sums over other ranks differ by rounding, which must not move it. */
static size_t draw_like(const struct known_voxel *all, size_t n, float known, size_t k)
{
	size_t best = 0;
	uint64_t lowest = UINT64_MAX;
	for (size_t i = 0; i < n; i++) {
		const uint64_t own = lot(all[i].voxel, k);
		if (!(fabs((double)all[i].known - known) <= LIKE * known) || own > lowest)
			continue;
		lowest = own;
		best = i;
	}
	return all[best].voxel;
}

gt_status gt_strength_choose_places(const gt_strength_search *s, size_t voxel[GT_NOISE_PATCHES])
{
	const float *known = s->known ? s->known : s->q->kappa;
	const size_t n = known ? sample(s, known, NULL) : 0;
	struct known_voxel *all = n ? malloc(n * sizeof *all) : NULL;
	if (n && !all)
		return gt_fail(GT_ERR_MEMORY, "no memory for a sample of %zu voxels", n);
	if (all)
		sample(s, known, all);
	for (size_t k = 0; k < GT_NOISE_PATCHES; k++) {
		const double even = ((double)k + 0.5) / GT_NOISE_PATCHES, golden = fmod(((double)k + 0.5) * 0.6180339887498949, 1);
		voxel[k] = all ? draw_like(all, n, all[(size_t)(even * (double)n)].known, k)
		               : s->object.at[(size_t)(golden * (double)s->object.voxels)];
	}
	free(all);
	return GT_OK;
}
