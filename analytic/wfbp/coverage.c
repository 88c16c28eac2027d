/* Coverage of a helical scan: the complete slices, and the parallel views that see any of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "analytic/wfbp/wfbp.h"

/* Positions on the circle at which slices are tested. */
#define PLACES 96

double gt_wfbp_nearest(const gt_wfbp_plan *p)
{
	double min = p->spot[0].distance;
	for (size_t c = 1; c < p->spots; c++)
		min = fmin(min, p->spot[c].distance);
	return min;
}

static struct gt_helix_tap find_ray(const gt_wfbp_plan *p, const struct gt_helix_view *w, size_t column)
{
	const struct gt_helix_spot *s = &p->spot[w->spot];
	struct gt_helix_tap t;
	const double fan = p->fan[w->spot * p->detector.columns + column];
	gt_helix_find(p->direction + s->first, p->z + s->first, s->views, p->sense * (w->direction - GT_PI - fan), &t);
	return t;
}

static double source_at(const gt_wfbp_plan *p, const struct gt_helix_view *w, size_t column) { return find_ray(p, w, column).z; }

/* Slices at z0 + i dz tested at positions on a circle around the axis and on it. */
struct judgement {
	const gt_wfbp_plan *plan;
	double z0, dz;
	size_t n;
	double (*place)[2]; /* [PLACES + 1] */
	/* Per worker. */
	struct gt_helix_view *view; /* [turns] */
	int *count;                 /* [n + 1] */
	unsigned char *incomplete;  /* [n] */
};

/* Adds 1 to the count of each slice in which a view sees (x, y), as differences. */
static void count_slices(const struct judgement *j, const struct gt_helix_view *w, const double *at, int *count)
{
	const gt_wfbp_plan *p = j->plan;
	const double *reach = p->reach + w->spot * p->detector.columns;
	struct gt_helix_line line;
	size_t k, first, end;
	double part, length;
	if (!gt_helix_place(&p->detector, w, p->spot[w->spot].distance, at[0], at[1], &k, &part, &length))
		return;
	const double below = source_at(p, w, k), above = source_at(p, w, k + 1);
	gt_helix_rows(&p->spot[w->spot], below + part * (above - below), reach[k] + part * (reach[k + 1] - reach[k]), length, &line);
	gt_back_slices(line.row0 + j->z0 * line.slope, j->dz * line.slope, p->rows, j->n, &first, &end);
	if (first < end) {
		count[first]++;
		count[end]--;
	}
}

static void judge_bins(void *self, size_t begin, size_t end, int worker)
{
	const struct judgement *j = self;
	const size_t turns = j->plan->turns, n = j->n;
	struct gt_helix_view *view = j->view + (size_t)worker * turns;
	int *count = j->count + (size_t)worker * (n + 1);
	unsigned char *incomplete = j->incomplete + (size_t)worker * n;
	for (size_t b = begin; b < end; b++) {
		for (size_t k = 0; k < turns; k++)
			view[k] = gt_wfbp_view(j->plan, b, k);
		for (int i = 0; i <= PLACES; i++) {
			memset(count, 0, (n + 1) * sizeof *count);
			for (size_t k = 0; k < turns; k++)
				count_slices(j, &view[k], j->place[i], count);
			int sum = 0;
			for (size_t z = 0; z < n; z++) {
				sum += count[z];
				incomplete[z] |= sum == 0;
			}
		}
	}
}

/* incomplete[n] of slices at z0 + i dz: some bin does not see a position on the circle. */
static gt_status judge(const gt_wfbp_plan *p, gt_pool *pool, double radius, double z0, double dz, size_t n, unsigned char *incomplete)
{
	const size_t workers = (size_t)gt_pool_threads(pool);
	double place[PLACES + 1][2];
	struct judgement j = { .plan = p,
		               .z0 = z0,
		               .dz = dz,
		               .n = n,
		               .place = place,
		               .view = malloc(workers * p->turns * sizeof *j.view),
		               .count = malloc(workers * (n + 1) * sizeof *j.count),
		               .incomplete = calloc(workers, n) };
	const int ready = j.view && j.count && j.incomplete;
	for (int i = 0; i <= PLACES; i++) {
		const double r = i ? radius : 0, at = 2 * GT_PI * i / PLACES;
		place[i][0] = p->detector.center[0] + r * cos(at);
		place[i][1] = p->detector.center[1] + r * sin(at);
	}
	memset(incomplete, 0, n);
	if (ready)
		gt_parallel(pool, p->bins, 1, judge_bins, &j);
	for (size_t i = 0; ready && i < workers * n; i++)
		incomplete[i % n] |= j.incomplete[i];
	free(j.view);
	free(j.count);
	free(j.incomplete);
	return ready ? GT_OK : gt_fail(GT_ERR_MEMORY, "wfbp: no memory for %zu slices", n);
}

/* Two opposite rays at a point r = D sin g from the axis come from sources 180 degrees and 2 g apart. Together they
 * cover the height of the rows at cos g of the distance to the axis (flat: cos^2 g). This gives the largest pitch
 * without a gap. */
static double pitch_limit(gt_shape shape, double g) { return 2 * GT_PI * cos(g) * (shape == GT_FLAT ? cos(g) : 1) / (GT_PI + 2 * g); }

static double farthest(const gt_grid *g, const double center[2])
{
	double far[2];
	for (int a = 0; a < 2; a++)
		far[a] = fabs(g->center[a] - center[a]) + (double)(g->n[a] - 1) / 2 * g->pitch[a];
	return hypot(far[0], far[1]);
}

gt_status gt_wfbp_plan_complete(gt_wfbp_plan *p, const gt_scan *scan, gt_pool *pool, double rise, double seen)
{
	const size_t n = p->grid.n[2], middle = p->detector.columns / 2;
	const double distance = gt_wfbp_nearest(p), radius = fmin(seen, farthest(&p->grid, p->detector.center));
	double low = 0, high = asin(radius / distance);
	p->pitch = rise * 2 * GT_PI * p->reach[middle] / ((double)p->rows * scan->row_pitch * distance);
	p->limit = pitch_limit(scan->shape, high);
	p->complete_radius = p->pitch <= p->limit ? radius : 0;
	for (int i = 0; i < 50 && p->pitch > p->limit; i++) {
		const double g = (low + high) / 2;
		*(p->pitch <= pitch_limit(scan->shape, g) ? &low : &high) = g;
		p->complete_radius = distance * sin(low);
	}
	if (p->pitch > pitch_limit(scan->shape, 0))
		return gt_fail(
			GT_ERR_UNSUPPORTED,
			"wfbp: pitch %.4g (%.6g mm per rotation): above %.4g no slice is seen over 180 degrees; %.4g would show the whole grid of radius %.4g mm; use an iterative solver such as os-sart",
			p->pitch, rise * 2 * GT_PI, pitch_limit(scan->shape, 0), p->limit, radius);
	return judge(p, pool, 0.998 * p->complete_radius, gt_grid_first(&p->grid, 2), p->grid.pitch[2], n, p->incomplete);
}

void gt_wfbp_complete(const gt_wfbp_plan *p, size_t *first, size_t *end)
{
	size_t begin = 0;
	*first = *end = 0;
	for (size_t z = 0; z <= p->grid.n[2]; z++)
		if (z == p->grid.n[2] || p->incomplete[z]) {
			if (z - begin > *end - *first) {
				*first = begin;
				*end = z;
			}
			begin = z + 1;
		}
}

enum { TRIALS = 256 };

gt_status gt_wfbp_range(const gt_wfbp_plan *p, gt_pool *pool, double *low, double *high)
{
	unsigned char incomplete[TRIALS];
	const size_t views = p->source_views;
	double bottom = p->z[0], top = p->z[0];
	for (size_t v = 1; v < views; v++) {
		bottom = fmin(bottom, p->z[v]);
		top = fmax(top, p->z[v]);
	}
	const gt_status st = judge(p, pool, 0.998 * p->complete_radius, bottom, (top - bottom) / (TRIALS - 1), TRIALS, incomplete);
	if (st != GT_OK)
		return st;
	*low = top;
	*high = bottom;
	for (size_t i = 0; i < TRIALS; i++)
		if (!incomplete[i]) {
			const double z = bottom + (double)i * (top - bottom) / (TRIALS - 1);
			*low = fmin(*low, z);
			*high = fmax(*high, z);
		}
	return GT_OK;
}

/* Which views are needed --------------------------------------------------- */

/* Returns whether parallel view j sees heights from bottom to top, between the outer edges of its rows along its rays
 * within the circle. */
static int reaches(const gt_wfbp_plan *p, size_t j, double radius, double bottom, double top)
{
	const struct gt_helix_view w = gt_wfbp_view(p, j % p->bins, j / p->bins);
	const struct gt_helix_spot *s = &p->spot[w.spot];
	const double *reach = p->reach + w.spot * p->detector.columns;
	double low = INFINITY, high = -INFINITY;
	for (int i = 0; i < 12; i++) {
		const size_t column = (size_t)(i / 4) * (p->detector.columns - 1) / 2;
		const double length = i & 1 ? s->distance + radius : fmax(s->distance - radius, 0),
			     row = i & 2 ? (double)p->rows - 0.5 : -0.5,
			     z = source_at(p, &w, column) + (row - s->row0) / s->per_row * length / reach[column];
		low = fmin(low, z);
		high = fmax(high, z);
	}
	return low < top && high > bottom;
}

/* Returns the parallel views to keep on either side of those that see the slices: a rotation for voxels that take the
 * nearest row. Without such voxels, an eighth of a rotation exceeds the tolerance of that decision. */
static size_t spare_views(const gt_wfbp_plan *p)
{
	for (size_t z = 0; z < p->grid.n[2]; z++)
		if (p->incomplete[z])
			return 2 * p->bins;
	return p->pitch <= p->limit ? (p->bins + 3) / 4 : 2 * p->bins;
}

/* Directions are monotonic, so the first and last parallel view of each spot determine the range. */
void gt_wfbp_plan_sources(const gt_wfbp_plan *p, size_t from, size_t n, size_t *first, size_t *end)
{
	enum { SPARE = 2 };
	const size_t all = (p->source_views + p->spots - 1) / p->spots, last = from + n < p->views ? from + n : p->views;
	const size_t few = from < last ? last - from < p->spots ? last - from : p->spots : 0;
	*first = all;
	*end = 0;
	for (size_t k = 0; k < 4 * few; k++) {
		const size_t j = k % 4 < 2 ? from + k / 4 : last - 1 - k / 4;
		const struct gt_helix_view w = gt_wfbp_view(p, j % p->bins, j / p->bins);
		const size_t i = find_ray(p, &w, k % 2 * (p->detector.columns - 1)).first;
		*first = i < *first ? i : *first;
		*end = i + 4 > *end ? i + 4 : *end;
	}
	*first -= *first < SPARE ? *first : SPARE;
	*end = *end + SPARE < all ? *end + SPARE : all;
	*first = *first < *end ? *first : *end;
}

static void trim_sources(gt_wfbp_plan *p)
{
	size_t first, end, all = 0;
	gt_wfbp_plan_sources(p, 0, p->views, &first, &end);
	for (size_t c = 0; c < p->spots; c++) {
		struct gt_helix_spot *s = &p->spot[c];
		const size_t from = s->first + first, n = (s->views < end ? s->views : end) - first;
		memmove(p->direction + all, p->direction + from, n * sizeof *p->direction);
		memmove(p->z + all, p->z + from, n * sizeof *p->z);
		s->first = all;
		s->views = n;
		all += n;
	}
	p->source_first = first * p->spots;
	p->source_views = all;
}

void gt_wfbp_plan_trim(gt_wfbp_plan *p)
{
	const double bottom = gt_grid_first(&p->grid, 2) - p->grid.pitch[2] / 2, top = bottom + (double)p->grid.n[2] * p->grid.pitch[2];
	const double last = p->detector.first + (double)(p->detector.columns - 1) * p->detector.pitch,
		     radius = fmin(farthest(&p->grid, p->detector.center), fmax(-p->detector.first, last));
	const size_t spare = spare_views(p);
	size_t first = 0, end = p->views;
	while (first < end && !reaches(p, first, radius, bottom, top))
		first++;
	while (end > first && !reaches(p, end - 1, radius, bottom, top))
		end--;
	if (first >= end)
		return;
	first = first > spare ? (first - spare) / p->spots * p->spots : 0;
	end = end + spare < p->views ? end + spare : p->views;
	p->first_direction += (double)first * p->step;
	p->views = end - first;
	p->turns = (p->views + p->bins - 1) / p->bins;
	trim_sources(p);
}
