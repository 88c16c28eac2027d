/* Options of fdk and fbp, precision, threads and devices. */
/* labels: property */
#include "tests/analytic/bodies.h"

static const body things[] = {
	{ 1, { 1, -2, 0 }, 20, 0.02 },
	{ 0, { 7, 9, 2 }, 5, 0.03 },
	{ 0, { -9, 4, -4 }, 4, -0.02 },
	{ 0, { 3, -12, 5 }, 3, 0.04 },
};
enum { THINGS = 4 };
static const gt_grid grid = { { 37, 42, 29 }, { 1.3, 1.2, 0.9 }, { 0.4, -0.7, 0.3 } };

static gt_scan *scan_of(gt_shape shape, double turn)
{
	const gt_orbit o = { .shape = shape,
		             .views = 70,
		             .rows = 19,
		             .columns = 90,
		             .source_to_axis = 160,
		             .source_to_detector = 250,
		             .column_pitch = shape == GT_PARALLEL ? 0.6 : 0.9,
		             .row_pitch = 1.7,
		             .column_offset = 0.25,
		             .row_offset = -0.6,
		             .start_angle = 0.3,
		             .turn = turn };
	gt_scan *s;
	ck_ok(gt_scan_orbit(&o, &s));
	return s;
}

static const char *method_of(const gt_scan *s) { return gt_analytic_for(s)->name; }

static double difference(const double *x, const double *y, size_t n)
{
	double d = 0, size = 0;
	for (size_t i = 0; i < n; i++) {
		d += (x[i] - y[i]) * (x[i] - y[i]);
		size += y[i] * y[i];
	}
	return sqrt(d / size);
}

static double *run_on(const char *backend, gt_type type, const char *text, const gt_scan *s, const double *p)
{
	gt_backend *be;
	ck_ok(gt_backend_open(backend, &be));
	double *x = reconstruct_as(be, type, method_of(s), text, &grid, s, p);
	gt_backend_close(be);
	return x;
}

static const struct {
	gt_shape shape;
	double turn;
	const char *text;
} cases[] = {
	{ GT_FLAT, 2 * GT_PI, "filter=hann,cutoff=0.8" }, { GT_ARC, 2 * GT_PI, "mask=none" },           { GT_FLAT, 3.9, "rows=zero" },
	{ GT_ARC, 3.9, "extend=none,filter=parzen" },     { GT_PARALLEL, GT_PI, "filter=shepp-logan" },
};
enum { CASES = 5 };

/* Filled to the ends of the rows, so that the extension is active. */
static double *truncated(const gt_scan *s)
{
	static const body big = { 1, { 5, 4, 0 }, 36, 0.02 };
	double *p = bodies_project(things, THINGS, s), *q = bodies_project(&big, 1, s);
	for (size_t i = 0; i < gt_scan_size(s); i++)
		p[i] += q[i];
	free(q);
	return p;
}

GT_TEST(single_is_double)
{
	gt_backend *be = gt_test_backend();
	for (int i = 0; i < CASES; i++) {
		gt_scan *s = scan_of(cases[i].shape, cases[i].turn);
		double *p = truncated(s);
		double *x = reconstruct_as(be, GT_F32, method_of(s), cases[i].text, &grid, s, p);
		double *y = reconstruct_as(be, GT_F64, method_of(s), cases[i].text, &grid, s, p);
		const double d = difference(x, y, gt_grid_voxels(&grid));
		ck_assert_msg(d < 1e-6 && d > 0, "case %d: single and double differ by %g", i, d);
		free(p);
		free(x);
		free(y);
		gt_scan_free(s);
	}
	gt_backend_close(be);
}

GT_TEST(threads_do_not_matter)
{
	for (int i = 0; i < CASES; i++) {
		gt_scan *s = scan_of(cases[i].shape, cases[i].turn);
		double *p = truncated(s);
		double *x = run_on("cpu:1", GT_F32, cases[i].text, s, p), *y = run_on("cpu:3", GT_F32, cases[i].text, s, p);
		ck_assert(!memcmp(x, y, gt_grid_voxels(&grid) * sizeof *x));
		free(p);
		free(x);
		free(y);
		gt_scan_free(s);
	}
}

GT_TEST(device_is_cpu)
{
	if (!gt_test_is_gpu())
		return;
	gt_backend *be = gt_test_backend();
	for (int i = 0; i < CASES; i++)
		for (int type = GT_F32; type <= GT_F64; type++) {
			gt_scan *s = scan_of(cases[i].shape, cases[i].turn);
			double *p = truncated(s);
			double *x = reconstruct_as(be, (gt_type)type, method_of(s), cases[i].text, &grid, s, p);
			double *y = run_on("cpu", (gt_type)type, cases[i].text, s, p);
			const double d = difference(x, y, gt_grid_voxels(&grid));
			ck_assert_msg(d < (type == GT_F32 ? 2e-6 : 1e-12), "case %d, %s: device and CPU differ by %g", i,
			              gt_type_name((gt_type)type), d);
			free(p);
			free(x);
			free(y);
			gt_scan_free(s);
		}
	gt_backend_close(be);
}

/* The data are unchanged, no array crosses the bus, and all memory is freed. */
GT_TEST(nothing_is_left_behind)
{
	gt_backend *be = gt_test_backend();
	gt_scan *s = scan_of(GT_ARC, 3.9);
	const size_t n = gt_scan_size(s);
	gt_array *p = gt_test_array(be, GT_F32, n, 5), *x;
	float *before = malloc(n * sizeof *before), *after = malloc(n * sizeof *after);
	ck_assert(before && after);
	gt_array_get(p, before);
	ck_ok(gt_array_new(be, GT_F32, gt_grid_voxels(&grid), &x));
	const gt_counters start = gt_test_counters(be);
	ck_ok(gt_analytic_run(gt_analytic_for(s), be, &grid, s, NULL, p, x));
	const gt_counters end = gt_test_counters(be);
	ck_assert_uint_eq(end.bytes, start.bytes);
	ck_assert_uint_eq(end.gets, start.gets);
	ck_assert(end.put_bytes - start.put_bytes < n * sizeof(float));
	gt_array_get(p, after);
	ck_assert(!memcmp(before, after, n * sizeof *before));
	free(before);
	free(after);
	gt_array_free(p);
	gt_array_free(x);
	gt_scan_free(s);
	gt_backend_close(be);
}

/* Batches add up to one call: linear in the data, view by view. */
GT_TEST(views_add_up)
{
	gt_scan *s = scan_of(GT_FLAT, 2 * GT_PI);
	const size_t n = gt_scan_size(s), cut = 31 * s->rows * s->columns;
	double *p = truncated(s), *head = calloc(n, sizeof *head), *tail = calloc(n, sizeof *tail);
	ck_assert(head && tail);
	memcpy(head, p, cut * sizeof *p);
	memcpy(tail + cut, p + cut, (n - cut) * sizeof *p);
	double *x = reconstruct("fdk", NULL, &grid, s, p), *a = reconstruct("fdk", NULL, &grid, s, head);
	double *b = reconstruct("fdk", NULL, &grid, s, tail);
	for (size_t i = 0; i < gt_grid_voxels(&grid); i++)
		a[i] += b[i];
	ck_assert(difference(a, x, gt_grid_voxels(&grid)) < 1e-6);
	free(p);
	free(head);
	free(tail);
	free(x);
	free(a);
	free(b);
	gt_scan_free(s);
}

GT_TEST(extension_lifts_truncated_rows_and_spares_air)
{
	static const body big = { 1, { 4, -3, 0 }, 45, 0.02 }, small = { 1, { 4, -3, 0 }, 15, 0.02 };
	const gt_grid g = { { 41, 41, 3 }, { 1, 1, 1 }, { 0, 0, 0 } };
	for (int shape = GT_FLAT; shape < GT_NSHAPES; shape++) {
		gt_scan *s = scan_of((gt_shape)shape, shape == GT_PARALLEL ? GT_PI : 2 * GT_PI);
		double *p = bodies_project(&big, 1, s);
		double *x = reconstruct(method_of(s), NULL, &g, s, p), *y = reconstruct(method_of(s), "extend=none", &g, s, p);
		/* truncation causes an excess that rises towards the rim; the extension removes most of it */
		const double rim = region_mean(&g, x, 17, 0, 2, 0, 1) - region_mean(&g, x, 0, 0, 2, 0, 1);
		const double bare = region_mean(&g, y, 17, 0, 2, 0, 1) - region_mean(&g, y, 0, 0, 2, 0, 1);
		ck_assert_msg(bare > 0.002 && fabs(rim) < 0.4 * bare, "rim %g with and %g without extension", rim, bare);
		free(p);
		free(x);
		free(y);
		p = bodies_project(&small, 1, s);
		x = reconstruct(method_of(s), NULL, &g, s, p);
		y = reconstruct(method_of(s), "extend=none", &g, s, p);
		ck_assert(difference(x, y, gt_grid_voxels(&g)) < 2e-6);
		free(p);
		free(x);
		free(y);
		gt_scan_free(s);
	}
}

GT_TEST(mask_and_rows)
{
	const gt_grid g = { { 61, 61, 61 }, { 1, 1, 1 }, { 0, 0, 0 } };
	gt_scan *s = scan_of(GT_FLAT, 2 * GT_PI);
	double *p = truncated(s), zmin, zmax;
	const double radius = gt_scan_field_of_view(s, &zmin, &zmax);
	double *masked = reconstruct("fdk", NULL, &g, s, p), *bare = reconstruct("fdk", "mask=none", &g, s, p);
	double *zero = reconstruct("fdk", "rows=zero", &g, s, p);
	size_t outside = 0, above = 0;
	for (size_t k = 0; k < 61; k++)
		for (size_t j = 0; j < 61; j++)
			for (size_t i = 0; i < 61; i++) {
				const double x = voxel_at(&g, 0, i), y = voxel_at(&g, 1, j), z = voxel_at(&g, 2, k), r = hypot(x, y);
				const size_t at = (k * 61 + j) * 61 + i;
				if (r > radius + 0.3) {
					ck_assert(masked[at] == 0);
					outside += bare[at] != 0;
				} else if (r < radius - 0.3) {
					ck_assert(masked[at] == bare[at]);
				}
				/* row edges are 250/160 times higher at the detector, more on the near side */
				const double half = s->rows / 2.0 * s->row_pitch, height = z * 250 / (160 + r), shift = 0.6 * s->row_pitch;
				if (fabs(height) > half + shift + 0.01) {
					ck_assert(zero[at] == 0);
					above += masked[at] != 0;
				}
				if (fabs(z) * 250 / (160 - r) < half - shift - 0.01)
					ck_assert(fabs(zero[at] - masked[at]) <= 1e-7);
			}
	ck_assert(outside > 1000 && above > 1000);
	free(p);
	free(masked);
	free(bare);
	free(zero);
	gt_scan_free(s);
}

/* Windows reduce the noise, in this order. */
GT_TEST(windows_smooth)
{
	static const char *const order[] = { "filter=ram-lak", "filter=shepp-logan", "filter=cosine", "filter=hamming",
		                             "filter=hann",    "filter=blackman",    "filter=parzen", "filter=parzen,cutoff=0.5" };
	gt_scan *s = scan_of(GT_ARC, 2 * GT_PI);
	const size_t n = gt_scan_size(s);
	float *noise = malloc(n * sizeof *noise);
	double *p = malloc(n * sizeof *p), last = INFINITY;
	ck_assert(noise && p);
	gt_test_random(3, n, noise);
	for (size_t i = 0; i < n; i++)
		p[i] = noise[i];
	for (size_t f = 0; f < sizeof order / sizeof *order; f++) {
		double *x = reconstruct("fdk", order[f], &grid, s, p), sum = 0;
		for (size_t i = 0; i < gt_grid_voxels(&grid); i++)
			sum += x[i] * x[i];
		ck_assert_msg(sum < 0.97 * last && sum > 0, "%s: %g after %g", order[f], sum, last);
		last = sum;
		free(x);
	}
	free(noise);
	free(p);
	gt_scan_free(s);
}

int main(void) { return gt_test_main("direct", NULL); }
