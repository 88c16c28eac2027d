/* Plans of wfbp: rows of voxels, weights that sum to 1, complete slices and their neighbours, slabs of long scans.
 * labels: property */
#include "analytic/wfbp/from_host.h"
#include "tests/analytic/helices.h"

/* Number and normalised sum of the row weights of a bin's views at (x, y, z). */
static size_t share(const gt_wfbp_plan *p, const struct gt_helix_view *view, const double *height, double x, double y, double z,
                    double *sum)
{
	double w[16], all = 0;
	size_t n = 0;
	for (size_t k = 0; k < p->turns; k++) {
		struct gt_helix_line line;
		if (!gt_helix_see(&p->detector, &view[k], p->spot, height + k * p->detector.columns, p->reach, x, y, &line))
			continue;
		const double q = fabs(line.row0 + line.slope * z - (ROWS - 1) / 2.) / (ROWS / 2.);
		if (q < 1)
			all += w[n++] = gt_row_weight_double(q, p->flat, 1 / (1 - p->flat));
	}
	*sum = 0;
	for (size_t k = 0; k < n; k++)
		*sum += w[k] / all;
	return n;
}

/* From the plan alone: complete slices have a view in every bin, and their weights sum to 1. */
static void check_bin(const gt_wfbp_plan *p, const gt_grid *g, size_t b)
{
	struct gt_helix_view view[16];
	double height[16 * (COLUMNS + 8)], off = 0;
	for (size_t k = 0; k < p->turns; k++) {
		view[k] = gt_wfbp_view(p, b, k);
		for (size_t c = 0; c < p->detector.columns; c++) {
			struct gt_helix_tap t;
			gt_helix_find(p->direction, p->z, p->spot[0].views, p->sense * (view[k].direction - GT_PI - p->fan[c]), &t);
			off = fmax(off, fabs(t.weight[0] + t.weight[1] + t.weight[2] + t.weight[3] - 1));
			height[k * p->detector.columns + c] = t.z;
		}
	}
	for (size_t z = 0; z < g->n[2]; z++)
		for (int at = 0; at < 48; at++) {
			const double r = 0.998 * p->complete_radius;
			double sum;
			const size_t n = share(p, view, height, r * cos(2 * GT_PI * at / 48), r * sin(2 * GT_PI * at / 48),
			                       voxel_at(g, 2, z), &sum);
			off = fmax(off, n ? fabs(sum - 1) : 0);
			if (!n && !p->incomplete[z])
				ck_abort_msg("slice %zu lacks rays and is called complete", z);
		}
	ck_assert_msg(off < 1e-9, "weights sum to 1 but for %g", off);
}

/* Rows of voxels in parallel views equal the rows by the geometry of the ray's own view. */
GT_TEST(rows_are_those_of_the_rays)
{
	const gt_grid g = { { 5, 5, 5 }, { 17, 17, 5 }, { 1, -2, 0 } };
	const gt_wfbp_options *options = gt_analytic_wfbp.defaults;
	for (int shape = GT_FLAT; shape <= GT_ARC; shape++) {
		gt_orbit o = orbit_of((gt_shape)shape, 0.9, 2.4);
		gt_scan *s = scan_of(&o);
		const double middle = o.start_angle + o.turn * ((double)o.views - 1) / (2 * (double)o.views);
		gt_wfbp_plan *p;
		double off = 0, height[COLUMNS + 8];
		ck_ok(gt_wfbp_plan_new(&g, s, options, NULL, &p));
		for (size_t j = 0; j < p->views; j += 7) {
			const struct gt_helix_view view = gt_wfbp_view(p, j % p->bins, j / p->bins);
			for (size_t c = 0; c < p->detector.columns; c++) {
				struct gt_helix_tap t;
				gt_helix_find(p->direction, p->z, p->spot[0].views, view.direction - GT_PI - p->fan[c], &t);
				height[c] = t.z;
			}
			for (size_t i = 0; i < 125; i++) {
				const double x[3] = { voxel_at(&g, 0, i % 5), voxel_at(&g, 1, i / 5 % 5), voxel_at(&g, 2, i / 25) };
				struct gt_helix_line line;
				double column, row;
				if (!gt_helix_see(&p->detector, &view, p->spot, height, p->reach, x[0], x[1], &line))
					continue;
				gt_orbit one = o;
				one.views = 1;
				one.start_angle = view.direction - GT_PI - asin((view.cosine * x[1] - view.sine * x[0]) / DISTANCE) -
				                  GT_PI / 2;
				one.z_center = o.pitch_per_turn * (one.start_angle - middle) / (2 * GT_PI);
				gt_scan *w = scan_of(&one);
				const gt_detector d = gt_scan_detector(w);
				ck_assert(gt_point_pixel(&d, w->view, x, &column, &row));
				off = fmax(off, fabs(line.row0 + line.slope * x[2] - row));
				gt_scan_free(w);
			}
		}
		ck_assert_msg(off > 0 && off < 2e-3, "%s: rows are off by up to %g", gt_shape_names[shape], off);
		gt_wfbp_plan_free(p);
		gt_scan_free(s);
	}
}

GT_TEST(weights_sum_to_one)
{
	const gt_grid g = { { 31, 31, 61 }, { 2.4, 2.4, 1.7 }, { 0, 0, 0 } };
	const gt_wfbp_options *options = gt_analytic_wfbp.defaults;
	for (int i = 0; i < 3; i++) {
		const gt_orbit o = orbit_of(GT_ARC, pitches[i], turns[i]);
		gt_scan *s = scan_of(&o);
		gt_wfbp_plan *p;
		size_t first, end;
		ck_ok(gt_wfbp_plan_new(&g, s, options, NULL, &p));
		ck_ok(gt_wfbp_plan_filter(p, options, s->row_pitch, p->bins));
		ck_assert(p->bins == VIEWS / 2 && p->turns <= 16 && p->detector.columns <= COLUMNS + 8);
		for (size_t b = 0; b < p->bins; b++)
			check_bin(p, &g, b);
		gt_wfbp_complete(p, &first, &end);
		ck_assert_msg(end - first > 5 && first > 0 && end < g.n[2], "pitch %g: slices %zu to %zu", pitches[i], first, end);
		gt_wfbp_plan_free(p);
		gt_scan_free(s);
	}
}

GT_TEST(row_weights)
{
	for (int i = 0; i <= 1000; i++) {
		const double q = i / 1000., u = fmax(0, (q - 0.6) / 0.4), c = cos(GT_PI / 2 * u);
		ck_assert(fabs(gt_row_weight_double(q, 0.6, 2.5) - fmax(c * c, 1e-5)) < 1e-5);
		ck_assert(fabs((double)gt_row_weight_single((float)q, 0.6f, 2.5f) - gt_row_weight_double(q, 0.6, 2.5)) < 1e-5);
		ck_assert(gt_row_weight_double(q, 0.6, 2.5) > 0);
	}
}

/* Incomplete ends: taken from the nearest rows, or zero. */
GT_TEST(ends)
{
	const gt_grid g = { { 25, 26, 41 }, { 2, 2, 2.5 }, { 1, 0, 0 } };
	const gt_orbit o = orbit_of(GT_ARC, 0.9, 2.4);
	gt_scan *s = scan_of(&o);
	gt_analytic_coverage seen;
	ck_ok(gt_analytic_wfbp.coverage(&g, s, &seen));
	ck_assert(seen.first > 3 && seen.end < g.n[2] - 3 && seen.first < seen.end && isinf(seen.radius));
	double *p = bodies_project(rods, 1, s), *zero = reconstruct("wfbp", "ends=zero", &g, s, p),
	       *x = reconstruct("wfbp", NULL, &g, s, p);
	for (size_t k = 0; k < g.n[2]; k++) {
		const double z = voxel_at(&g, 2, k), a = region_mean(&g, zero, 0, 0, 15, z, 1), b = region_mean(&g, x, 0, 0, 15, z, 1);
		if (k >= seen.first && k < seen.end)
			ck_assert_msg(fabs(a - 0.02) < 4e-5 && a == b, "slice %zu: %g and %g", k, a, b);
		else
			ck_assert_msg(a == 0 && fabs(b - 0.02) < 1e-3, "slice %zu beyond the ends: %g and %g", k, a, b);
	}
	free(p);
	free(zero);
	free(x);
	gt_scan_free(s);
}

/* An upload of the used views alone gives the same volume; a GPU adds more batches. */
static void check_upload(gt_backend *be, const gt_grid *g, const gt_scan *s, const float *data, const double *want)
{
	const size_t n = gt_grid_voxels(g);
	double *got = malloc(n * sizeof *got), off = 0;
	gt_array *x;
	gt_counters before, after;
	ck_assert_ptr_nonnull(got);
	ck_ok(gt_array_new(be, GT_F64, n, &x));
	ck_ok(gt_backend_counters(be, &before));
	ck_ok(gt_wfbp_from_host(g, s, NULL, data, x));
	ck_ok(gt_backend_counters(be, &after));
	gt_array_get(x, got);
	ck_ok(gt_backend_status(be));
	for (size_t i = 0; i < n; i++)
		off = fmax(off, fabs(got[i] - want[i]));
	ck_assert_msg(off <= (gt_backend_is_gpu(be) ? 1e-13 : 0), "uploads in batches: off by %g", off);
	ck_assert(!gt_backend_is_gpu(be) || after.put_bytes - before.put_bytes < gt_scan_size(s) * sizeof *got);
	gt_array_free(x);
	free(got);
}

/* A slab of a long scan needs only some views. It equals its slices in the whole volume, also beyond both ends and
 * in gaps. */
GT_TEST(slabs_of_long_scans)
{
	static const double spot[3][3] = { { 0.3, 0, -0.4 }, { -0.3, 0, 0.4 }, { 0, 0.5, 0 } };
	const gt_wfbp_options *options = gt_analytic_wfbp.defaults;
	for (int i = 0; i < 3; i++) {
		gt_orbit o = orbit_of(GT_ARC, i == 1 ? 1.8 : 0.9, 7);
		o.spot = spot;
		o.spots = i == 2 ? 3 : 0;
		gt_scan *s = scan_of(&o);
		gt_grid all = { { 19, 16, 61 }, { 5, 5, 5 }, { 1, -2, 3 } }, slab = all;
		const size_t first = i == 0 ? 1 : 29, slices = i == 0 ? 24 : 5;
		slab.n[2] = slices;
		slab.center[2] = voxel_at(&all, 2, first) + (double)(slices - 1) / 2 * all.pitch[2];
		gt_wfbp_plan *p;
		ck_ok(gt_wfbp_plan_new(&slab, s, options, NULL, &p));
		const size_t before = p->views;
		gt_wfbp_plan_trim(p);
		ck_assert_msg(p->views < before * 2 / 3 && p->turns == (p->views + p->bins - 1) / p->bins, "%zu of %zu views", p->views,
		              before);
		ck_assert_msg(p->source_views < s->views && p->source_first % p->spots == 0 &&
		                      p->source_first + p->source_views <= s->views,
		              "%zu views from %zu on", p->source_views, p->source_first);
		gt_wfbp_plan_free(p);
		const size_t n = gt_scan_size(s), plane = all.n[0] * all.n[1];
		float *random = malloc(n * sizeof *random);
		double *data = malloc(n * sizeof *data), off = 0;
		ck_assert(random && data);
		gt_test_random(3 + (unsigned)i, n, random);
		for (size_t k = 0; k < n; k++)
			data[k] = (double)random[k];
		gt_backend *be = gt_test_backend();
		double *x = reconstruct_as(be, GT_F64, "wfbp", NULL, &all, s, data),
		       *part = reconstruct_as(be, GT_F64, "wfbp", NULL, &slab, s, data);
		for (size_t k = 0; k < slices * plane; k++)
			off = fmax(off, fabs(part[k] - x[first * plane + k]));
		ck_assert_msg(off < 1e-11, "case %d: off by %g", i, off);
		check_upload(be, &slab, s, random, part);
		gt_backend_close(be);
		free(random);
		free(data);
		free(x);
		free(part);
		gt_scan_free(s);
	}
}

int main(void) { return gt_test_main("wfbp_plan", NULL); }
