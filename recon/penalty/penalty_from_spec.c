/* Makes a penalty from its specification: kappa for uniform resolution (J. A. Fessler, W. L. Rogers, IEEE Trans. Image
 * Process. 5 (1996) 1346), an automatic strength, and the penalty. While it is made, kappa takes a volume on the host
 * and three on the device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include <gantry/threads.h>
#include "core/device/host_memory.h"
#include "core/log.h"
#include "core/spec.h"
#include "core/text.h"
#include "core/try.h"
#include "recon/penalty/edge_threshold.h"
#include "recon/penalty/penalty_from_spec.h"
#include "recon/noise/penalty_strength.h"
#include "recon/weights/photon_weights.h"
#include "regularizers/spec_of_water.h"
#include "team/team.h"

/* Strengths with a smaller relative difference are equal: devices differ by less, and noise changes by half of it. */
#define MAX_RELATIVE_DIFFERENCE 1e-3

/* sum[0] = A'w and sum[1] = A'1, over all subsets; t: scratch. */
static gt_status backproject_weights(const gt_subsets *sub, gt_array *sum[2], gt_array *t)
{
	gt_array *one = NULL;
	gt_status st = GT_OK;
	for (size_t k = 0; k < sub->subsets; k++) {
		GT_TRY(gt_array_like(sub->w[k], &one));
		gt_fill(1, one);
		for (int i = 0; i < 2; i++) {
			gt_adjoint(sub->A[k], i ? one : sub->w[k], k ? t : sum[i]);
			if (k)
				gt_axpy(1, t, sum[i]);
		}
		gt_array_free(one);
		one = NULL;
	}
done:
	gt_array_free(one);
	return st;
}

/* kappa holds A'w / A'1: kappa = sqrt(A'w / A'1), and the mean of that where no weighted ray passes. */
struct kappa {
	float *kappa, mean;
	size_t n;
	struct {
		double sum;
		size_t count;
	} * piece; /* GRAIN voxels each */
};
enum { GRAIN = 1 << 18 };

static void take_roots(void *self, size_t begin, size_t end, int worker)
{
	const struct kappa *k = self;
	(void)worker;
	for (size_t p = begin; p < end; p++) {
		double sum = 0; /* not in k->piece, whose cache lines threads share */
		size_t count = 0;
		for (size_t i = p * GRAIN; i < (p + 1) * GRAIN && i < k->n; i++) {
			k->kappa[i] = k->kappa[i] > 0 ? sqrtf(k->kappa[i]) : 0;
			sum += k->kappa[i];
			count += k->kappa[i] > 0;
		}
		k->piece[p].sum = sum;
		k->piece[p].count = count;
	}
}

static void fill_gaps(void *self, size_t begin, size_t end, int worker)
{
	const struct kappa *k = self;
	(void)worker;
	for (size_t i = begin; i < end; i++)
		k->kappa[i] = k->kappa[i] > 0 ? k->kappa[i] : k->mean;
}

static gt_status finish_kappa(gt_pool *pool, size_t n, float *kappa)
{
	const size_t pieces = n / GRAIN + 1;
	struct kappa k = { kappa, 0, n, calloc(pieces, sizeof *k.piece) };
	double sum = 0;
	size_t count = 0;
	if (!k.piece)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	gt_parallel(pool, pieces, 1, take_roots, &k);
	for (size_t i = 0; i < pieces; i++) {
		sum += k.piece[i].sum;
		count += k.piece[i].count;
	}
	free(k.piece);
	k.mean = count ? (float)(sum / (double)count) : 0;
	gt_parallel(pool, n, GRAIN, fill_gaps, &k);
	return GT_OK;
}

/* 1: the penalty has a kappa that is not 1 everywhere. */
static int has_kappa(const gt_penalty_spec *o, const gt_penalty_problem *c)
{
	return o->kappa == GT_KAPPA_NOISE || (o->kappa == GT_KAPPA_RESOLUTION && c->subsets->w);
}

/* *kappa: a volume, malloc'ed; NULL if it is 1, and in a dry run, which takes no host memory. */
static gt_status make_kappa(const gt_listener *log, const gt_penalty_spec *o, const gt_penalty_problem *c, float **kappa)
{
	const size_t n = gt_array_size(c->x);
	gt_array *sum[2] = { NULL, NULL }, *t = NULL;
	gt_status st = GT_OK;
	if (o->kappa == GT_KAPPA_RESOLUTION && !c->subsets->w)
		gt_notify(log, GT_INFO, GT_ABOUT_CHOICE, "kappa=yes: the weights of the data are uniform, and so is kappa");
	if (o->kappa != GT_KAPPA_RESOLUTION || !c->subsets->w)
		return GT_OK;
	GT_TRY(gt_array_like(c->x, &sum[0]));
	GT_TRY(gt_array_like(c->x, &sum[1]));
	GT_TRY(gt_array_like(c->x, &t));
	GT_TRY(backproject_weights(c->subsets, sum, t));
	if (gt_backend_is_dry_run(gt_array_backend(c->x)))
		goto done;
	if (!(*kappa = gt_host_alloc(n * sizeof **kappa)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "kappa needs %.3g MB", (double)n * 4e-6));
	gt_divide(sum[1], 0, sum[0]);
	gt_array_get_float(sum[0], *kappa);
	GT_TRY(gt_backend_status(gt_array_backend(c->x)));
	GT_TRY(finish_kappa(gt_backend_pool(gt_array_backend(c->x)), n, *kappa));
done:
	gt_array_free(sum[0]);
	gt_array_free(sum[1]);
	gt_array_free(t);
	return st;
}

enum { REQUEST = 64 };

/* The end of a record: strengths of equal requests are equal, also for another number of iterations. */
static const char *request_of(const gt_penalty_spec *o, double water, char text[REQUEST])
{
	char noise[REQUEST / 2] = "auto";
	if (o->noise > 0)
		gt_snprintf(noise, sizeof noise, "%.3gHU", 1000 * o->noise / water);
	gt_snprintf(text, REQUEST, ",factor:%g,asked:%s", o->factor, noise);
	return text;
}

static int ends_with(const char *text, const char *end)
{
	const size_t n = strlen(text), m = strlen(end);
	return n >= m && !strcmp(text + n - m, end);
}

/* The penalty's text with this strength, or with the recorded one of an equal request, or that differs by rounding;
 * malloc'ed. */
static char *with_strength(const gt_penalty_spec *o, double strength, const char *recorded, const char *request)
{
	char *text = gt_spec_with(o->spec, "strength=");
	const size_t n = text ? strlen(text) : 0;
	const int is_recorded = text && recorded && !strncmp(recorded, text, n);
	const double was = is_recorded ? gt_strtod(recorded + n, NULL) : NAN;
	const int same = is_recorded && (ends_with(recorded, request) || fabs(was - strength) <= MAX_RELATIVE_DIFFERENCE * strength);
	char *all = !text  ? NULL
	            : same ? gt_text("%s%.*s", text, (int)strcspn(recorded + n, ", "), recorded + n)
	                   : gt_text("%s%.6g", text, strength);
	free(text);
	return all;
}

/* Makes the penalty of this text; kappa: [z][y][x], NULL: 1, or a dry run. */
static gt_status new_penalty(const gt_penalty_spec *o, const gt_penalty_problem *c, const char *spec, const float *kappa, gt_penalty **R)
{
	gt_array *weights = NULL;
	gt_status st = GT_OK;
	if (has_kappa(o, c))
		GT_TRY(gt_array_like(c->x, &weights));
	if (kappa)
		gt_array_put_float(kappa, weights);
	GT_TRY(c->stream ? gt_stream_penalty(c->stream, spec, weights, R)
	                 : gt_regularizer_new(spec, gt_array_backend(c->x), gt_array_type(c->x), c->grid, weights, R));
done:
	gt_array_free(weights);
	return st;
}

/* The self of the short run, which a requested noise needs; strength=auto ignores structure. */
struct short_run {
	const gt_penalty_spec *o;
	const gt_penalty_problem *c;
};

/* Ends the run after this part of the iterations. */
enum { SHORT_PART = 10 };

struct ending {
	const gt_backend *be;
	int is_reached;
};

static int is_short(void *self, const gt_progress *g)
{
	struct ending *end = self;
	end->is_reached = gt_backend_is_dry_run(end->be) || SHORT_PART * g->iteration >= g->iterations;
	return end->is_reached;
}

static gt_status run_shortly(const void *self, double strength, const float *kappa, gt_array *x)
{
	const struct short_run *s = self;
	const gt_penalty_problem *c = s->c;
	const gt_solver *solver = c->method->solver;
	gt_backend *be = gt_array_backend(x);
	struct ending end = { be, 0 };
	const gt_monitor monitor = { .each = is_short, .self = &end };
	char *spec = with_strength(s->o, strength, NULL, NULL);
	gt_penalty *R = NULL;
	gt_status st = spec ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	GT_TRY(new_penalty(s->o, c, spec, kappa, &R));
	const gt_problem problem = { .subsets = c->subsets->subsets,
		                     .A = c->subsets->A,
		                     .b = c->subsets->b,
		                     .w = c->subsets->w,
		                     .R = R,
		                     .n = { c->grid->n[0], c->grid->n[1], c->grid->n[2] },
		                     .hi = INFINITY,
		                     .lo = solver->nonneg && solver->nonneg(c->method->options) ? 0 : -INFINITY };
	st = gt_solve(solver, &problem, c->method->options, x, &monitor);
	if (st == GT_STOPPED && end.is_reached) /* not by the caller of the run */
		st = gt_backend_status(be);
done:
	gt_penalty_free(R);
	free(spec);
	return st;
}

/* *spec: the penalty's text with its strength; *how: its origin; both malloc'ed. For uniform noise also makes *kappa,
 * malloc'ed, except in a dry run. */
static gt_status find_strength(const gt_listener *log, const gt_penalty_spec *o, const gt_penalty_problem *c, float **kappa, char **spec,
                               char **how)
{
	const gt_counting known = gt_weights_spec_counting(c->counting, c->p);
	const struct short_run self = { o, c };
	const gt_short_run shortly = { run_shortly, &self, c->subsets };
	gt_strength_problem q = { sizeof q,  o->spec,  c->projector, c->grid,
		                  c->p,      &known,   c->weights,   *kappa,
		                  c->x,      c->water, log,          c->first_slice,
		                  c->slices, { 0 },    { 0 },        c->method && o->noise > 0 ? &shortly : NULL,
		                  c->noise };
	for (int a = 0; a < 2 && c->extent; a++) {
		q.first_across[a] = c->extent->left[a];
		q.across[a] = c->extent->asked->n[a];
	}
	const int even = o->kappa == GT_KAPPA_NOISE, dry = gt_backend_is_dry_run(gt_array_backend(c->x));
	const size_t n = gt_array_size(c->x);
	gt_strength_found found;
	if (even && !dry && !(*kappa = calloc(n, sizeof **kappa)))
		return gt_fail(GT_ERR_MEMORY, "kappa needs %.3g MB", (double)n * 4e-6);
	const gt_status st = gt_strength_find_even(&q, even ? c->subsets : NULL, o->noise, o->factor, *kappa, &found);
	if (st != GT_OK)
		return st;
	/* Heterogeneous devices may differ in the last bit. */
	found.strength = gt_team_first(gt_array_backend(c->x), found.strength);
	char request[REQUEST];
	*spec = with_strength(o, found.strength, c->recorded, request_of(o, c->water, request));
	*how = dry ? gt_text(" strength_from=noise:found when it runs")
	           : gt_text(" strength_from=noise:%.4gHU,of:%.4gHU%s", found.noise_hu, found.reference_hu, request);
	return *spec && *how ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
}

gt_status gt_penalty_from_spec(const gt_listener *log, const gt_penalty_spec *given, const gt_penalty_problem *c, gt_penalty **R,
                               char **text)
{
	gt_penalty_spec own = *given;
	const gt_penalty_spec *o = &own;
	float *kappa = NULL;
	static const char *const kappas[] = { "", " kappa=yes", " kappa=noise" };
	char *how = NULL, *found = NULL, *complete = NULL;
	const char *spec = NULL;
	gt_status st = GT_OK;
	*text = NULL;
	own.spec = NULL;
	own.noise *= given->noise_in_hu ? c->water / GT_MU_WATER : 1;
	if (given->edges)
		GT_TRY(gt_edge_threshold(log, given, own.noise, c, &complete));
	if (!(spec = own.spec = gt_penalty_spec_of_water(complete ? complete : given->spec, c->water)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(make_kappa(log, o, c, &kappa));
	if (o->automatic) {
		GT_TRY(find_strength(log, o, c, &kappa, &found, &how));
		spec = found;
	}
	if (!(*text = gt_text("%s%s%s", spec, kappas[o->kappa], how ? how : "")))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(new_penalty(o, c, spec, kappa, R));
done:
	free(kappa);
	free(how);
	free(found);
	free(complete);
	free(own.spec);
	return st;
}
