/* What apps/patch.h needs to know: how noisy the data is, how noisy the direct method makes it, and the response at a few places. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/host_memory.h>
#include <gantry/projector.h>
#include <gantry/regularizer.h>
#include "core/clock.h"
#include "core/log.h"
#include "core/text.h"
#include "core/try.h"
#include "geometry/projections.h"
#include "recon/local_noise_model.h"
#include "recon/object_mask.h"
#include "recon/penalty_strength.h"

/* Views that are enough at the distances within a patch. */
enum { VIEWS = 120 };
/* What the automatic strength leaves of the noise of the direct method. */
#define LEAVES 0.4
/* Small against any difference that a penalty treats otherwise. */
#define TINY 1e-5
/* Part of a strength that devices may disagree by, well above their rounding; of the noise that is left it is half as much. */
#define SAME 1e-3
/* Photons that are few, and the part of all rays from which on that is told. */
enum { FEW = 10 };
#define STARVED 1e-3
/* HU that nobody sees. */
#define LITTLE 1.

struct local {
	const gt_listener *log;
	const gt_penalty_spec *o;
	const gt_strength_problem *c;
	gt_backend *be;
	gt_type type;
	gt_noise_model noise;
	gt_noise_loud starved; /* cells behind which few photons are left */
	gt_object_mask body;
	float *host, *kappa; /* volumes; kappa NULL: 1 */
	gt_noise_patches patch;
	const gt_analytic *direct; /* NULL: none fits */
	double reference;          /* noise of the direct method, or what stands for it */
};

static double hu(const struct local *s, double mu) { return 1000 * mu / s->c->water; }

/* kappa = sqrt(A'w / A'1), the mean where nothing is seen. */
static gt_status make_kappa(struct local *s)
{
	const gt_subsets *sub = s->c->subsets;
	const size_t n = gt_array_size(s->c->x);
	gt_array *sum[2] = { NULL, NULL }, *t = NULL, *one = NULL;
	float *seen = NULL;
	gt_status st = GT_OK;
	if (s->o->kappa && !sub->w)
		gt_say(s->log, GT_INFO, GT_ABOUT_CHOICE, "kappa=yes: the weights of the data are uniform, and so is kappa");
	if (!s->o->kappa || !sub->w)
		return GT_OK;
	GT_TRY(gt_array_like(s->c->x, &sum[0]));
	GT_TRY(gt_array_like(s->c->x, &sum[1]));
	GT_TRY(gt_array_like(s->c->x, &t));
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
	if (!(s->kappa = calloc(n, sizeof *s->kappa)) || !(seen = calloc(n, sizeof *seen)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "kappa needs %.3g MB", (double)n * 8e-6));
	gt_array_get_float(sum[0], s->kappa);
	gt_array_get_float(sum[1], seen);
	GT_TRY(gt_backend_status(s->be));
	double mean = 0;
	size_t found = 0;
	for (size_t i = 0; i < n; i++) {
		s->kappa[i] = seen[i] > 0 && s->kappa[i] > 0 ? sqrtf(s->kappa[i] / seen[i]) : 0;
		mean += s->kappa[i];
		found += s->kappa[i] > 0;
	}
	for (size_t i = 0; i < n && found; i++)
		s->kappa[i] = s->kappa[i] > 0 ? s->kappa[i] : (float)(mean / (double)found);
done:
	free(seen);
	gt_array_free(sum[0]);
	gt_array_free(sum[1]);
	gt_array_free(t);
	gt_array_free(one);
	return st;
}

struct weights {
	const struct local *s;
	size_t stride, n;
	float *values; /* of w, and of w^2 times the variance */
};

static void weigh(void *self, size_t begin, size_t end, int worker)
{
	const struct weights *a = self;
	const gt_scan *scan = a->s->c->p->scan;
	const size_t view = scan->rows * scan->columns;
	(void)worker;
	for (size_t i = begin; i < end; i++) {
		const size_t from = i / view * a->stride * view + i % view;
		const double weight = a->s->c->weights ? a->s->c->weights[from] : 1;
		a->values[i] = (float)weight;
		a->values[a->n + i] = (float)(weight * weight * gt_noise_variance(&a->s->noise, from));
	}
}

/* Values of every stride-th view: of w, and of w^2 times the variance. */
static gt_status gather(const struct local *s, size_t stride, const gt_linop *A, gt_array **w, gt_array **wvw)
{
	const size_t n = gt_linop_ny(A);
	struct weights a = { s, stride, n, malloc(2 * n * sizeof *a.values) };
	gt_status st = a.values ? GT_OK : gt_fail(GT_ERR_MEMORY, "weights of some views need %.3g MB", (double)n * 8e-6);
	GT_TRY(st);
	if (!gt_backend_is_dry_run(s->be))
		gt_parallel(gt_backend_pool(s->be), n, 1 << 14, weigh, &a);
	GT_TRY(gt_array_new(s->be, s->type, n, w));
	GT_TRY(gt_array_new(s->be, s->type, n, wvw));
	gt_array_put_float(a.values, *w);
	gt_array_put_float(a.values + n, *wvw);
	GT_TRY(gt_backend_status(s->be));
done:
	free(a.values);
	return st;
}

/* A small grid of the volume's voxels around one of them, which is the n/2-th along each axis. */
static gt_grid box_at(const struct local *s, size_t voxel)
{
	gt_grid g = *s->c->grid;
	const size_t at[3] = { voxel % g.n[0], voxel / g.n[0] % g.n[1], voxel / g.n[0] / g.n[1] };
	for (int a = 0; a < 3; a++)
		g.center[a] = gt_grid_first(s->c->grid, a) + ((double)at[a] - (s->patch.n[a] > 1 ? 0.5 : 0)) * g.pitch[a];
	memcpy(g.n, s->patch.n, sizeof g.n);
	return g;
}

static gt_status spectrum(const struct local *s, const gt_array *response, double scale, int taper, double **out)
{
	float *host = calloc(s->patch.size, sizeof *host);
	gt_status st = GT_OK;
	*out = malloc(s->patch.size * sizeof **out);
	if (!host || !*out)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for a box of %zu voxels", s->patch.size));
	gt_array_get_float(response, host);
	GT_TRY(gt_backend_status(s->be));
	if (!gt_box_spectrum(s->patch.n, host, taper, *out))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for a box of %zu voxels", s->patch.size));
	for (size_t i = 0; i < s->patch.size; i++)
		(*out)[i] = fmax(0, scale * (*out)[i]);
done:
	free(host);
	return st;
}

static void unit(const struct local *s, float *host, double value, gt_array *x)
{
	const size_t *n = s->patch.n;
	memset(host, 0, s->patch.size * sizeof *host);
	host[n[0] / 2 + n[0] * (n[1] / 2 + n[1] * (n[2] / 2))] = (float)value;
	gt_array_put_float(host, x);
}

/* A x, then A' of it times w or times wvw. */
static gt_status measure_place(struct local *s, const gt_linop *A, size_t stride, gt_array *w, gt_array *wvw, gt_noise_patch *at)
{
	gt_array *x = NULL, *y = NULL, *u = NULL;
	float *host = malloc(s->patch.size * sizeof *host);
	gt_status st = host ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for a box of %zu voxels", s->patch.size);
	GT_TRY(st);
	GT_TRY(gt_array_new(s->be, s->type, s->patch.size, &x));
	GT_TRY(gt_array_new(s->be, s->type, gt_linop_ny(A), &y));
	GT_TRY(gt_array_like(y, &u));
	unit(s, host, 1, x);
	gt_forward(A, x, y);
	gt_copy(y, u);
	gt_mul(w, u);
	gt_adjoint(A, u, x);
	GT_TRY(spectrum(s, x, (double)stride, 1, &at->F));
	gt_mul(wvw, y);
	gt_adjoint(A, y, x);
	GT_TRY(spectrum(s, x, (double)stride, 1, &at->G));
done:
	free(host);
	gt_array_free(x);
	gt_array_free(y);
	gt_array_free(u);
	return st;
}

/* Places evenly strewn over the list of voxels: multiples of the golden ratio. */
static gt_status measure_places(struct local *s)
{
	const gt_scan *scan = s->c->p->scan;
	const size_t stride = scan->views / VIEWS + (scan->views < VIEWS);
	gt_scan *some = NULL;
	gt_linop *A = NULL;
	gt_array *w = NULL, *wvw = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_scan_subset(scan, 0, stride, &some));
	for (int k = 0; k < GT_NOISE_PATCHES; k++) {
		const double part = fmod((k + 0.5) * 0.6180339887498949, 1);
		const size_t voxel = s->body.at[(size_t)(part * (double)s->body.voxels)];
		const gt_grid box = box_at(s, voxel);
		GT_TRY(gt_projector_new(s->c->projector, s->be, s->type, &box, some, &A));
		if (!w)
			GT_TRY(gather(s, stride, A, &w, &wvw));
		s->patch.at[k].square = s->kappa ? (double)s->kappa[voxel] * s->kappa[voxel] : 1;
		GT_TRY(measure_place(s, A, stride, w, wvw, &s->patch.at[k]));
		gt_linop_free(A);
		A = NULL;
	}
done:
	gt_linop_free(A);
	gt_array_free(w);
	gt_array_free(wvw);
	gt_scan_free(some);
	return st;
}

/* A sample of the data's noise. */
static gt_status draw(struct local *s, gt_array *data)
{
	const size_t n = gt_array_size(data);
	float *deviation = gt_host_alloc(n * sizeof *deviation);
	gt_status st = deviation ? GT_OK : gt_fail(GT_ERR_MEMORY, "a sample of noise needs %.3g MB", (double)n * 4e-6);
	GT_TRY(st);
	GT_TRY(gt_noise_deviations(&s->noise, 1. / FEW, gt_backend_pool(s->be), deviation, &s->starved));
	gt_array_put_float(deviation, data);
	gt_mul_normals(1, data);
done:
	free(deviation);
	return st;
}

/* Noise of the direct method in the body: it is linear, so that of a sample of the data's noise alone. */
static gt_status measure_direct(struct local *s)
{
	gt_array *data = NULL, *x = NULL;
	double sum = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_array_new(s->be, s->type, gt_scan_size(s->c->p->scan), &data));
	GT_TRY(gt_array_like(s->c->x, &x));
	if (!gt_backend_is_dry_run(s->be))
		GT_TRY(draw(s, data));
	s->direct = gt_analytic_for(s->c->p->scan);
	st = gt_analytic_run(s->direct, s->be, s->c->grid, s->c->p->scan, NULL, data, x);
	if (st == GT_ERR_UNSUPPORTED) {
		s->direct = NULL;
		st = GT_OK;
		goto done;
	}
	GT_TRY(st);
	gt_array_get_float(x, s->host);
	GT_TRY(gt_backend_status(s->be));
	if (gt_backend_is_dry_run(s->be))
		goto done;
	for (size_t i = 0; i < s->body.voxels; i++)
		sum += (double)s->host[s->body.at[i]] * s->host[s->body.at[i]];
	s->reference = sqrt(sum / (double)s->body.voxels);
done:
	gt_array_free(data);
	gt_array_free(x);
	return st;
}

/* Where no direct method fits: the strength that halves detail of two voxels along x has the noise that stands for its. */
static double stand_in(const struct local *s)
{
	const size_t finest = s->patch.n[0] / 2;
	const double bends = s->patch.R[finest] * s->patch.at[0].square;
	return bends > 0 ? gt_noise_patches_quadratic(&s->patch, s->patch.at[0].F[finest] / bends) : 0;
}

/* Spectrum of the penalty of strength 1 for small differences. */
static gt_status measure_penalty(struct local *s, const gt_penalty *R, gt_array *x, gt_array *g)
{
	const double height = TINY * GT_MU_WATER / 1000;
	float *host = malloc(s->patch.size * sizeof *host);
	gt_status st = host ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for a box of %zu voxels", s->patch.size);
	GT_TRY(st);
	unit(s, host, height, x);
	gt_fill(0, g);
	gt_penalty_gradient(R, x, g, NULL);
	GT_TRY(spectrum(s, g, 1 / height, 0, &s->patch.R));
done:
	free(host);
	return st;
}

/* Rays of so few photons that their logarithm is too large in the mean, by half its variance, and far from normal. */
static void say_starved(const struct local *s)
{
	const gt_noise_loud *few = &s->starved;
	const double part = (double)few->cells / (double)gt_scan_size(s->c->p->scan);
	if (part > STARVED && few->line > 0)
		gt_say(s->log, GT_INFO, GT_ABOUT_CHOICE,
		       "%.2g %% of the rays have fewer than %d photons: behind them expect values of the direct method to be about %.2g HU too "
		       "high, of an iterative one with --weights noise or photons some HU off, and more noise than is said next",
		       100. * part, FEW, 1000 * (few->variance / 2) / few->line);
}

static void say(const struct local *s, double noise, double strength, double seconds)
{
	const char *where = s->body.water ? "in water" : "in the body";
	const char *direct = s->direct ? s->direct->name : "sharp iteration";
	if (s->noise.photons > 0)
		gt_say(s->log, GT_INFO, GT_ABOUT_CHOICE, "noise: by %s, as of %.3g photons", s->noise.how, s->noise.photons);
	else
		gt_say(s->log, GT_INFO, GT_ABOUT_CHOICE, "noise: by %s", s->noise.how);
	say_starved(s);
	if (hu(s, s->reference) < LITTLE)
		gt_say(s->log, GT_INFO, GT_ABOUT_CHOICE, "there is next to no noise in the data: %.2g HU by %s %s", hu(s, s->reference),
		       direct, where);
	if (s->o->noise > s->reference)
		gt_say(s->log, GT_INFO, GT_ABOUT_CHOICE,
		       "%.4g HU are asked for, which is above the %.4g HU of %s: the penalty is as weak as leaves these",
		       hu(s, s->o->noise), hu(s, s->reference), direct);
	double least = INFINITY, most = 0;
	for (int k = 0; k < GT_NOISE_PATCHES; k++) {
		least = fmin(least, s->patch.noise[k]);
		most = fmax(most, s->patch.noise[k]);
	}
	gt_say(s->log, GT_INFO, GT_ABOUT_CHOICE,
	       "strength %.4g, found in %.1f s: %.3g HU of noise are to be left of %.3g HU (%s, %s), from place to place %.3g to %.3g HU",
	       strength, seconds, hu(s, noise), hu(s, s->reference), direct, where, hu(s, least), hu(s, most));
}

/* Where the strength is found; in a rehearsal there is no volume to look at. */
static gt_status find_body(struct local *s)
{
	gt_status st = GT_OK;
	if (gt_backend_is_dry_run(s->be)) {
		s->body = (gt_object_mask){ .at = calloc(1, sizeof *s->body.at), .voxels = 1 };
		return s->body.at ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	}
	gt_array_get_float(s->c->x, s->host);
	GT_TRY(gt_backend_status(s->be));
	GT_TRY(gt_object_mask_find(s->c->grid, s->c->p->scan, s->host, s->c->water, &s->body));
done:
	return st;
}

/* The strength that is asked for; *text: how it was found. */
static gt_status find(struct local *s, double *strength, char **text)
{
	gt_array *x = NULL, *g = NULL;
	gt_penalty *R = NULL;
	gt_grid box;
	double noise = 0;
	const double start = gt_seconds();
	char *unit_spec = gt_text("%s%cstrength=1", s->o->spec, strchr(s->o->spec, ':') ? ',' : ':');
	gt_status st = unit_spec ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	if (!gt_backend_is_dry_run(s->be))
		gt_say(s->log, GT_INFO, GT_ABOUT_CHOICE, "looking for the strength of the penalty: the noise at %d places ...",
		       GT_NOISE_PATCHES);
	GT_TRY(gt_noise_estimate(s->c->counting, s->c->p, gt_backend_pool(s->be), &s->noise));
	GT_TRY(find_body(s));
	GT_TRY(measure_direct(s));
	GT_TRY(measure_places(s));
	box = box_at(s, s->body.at[0]);
	GT_TRY(gt_regularizer_new(unit_spec, s->be, s->type, &box, NULL, &R));
	GT_TRY(gt_array_new(s->be, s->type, s->patch.size, &x));
	GT_TRY(gt_array_like(x, &g));
	GT_TRY(measure_penalty(s, R, x, g));
	if (gt_backend_is_dry_run(s->be)) {
		*strength = 1;
		*text = gt_text("strength_from=noise:found when it runs");
		GT_TRY(*text ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory"));
		goto done;
	}
	if (!s->direct)
		s->reference = stand_in(s);
	noise = fmin(s->reference, s->o->noise > 0 ? s->o->noise : LEAVES * s->reference);
	s->patch.penalty = R;
	s->patch.x = x;
	s->patch.g = g;
	GT_TRY(gt_noise_patches_strength(&s->patch, noise, strength));
	*strength *= s->o->factor;
	say(s, noise, *strength, gt_seconds() - start);
	*text = gt_text("strength_from=noise:%.4gHU,of:%.4gHU,factor:%g", hu(s, noise), hu(s, s->reference), s->o->factor);
	if (!*text)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
done:
	free(unit_spec);
	gt_penalty_free(R);
	gt_array_free(x);
	gt_array_free(g);
	return st;
}

static void release(struct local *s)
{
	gt_object_mask_free(&s->body);
	for (int k = 0; k < GT_NOISE_PATCHES; k++) {
		free(s->patch.at[k].F);
		free(s->patch.at[k].G);
	}
	free(s->patch.R);
	free(s->host);
	free(s->kappa);
}

static gt_status prepare(struct local *s)
{
	const size_t n = gt_array_size(s->c->x);
	s->patch.size = 1;
	for (int a = 0; a < 3; a++) {
		for (s->patch.n[a] = 1; s->patch.n[a] < GT_BOX_MOST && 2 * s->patch.n[a] <= s->c->grid->n[a];)
			s->patch.n[a] *= 2;
		s->patch.size *= s->patch.n[a];
	}
	s->host = gt_host_alloc(n * sizeof *s->host);
	return s->host ? GT_OK : gt_fail(GT_ERR_MEMORY, "a copy of the volume needs %.3g MB", (double)n * 4e-6);
}

/* The penalty's text with this strength, or with that of the recorded text where that is the same but for rounding; malloc'ed. */
static char *with_strength(const gt_penalty_spec *o, double strength, const char *recorded)
{
	char *text = gt_text("%s%cstrength=", o->spec, strchr(o->spec, ':') ? ',' : ':');
	const size_t n = text ? strlen(text) : 0;
	const double was = text && recorded && !strncmp(recorded, text, n) ? atof(recorded + n) : NAN;
	const int same = fabs(was - strength) <= SAME * strength;
	char *all = !text  ? NULL
	            : same ? gt_text("%s%.*s", text, (int)strcspn(recorded + n, ", "), recorded + n)
	                   : gt_text("%s%.6g", text, strength);
	free(text);
	return all;
}

gt_status gt_penalty_from_spec(const gt_listener *log, const gt_penalty_spec *o, const gt_strength_problem *c, gt_penalty **R, char **text)
{
	struct local s = { .log = log, .o = o, .c = c, .be = gt_array_backend(c->x), .type = gt_array_type(c->x) };
	gt_array *kappa = NULL;
	char *how = NULL, *spec = NULL;
	double strength = 0;
	gt_status st = GT_OK;
	*text = NULL;
	GT_TRY(prepare(&s));
	GT_TRY(make_kappa(&s));
	if (o->automatic)
		GT_TRY(find(&s, &strength, &how));
	spec = o->automatic ? with_strength(o, strength, c->recorded) : strdup(o->spec);
	if (s.kappa) {
		GT_TRY(gt_array_like(c->x, &kappa));
		gt_array_put_float(s.kappa, kappa);
	}
	*text = spec ? gt_text("%s%s%s%s", spec, o->kappa ? " kappa=yes" : "", how ? " " : "", how ? how : "") : NULL;
	if (!*text)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(gt_regularizer_new(spec, s.be, s.type, c->grid, kappa, R));
done:
	gt_array_free(kappa);
	release(&s);
	free(how);
	free(spec);
	return st;
}
