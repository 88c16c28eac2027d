/* A model of the time of an iteration. Every constant is of a measurement (docs/measurements.md, 2026-11-22 and
 * 23). */
#include <math.h>
#include <string.h>
#include "core/text.h"
#include "recon/team/team_model.h"

/* What a device does. An update is a voxel in a view; `wide` corrects for columns of the detector per voxel. */
struct rates {
	double forward, back;             /* s per update */
	double forward_wide, back_wide;   /* exponents of (1 + columns per voxel) / 2 */
	double forward_once, back_once;   /* s per call: */
	double forward_voxel, back_voxel; /* and per voxel that is seen: running sums, last blocks */
	double subset_voxel;              /* s per voxel and subset: passes of a solver over its arrays */
	double smooth_voxel, tv_voxel;    /* s per voxel and iteration: penalties */
	double halo_smooth, halo_tv;      /* s per iteration: slices that penalties fetch from neighbours */
	double link, latency;             /* bytes per s of an exchange, s of one */
	double add;                       /* s per byte that comes in, for adding it up */
	double direct, host;              /* s per update of a direct method; bytes per s from and to the host */
};
static const struct rates h200 = { 1.0113e-12, .7956e-12, .57,    1.157,  2.5e-4, 7e-5, 1e-11,   4.5e-12,  4.8e-12,
	                           1.0e-10,    2.4e-10,   1.5e-4, 1.2e-3, 3e11,   4e-5, 1.5e-12, 0.39e-12, 2e10 };
static const struct rates thread = { 1.6e-9, 1.6e-9, .57,  1.157, 5e-5, 5e-5, 2e-9,  2e-9,   4e-9,
	                             6e-8,   4e-7,   1e-4, 1e-3,  4e9,  2e-5, 5e-10, 1.6e-9, 4e9 };

/* Slices of work that an inner edge of a slab costs, forward and back together. */
static const double edge = 7.3;

/* Of the volume, by the views of one of `blocks` runs of views: a helix sees some turns of it. */
static double seen_by(const gt_scan *scan, const gt_grid *grid, double slices, double blocks)
{
	if (!gt_scan_is_helical(scan) || scan->views < 2)
		return 1;
	const double *first = scan->view[0].source, *last = scan->view[scan->views - 1].source;
	const double travel = fabs(last[2] - first[2]), height = slices * grid->pitch[2];
	double distance = 0, toward = 0;
	for (int a = 0; a < 2; a++) {
		distance += first[a] * first[a];
		toward += (scan->view[0].detector[a] - first[a]) * (scan->view[0].detector[a] - first[a]);
	}
	const double cone = (double)scan->rows * scan->row_pitch * sqrt(distance) / sqrt(toward);
	return fmin(1, (cone + travel / blocks) / height);
}

static double cost_of_penalty(const gt_model_case *c, const struct rates *r, double here, double members)
{
	if (!c->penalty)
		return 0;
	const int is_tv = !strncmp(c->penalty, "tv", 2) || !strncmp(c->penalty, "tgv", 3);
	return (is_tv ? r->tv_voxel : r->smooth_voxel) * here + (members > 1 ? is_tv ? r->halo_tv : r->halo_smooth : 0);
}

static struct rates rates_of(const gt_model_case *c)
{
	if (!c->on_cpu)
		return h200;
	struct rates r = thread;
	const double threads = c->threads > 0 ? c->threads : 1;
	double *const shared[] = { &r.forward,      &r.back,         &r.forward_voxel, &r.back_voxel,
		                   &r.subset_voxel, &r.smooth_voxel, &r.tv_voxel,      &r.direct };
	for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
		*shared[i] /= threads;
	return r;
}

/* A direct method: slices of the volume, from the rows that see them. */
static void direct(const gt_model_case *c, const struct rates *r, double members, gt_model_times *t)
{
	const double voxels = (double)gt_grid_voxels(c->grid), data = (double)gt_scan_size(c->scan) * (double)c->element;
	const double rows = members > 1 ? fmin(1, 1.15 / members) : 1;
	t->operators = r->direct * voxels * (double)c->scan->views / members;
	t->exchange = 0;
	t->passes = (data * rows + voxels * (double)c->element / members) / r->host;
	t->seconds = t->operators + t->passes;
}

void gt_model(const gt_model_case *c, size_t slabs, size_t blocks, gt_model_times *t)
{
	const struct rates r = rates_of(c);
	const double p = (double)slabs, q = (double)blocks, members = p * q, subsets = (double)c->subsets;
	const double nz = (double)c->grid->n[2], voxels = (double)gt_grid_voxels(c->grid), plane = voxels / nz;
	*t = (gt_model_times){ .moved = 0 };
	if (c->direct) {
		direct(c, &r, members, t);
		return;
	}
	const double wide = 0.5 + 0.5 * (double)c->scan->columns / (double)c->grid->n[0];
	/* A view meets a part of a helix's slices, whatever the split. */
	const double in_view = seen_by(c->scan, c->grid, nz, (double)c->scan->views), fetched = seen_by(c->scan, c->grid, nz / p, q);
	const double inner = slabs == 1 ? 0 : slabs == 2 ? 1 : 2, slices = nz * in_view / p + edge * inner;
	const double views = (double)c->scan->views / subsets / q, updates = plane * slices * views;
	const double here = voxels / p * fetched;
	const double forward = r.forward_once + r.forward_voxel * here + r.forward * pow(wide, r.forward_wide) * updates;
	const double back = r.back_once + r.back_voxel * here + r.back * pow(wide, r.back_wide) * updates;
	t->operators = subsets * (forward + back);
	const double volume = here * (double)c->element, data = (double)gt_scan_size(c->scan) / subsets / members * (double)c->element;
	const double of_volume = q > 1 ? volume * (1 - 1 / q) : 0, of_data = p > 1 ? 1.2 * data * (1 - 1 / p) : 0;
	t->moved = 2 * subsets * (of_volume + of_data);
	t->exchange = t->moved / r.link + 2 * subsets * r.latency * ((q > 1) + (p > 1)) + r.add * t->moved / 2;
	t->passes = r.subset_voxel * subsets * voxels / members + cost_of_penalty(c, &r, voxels / members, members);
	t->seconds = t->operators + t->exchange + t->passes;
}

char *gt_model_text(const char *name, const gt_model_times *t)
{
	return gt_text("by_%s=%.3g ms by the model (compute %.3g, exchange %.3g, passes %.3g)", name, 1e3 * t->seconds, 1e3 * t->operators,
	               1e3 * t->exchange, 1e3 * t->passes);
}
