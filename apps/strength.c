/* Near a solution of penalised weighted least squares the noise of a voxel is that of a linear system (Fessler, IEEE Trans. Image
 * Process. 5 (1996) 493; Fessler and Rogers, ibid. 1346). With the same local response all around, in Fourier space,
 *   variance(strength) = mean over frequencies of G / (F + strength kappa^2 gain R)^2
 * F: spectrum of A'WA at that place, G: of A'W V W A with the variance V of the data, R: of the penalty at strength 1 for small
 * differences. The gain is what a penalty that is not quadratic has left of its curvature for differences as large as those of the
 * noise itself: <z, R'(z)> over the same of small differences, for a normal z of that very spectrum (statistical linearisation). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/body.h"
#include "apps/spectrum.h"
#include "apps/strength.h"
#include "core/random.h"
#include "projectors/projector.h"
#include "regularizers/regularizer.h"

/* Places, voxels of a box along an axis, and views: enough of them at that distance from a place. */
enum { POINTS = 6, SIDE = 31, VIEWS = 120, HALVINGS = 100, FIELD = 20000 };
/* What the automatic strength leaves of the noise of the direct method. */
#define LEAVES (1. / 3)
/* Small against any difference that a penalty treats otherwise. */
#define TINY 1e-5
/* HU that nobody sees. */
#define LITTLE 1.

struct place {
	double *F, *G;
	double square; /* kappa^2 */
};

struct local {
	const cli_call *call;
	const app_penalty *o;
	const app_prior_case *c;
	gt_backend *be;
	gt_type type;
	app_noise noise;
	app_body body;
	float *host, *kappa; /* volumes; kappa NULL: 1 */
	size_t n[3], size;   /* box */
	struct place at[POINTS];
	double *R;
	const gt_analytic *direct; /* NULL: none fits */
	double reference;          /* noise of the direct method, or what stands for it */
};

static double hu(const struct local *s, double mu) { return 1000 * mu / s->c->water; }

/* kappa = sqrt(A'w / A'1), the mean where nothing is seen. */
static gt_status make_kappa(struct local *s)
{
	const app_subsets *sub = s->c->subsets;
	const size_t n = gt_array_size(s->c->x);
	gt_array *sum[2] = { NULL, NULL }, *t = NULL, *one = NULL;
	float *seen = NULL;
	gt_status st = GT_OK;
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
	if (!(s->kappa = malloc(n * sizeof *s->kappa)) || !(seen = malloc(n * sizeof *seen)))
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

/* Values of every stride-th view: of w, and of w^2 times the variance. */
static gt_status gather(const struct local *s, size_t stride, const gt_linop *A, gt_array **w, gt_array **wvw)
{
	const gt_projections *p = s->c->p;
	const size_t view = p->scan->rows * p->scan->columns, n = gt_linop_ny(A);
	float *values = malloc(2 * n * sizeof *values);
	gt_status st = values ? GT_OK : gt_fail(GT_ERR_MEMORY, "weights of some views need %.3g MB", (double)n * 8e-6);
	GT_TRY(st);
	for (size_t i = 0; i < n; i++) {
		const size_t from = i / view * stride * view + i % view;
		const double weight = s->c->weights ? s->c->weights[from] : 1;
		values[i] = (float)weight;
		values[n + i] = (float)(weight * weight * s->noise.variance[from]);
	}
	GT_TRY(gt_array_new(s->be, s->type, n, w));
	GT_TRY(gt_array_new(s->be, s->type, n, wvw));
	gt_array_put_float(values, *w);
	gt_array_put_float(values + n, *wvw);
	GT_TRY(gt_backend_status(s->be));
done:
	free(values);
	return st;
}

/* A small grid of the volume's voxels around one of them. */
static gt_grid box_at(const struct local *s, size_t voxel)
{
	gt_grid g = *s->c->grid;
	const size_t at[3] = { voxel % g.n[0], voxel / g.n[0] % g.n[1], voxel / g.n[0] / g.n[1] };
	for (int a = 0; a < 3; a++)
		g.center[a] = gt_grid_first(s->c->grid, a) + (double)at[a] * g.pitch[a];
	memcpy(g.n, s->n, sizeof g.n);
	return g;
}

static gt_status spectrum(const struct local *s, const gt_array *response, double scale, int taper, double **out)
{
	float *host = malloc(s->size * sizeof *host);
	gt_status st = GT_OK;
	*out = malloc(s->size * sizeof **out);
	if (!host || !*out)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for a box of %zu voxels", s->size));
	gt_array_get_float(response, host);
	GT_TRY(gt_backend_status(s->be));
	if (!app_box_spectrum(s->n, host, taper, *out))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for a box of %zu voxels", s->size));
	for (size_t i = 0; i < s->size; i++)
		(*out)[i] = fmax(0, scale * (*out)[i]);
done:
	free(host);
	return st;
}

static void unit(const struct local *s, float *host, double value, gt_array *x)
{
	memset(host, 0, s->size * sizeof *host);
	host[s->size / 2] = (float)value;
	gt_array_put_float(host, x);
}

/* A x, then A' of it times w or times wvw. */
static gt_status measure_place(struct local *s, const gt_linop *A, size_t stride, gt_array *w, gt_array *wvw, struct place *at)
{
	gt_array *x = NULL, *y = NULL, *u = NULL;
	float *host = malloc(s->size * sizeof *host);
	gt_status st = host ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for a box of %zu voxels", s->size);
	GT_TRY(st);
	GT_TRY(gt_array_new(s->be, s->type, s->size, &x));
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
	for (int k = 0; k < POINTS; k++) {
		const double part = fmod((k + 0.5) * 0.6180339887498949, 1);
		const size_t voxel = s->body.at[(size_t)(part * (double)s->body.voxels)];
		const gt_grid box = box_at(s, voxel);
		GT_TRY(gt_projector_new(s->c->projector, s->be, s->type, &box, some, &A));
		if (!w)
			GT_TRY(gather(s, stride, A, &w, &wvw));
		s->at[k].square = s->kappa ? (double)s->kappa[voxel] * s->kappa[voxel] : 1;
		GT_TRY(measure_place(s, A, stride, w, wvw, &s->at[k]));
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

/* Noise of the direct method in the body: it is linear, so that of a sample of the data's noise alone. */
static gt_status measure_direct(struct local *s)
{
	const size_t n = gt_scan_cells(s->c->p->scan);
	gt_array *data = NULL, *x = NULL;
	float *sample = malloc(n * sizeof *sample);
	double sum = 0;
	gt_status st = sample ? GT_OK : gt_fail(GT_ERR_MEMORY, "a sample of noise needs %.3g MB", (double)n * 4e-6);
	GT_TRY(st);
	app_noise_sample(&s->noise, 1, gt_backend_pool(s->be), sample, n);
	GT_TRY(gt_array_new(s->be, s->type, n, &data));
	GT_TRY(gt_array_like(s->c->x, &x));
	gt_array_put_float(sample, data);
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
	for (size_t i = 0; i < s->body.voxels; i++)
		sum += (double)s->host[s->body.at[i]] * s->host[s->body.at[i]];
	s->reference = sqrt(sum / (double)s->body.voxels);
done:
	free(sample);
	gt_array_free(data);
	gt_array_free(x);
	return st;
}

static double variance(const struct local *s, double strength)
{
	double sum = 0;
	for (int k = 0; k < POINTS; k++)
		for (size_t i = 0; i < s->size; i++) {
			const double H = s->at[k].F[i] + strength * s->at[k].square * s->R[i];
			sum += H > 0 ? s->at[k].G[i] / (H * H) : 0;
		}
	return sum / (double)(POINTS * s->size);
}

/* Of the quadratic penalty, by halving its logarithm. */
static double strength_for(const struct local *s, double noise)
{
	double low = -30, high = 30, scale = 0, most = 0;
	for (size_t i = 0; i < s->size; i++) {
		scale = fmax(scale, s->at[0].F[i]);
		most = fmax(most, s->R[i]);
	}
	scale /= most;
	for (int i = 0; i < HALVINGS; i++) {
		const double middle = (low + high) / 2;
		if (variance(s, scale * exp(middle)) > noise * noise)
			low = middle;
		else
			high = middle;
	}
	return scale * exp((low + high) / 2);
}

/* A normal field of the volume's noise at that strength, with `noise` as its standard deviation. */
static int noise_field(const struct local *s, double strength, double noise, uint64_t seed, float *z)
{
	app_box b;
	double sum = 0;
	const int good = app_box_new(s->n, &b);
	for (size_t i = 0; good && i < s->size; i++) {
		gt_random r = gt_random_at(seed, i);
		b.re[i] = gt_normal(&r);
	}
	if (good)
		app_box_transform(&b, 0);
	for (size_t i = 0; good && i < s->size; i++) {
		double S = 0;
		for (int k = 0; k < POINTS; k++) {
			const double H = s->at[k].F[i] + strength * s->at[k].square * s->R[i];
			S += H > 0 ? s->at[k].G[i] / (H * H) : 0;
		}
		sum += S;
		b.re[i] *= sqrt(S);
		b.im[i] *= sqrt(S);
	}
	if (good)
		app_box_transform(&b, 1);
	const double scale = sum > 0 ? noise / sqrt(sum / (double)s->size) : 0;
	for (size_t i = 0; good && i < s->size; i++)
		z[i] = (float)(scale * b.re[i]);
	app_box_free(&b);
	return good;
}

/* <z, R'(z)> */
static double along(const gt_penalty *R, const float *z, gt_array *x, gt_array *g)
{
	gt_array_put_float(z, x);
	gt_fill(0, g);
	gt_penalty_gradient(R, x, g, NULL);
	return gt_dot(x, g);
}

/* What is left of the penalty's curvature in such noise. */
static gt_status measure_gain(const struct local *s, const gt_penalty *R, double strength, double noise, gt_array *x, gt_array *g,
                              double *gain)
{
	double all = 0, small = 0;
	float *z = malloc(s->size * sizeof *z);
	gt_status st = GT_OK;
	for (size_t k = 0; k <= FIELD / s->size; k++) {
		if (!z || !noise_field(s, strength, noise, k + 1, z))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for a box of %zu voxels", s->size));
		all += along(R, z, x, g);
		for (size_t i = 0; i < s->size; i++)
			z[i] = (float)(z[i] * TINY);
		small += along(R, z, x, g) / (TINY * TINY);
	}
	GT_TRY(gt_backend_status(s->be));
	*gain = small > 0 ? all / small : 1;
done:
	free(z);
	return st;
}

/* Where no direct method fits: the strength that halves detail of two voxels along x has the noise that stands for its. */
static double stand_in(const struct local *s)
{
	const size_t finest = s->n[0] / 2;
	const double bends = s->R[finest] * s->at[0].square;
	return bends > 0 ? sqrt(variance(s, s->at[0].F[finest] / bends)) : 0;
}

/* Spectrum of the penalty of strength 1 for small differences. */
static gt_status measure_penalty(struct local *s, const gt_penalty *R, gt_array *x, gt_array *g)
{
	const double height = TINY * GT_MU_WATER / 1000;
	float *host = malloc(s->size * sizeof *host);
	gt_status st = host ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for a box of %zu voxels", s->size);
	GT_TRY(st);
	unit(s, host, height, x);
	gt_fill(0, g);
	gt_penalty_gradient(R, x, g, NULL);
	GT_TRY(spectrum(s, g, 1 / height, 0, &s->R));
done:
	free(host);
	return st;
}

static gt_status say(const struct local *s, double noise, double strength)
{
	const char *where = s->body.water ? "in water" : "in the body";
	const char *direct = s->direct ? s->direct->name : "sharp iteration";
	if (s->noise.photons > 0)
		cli_note(s->call, "noise: by %s, as of %.3g photons", s->noise.how, s->noise.photons);
	else
		cli_note(s->call, "noise: by %s", s->noise.how);
	if (hu(s, s->reference) < LITTLE)
		cli_note(s->call, "there is next to no noise in the data: %.2g HU by %s %s", hu(s, s->reference), direct, where);
	if (s->o->noise > s->reference)
		cli_note(s->call, "%.4g HU are asked for, which is above the %.4g HU of %s: the penalty is as weak as leaves these",
		         hu(s, s->o->noise), hu(s, s->reference), direct);
	cli_note(s->call, "strength %.4g: %.3g HU of noise are to be left of %.3g HU (%s, %s)", strength, hu(s, noise), hu(s, s->reference),
	         direct, where);
	return GT_OK;
}

/* The strength that is asked for; *text: how it was found. */
static gt_status find(struct local *s, double *strength, char **text)
{
	gt_array *x = NULL, *g = NULL;
	gt_penalty *R = NULL;
	gt_grid box;
	double gain = 1, noise = 0;
	char *unit_spec = cli_text("%s%cstrength=1", s->o->spec, strchr(s->o->spec, ':') ? ',' : ':');
	gt_status st = unit_spec ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	GT_TRY(app_noise_new(s->c->counting, s->c->p, gt_backend_pool(s->be), &s->noise));
	gt_array_get_float(s->c->x, s->host);
	GT_TRY(gt_backend_status(s->be));
	GT_TRY(app_body_find(s->c->grid, s->c->p->scan, s->host, s->c->water, &s->body));
	GT_TRY(measure_direct(s));
	GT_TRY(measure_places(s));
	box = box_at(s, s->body.at[0]);
	GT_TRY(gt_regularizer_new(unit_spec, s->be, s->type, &box, NULL, &R));
	GT_TRY(gt_array_new(s->be, s->type, s->size, &x));
	GT_TRY(gt_array_like(x, &g));
	GT_TRY(measure_penalty(s, R, x, g));
	if (!s->direct)
		s->reference = stand_in(s);
	noise = fmin(s->reference, s->o->noise > 0 ? s->o->noise : LEAVES * s->reference);
	*strength = strength_for(s, noise);
	GT_TRY(measure_gain(s, R, *strength, noise, x, g, &gain));
	*strength *= s->o->factor / gain;
	GT_TRY(say(s, noise, *strength));
	*text = cli_text("strength_from=noise:%.4gHU,of:%.4gHU,factor:%g", hu(s, noise), hu(s, s->reference), s->o->factor);
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
	app_noise_free(&s->noise);
	app_body_free(&s->body);
	for (int k = 0; k < POINTS; k++) {
		free(s->at[k].F);
		free(s->at[k].G);
	}
	free(s->R);
	free(s->host);
	free(s->kappa);
}

static gt_status prepare(struct local *s)
{
	const size_t n = gt_array_size(s->c->x);
	s->size = 1;
	for (int a = 0; a < 3; a++) {
		s->n[a] = s->c->grid->n[a] < SIDE ? (s->c->grid->n[a] - 1) / 2 * 2 + 1 : SIDE;
		s->size *= s->n[a];
	}
	s->host = malloc(n * sizeof *s->host);
	return s->host ? GT_OK : gt_fail(GT_ERR_MEMORY, "a copy of the volume needs %.3g MB", (double)n * 4e-6);
}

gt_status app_penalty_new(const cli_call *call, const app_penalty *o, const app_prior_case *c, gt_penalty **R, char **text)
{
	struct local s = { .call = call, .o = o, .c = c, .be = gt_array_backend(c->x), .type = gt_array_type(c->x) };
	gt_array *kappa = NULL;
	char *how = NULL, *spec = NULL;
	double strength = 0;
	gt_status st = GT_OK;
	*text = NULL;
	GT_TRY(prepare(&s));
	GT_TRY(make_kappa(&s));
	if (o->automatic)
		GT_TRY(find(&s, &strength, &how));
	spec = o->automatic ? cli_text("%s%cstrength=%.6g", o->spec, strchr(o->spec, ':') ? ',' : ':', strength) : strdup(o->spec);
	if (s.kappa) {
		GT_TRY(gt_array_like(c->x, &kappa));
		gt_array_put_float(s.kappa, kappa);
	}
	*text = spec ? cli_text("%s%s%s%s", spec, o->kappa ? " kappa=yes" : "", how ? " " : "", how ? how : "") : NULL;
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
