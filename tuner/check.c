/* Checks and times one variant of a kernel. Results on three check problems are compared with the CPU in double. The
 * smallest also compares every entry of a projector's adjoint with forward.
 * Guard words must survive and two runs must be bit-identical. On the problem itself the result must be near the
 * built-in kernel's. Timing alternates with the built-in kernel.
 * Device memory: data and volume of the problem, and two more results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/linop.h>
#include "core/random.h"
#include "core/text.h"
#include "core/try.h"
#include "core/variant/variant.h"
#include "tuner/bound.h"
#include "tuner/check.h"
#include "tuner/operation.h"
#include "tuner/pairs.h"
#include "tuner/check_problem.h"
#include "tuner/tuner.h"

/* Largest relative RMS difference from the built-in kernel on the problem. Loose: kernels with texture units. */
static const double most_apart = 5e-6, loose_apart = 1e-2;
/* Fraction of the time limit of a variant. */
static const double for_pairs = 0.4;
struct check {
	gt_scan *scan;
	gt_grid grid;
	float *x, *y;   /* input; output of the CPU in double */
	size_t in, out; /* numbers of values */
	double norm, max;
	gt_off built_in, allowed;
};

struct gt_check {
	const gt_tunable *kernel;
	char backend[32];
	gt_scan *scan;
	gt_grid grid;
	int pairs;
	double seconds; /* time limit of the pairs */
	/* Set in the child. */
	int open, ready;
	char about[512], built_text[512]; /* request of the operator on the problem */
	gt_backend *be;
	struct check check[GT_CHECK_PROBLEMS];
	gt_operation built_in;
	gt_array *x, *y, *z;
	double norm;
};

/* Repeats a million different numbers. The period is no multiple of a line, so lines differ. */
static void fill_random(uint64_t seed, size_t n, float *x)
{
	const size_t period = 1000003;
	for (size_t i = 0; i < n && i < period; i++) {
		uint32_t word[4];
		gt_philox(seed, i, 0, word);
		x[i] = (float)word[0] * 0x1p-32f - 0.3f;
	}
	for (size_t i = period; i < n; i++)
		x[i] = x[i - period];
}

/* Runs the check problem on the CPU in double. */
static gt_status reference(const gt_check *c, struct check *s)
{
	gt_backend *cpu = NULL;
	gt_operation r;
	gt_array *x = NULL, *y = NULL;
	gt_status st = GT_OK;
	memset(&r, 0, sizeof r);
	GT_TRY(gt_backend_open("cpu", &cpu));
	GT_TRY(gt_operation_new(c->kernel, "", cpu, GT_F64, &s->grid, s->scan, &r));
	s->in = r.in;
	s->out = r.out;
	s->x = malloc(s->in * sizeof *s->x);
	s->y = malloc(s->out * sizeof *s->y);
	if (!s->x || !s->y)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for a problem of %zu voxels", gt_grid_voxels(&s->grid)));
	fill_random(11 + (uint64_t)(s - c->check), s->in, s->x);
	GT_TRY(gt_array_new(cpu, GT_F64, s->in, &x));
	GT_TRY(gt_array_new(cpu, GT_F64, s->out, &y));
	gt_array_put_float(s->x, x);
	GT_TRY(gt_operation_run(&r, x, y, NULL));
	gt_array_get_float(y, s->y);
	s->norm = sqrt(gt_dot(y, y));
	s->max = fmax(gt_max(y), -gt_min(y));
	GT_TRY(gt_backend_status(cpu));
	if (!(s->norm > 0))
		st = gt_fail(GT_ERR_UNSUPPORTED, "check problem: no ray intersects the volume, so there is nothing to compare");
done:
	gt_array_free(x);
	gt_array_free(y);
	gt_operation_free(&r);
	gt_backend_close(cpu);
	return st;
}

/* Layout: GT_GUARD_WORDS guard words, the result, GT_GUARD_WORDS guard words. */
static gt_status project(const gt_check *c, const gt_operation *A, const struct check *s, float *host)
{
	const size_t n = s->out, all = n + 2 * GT_GUARD_WORDS;
	gt_array *x = NULL, *whole = NULL, *y = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_new(c->be, GT_F32, s->in, &x));
	GT_TRY(gt_array_new(c->be, GT_F32, all, &whole));
	GT_TRY(gt_array_part(whole, GT_GUARD_WORDS, n, &y));
	gt_guard_fill(host, all);
	gt_array_put(host, whole);
	gt_array_put(s->x, x);
	GT_TRY(gt_operation_run(A, x, y, NULL));
	gt_array_get(whole, host);
	st = gt_backend_status(c->be);
done:
	gt_array_free(y);
	gt_array_free(whole);
	gt_array_free(x);
	return st;
}

/* Compares a result with the CPU in double. */
static gt_status look_at(const struct check *s, const float *host, size_t n, gt_off *off)
{
	double square = 0, max = 0;
	if (!gt_guard_holds(host, 0, GT_GUARD_WORDS) || !gt_guard_holds(host, GT_GUARD_WORDS + n, GT_GUARD_WORDS))
		return gt_fail(GT_ERR_FORMAT, "it writes outside its result");
	for (size_t i = 0; i < n; i++) {
		const double d = (double)host[GT_GUARD_WORDS + i] - s->y[i];
		if (!isfinite(d))
			return gt_fail(GT_ERR_FORMAT, "number %zu of its result is not finite", i);
		square += d * d;
		max = fmax(max, fabs(d));
	}
	off->rms = sqrt(square) / s->norm;
	off->entry = max / s->max;
	return GT_OK;
}

/* Compares all entries of the adjoint with forward; for the smallest check problem. */
static gt_status look_at_adjoint(const gt_operation *A, gt_off *off)
{
	double apart = 0, largest = 1;
	const gt_status st = gt_linop_mismatch_elements(A->A, &apart, &largest);
	off->adjoint = apart / largest;
	return st;
}

static gt_status judge(const struct check *s, const float *host, size_t n, gt_tune_evaluation *t)
{
	gt_off off = { 0, 0, 0 };
	const gt_status st = look_at(s, host, n, &off);
	if (st != GT_OK)
		return st;
	t->error = fmax(t->error, off.rms);
	if (off.rms > s->allowed.rms || off.entry > s->allowed.entry)
		return gt_fail(GT_ERR_FORMAT, "off the CPU in double by %.2e (RMS; %.1e at most) and %.2e of the largest (%.1e)", off.rms,
		               s->allowed.rms, off.entry, s->allowed.entry);
	return GT_OK;
}

/* Sets the bounds from the built-in kernel's error. */
static gt_status set_bounds(const gt_check *c, int k, struct check *s)
{
	float *host = malloc((s->out + 2 * GT_GUARD_WORDS) * sizeof *host);
	gt_operation A;
	gt_status st = host ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for a check");
	memset(&A, 0, sizeof A);
	if (st != GT_OK)
		return st;
	GT_TRY(gt_operation_new(c->kernel, "", c->be, GT_F32, &s->grid, s->scan, &A));
	GT_TRY(project(c, &A, s, host));
	GT_TRY(look_at(s, host, s->out, &s->built_in));
	if (k == 0 && A.A)
		GT_TRY(look_at_adjoint(&A, &s->built_in));
	s->allowed = gt_bound(c->kernel->loose, s->built_in);
done:
	gt_operation_free(&A);
	free(host);
	return st;
}

/* Makes the check problems; a process that only compiles needs no more. */
static gt_status open_problems(gt_check *c)
{
	gt_status st = GT_OK;
	GT_TRY(gt_backend_open(c->backend, &c->be)); /* before the CPU backend, which also provides a thread pool */
	for (int k = 0; k < GT_CHECK_PROBLEMS; k++)
		GT_TRY(gt_check_problem(c->scan, &c->grid, !c->kernel->projector, k, &c->check[k].scan, &c->check[k].grid));
	c->open = 1;
done:
	return st;
}

static gt_status make_ready(gt_check *c)
{
	float *x = NULL;
	gt_status st = GT_OK;
	for (int k = 0; k < GT_CHECK_PROBLEMS; k++)
		GT_TRY(reference(c, &c->check[k]));
	gt_variant_try(c->kernel->name, "");
	for (int k = 0; k < GT_CHECK_PROBLEMS; k++)
		GT_TRY(set_bounds(c, k, &c->check[k]));
	GT_TRY(gt_operation_new(c->kernel, "", c->be, GT_F32, &c->grid, c->scan, &c->built_in));
	GT_TRY(gt_array_new(c->be, GT_F32, c->built_in.in, &c->x));
	GT_TRY(gt_array_new(c->be, GT_F32, c->built_in.out, &c->y));
	GT_TRY(gt_array_new(c->be, GT_F32, c->built_in.out, &c->z));
	if (!(x = malloc(c->built_in.in * sizeof *x)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for %zu numbers", c->built_in.in));
	fill_random(5, c->built_in.in, x);
	gt_array_put(x, c->x);
	GT_TRY(gt_operation_run(&c->built_in, c->x, c->y, NULL));
	c->norm = sqrt(gt_dot(c->y, c->y));
	GT_TRY(gt_backend_status(c->be));
	c->ready = 1;
done:
	free(x);
	return st;
}

/* Returns 1 if the last operator took the variant. */
static int is_taken(const gt_check *c)
{
	const size_t n = strlen(c->kernel->name);
	const char *at = gt_variant_taken();
	if (c->kernel->at_run_time)
		return 1;
	while ((at = strstr(at, c->kernel->name)) && at[n] != '[')
		at++;
	return at != NULL;
}

/* taken: number of check problems that ran the variant's own code. */
static gt_status check_small(const gt_check *c, const char *variant, int k, int *taken, gt_tune_evaluation *t)
{
	const struct check *s = &c->check[k];
	const size_t all = s->out + 2 * GT_GUARD_WORDS;
	float *one = malloc(2 * all * sizeof *one);
	gt_operation A;
	gt_status st = one ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for a check");
	gt_off off = { 0, 0, 0 };
	memset(&A, 0, sizeof A);
	if (st != GT_OK)
		return st;
	GT_TRY(gt_operation_new(c->kernel, variant, c->be, GT_F32, &s->grid, s->scan, &A));
	const size_t before = gt_variant_launches();
	GT_TRY(project(c, &A, s, one));
	*taken += is_taken(c) && (c->kernel->at_run_time || gt_variant_launches() > before);
	GT_TRY(judge(s, one, s->out, t));
	GT_TRY(project(c, &A, s, one + all));
	if (memcmp(one, one + all, all * sizeof *one) != 0)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "two runs are not bit-identical"));
	if (k == 0 && A.A) {
		GT_TRY(look_at_adjoint(&A, &off));
		t->off_adjoint = off.adjoint;
		if (!(off.adjoint <= s->allowed.adjoint))
			GT_TRY(gt_fail(GT_ERR_FORMAT, "entries of the adjoint are off forward's by %.2e of the largest (%.1e at most)",
			               off.adjoint, s->allowed.adjoint));
	}
done:
	gt_operation_free(&A);
	free(one);
	return st;
}

static gt_status check_problem(const gt_check *c, const char *variant, const gt_operation *A)
{
	gt_array *again = NULL;
	gt_status st = GT_OK;
	const double max = c->kernel->loose ? loose_apart : most_apart;
	const size_t before = gt_variant_launches();
	GT_TRY(gt_operation_run(A, c->x, c->z, NULL));
	const double apart = sqrt(gt_distance2(c->y, c->z)) / c->norm;
	GT_TRY(gt_backend_status(c->be));
	if (*variant && !c->kernel->at_run_time && gt_variant_launches() == before)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "the problem's operator has the variant and does not run it"));
	if (!(apart <= max))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "on the problem it is off the built-in kernel by %.2e (RMS; %.1e at most)", apart, max));
	GT_TRY(gt_array_like(c->z, &again));
	GT_TRY(gt_operation_run(A, c->x, again, NULL));
	const double differs = gt_distance2(c->z, again);
	GT_TRY(gt_backend_status(c->be));
	if (differs != 0)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "two runs on the problem are not bit-identical"));
done:
	gt_array_free(again);
	return st;
}

/* Compiles all kernels that the problems request, so that they are in the cache. */
static gt_status build(const gt_check *c, const char *variant)
{
	gt_status st = GT_OK;
	for (int k = -1; k < GT_CHECK_PROBLEMS && st == GT_OK && !c->kernel->at_run_time; k++) {
		gt_operation A;
		st = k < 0 ? gt_operation_new(c->kernel, variant, c->be, GT_F32, &c->grid, c->scan, &A)
		           : gt_operation_new(c->kernel, variant, c->be, GT_F32, &c->check[k].grid, c->check[k].scan, &A);
		gt_operation_free(&A);
	}
	return st;
}

/* Finds the class of the problem and whether this device has the kernel. */
static gt_status find_class(gt_check *c, const char *variant)
{
	if (c->kernel->at_run_time) {
		gt_operation_describe(c->scan, &c->grid, c->about, c->built_text, sizeof c->about);
		return GT_OK;
	}
	if (!gt_variant_asked(c->kernel->name, c->about, c->built_text, sizeof c->about))
		return gt_fail(GT_ERR_UNSUPPORTED, "this problem does not ask for %s: its kernel on this device is another",
		               c->kernel->name);
	return !*variant || is_taken(c) ? GT_OK : gt_fail(GT_ERR_UNSUPPORTED, "this problem does not ask for %s", c->kernel->name);
}

static gt_status run(gt_check *c, const char *variant, gt_tune_evaluation *t)
{
	const char *own = !strncmp(variant, GT_CHECK_BUILD, strlen(GT_CHECK_BUILD)) ? variant + strlen(GT_CHECK_BUILD) : NULL;
	gt_operation A;
	gt_status st = GT_OK;
	int taken = 0;
	memset(&A, 0, sizeof A);
	t->verdict = GT_TUNE_ENDED;
	if (!c->open)
		GT_TRY(open_problems(c));
	t->verdict = GT_TUNE_NOT_BUILT; /* The device works: later failures belong to the problem or to the variant. */
	if (!own && !c->ready)
		GT_TRY(make_ready(c));
	gt_variant_try(c->kernel->name, own ? own : variant);
	if (own) {
		GT_TRY(build(c, own));
		t->verdict = GT_TUNE_OK;
		return st;
	}
	GT_TRY(gt_operation_new(c->kernel, variant, c->be, GT_F32, &c->grid, c->scan, &A));
	GT_TRY(find_class(c, variant));
	t->verdict = GT_TUNE_WRONG;
	for (int k = 0; k < GT_CHECK_PROBLEMS; k++)
		GT_TRY(check_small(c, variant, k, &taken, t));
	if (*variant && taken < 2)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "of %d check problems only %d ran the variant: expected at least 2", GT_CHECK_PROBLEMS,
		               taken));
	GT_TRY(check_problem(c, variant, &A));
	GT_TRY(gt_evaluation_pair_time(&(gt_evaluation_pair){ &c->built_in, c->x, c->z, c->pairs, c->seconds }, &A, t));
	t->verdict = GT_TUNE_OK;
done:
	if (st != GT_OK)
		gt_snprintf(t->why, sizeof t->why, "%s", gt_error());
	gt_operation_free(&A);
	if (st == GT_ERR_DEVICE) /* the device context may be lost */
		t->verdict = GT_TUNE_ENDED;
	return st;
}

void gt_check_try(void *self, const char *variant, gt_tune_evaluation *t)
{
	gt_check *c = self;
	char device[128], arch[16], bounds[200];
	int driver = 0;
	if (run(c, variant, t) != GT_OK || *variant)
		return;
	if (!gt_backend_is_gpu(c->be)) /* On the CPU all variants chosen at run time are one kernel; tests of searches use it. */
		gt_snprintf(device, sizeof device, "%s", gt_backend_name(c->be));
	else if (gt_variant_device(device, sizeof device, arch, &driver) != GT_OK)
		return;
	*bounds = 0;
	for (int k = 0; k < GT_CHECK_PROBLEMS; k++)
		gt_bound_describe(c->check[k].allowed, c->check[k].built_in, bounds, sizeof bounds);
	gt_snprintf(t->why, sizeof t->why, "%.150s|%.200s|%.100s|%d|%.190s|%d", c->about, c->built_text, device, driver, bounds,
	            gt_variant_max_shared());
}

void gt_check_pairs(gt_check *c, int pairs) { c->pairs = pairs < GT_MAX_PAIRS ? pairs : GT_MAX_PAIRS; }

gt_status gt_check_new(const gt_tune_options *o, gt_check **out)
{
	gt_check *c = calloc(1, sizeof *c);
	gt_status st = c ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for checks");
	if (st != GT_OK)
		return st;
	gt_snprintf(c->backend, sizeof c->backend, "%s", o->backend);
	c->grid = *o->grid;
	c->pairs = 7;
	c->seconds = o->limit * for_pairs;
	if ((st = gt_tunable_find(o->kernel, &c->kernel)) == GT_OK && (st = gt_scan_clone(o->scan, &c->scan)) == GT_OK)
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
