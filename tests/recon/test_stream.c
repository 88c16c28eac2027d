/* Operators and penalties that a device computes in slabs of host arrays: equal to those on the whole, entry by
 * entry. Runs start, iterate and end as on the device alone.
 * labels: unit */
#include <math.h>
#include <gantry/projector.h>
#include <gantry/regularizer.h>
#include "core/device/backend.h"
#include "core/random.h"
#include "recon/stream/stream.h"
#include "tests/recon/coarse_turn.h"
#include "tests/recon/small_recon.h"

static const char *device(void) { return getenv("GT_BACKEND") ? getenv("GT_BACKEND") : "cpu:1"; }

/* All entries of A, [ny][nx], and of its adjoint. */
static void entries(const gt_linop *A, double *forward, double *adjoint)
{
	const size_t nx = gt_linop_nx(A), ny = gt_linop_ny(A), max = nx > ny ? nx : ny;
	double *unit = calloc(max, sizeof *unit), *got = calloc(max, sizeof *got);
	gt_array *x, *y;
	ck_ok(gt_array_new(gt_linop_backend(A), GT_F64, nx, &x));
	ck_ok(gt_array_new(gt_linop_backend(A), GT_F64, ny, &y));
	for (size_t j = 0; j < nx + ny; j++) {
		const int is_x = j < nx;
		const size_t at = is_x ? j : j - nx, n = is_x ? ny : nx;
		unit[at] = 1;
		gt_array_put(unit, is_x ? x : y);
		unit[at] = 0;
		gt_fill(NAN, is_x ? y : x);
		if (is_x)
			gt_forward(A, x, y);
		else
			gt_adjoint(A, y, x);
		gt_array_get(is_x ? y : x, got);
		for (size_t i = 0; i < n; i++)
			*(is_x ? &forward[i * nx + at] : &adjoint[at * nx + i]) = got[i];
	}
	ck_ok(gt_backend_status(gt_linop_backend(A)));
	gt_array_free(x);
	gt_array_free(y);
	free(unit);
	free(got);
}

static void certify(gt_shape shape, double pitch, size_t slices, size_t views)
{
	gt_scan *scan = coarse_turn(shape, pitch);
	const size_t n = gt_grid_voxels(&coarse_grid) * gt_scan_size(scan);
	double *a[4], max = 0, off = 0;
	gt_backend *host, *whole;
	gt_stream *s = NULL;
	gt_linop *A, *one;
	for (int i = 0; i < 4; i++)
		a[i] = calloc(n, sizeof *a[i]);
	ck_ok(gt_backend_open("cpu:2", &host));
	ck_ok(gt_backend_open(device(), &whole));
	const gt_stream_problem q = { NULL, device(), 0, host, GT_F64, "dd", &coarse_grid, scan, 1, slices, views };
	ck_ok(gt_stream_new(&q, &s));
	ck_ok(gt_stream_operator(s, scan, &A));
	gt_stream_free(s); /* the operator holds a reference */
	ck_ok(gt_projector_new("dd", whole, GT_F64, &coarse_grid, scan, &one));
	entries(A, a[0], a[1]);
	entries(one, a[2], a[3]);
	for (size_t i = 0; i < n; i++) {
		max = fmax(max, fabs(a[2][i]));
		off = fmax(off, fmax(fabs(a[0][i] - a[1][i]), fabs(a[0][i] - a[2][i])));
	}
	ck_assert_msg(max > 0 && off <= 1e-12 * max, "shape %d, slabs of %zu, %zu views: entries differ by %g of %g", (int)shape, slices,
	              views, off, max);
	gt_linop_free(A);
	gt_linop_free(one);
	gt_backend_close(host);
	gt_backend_close(whole);
	gt_scan_free(scan);
	for (int i = 0; i < 4; i++)
		free(a[i]);
}

GT_TEST(every_entry)
{
	static const gt_shape shapes[] = { GT_FLAT, GT_ARC, GT_PARALLEL };
	for (int i = 0; i < 3; i++) {
		certify(shapes[i], 0, 0, 0);
		certify(shapes[i], 0, 5, 3);
		certify(shapes[i], 0, 2, 7);
		certify(shapes[i], 0, 1, 1);
	}
	certify(GT_ARC, 40, 2, 3);
	certify(GT_FLAT, 90, 1, 2); /* some views do not see a slab */
}

/* Relative RMS difference between runs of p[0] on the device alone, and of p[1] streamed. limit NULL: not streamed. */
static double differ(gt_projections *const p[2], const char *const (*set)[2], const char *limit)
{
	char backend[64];
	gt_volume *v[2];
	double d = 0, all = 0;
	snprintf(backend, sizeof backend, "stream:%s", device());
	for (int i = 0; i < 2; i++) {
		gt_recon *r = recon(p[i], set);
		ck_ok(gt_recon_set(r, "backend", i && limit ? backend : device()));
		if (i && limit)
			ck_ok(gt_recon_set(r, "device-memory", limit));
		ck_ok(gt_recon_grid(r, &grid));
		ck_ok(gt_volume_new(&grid, &v[i]));
		ck_ok(gt_recon_run(r, v[i]));
		gt_recon_free(r);
	}
	for (size_t i = 0; i < gt_grid_voxels(&grid); i++) {
		d += pow((double)v[1]->data[i] - v[0]->data[i], 2);
		all += pow((double)v[0]->data[i], 2);
	}
	gt_volume_free(v[0]);
	gt_volume_free(v[1]);
	return sqrt(d / all);
}

static double differs(gt_projections *p, const char *const (*set)[2], const char *limit)
{
	return differ((gt_projections *const[2]){ p, p }, set, limit);
}

GT_TEST(runs_end_equally)
{
	static const char *const sets[][5][2] = {
		{ { "solver", "sirt:iterations=3" }, { "precision", "double" } },
		{ { "solver", "os-sart:iterations=2,subsets=3" }, { "precision", "double" }, { "init", "zero" } },
		{ { "solver", "pcg:iterations=4" },
		  { "penalty", "qggmrf:strength=10" },
		  { "precision", "double" },
		  { "weights", "photons:count=1e5" } },
		{ { "solver", "cgls:iterations=4" }, { "precision", "double" }, { "init", "zero" } },
		{ { "solver", "fista:iterations=4,prox=yes" }, { "penalty", "tv:strength=0.1,inner=5" }, { "precision", "double" } },
		{ { "solver", "admm:iterations=3" }, { "penalty", "tv:strength=0.1,inner=5" }, { "precision", "double" } },
		{ { "solver", "saga:iterations=2,subsets=3" }, { "penalty", "huber:strength=50" }, { "precision", "double" } },
	};
	gt_projections *p = projections();
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		for (int k = 0; k < 2; k++) {
			const double d = differs(p, sets[i], k ? "850KiB" : "3MiB");
			ck_assert_msg(d < 2e-7, "%s: %g", sets[i][0][1], d); /* volumes are in single precision */
		}
	gt_projections_free(p);
}

/* A mask of corrected pixels weights the data of slabs as it does in the whole volume. */
GT_TEST(masked_pixels)
{
	static const char *const sets[][5][2] = {
		{ { "solver", "pcg:iterations=4" }, { "precision", "double" } },
		{ { "solver", "os-sqs:iterations=2,subsets=4" },
		  { "penalty", "qggmrf:strength=10" },
		  { "precision", "double" },
		  { "weights", "model:count=1e5" } },
	};
	gt_projections *p = projections(), *all = projections();
	const size_t n = gt_scan_size(p->scan);
	float *mask = malloc(n * sizeof *mask);
	for (size_t i = 0; i < n; i++) {
		const size_t pixel = i % (ROWS * COLUMNS);
		mask[i] = pixel % 11 == 3 ? 0 : pixel % 7 == 5 ? 0.1f : 1;
		p->data[i] += mask[i] < 1 ? 0.5f : 0;
		all->data[i] = p->data[i];
	}
	ck_ok(gt_projections_set_weights(p, mask));
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
		const double d = differs(p, sets[i], "850KiB");
		ck_assert_msg(d < 2e-7, "%s: %g", sets[i][0][1], d);
		ck_assert_double_gt(differ((gt_projections *const[2]){ p, all }, sets[i], NULL), 0.01);
	}
	free(mask);
	gt_projections_free(p);
	gt_projections_free(all);
}

/* Random numbers between low and high on the host backend. */
static gt_array *random_array(gt_backend *be, gt_type type, size_t n, uint64_t seed, double low, double high)
{
	gt_random r;
	gt_array *a;
	double *v = malloc(n * sizeof *v);
	float *f = malloc(n * sizeof *f);
	gt_random_at(seed, 0, &r);
	for (size_t i = 0; i < n; i++) {
		v[i] = low + (high - low) * gt_uniform(&r);
		f[i] = (float)v[i];
	}
	ck_ok(gt_array_new(be, type, n, &a));
	gt_array_put(a->type == GT_F32 ? (void *)f : (void *)v, a);
	free(v);
	free(f);
	return a;
}

static void compare(const gt_array *a, const gt_array *b, double min, const char *what, const char *spec, size_t slices)
{
	const size_t n = gt_array_size(a);
	double *v[2] = { malloc(n * sizeof(double)), malloc(n * sizeof(double)) }, max = 0, off = 0;
	for (int k = 0; k < 2; k++) {
		const gt_array *from = k ? b : a;
		for (size_t i = 0; i < n; i++)
			v[k][i] = from->type == GT_F32 ? ((const float *)from->data)[i] : ((const double *)from->data)[i];
	}
	for (size_t i = 0; i < n; i++) {
		max = fmax(max, fabs(v[0][i]));
		off = fmax(off, fabs(v[0][i] - v[1][i]));
		ck_assert(isfinite(v[1][i]));
	}
	ck_assert_msg(max > 0 && off <= min * max, "%s, %s, slabs of %zu: off by %g of %g", spec, what, slices, off, max);
	free(v[0]);
	free(v[1]);
}

static void hear(void *self, const gt_message *m)
{
	size_t *slices = self;
	const char *text = strstr(m->text, "' too, ");
	if (text && strstr(m->text, "computes the penalty '"))
		*slices = strtoul(text + 7, NULL, 10);
}

/* Gradient, curvature and sums of a penalty: device slabs against the whole on the host. */
static void same_penalty(const char *spec, gt_type type, int with_kappa, size_t nz, size_t slices, size_t expected)
{
	const gt_grid g = { { 7, 5, nz }, { 1.5, 1.25, 2.5 }, { 3, -2, 1 } };
	const size_t n = gt_grid_voxels(&g);
	const double min = type == GT_F32 ? 2e-5 : 1e-12;
	gt_scan *scan = coarse_turn(GT_FLAT, 0);
	gt_stream *s;
	gt_backend *host;
	gt_penalty *R[2];
	gt_array *sum[2][2];
	double v[2], slope[2], curvature[2];
	ck_ok(gt_backend_open("cpu:2", &host));
	size_t heard = 0;
	const gt_listener log = { hear, &heard };
	const gt_stream_problem q = { &log, device(), 0, host, type, "dd", &g, scan, 1, slices, 5 };
	gt_array *x = random_array(host, type, n, 1, 0, 0.05), *p = random_array(host, type, n, 2, -0.02, 0.03);
	gt_array *kappa = with_kappa ? random_array(host, type, n, 3, 0.2, 1.7) : NULL;
	ck_ok(gt_stream_new(&q, &s));
	ck_ok(gt_stream_penalty(s, spec, kappa, &R[0]));
	ck_ok(gt_regularizer_new(spec, host, type, &g, kappa, &R[1]));
	gt_stream_free(s); /* the penalty holds a reference */
	gt_array_free(kappa);
	ck_assert_uint_eq(heard, expected);
	ck_assert_uint_eq(gt_penalty_has(R[0]), gt_penalty_has(R[1]));
	ck_assert_int_eq(gt_penalty_is_convex(R[0]), gt_penalty_is_convex(R[1]));
	ck_assert_str_eq(gt_penalty_name(R[0]), gt_penalty_name(R[1]));
	for (int with_d = 2; with_d >= 0; with_d--) { /* 2: the majorizer alone */
		for (int i = 0; i < 2; i++) {
			for (int k = 0; k < 2; k++)
				sum[i][k] = random_array(host, type, n, 4 + (uint64_t)k, 0.1, 0.2);
			if (with_d == 2)
				gt_penalty_majorize(R[i], sum[i][1]);
			else
				gt_penalty_gradient(R[i], x, sum[i][0], with_d ? sum[i][1] : NULL);
			ck_ok(gt_backend_status(host));
		}
		compare(sum[1][0], sum[0][0], min, "gradient", spec, slices);
		compare(sum[1][1], sum[0][1], min, "majorizer", spec, slices);
		for (int i = 0; i < 4; i++)
			gt_array_free(sum[i / 2][i % 2]);
	}
	for (int i = 0; i < 2; i++) {
		v[i] = gt_penalty_value(R[i], x);
		gt_penalty_line(R[i], x, p, 0.7, &slope[i], &curvature[i]);
	}
	ck_ok(gt_backend_status(host));
	ck_assert_msg(v[1] > 0 && fabs(v[0] - v[1]) <= min * v[1] && fabs(slope[0] - slope[1]) <= min * fabs(slope[1]) * 10 &&
	                      fabs(curvature[0] - curvature[1]) <= min * curvature[1],
	              "%s, %zu slices in slabs of %zu: %g, %g, %g for %g, %g, %g", spec, nz, slices, v[0], slope[0], curvature[0], v[1],
	              slope[1], curvature[1]);
	for (int i = 0; i < 2; i++)
		gt_penalty_free(R[i]);
	gt_array_free(x);
	gt_array_free(p);
	gt_backend_close(host);
	gt_scan_free(scan);
}

GT_TEST(penalties_are_those_of_the_whole)
{
	static const char *const specs[] = { "qggmrf:strength=3,c=9HU",
		                             "qggmrf:strength=2,p=1.7,neighbours=6",
		                             "huber:delta=4HU",
		                             "hyperbola:strength=0.3,neighbours=6",
		                             "fair",
		                             "logcosh",
		                             "quadratic",
		                             "awtv:strength=4" };
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
		for (int type = 0; type < 2; type++)
			for (size_t k = 0; k < 3; k++) { /* 3, 2 and 1 slabs per third, without their overlap */
				static const size_t slices[] = { 11, 16, 31 }, at_once[] = { 1, 3, 8 };
				same_penalty(specs[i], type ? GT_F32 : GT_F64, i < 7 && (i + k) % 2, 31 - (k < 2) * (i % 2), slices[k],
				             at_once[k]);
			}
	same_penalty("huber:strength=2", GT_F64, 1, 9, 9, 1);
	same_penalty("huber:strength=2", GT_F64, 1, 9, 3, 0); /* slabs too thin: computed on the host */
	same_penalty("qggmrf", GT_F64, 0, 1, 1, 0);
}

GT_TEST(what_cannot_be_is_refused)
{
	gt_projections *p = projections();
	gt_volume *v;
	ck_ok(gt_volume_new(&grid, &v));
	static const char *const direct[][2] = { { "solver", "fdk" }, { NULL, NULL } }, *const little[][2] = { { "solver", "sirt" },
		                                                                                               { NULL, NULL } };
	gt_recon *r = recon(p, direct);
	ck_ok(gt_recon_set(r, "backend", "stream:cpu:1"));
	ck_ok(gt_recon_grid(r, &grid));
	ck_refused(gt_recon_run(r, v), GT_ERR_ARG, "backend 'stream:cpu:1': expected an iterative method");
	gt_recon_free(r);
	r = recon(p, little);
	ck_ok(gt_recon_set(r, "backend", "stream:cpu:1"));
	ck_ok(gt_recon_set(r, "device-memory", "1KiB"));
	ck_ok(gt_recon_grid(r, &grid));
	ck_refused(gt_recon_run(r, v), GT_ERR_MEMORY, "slabs of the volume and batches of views need");
	ck_ok(gt_recon_set(r, "backend", "stream:gpu"));
	ck_refused(gt_recon_run(r, v), GT_ERR_UNKNOWN, "backend 'gpu'");
	gt_recon_free(r);
	gt_volume_free(v);
	gt_projections_free(p);
	ck_assert_ptr_null(gt_stream_device("streams"));
	ck_assert_str_eq(gt_stream_device("stream"), "auto");
}

int main(void) { return gt_test_main("stream", NULL); }
