/* Checks and timing of one variant of a forward projection. Right: on three small problems of the same kind, of odd
 * sizes, against the CPU in double; by every entry of the adjoint on the smallest; words before and after the result
 * stay; twice the same bits, there and on the problem itself, where it is near the built-in kernel. Then it is timed in
 * turn with the built-in kernel. Memory on the device: data and volume of the problem, and of data twice more. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/linop.h>
#include <gantry/projector.h>
#include <gantry/random.h>
#include "core/clock.h"
#include "core/text.h"
#include "core/try.h"
#include "core/variant/variant.h"
#include "tuner/check.h"

enum { SMALL = 3, MOST_PAIRS = 64 };
/* At most: relative RMS from the CPU in double and the largest difference, of the largest, unless the built-in kernel
 * is off by more (then `beyond` times that), and never more than the kernels' own tests allow; differences of entries
 * of the adjoint, of the largest; RMS from the built-in kernel on the problem. */
static const double most_rms = 2e-6, most_entry = 2e-5, beyond = 1.5, never_more = 1e-5, most_adjoint = 1e-5, most_apart = 5e-6;
/* A sample of the clock is as many projections as take so long, ms; a variant that takes so much longer after three
 * pairs is not timed on. */
static const double sample_ms = 2, hopeless = 1.25;

struct small {
	gt_scan *scan;
	gt_grid grid;
	float *x, *y; /* y: by the CPU in double */
	double norm, most;
	double rms, entry; /* that are allowed */
};

struct gt_check {
	char kernel[64], backend[32];
	gt_scan *scan;
	gt_grid grid;
	int pairs;
	/* of the child */
	int ready;
	char about[512], built_text[512]; /* what the problem's operator asked for */
	gt_backend *be;
	struct small small[SMALL];
	gt_linop *built_in;
	gt_array *x, *y, *z;
	double norm;
};

void gt_guard_fill(float *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const uint32_t bits = 0x7fa00000u | (uint32_t)(i * 2654435761u >> 13 & 0xfffff); /* no number: nothing computes it */
		memcpy(words + i, &bits, sizeof bits);
	}
}

int gt_guard_holds(const float *words, size_t first, size_t n)
{
	for (size_t i = first; i < first + n; i++) {
		const uint32_t bits = 0x7fa00000u | (uint32_t)(i * 2654435761u >> 13 & 0xfffff);
		if (memcmp(words + i, &bits, sizeof bits) != 0)
			return 0;
	}
	return 1;
}

static void fill_random(uint64_t seed, size_t n, float *x)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t word[4];
		gt_philox(seed, i, 0, word);
		x[i] = (float)word[0] * 0x1p-32f - 0.3f;
	}
}

/* The same by the CPU in double. */
static gt_status reference(struct small *s)
{
	gt_backend *cpu = NULL;
	gt_linop *A = NULL;
	gt_array *x = NULL, *y = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_backend_open("cpu", &cpu));
	GT_TRY(gt_projector_new("dd", cpu, GT_F64, &s->grid, s->scan, &A));
	GT_TRY(gt_array_new(cpu, GT_F64, gt_linop_nx(A), &x));
	GT_TRY(gt_array_new(cpu, GT_F64, gt_linop_ny(A), &y));
	gt_array_put_float(s->x, x);
	gt_forward(A, x, y);
	gt_array_get_float(y, s->y);
	s->norm = sqrt(gt_dot(y, y));
	s->most = fmax(gt_max(y), -gt_min(y));
	st = gt_backend_status(cpu);
done:
	gt_array_free(x);
	gt_array_free(y);
	gt_linop_free(A);
	gt_backend_close(cpu);
	return st;
}

static gt_status make_small(const gt_check *c, int k, struct small *s)
{
	static const size_t size[SMALL][4] = { { 8, 6, 12, 9 }, { 5, 37, 61, 31 }, { 9, 101, 47, 103 } };
	gt_status st = gt_scan_coarsen(c->scan, size[k][0], size[k][1], size[k][2], &s->scan);
	if (st != GT_OK)
		return st;
	gt_grid_coarsen(&c->grid, size[k][3], &s->grid);
	const size_t nx = gt_grid_voxels(&s->grid), ny = gt_scan_size(s->scan);
	s->x = malloc(nx * sizeof *s->x);
	s->y = malloc(ny * sizeof *s->y);
	if (!s->x || !s->y)
		return gt_fail(GT_ERR_MEMORY, "no memory for a problem of %zu voxels", nx);
	fill_random(11 + (uint64_t)k, nx, s->x);
	return reference(s);
}

/* Guarded: GT_GUARD_WORDS, y, GT_GUARD_WORDS. */
static gt_status project(const gt_check *c, const gt_linop *A, const struct small *s, float *host)
{
	const size_t n = gt_linop_ny(A), all = n + 2 * GT_GUARD_WORDS;
	gt_array *x = NULL, *whole = NULL, *y = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_new(c->be, GT_F32, gt_linop_nx(A), &x));
	GT_TRY(gt_array_new(c->be, GT_F32, all, &whole));
	GT_TRY(gt_array_part(whole, GT_GUARD_WORDS, n, &y));
	gt_guard_fill(host, all);
	gt_array_put(host, whole);
	gt_array_put(s->x, x);
	gt_forward(A, x, y);
	gt_array_get(whole, host);
	st = gt_backend_status(c->be);
done:
	gt_array_free(y);
	gt_array_free(whole);
	gt_array_free(x);
	return st;
}

/* How far a result is off the CPU in double: RMS, and the largest of the largest. */
static gt_status look_at(const struct small *s, const float *host, size_t n, double *rms, double *entry)
{
	double square = 0, most = 0;
	if (!gt_guard_holds(host, 0, GT_GUARD_WORDS) || !gt_guard_holds(host, GT_GUARD_WORDS + n, GT_GUARD_WORDS))
		return gt_fail(GT_ERR_FORMAT, "it writes outside its result");
	for (size_t i = 0; i < n; i++) {
		const double d = (double)host[GT_GUARD_WORDS + i] - s->y[i];
		if (!isfinite(d))
			return gt_fail(GT_ERR_FORMAT, "number %zu of its result is not finite", i);
		square += d * d;
		most = fmax(most, fabs(d));
	}
	*rms = sqrt(square) / s->norm;
	*entry = most / s->most;
	return GT_OK;
}

static gt_status judge(const struct small *s, const float *host, size_t n, gt_tune_trial *t)
{
	double rms, entry;
	const gt_status st = look_at(s, host, n, &rms, &entry);
	if (st != GT_OK)
		return st;
	t->error = fmax(t->error, rms);
	if (rms > s->rms || entry > s->entry)
		return gt_fail(GT_ERR_FORMAT, "off the CPU in double by %.2e (RMS; %.1e at most) and %.2e of the largest (%.1e)", rms,
		               s->rms, entry, s->entry);
	return GT_OK;
}

/* What the built-in kernel is off says what is allowed. */
static gt_status set_bounds(const gt_check *c, struct small *s)
{
	const size_t n = gt_scan_size(s->scan);
	float *host = malloc((n + 2 * GT_GUARD_WORDS) * sizeof *host);
	gt_linop *A = NULL;
	double rms = 0, entry = 0;
	gt_status st = host ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for a check");
	if (st != GT_OK)
		return st;
	GT_TRY(gt_projector_new("dd", c->be, GT_F32, &s->grid, s->scan, &A));
	GT_TRY(project(c, A, s, host));
	GT_TRY(look_at(s, host, n, &rms, &entry));
	s->rms = fmin(fmax(most_rms, beyond * rms), never_more);
	s->entry = fmax(most_entry, beyond * entry);
done:
	gt_linop_free(A);
	free(host);
	return st;
}

static gt_status make_ready(gt_check *c)
{
	float *x = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_backend_open(c->backend, &c->be)); /* before the CPU's, whose pool of threads it has too */
	for (int k = 0; k < SMALL; k++)
		GT_TRY(make_small(c, k, &c->small[k]));
	gt_variant_try(c->kernel, "");
	for (int k = 0; k < SMALL; k++)
		GT_TRY(set_bounds(c, &c->small[k]));
	GT_TRY(gt_projector_new("dd", c->be, GT_F32, &c->grid, c->scan, &c->built_in));
	const size_t nx = gt_linop_nx(c->built_in), ny = gt_linop_ny(c->built_in);
	GT_TRY(gt_array_new(c->be, GT_F32, nx, &c->x));
	GT_TRY(gt_array_new(c->be, GT_F32, ny, &c->y));
	GT_TRY(gt_array_new(c->be, GT_F32, ny, &c->z));
	if (!(x = malloc(nx * sizeof *x)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for a volume of %zu voxels", nx));
	fill_random(5, nx, x);
	gt_array_put(x, c->x);
	gt_forward(c->built_in, c->x, c->y);
	c->norm = sqrt(gt_dot(c->y, c->y));
	GT_TRY(gt_backend_status(c->be));
	c->ready = 1;
done:
	free(x);
	return st;
}

/* taken: did the problem get the variant? */
static gt_status check_small(const gt_check *c, int k, int *taken, gt_tune_trial *t)
{
	const struct small *s = &c->small[k];
	const size_t n = gt_scan_size(s->scan), all = n + 2 * GT_GUARD_WORDS;
	float *one = malloc(2 * all * sizeof *one);
	gt_linop *A = NULL;
	gt_status st = one ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for a check");
	double apart = 0, largest = 1;
	if (st != GT_OK)
		return st;
	GT_TRY(gt_projector_new("dd", c->be, GT_F32, &s->grid, s->scan, &A));
	*taken += *gt_variant_taken() != 0;
	GT_TRY(project(c, A, s, one));
	GT_TRY(judge(s, one, n, t));
	GT_TRY(project(c, A, s, one + all));
	if (memcmp(one, one + all, all * sizeof *one) != 0)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "two runs give different bits"));
	if (k == 0) {
		GT_TRY(gt_linop_mismatch_elements(A, &apart, &largest));
		t->off_adjoint = apart / largest;
		if (!(apart <= most_adjoint * largest))
			GT_TRY(gt_fail(GT_ERR_FORMAT, "entries of the adjoint are off forward's by %.2e of the largest (%.1e at most)",
			               apart / largest, most_adjoint));
	}
done:
	gt_linop_free(A);
	free(one);
	return st;
}

static gt_status check_problem(const gt_check *c, const gt_linop *A)
{
	gt_array *again = NULL;
	gt_status st = GT_OK;
	gt_forward(A, c->x, c->z);
	const double apart = sqrt(gt_distance2(c->y, c->z)) / c->norm;
	GT_TRY(gt_backend_status(c->be));
	if (!(apart <= most_apart))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "on the problem it is off the built-in kernel by %.2e (RMS; %.1e at most)", apart,
		               most_apart));
	GT_TRY(gt_array_like(c->z, &again));
	gt_forward(A, c->x, again);
	const double differs = gt_distance2(c->z, again);
	GT_TRY(gt_backend_status(c->be));
	if (differs != 0)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "two runs on the problem give different bits"));
done:
	gt_array_free(again);
	return st;
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}
static double median_of(const double *x, int n)
{
	double sorted[MOST_PAIRS];
	memcpy(sorted, x, (size_t)n * sizeof *x);
	qsort(sorted, (size_t)n, sizeof *sorted, by_size);
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static double sample(const gt_check *c, const gt_linop *A, int times)
{
	gt_backend_wait(c->be);
	const double begin = gt_seconds();
	for (int i = 0; i < times; i++)
		gt_forward(A, c->x, c->z);
	gt_backend_wait(c->be);
	return (gt_seconds() - begin) / times * 1000;
}

/* Pairs until the median of the ratio is told by more than its spread, or they are enough. */
static gt_status time_pairs(const gt_check *c, const gt_linop *A, gt_tune_trial *t)
{
	double own[MOST_PAIRS], other[MOST_PAIRS], ratio[MOST_PAIRS];
	sample(c, A, 2);
	const double once = sample(c, c->built_in, 2);
	const int times = once > 0 && once < sample_ms ? (int)(sample_ms / once) + 1 : 1;
	for (t->pairs = 0; t->pairs < c->pairs;) {
		const int k = t->pairs++;
		own[k] = sample(c, A, times);
		other[k] = sample(c, c->built_in, times);
		ratio[k] = own[k] / other[k];
		t->built_in_ms = median_of(other, t->pairs);
		t->ms = median_of(ratio, t->pairs) * t->built_in_ms;
		if (t->pairs >= 3 && t->ms > hopeless * t->built_in_ms)
			break;
	}
	return gt_backend_status(c->be);
}

/* Compiles what the problems need, so that it is in the cache. */
static gt_status build(const gt_check *c)
{
	gt_status st = GT_OK;
	for (int k = -1; k < SMALL && st == GT_OK; k++) {
		gt_linop *A = NULL;
		st = k < 0 ? gt_projector_new("dd", c->be, GT_F32, &c->grid, c->scan, &A)
		           : gt_projector_new("dd", c->be, GT_F32, &c->small[k].grid, c->small[k].scan, &A);
		gt_linop_free(A);
	}
	return st;
}

static gt_status run(gt_check *c, const char *variant, gt_tune_trial *t)
{
	gt_linop *A = NULL;
	gt_status st = GT_OK;
	int taken = 0;
	t->verdict = GT_TUNE_ENDED;
	if (!c->ready)
		GT_TRY(make_ready(c));
	t->verdict = GT_TUNE_NOT_BUILT;
	if (!strncmp(variant, GT_CHECK_BUILD, strlen(GT_CHECK_BUILD))) {
		gt_variant_try(c->kernel, variant + strlen(GT_CHECK_BUILD));
		GT_TRY(build(c));
		t->verdict = GT_TUNE_OK;
		return st;
	}
	gt_variant_try(c->kernel, variant);
	GT_TRY(gt_projector_new("dd", c->be, GT_F32, &c->grid, c->scan, &A));
	if (!gt_variant_asked(c->kernel, c->about, c->built_text, sizeof c->about))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "this problem does not ask for %s: its kernel on this device is another", c->kernel));
	if (*variant && !*gt_variant_taken())
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "this problem does not ask for %s", c->kernel));
	t->verdict = GT_TUNE_WRONG;
	for (int k = 0; k < SMALL; k++)
		GT_TRY(check_small(c, k, &taken, t));
	if (*variant && taken < 2)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "of %d small problems %d got the variant, which is no check", SMALL, taken));
	GT_TRY(check_problem(c, A));
	GT_TRY(time_pairs(c, A, t));
	t->verdict = GT_TUNE_OK;
done:
	if (st != GT_OK)
		gt_snprintf(t->why, sizeof t->why, "%s", gt_error());
	gt_linop_free(A);
	if (st == GT_ERR_DEVICE) /* the device's context may be lost */
		t->verdict = GT_TUNE_ENDED;
	return st;
}

void gt_check_try(void *self, const char *variant, gt_tune_trial *t)
{
	gt_check *c = self;
	char device[128], arch[16];
	int driver;
	if (run(c, variant, t) == GT_OK && !*variant && gt_variant_device(device, sizeof device, arch, &driver) == GT_OK)
		gt_snprintf(t->why, sizeof t->why, "%.150s|%.200s|%s|%d", c->about, c->built_text, device, driver);
}

void gt_check_pairs(gt_check *c, int pairs) { c->pairs = pairs < MOST_PAIRS ? pairs : MOST_PAIRS; }

gt_status gt_check_new(const gt_tune_options *o, gt_check **out)
{
	gt_check *c = calloc(1, sizeof *c);
	gt_status st = c ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for checks");
	if (st != GT_OK)
		return st;
	gt_snprintf(c->kernel, sizeof c->kernel, "%s", o->kernel);
	gt_snprintf(c->backend, sizeof c->backend, "%s", o->backend);
	c->grid = *o->grid;
	c->pairs = 7;
	if ((st = gt_scan_clone(o->scan, &c->scan)) == GT_OK)
		*out = c;
	else
		gt_check_free(c);
	return st;
}

void gt_check_free(gt_check *c)
{
	if (!c)
		return;
	gt_scan_free(c->scan);
	free(c);
}
