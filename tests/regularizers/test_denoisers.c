/* Denoisers as proximal steps: non-local means against plain loops; user functions and their possible errors.
 * labels: unit property */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "tests/support/images.h"
#include "tests/support/support.h"

static const gt_grid grids[] = {
	{ { 9, 7, 5 }, { 0.7, 1.1, 2.3 }, { 3, -2, 1 } },
	{ { 1, 6, 5 }, { 0.7, 1.3, 0.4 }, { 0, 0, 0 } },
	{ { 37, 11, 1 }, { 0.5, 0.6, 0.9 }, { 0, 0, 0 } },
};
enum { GRIDS = sizeof grids / sizeof *grids };
static const struct {
	const char *spec;
	int search, patch;
	double h;
} kinds[] = { { "nlm:h=0.7", 5, 3, 0.7 }, { "nlm:h=0.4,search=3,patch=5", 3, 5, 0.4 }, { "nlm:h=2,search=7,patch=1", 7, 1, 2 } };

/* Returns voxel (x, y, z); the border is repeated outside. */
static double at(const gt_grid *g, const double *v, ptrdiff_t x, ptrdiff_t y, ptrdiff_t z)
{
	ptrdiff_t place[3] = { x, y, z };
	for (int a = 0; a < 3; a++)
		place[a] = place[a] < 0 ? 0 : place[a] < (ptrdiff_t)g->n[a] ? place[a] : (ptrdiff_t)g->n[a] - 1;
	return v[((size_t)place[2] * g->n[1] + (size_t)place[1]) * g->n[0] + (size_t)place[0]];
}

/* Returns the average of voxel i by the definition. */
static double average(const gt_grid *g, const double *v, size_t i, int search, int patch, double h)
{
	const ptrdiff_t x = (ptrdiff_t)(i % g->n[0]), y = (ptrdiff_t)(i / g->n[0] % g->n[1]), z = (ptrdiff_t)(i / g->n[0] / g->n[1]);
	double sum = 0, total = 0;
	for (int k = 0; k < search * search * search; k++) {
		const int dx = k % search - search / 2, dy = k / search % search - search / 2, dz = k / search / search - search / 2;
		double square = 0;
		for (int o = 0; o < patch * patch * patch; o++) {
			const ptrdiff_t px = x + o % patch - patch / 2, py = y + o / patch % patch - patch / 2,
					pz = z + o / patch / patch - patch / 2;
			const double t = at(g, v, px, py, pz) - at(g, v, px + dx, py + dy, pz + dz);
			square += t * t;
		}
		const double w = exp(-square / (h * h * patch * patch * patch));
		sum += w * at(g, v, x + dx, y + dy, z + dz);
		total += w;
	}
	return sum / total;
}

GT_TEST(non_local_means_by_the_book)
{
	gt_backend *be = gt_test_backend();
	for (int i = 0; i < 2 * 3 * GRIDS; i++) {
		const gt_grid *g = &grids[i / 2 % GRIDS];
		const int kind = i / 2 / GRIDS;
		const gt_type type = i % 2 ? GT_F64 : GT_F32;
		const size_t n = gt_grid_voxels(g);
		gt_penalty *R;
		ck_ok(gt_regularizer_new(kinds[kind].spec, be, type, g, NULL, &R));
		gt_array *z = gt_test_array(be, type, n, 1), *x = gt_test_array(be, type, n, 2);
		double *Z = gt_test_values(z), *want = malloc(n * sizeof *want);
		for (size_t k = 0; k < n; k++)
			want[k] = fmax(-0.5, fmin(0.6, average(g, Z, k, kinds[kind].search, kinds[kind].patch, kinds[kind].h)));
		gt_penalty_prox(R, 0.01, -0.5, 0.6, z, x);
		double *X = gt_test_values(x);
		ck_assert_double_lt(gt_test_farthest(X, want, n), type == GT_F64 ? 1e-13 : 1e-5);
		/* x may be z. */
		gt_penalty_prox(R, 0.01, -0.5, 0.6, z, z);
		ck_assert_double_eq(gt_distance2(x, z), 0);
		ck_ok(gt_backend_status(be));
		free(Z), free(want), free(X);
		gt_array_free(z), gt_array_free(x);
		gt_penalty_free(R);
		ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	}
	gt_backend_close(be);
}

GT_TEST(share_of_the_average)
{
	gt_backend *be = gt_test_backend();
	gt_array *z = gt_test_array(be, GT_F64, 315, 1), *x[3];
	for (int k = 0; k < 3; k++) {
		static const char *const spec[] = { "nlm:h=0.7", "nlm:h=0.7,strength=0.3", "nlm:h=0.7,strength=0" };
		gt_penalty *R;
		ck_ok(gt_regularizer_new(spec[k], be, GT_F64, &grids[0], NULL, &R));
		ck_ok(gt_array_like(z, &x[k]));
		gt_penalty_prox(R, 1, -INFINITY, INFINITY, z, x[k]);
		gt_penalty_free(R);
	}
	ck_assert_double_eq(gt_distance2(x[2], z), 0);
	gt_axpby(0.7, z, 0.3, x[0]);
	ck_assert_double_lt(gt_distance2(x[1], x[0]), 1e-26);
	for (int k = 0; k < 3; k++)
		gt_array_free(x[k]);
	gt_array_free(z);
	gt_backend_close(be);
}

GT_TEST(refuses_parameters)
{
	static const struct {
		const char *spec, *text;
	} wrong[] = {
		{ "nlm:search=4", "nlm: search=4: expected an odd number" },
		{ "nlm:patch=2", "nlm: patch=2: expected an odd number" },
		{ "nlm:h=0", "h=0" },
		{ "nlm:strength=1.5", "strength=1.5" },
	};
	gt_backend *be = gt_test_backend();
	gt_penalty *R = NULL;
	for (int k = 0; k < 4; k++)
		ck_refused(gt_regularizer_new(wrong[k].spec, be, GT_F32, &grids[0], NULL, &R), GT_ERR_ARG, wrong[k].text);
	ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	gt_backend_close(be);
}

/* Halves its input and counts the calls, or commits the fault. */
enum fault { NO_FAULT, FAILS, WRITES_LESS, WRITES_MORE, WRITES_NAN, WRITES_INF };
struct half {
	enum fault fault;
	int calls, freed;
	gt_denoise_call seen;
	gt_backend *be; /* for volumes in device memory */
	size_t last;    /* end of the slices seen so far in this step */
	int bad_slice;  /* slice of the fault */
};

static gt_denoiser denoiser_of(struct half *h, gt_status (*denoise)(void *self, gt_denoise_call *call), void (*release)(void *self))
{
	return (gt_denoiser){ .size = sizeof(gt_denoiser), .name = "half", .denoise = denoise, .free = release, .self = h };
}

static gt_status halve(void *self, gt_denoise_call *c)
{
	struct half *h = self;
	const size_t n = c->slices * c->grid->n[0] * c->grid->n[1];
	h->calls++;
	h->seen = *c;
	if (h->fault == FAILS)
		return gt_fail(GT_ERR_UNSUPPORTED, "no model for that");
	for (size_t i = 0; i < n; i++) {
		const double v = c->type == GT_F64 ? ((const double *)c->in)[i] : (double)((const float *)c->in)[i];
		const double bad = h->fault == WRITES_NAN && i == 10 ? NAN : h->fault == WRITES_INF && i == 10 ? INFINITY : v / 2;
		if (c->type == GT_F64)
			((double *)c->out)[i] = bad;
		else
			((float *)c->out)[i] = (float)bad;
	}
	c->written = n - (h->fault == WRITES_LESS) + (h->fault == WRITES_MORE);
	return GT_OK;
}

/* Likewise in device memory, by operations on arrays of the backend. */
static gt_status halve_on_device(void *self, gt_denoise_call *c)
{
	struct half *h = self;
	const size_t slice = c->grid->n[0] * c->grid->n[1], n = c->slices * slice;
	const int here = h->bad_slice >= (int)c->first && h->bad_slice < (int)(c->first + c->slices);
	gt_array *in, *out, *bad;
	h->calls++;
	h->seen = *c;
	ck_assert_uint_eq(c->first, h->last);
	h->last = c->first + c->slices < c->grid->n[2] ? c->first + c->slices : 0;
	ck_ok(gt_array_wrap(h->be, c->type, n, (void *)(size_t)c->in, &in));
	ck_ok(gt_array_wrap(h->be, c->type, n, c->out, &out));
	gt_copy(in, out);
	gt_scale(0.5, out);
	if (here && (h->fault == WRITES_NAN || h->fault == WRITES_INF)) {
		ck_ok(gt_array_part(out, ((size_t)h->bad_slice - c->first) * slice + 10, 1, &bad));
		gt_fill(h->fault == WRITES_NAN ? NAN : INFINITY, bad);
		gt_array_free(bad);
	}
	gt_array_free(in), gt_array_free(out);
	if (here && h->fault == FAILS)
		return gt_fail(GT_ERR_UNSUPPORTED, "no model for that");
	c->written = n - (here && h->fault == WRITES_LESS) + (here && h->fault == WRITES_MORE);
	return GT_OK;
}

static void count_free(void *self) { ((struct half *)self)->freed++; }

GT_TEST(function_of_the_caller)
{
	gt_backend *be = gt_test_backend();
	for (gt_type type = GT_F32; type <= GT_F64; type++) {
		struct half h = { .fault = NO_FAULT };
		const gt_denoiser d = denoiser_of(&h, halve, count_free);
		gt_penalty *R;
		ck_ok(gt_penalty_of_denoiser(&d, be, type, &grids[0], &R));
		gt_array *z = gt_test_array(be, type, 315, 1), *x = gt_test_array(be, type, 315, 2);
		ck_assert_uint_eq(gt_penalty_has(R), GT_HAS_PROX);
		ck_assert(!gt_penalty_is_convex(R) && gt_penalty_value(R, z) == 0);
		gt_penalty_prox(R, 0.25, -0.2, INFINITY, z, x);
		ck_assert(h.calls == 1 && h.seen.t == 0.25 && h.seen.type == type && h.seen.written == 0);
		ck_assert(h.seen.grid->n[1] == 7 && h.seen.grid->pitch[2] == 2.3 && h.seen.size == sizeof h.seen);
		gt_array *want;
		ck_ok(gt_array_like(z, &want));
		gt_copy(z, want), gt_scale(0.5, want), gt_clamp(-0.2, INFINITY, want);
		ck_assert_double_eq(gt_distance2(want, x), 0);
		gt_penalty_prox(R, 0, -INFINITY, INFINITY, z, x);
		ck_assert(h.calls == 1 && gt_distance2(x, z) == 0);
		ck_ok(gt_backend_status(be));
		gt_penalty_free(R);
		ck_assert_int_eq(h.freed, 1);
		gt_array_free(z), gt_array_free(x), gt_array_free(want);
	}
	gt_backend_close(be);
}

GT_TEST(faults_are_told)
{
	static const struct {
		enum fault fault;
		gt_status status;
		const char *text;
	} cases[] = {
		{ FAILS, GT_ERR_UNSUPPORTED, "denoiser 'half' failed: no model for that" },
		{ WRITES_LESS, GT_ERR_ARG, "denoiser 'half': returned 314 values, expected 315" },
		{ WRITES_MORE, GT_ERR_ARG, "denoiser 'half': returned 316 values, expected 315" },
		{ WRITES_NAN, GT_ERR_ARG, "denoiser 'half': returned nan at voxel (1, 1, 0): expected finite values" },
		{ WRITES_INF, GT_ERR_ARG, "denoiser 'half': returned inf at voxel (1, 1, 0)" },
	};
	gt_backend *be = gt_test_backend();
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct half h = { .fault = cases[k].fault };
		const gt_denoiser d = denoiser_of(&h, halve, NULL);
		gt_penalty *R;
		ck_ok(gt_penalty_of_denoiser(&d, be, GT_F32, &grids[0], &R));
		gt_array *z = gt_test_array(be, GT_F32, 315, 1), *x = gt_test_array(be, GT_F32, 315, 1);
		gt_penalty_prox(R, 1, -INFINITY, INFINITY, z, x);
		ck_refused(gt_backend_status(be), cases[k].status, cases[k].text);
		ck_assert_double_eq(gt_distance2(x, z), 0);
		gt_penalty_free(R);
		gt_array_free(z), gt_array_free(x);
	}
	struct half h = { .fault = NO_FAULT };
	gt_denoiser d = denoiser_of(&h, halve, count_free);
	gt_penalty *R = NULL;
	d.size = 3;
	ck_refused(gt_penalty_of_denoiser(&d, be, GT_F32, &grids[0], &R), GT_ERR_ARG, "a struct of 3 bytes");
	ck_assert_int_eq(h.freed, 1);
	d.size = sizeof d;
	d.memory = (gt_denoiser_memory)7;
	ck_refused(gt_penalty_of_denoiser(&d, be, GT_F32, &grids[0], &R), GT_ERR_ARG, "denoiser 'half': memory 7, expected");
	d.denoise = NULL;
	ck_refused(gt_penalty_of_denoiser(&d, be, GT_F32, &grids[0], &R), GT_ERR_ARG, "its function, found NULL");
	ck_assert_ptr_null(R);
	gt_backend_close(be);
}

/* Whole volumes and batches of slices, in both memories: equal results, and no array crosses the bus on the device. */
GT_TEST(volumes_on_the_device_and_batches)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 12; k++) {
		static const size_t slices[] = { 0, 2, 99 };
		const gt_type type = k % 2 ? GT_F64 : GT_F32;
		const int on_device = k / 2 % 2;
		struct half h = { .fault = NO_FAULT, .be = be };
		gt_denoiser d = denoiser_of(&h, on_device ? halve_on_device : halve, NULL);
		d.memory = on_device ? GT_DEVICE_MEMORY : GT_HOST_MEMORY;
		d.slices = slices[k / 4];
		gt_penalty *R;
		ck_ok(gt_penalty_of_denoiser(&d, be, type, &grids[0], &R));
		gt_array *z = gt_test_array(be, type, 315, 1), *want;
		ck_ok(gt_array_like(z, &want));
		gt_copy(z, want), gt_scale(0.5, want), gt_clamp(-0.2, 0.3, want);
		gt_backend_wait(be);
		const gt_counters before = gt_test_counters(be);
		gt_penalty_prox(R, 0.25, -0.2, 0.3, z, z);
		const gt_counters after = gt_test_counters(be);
		const int calls = slices[k / 4] == 2 ? 3 : 1;
		ck_assert_int_eq(h.calls, calls);
		ck_assert(h.seen.memory == d.memory && h.seen.stream == (on_device ? gt_backend_stream(be) : NULL));
		ck_assert(h.seen.slices == (calls == 3 ? 1 : 5) && h.seen.first == (calls == 3 ? 4 : 0));
		ck_assert_uint_eq(after.gets - before.gets, on_device ? 0 : (size_t)calls);
		ck_assert_uint_eq(after.put_bytes - before.put_bytes, on_device ? 0 : gt_array_bytes(z));
		ck_assert_uint_eq(after.allocations, before.allocations);
		ck_assert(!on_device || after.waits - before.waits <= (size_t)calls);
		ck_assert_double_eq(gt_distance2(want, z), 0);
		ck_ok(gt_backend_status(be));
		gt_penalty_free(R);
		gt_array_free(z), gt_array_free(want);
		ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	}
	gt_backend_close(be);
}

GT_TEST(faults_on_the_device)
{
	static const struct {
		enum fault fault;
		size_t slices;
		gt_status status;
		const char *text;
	} cases[] = {
		{ FAILS, 0, GT_ERR_UNSUPPORTED, "denoiser 'half' failed: no model for that" },
		{ WRITES_LESS, 0, GT_ERR_ARG, "denoiser 'half': returned 314 values, expected 315" },
		{ WRITES_MORE, 2, GT_ERR_ARG, "denoiser 'half': returned 127 values, expected 126" },
		{ WRITES_NAN, 0, GT_ERR_ARG, "nan at voxel (1, 1, 3): expected finite values" },
		{ WRITES_INF, 2, GT_ERR_ARG, "denoiser 'half': returned inf at voxel (1, 1, 3)" },
	};
	gt_backend *be = gt_test_backend();
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct half h = { .fault = cases[k].fault, .be = be, .bad_slice = 3 };
		gt_denoiser d = denoiser_of(&h, halve_on_device, NULL);
		d.memory = GT_DEVICE_MEMORY;
		d.slices = cases[k].slices;
		gt_penalty *R;
		ck_ok(gt_penalty_of_denoiser(&d, be, GT_F32, &grids[0], &R));
		gt_array *z = gt_test_array(be, GT_F32, 315, 1), *x = gt_test_array(be, GT_F32, 315, 1), *rest[2];
		gt_penalty_prox(R, 1, -INFINITY, INFINITY, z, x);
		ck_refused(gt_backend_status(be), cases[k].status, cases[k].text);
		ck_ok(gt_array_part(x, cases[k].slices * 63, 315 - cases[k].slices * 63, &rest[0]));
		ck_ok(gt_array_part(z, cases[k].slices * 63, 315 - cases[k].slices * 63, &rest[1]));
		ck_assert_double_eq(gt_distance2(rest[0], rest[1]), 0);
		gt_penalty_free(R);
		gt_array_free(z), gt_array_free(x), gt_array_free(rest[0]), gt_array_free(rest[1]);
	}
	gt_backend_close(be);
}

/* A caller that was built without the members for memory and slices gets whole volumes on the host. */
GT_TEST(shorter_struct_of_earlier_callers)
{
	gt_backend *be = gt_test_backend();
	struct half h = { .fault = NO_FAULT };
	gt_denoiser d = denoiser_of(&h, halve, NULL);
	d.size = offsetof(gt_denoiser, memory);
	d.memory = GT_DEVICE_MEMORY;
	d.slices = 2;
	gt_penalty *R;
	ck_ok(gt_penalty_of_denoiser(&d, be, GT_F32, &grids[0], &R));
	gt_array *z = gt_test_array(be, GT_F32, 315, 1);
	gt_penalty_prox(R, 1, -INFINITY, INFINITY, z, z);
	ck_ok(gt_backend_status(be));
	ck_assert(h.calls == 1 && h.seen.memory == GT_HOST_MEMORY && h.seen.slices == 5);
	gt_penalty_free(R);
	gt_array_free(z);
	gt_backend_close(be);
}

/* A dry run counts the memory of a denoiser and does not call it. A GPU also counts memory for reductions. */
GT_TEST(dry_run_calls_nothing)
{
	size_t peak[2];
	for (int on_device = 0; on_device < 2; on_device++) {
		gt_backend *be = gt_test_backend();
		struct half h = { .fault = FAILS };
		gt_denoiser d = denoiser_of(&h, halve, NULL);
		d.memory = on_device ? GT_DEVICE_MEMORY : GT_HOST_MEMORY;
		gt_penalty *R;
		ck_ok(gt_backend_dry_run(be));
		ck_ok(gt_penalty_of_denoiser(&d, be, GT_F64, &grids[0], &R));
		gt_array *z;
		ck_ok(gt_array_new(be, GT_F64, 315, &z));
		gt_penalty_prox(R, 1, -INFINITY, INFINITY, z, z);
		ck_ok(gt_backend_status(be));
		ck_assert_int_eq(h.calls, 0);
		peak[on_device] = gt_test_counters(be).peak_bytes;
		ck_assert_uint_eq(peak[on_device], peak[0] + (size_t)on_device * gt_array_bytes(z));
		ck_assert(gt_test_is_gpu() ? peak[0] > gt_array_bytes(z) : peak[0] == gt_array_bytes(z));
		gt_penalty_free(R);
		gt_array_free(z);
		gt_backend_close(be);
	}
}

int main(void) { return gt_test_main("denoisers", NULL); }
