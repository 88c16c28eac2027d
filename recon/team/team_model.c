/* Model of the time of an iteration. Every constant is measured (docs/measurements.md, 2026-11-22, 23 and 27). */
#include <math.h>
#include <string.h>
#include "core/text.h"
#include "recon/team/team_model.h"

/* Rates of a device. An update is a voxel in a view; the `wide` exponents correct for detector columns per voxel. */
struct rates {
	double forward, back;             /* s per update */
	double forward_wide, back_wide;   /* exponents of (1 + columns per voxel) / 2 */
	double forward_once, back_once;   /* s per call */
	double forward_voxel, back_voxel; /* s per visible voxel: running sums, last blocks */
	double large_voxel;               /* s per voxel of a large volume, forward and back together */
	double subset_voxel;              /* s per voxel and subset: passes of a solver over its arrays */
	double smooth_voxel, tv_voxel;    /* s per voxel and iteration: penalties */
	double halo_smooth, halo_tv;      /* s per iteration: penalties fetch slices from neighbours */
	double link, latency;             /* bytes per s of an exchange, s per exchange */
	double add;                       /* s per received byte, for addition */
	double direct, host;              /* s per update of an analytic method; bytes per s between host and device */
	/* s per update of wfbp; s per call, and for each further rank; bytes per s of all ranks by the host's memory */
	double helical, direct_once, direct_rank, memory;
};
static const struct rates h200 = { .forward = 1.0113e-12,
	                           .back = .7956e-12,
	                           .forward_wide = .57,
	                           .back_wide = 1.157,
	                           .forward_once = 1.5e-4,
	                           .back_once = 7e-5,
	                           .forward_voxel = 7e-12,
	                           .back_voxel = 4.5e-12,
	                           .large_voxel = 3.9e-11,
	                           .subset_voxel = 4.8e-12,
	                           .smooth_voxel = 1.0e-10,
	                           .tv_voxel = 2.4e-10,
	                           .halo_smooth = 1.5e-4,
	                           .halo_tv = 1.2e-3,
	                           .link = 3e11,
	                           .latency = 4e-5,
	                           .add = 1.5e-12,
	                           .direct = 0.39e-12,
	                           .host = 4e10,
	                           .helical = 1.03e-12,
	                           .direct_once = 1.6e-2,
	                           .direct_rank = 1.5e-3,
	                           .memory = 6e10 };
static const struct rates thread = { .forward = 1.6e-9,
	                             .back = 1.6e-9,
	                             .forward_wide = .57,
	                             .back_wide = 1.157,
	                             .forward_once = 5e-5,
	                             .back_once = 5e-5,
	                             .forward_voxel = 2e-9,
	                             .back_voxel = 2e-9,
	                             .subset_voxel = 4e-9,
	                             .smooth_voxel = 6e-8,
	                             .tv_voxel = 4e-7,
	                             .halo_smooth = 1e-4,
	                             .halo_tv = 1e-3,
	                             .link = 4e9,
	                             .latency = 2e-5,
	                             .add = 5e-10,
	                             .direct = 1.6e-9,
	                             .host = 4e9,
	                             .helical = 1.6e-9,
	                             .memory = INFINITY };

/* Cost of an inner edge of a slab in backprojection, in slices. */
static const double edge = 6.5;

/* Voxels above which their number costs more, and above which the cost is constant: 512^3 shows none of it, half of
 * 1024^3 all. */
static const double large_from = 134e6, large_fully = 537e6;

/* Bytes of a volume that leaves a GPU in parts, with at least 384 slices in single precision (direct_slab.c). */
static const double large_volume = 2147483648.;

static double large(const struct rates *r, double voxels)
{
	return r->large_voxel * fmin(1, fmax(0, (voxels - large_from) / (large_fully - large_from)));
}

/* A view as seen by a rank: heights above its source. */
struct seen {
	double source, near, far; /* mm along z; magnification of the nearest and furthest points */
	double half, pitch;       /* detector, mm */
};

static struct seen seen_of(const gt_scan *scan, const gt_grid *grid, const gt_view *v)
{
	struct seen s = { v->source[2], 1, 1, 0.5 * (double)scan->rows * scan->row_pitch, scan->row_pitch };
	const double wide = fmin((double)grid->n[0] * grid->pitch[0], (double)grid->n[1] * grid->pitch[1]);
	double distance = 0, toward = 0;
	for (int a = 0; a < 2; a++) {
		distance += v->source[a] * v->source[a];
		toward += (v->detector[a] - v->source[a]) * (v->detector[a] - v->source[a]);
	}
	distance = sqrt(distance);
	if (scan->shape != GT_PARALLEL && distance > 0) {
		s.near = sqrt(toward) / fmax(distance - wide / 2, 0.1 * distance);
		s.far = sqrt(toward) / (distance + wide / 2);
	} else
		s.source = v->detector[2];
	return s;
}

double gt_model_height(const gt_grid *grid, const gt_scan *scan, const gt_view *view)
{
	const struct seen s = seen_of(scan, grid, view);
	const double half = (double)grid->n[2] * grid->pitch[2] / 2, reach = s.half / s.far;
	return fmax(0, fmin(grid->center[2] + half, s.source + reach) - fmax(grid->center[2] - half, s.source - reach));
}

/* Number of rows that see the heights from low to high. */
static double rows_of(const struct seen *s, double low, double high)
{
	const double a = low - s->source, b = high - s->source;
	const double min = fmax(-s->half, fmin(a * s->near, a * s->far)), max = fmin(s->half, fmax(b * s->near, b * s->far));
	return fmax(0, max - min) / s->pitch;
}

/* Work of the forward projection for some rows, in tiles of up to 135: multiples of 32 rows, plus 42 per tile. */
static double tiled(double rows)
{
	const double tiles = ceil(rows / 135);
	return tiles > 0 ? tiles * (32 * fmax(1, ceil((rows / tiles - 7) / 32)) + 42) : 0;
}

/* First view of a block. */
static size_t first_view(const gt_model_case *c, double slabs, double blocks, double block)
{
	const int shares = gt_scan_is_helical(c->scan) && c->scan->shape != GT_PARALLEL && !(slabs > 1) && !c->equal_views;
	return shares ? gt_views_with(c->grid, c->scan, block / blocks) : (size_t)ceil(block * (double)c->scan->views / blocks);
}

/* The largest fraction of one device's work on a rank. Forward work depends on the rows that see its slab, back work on
 * the slices that its views see. Views in the centre of a helix see more than views at its ends. */
static void part_of_work(const gt_model_case *c, double slabs, double blocks, double *forward, double *back)
{
	const gt_scan *scan = c->scan;
	const double height = (double)c->grid->n[2] * c->grid->pitch[2], bottom = c->grid->center[2] - height / 2;
	const int moves = gt_scan_is_helical(scan);
	double all[2] = { 0 }, max[2] = { 0 };
	for (size_t v = 0; v < scan->views; v++) {
		const struct seen s = seen_of(scan, c->grid, &scan->view[v]);
		all[0] += tiled(rows_of(&s, bottom, bottom + height));
		all[1] += moves ? gt_model_height(c->grid, scan, &scan->view[v]) : height;
	}
	for (double p = 0; p < slabs; p++) {
		const double low = bottom + p / slabs * height, high = bottom + (p + 1) / slabs * height;
		const double edges = edge * c->grid->pitch[2] * ((p > 0) + (p + 1 < slabs));
		for (double block = 0; block < blocks; block++) {
			double sum[2] = { 0 };
			const size_t end = first_view(c, slabs, blocks, block + 1);
			for (size_t v = first_view(c, slabs, blocks, block); v < end; v++) {
				const struct seen s = seen_of(scan, c->grid, &scan->view[v]);
				const double reach = s.half / s.far, from = moves ? fmax(low, s.source - reach) : low,
					     to = moves ? fmin(high, s.source + reach) : high;
				sum[0] += tiled(rows_of(&s, low, high));
				sum[1] += to > from ? to - from + edges : 0;
			}
			if (sum[0] * all[1] + sum[1] * all[0] > max[0] * all[1] + max[1] * all[0])
				memcpy(max, sum, sizeof max);
		}
	}
	*forward = all[0] > 0 ? max[0] / all[0] : 1 / slabs / blocks;
	*back = all[1] > 0 ? max[1] / all[1] : 1 / slabs / blocks;
}

/* Fraction of the volume that one of `blocks` runs of views sees: a helix sees some rotations of it. */
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

static double cost_of_penalty(const gt_model_case *c, const struct rates *r, double here, double ranks)
{
	if (!c->penalty)
		return 0;
	const int is_tv = !strncmp(c->penalty, "tv", 2) || !strncmp(c->penalty, "tgv", 3);
	return (is_tv ? r->tv_voxel : r->smooth_voxel) * here + (ranks > 1 ? is_tv ? r->halo_tv : r->halo_smooth : 0);
}

static struct rates rates_of(const gt_model_case *c)
{
	if (!c->on_cpu)
		return h200;
	struct rates r = thread;
	const double threads = c->threads > 0 ? c->threads : 1;
	double *const shared[] = { &r.forward,      &r.back,     &r.forward_voxel, &r.back_voxel, &r.subset_voxel,
		                   &r.smooth_voxel, &r.tv_voxel, &r.direct,        &r.helical };
	for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
		*shared[i] /= threads;
	return r;
}

/* Analytic method: slices of the volume, from the rows that see them. A GPU computes during the upload (half of it for
 * a helix), and during the download of a large volume except for its last part. */
static void direct(const gt_model_case *c, const struct rates *r, double ranks, gt_model_times *t)
{
	const double voxels = (double)gt_grid_voxels(c->grid), data = (double)gt_scan_size(c->scan) * (double)c->element;
	const double rows = ranks > 1 ? fmin(1, 1.15 / ranks) : 1;
	const int moves = gt_scan_is_helical(c->scan);
	const double volume = voxels * (double)c->element / ranks, copy = fmax(1 / r->host, ranks / r->memory);
	const double upload = data * (moves && ranks > 1 ? fmin(1, rows + 0.3) : rows) * copy, download = volume * copy;
	const int leaves_early = !moves && volume >= large_volume && (double)c->grid->n[2] >= 384 * ranks && c->element == 4;
	t->operators = (moves ? r->helical : r->direct) * voxels * (double)c->scan->views / ranks;
	t->exchange = 0;
	if (c->on_cpu)
		t->passes = upload + download;
	else
		t->passes = r->direct_once + r->direct_rank * (ranks - 1) + (moves ? upload / 2 : fmax(0, upload - t->operators)) +
		            (leaves_early ? download / 3 : download);
	t->seconds = t->operators + t->passes;
}

void gt_model(const gt_model_case *c, size_t slabs, size_t blocks, gt_model_times *t)
{
	const struct rates r = rates_of(c);
	const double p = (double)slabs, q = (double)blocks, ranks = p * q, subsets = (double)c->subsets;
	const double nz = (double)c->grid->n[2], voxels = (double)gt_grid_voxels(c->grid);
	*t = (gt_model_times){ .moved = 0 };
	if (c->direct) {
		direct(c, &r, ranks, t);
		return;
	}
	const double wide = 0.5 + 0.5 * (double)c->scan->columns / (double)c->grid->n[0];
	/* Any view sees only part of a helix's slices. */
	const double in_view = seen_by(c->scan, c->grid, nz, (double)c->scan->views), fetched = seen_by(c->scan, c->grid, nz / p, q);
	const double all = voxels * in_view * (double)c->scan->views / subsets, here = voxels / p * fetched;
	double part_forward, part_back;
	part_of_work(c, p, q, &part_forward, &part_back);
	const double forward = r.forward_once + r.forward_voxel * here + r.forward * pow(wide, r.forward_wide) * all * part_forward;
	const double back = r.back_once + (r.back_voxel + large(&r, here)) * here + r.back * pow(wide, r.back_wide) * all * part_back;
	t->operators = subsets * (forward + back);
	const double volume = here * (double)c->element, data = (double)gt_scan_size(c->scan) / subsets / ranks * (double)c->element;
	const double of_volume = q > 1 ? volume * (1 - 1 / q) : 0, of_data = p > 1 ? 1.2 * data * (1 - 1 / p) : 0;
	t->moved = 2 * subsets * (of_volume + of_data);
	t->exchange = t->moved / r.link + 2 * subsets * r.latency * ((q > 1) + (p > 1)) + r.add * t->moved / 2;
	t->passes = r.subset_voxel * subsets * voxels / ranks + cost_of_penalty(c, &r, voxels / ranks, ranks);
	t->seconds = t->operators + t->exchange + t->passes;
}

char *gt_model_link_text(const gt_model_case *c)
{
	const struct rates r = rates_of(c);
	return gt_text("exchange_at=%.3g GB/s and %.3g us per exchange, constants of the model, measured between %s: "
	               "gantry devices --links measures them on this computer",
	               1e-9 * r.link, 1e6 * r.latency, c->on_cpu ? "threads of a server" : "H200s by NVLink");
}

char *gt_model_text(const char *name, const gt_model_times *t)
{
	return gt_text("by_%s=%.3g ms by the model (compute %.3g, exchange %.3g, passes %.3g)", name, 1e3 * t->seconds, 1e3 * t->operators,
	               1e3 * t->exchange, 1e3 * t->passes);
}
