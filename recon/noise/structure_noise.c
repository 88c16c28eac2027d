/* Noise around structure. A short run of the solver gives an image x with the structure and most of the noise of the
 * result. Around it the cost of a patch is 1/2 <z, F z> + <g, z> + strength kappa^2 R(x + z). The vector g is the
 * gradient of the data term at x. Let z(g) be the minimiser and n a normal field of spectrum G. The difference
 * of z(g + n/sqrt(2)) and z(g - n/sqrt(2)), over sqrt(2), is the response to n. It exceeds the noise between
 * scans, because x has noise already. The same response in a uniform object with the target noise gives the scale.
 * Takes a tenth of the iterations, and one projection and backprojection. Figures: docs/measurements.md, "Why the
 * noise exceeds the target". */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "geometry/grid.h"
#include "recon/noise/patch_descent.h"
#include "recon/noise/structure_noise.h"
#include "team/team.h"

/* Voxels at each end of a patch of more than MIN_CUT voxels: the penalty lacks neighbours there. */
enum { MARGIN = 4, MIN_CUT = 16 };
/* Ratios are rounded to multiples of this, as logarithms: devices that round otherwise then find the same one. */
#define RATIO_STEP 0.005
/* The strength is changed until the noise is met as a logarithm, at most in this number of rounds. */
#define MAX_LOG_MISSED 0.03
enum { ROUNDS = 4 };
/* Minimum slope of the logarithm of the noise over that of its target. */
#define MIN_SLOPE 0.2

void gt_structure_free(gt_structure_patches *t)
{
	free(t->image);
	free(t->slope);
	free(t->counts);
	*t = (gt_structure_patches){ .missed = 1 };
}

/* Returns 1 if voxel i of the patch is away from its ends. Sets *of to its index in the volume, or to the nearest. */
static int voxel_of(const gt_strength_search *s, size_t voxel, size_t i, size_t *of)
{
	const size_t *n = s->q->grid->n, *m = s->patch.n, layer = i / s->patch.box;
	const size_t at[3] = { voxel % n[0], voxel / n[0] % n[1], voxel / n[0] / n[1] };
	const size_t in[3] = { i % m[0], i / m[0] % m[1], i / m[0] / m[1] % m[2] };
	size_t k[3] = { 0, 0, layer };
	int inner = 1;
	for (int a = 0; a < (s->patch.layers > 1 ? 2 : 3); a++) {
		const size_t sum = at[a] + in[a], first = m[a] / 2, margin = m[a] > MIN_CUT ? MARGIN : 0;
		k[a] = sum < first ? 0 : sum - first < n[a] ? sum - first : n[a] - 1;
		inner &= k[a] + first == sum && in[a] >= margin && in[a] + margin < m[a];
	}
	*of = k[0] + n[0] * (k[1] + n[1] * k[2]);
	return inner;
}

/* patches: [patch][layer][z][y][x] of the volume. kappa scales it to the centre, because F follows kappa^2; NULL: 1. */
static gt_status cut(const gt_strength_search *s, const gt_array *volume, const float *kappa, double **patches)
{
	const size_t size = s->patch.size;
	gt_array_get_float(volume, s->host);
	const gt_status st = gt_backend_status(s->be);
	if (st != GT_OK)
		return st;
	if (!(*patches = malloc(s->patch.places * size * sizeof **patches)))
		return gt_patch_no_memory(&s->patch);
	for (size_t i = 0; i < s->patch.places * size; i++) {
		size_t of;
		voxel_of(s, s->voxel[i / size], i % size, &of);
		(*patches)[i] = s->host[of];
		if (kappa && kappa[of] > 0)
			(*patches)[i] *= s->patch.at[i / size].square / ((double)kappa[of] * kappa[of]);
	}
	return GT_OK;
}

static int ascending(const void *a, const void *b)
{
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;
	return (x > y) - (x < y);
}

static gt_status mark(const gt_strength_search *s, unsigned char **counts)
{
	const gt_noise_patches *p = &s->patch;
	if (!(*counts = malloc(p->places * p->size)))
		return gt_patch_no_memory(p);
	for (size_t i = 0; i < p->places * p->size; i++) {
		size_t of;
		const size_t layer = i % p->size / p->box;
		(*counts)[i] = voxel_of(s, s->voxel[i / p->size], i % p->size, &of) && layer >= p->first && layer < p->end &&
		               bsearch(&of, s->object.at, s->object.voxels, sizeof of, ascending);
	}
	return GT_OK;
}

/* g: gradient of 1/2 |A x - b|^2_W at x. */
static gt_status data_gradient(const gt_subsets *sub, const gt_array *x, gt_array *g)
{
	gt_array *rest = NULL, *part = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_like(g, &part));
	for (size_t k = 0; k < sub->subsets; k++) {
		GT_TRY(gt_array_like(sub->b[k], &rest));
		gt_forward(sub->A[k], x, rest);
		gt_axpy(-1, sub->b[k], rest);
		if (sub->w)
			gt_mul(sub->w[k], rest);
		gt_adjoint(sub->A[k], rest, k ? part : g);
		if (k)
			gt_axpy(1, part, g);
		gt_array_free(rest);
		rest = NULL;
	}
done:
	gt_array_free(rest);
	gt_array_free(part);
	return st;
}

static gt_status measure(gt_strength_search *s, double strength)
{
	const gt_short_run *run = s->q->short_run;
	gt_array *x = NULL, *g = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_like(s->q->start, &x));
	gt_copy(s->q->start, x);
	GT_TRY(run->run(run->self, strength, s->subsets ? s->kappa : s->q->kappa, x));
	GT_TRY(gt_array_like(x, &g));
	GT_TRY(data_gradient(run->data, x, g));
	if (gt_backend_is_dry_run(s->be))
		goto done;
	s->structure.strength = strength;
	GT_TRY(cut(s, x, NULL, &s->structure.image));
	GT_TRY(cut(s, g, s->subsets ? NULL : s->q->kappa, &s->structure.slope));
	GT_TRY(mark(s, &s->structure.counts));
done:
	gt_array_free(x);
	gt_array_free(g);
	return st;
}

gt_status gt_structure_measure(gt_strength_search *s, double strength)
{
	if (!s->q->short_run)
		return GT_OK;
	gt_team_alone(s->be, 0);
	gt_strength_mark(s, "penalty: short run");
	const gt_status st = measure(s, strength);
	gt_strength_mark(s, "penalty: strength");
	gt_team_alone(s->be, 1);
	/* The run itself reports a divergence, with its best image. */
	return st == GT_ERR_DIVERGED ? GT_OK : st;
}

/* Fields of one patch, in addition to the descent's. */
typedef struct {
	double *z, *Fz; /* without the noise n */
	double *n, *Fn; /* linear response to n */
	double *up;     /* with it */
} responses;

static void move(const gt_patch_descent *s, const responses *r, double part)
{
	for (size_t i = 0; i < s->p->size; i++) {
		s->z[i] = r->z[i] + part * r->n[i];
		s->Fz[i] = r->Fz[i] + part * r->Fn[i];
	}
	memset(s->d, 0, s->p->size * sizeof *s->d);
	memset(s->Fd, 0, s->p->size * sizeof *s->Fd);
}

/* s->Fz: gradient of the data term at the image. At the ends of the patch, where the penalty lacks neighbours, it
 * balances the penalty of the short run instead. */
static void set_slope(gt_patch_descent *s, const gt_structure_patches *t, responses *r)
{
	const gt_noise_patches *p = s->p;
	const double *slope = t->slope + s->k * p->size, strength = t->strength * p->at[s->k].square;
	memset(s->z, 0, p->size * sizeof *s->z);
	gt_patch_penalty_gradient(s, r->up);
	for (size_t i = 0; i < p->size; i++) {
		const size_t at[3] = { i % p->n[0], i / p->n[0] % p->n[1], i / p->n[0] / p->n[1] % p->n[2] };
		int inner = 1;
		for (int a = 0; a < 3; a++)
			inner &= p->n[a] <= MIN_CUT || (at[a] >= 1 && at[a] + 1 < p->n[a]);
		s->Fz[i] = inner ? slope[i] : -strength * r->up[i];
	}
}

/* Starts at the image with its structure, or at a sample of noise in a uniform object. */
static void start(gt_patch_descent *s, const gt_structure_patches *t, responses *r)
{
	const size_t n = s->p->size;
	if (t) {
		s->about = t->image + s->k * n;
		set_slope(s, t, r);
		memset(s->d, 0, n * sizeof *s->d);
		memset(s->Fd, 0, n * sizeof *s->Fd);
	} else {
		s->about = NULL;
		gt_patch_normal_field(s->p, s->k, 200 + s->k, s->z, &s->t);
		gt_patch_descent_start(s);
	}
}

/* Returns the squares of the response to noise there, added over the voxels that count. t NULL: uniform object. */
static double respond(gt_patch_descent *s, const gt_structure_patches *t, const unsigned char *counts, responses *r)
{
	const gt_noise_patches *p = s->p;
	const size_t n = p->size;
	double sum = 0;
	gt_patch_normal_field(p, s->k, 100 + s->k, s->z, &s->t);
	gt_patch_descent_start(s);
	memcpy(r->n, s->z, n * sizeof *r->n);
	memcpy(r->Fn, s->Fz, n * sizeof *r->Fn);
	start(s, t, r);
	gt_patch_descent_run(s);
	memcpy(r->z, s->z, n * sizeof *r->z);
	memcpy(r->Fz, s->Fz, n * sizeof *r->Fz);
	move(s, r, sqrt(0.5));
	gt_patch_descent_run(s);
	memcpy(r->up, s->z, n * sizeof *r->up);
	move(s, r, -sqrt(0.5));
	gt_patch_descent_run(s);
	for (size_t i = 0; i < n; i++) {
		const double d = r->up[i] - s->z[i];
		sum += counts[i] ? d * d / 2 : 0;
	}
	return sum;
}

/* *noise: RMS of the response over the voxels that count, mm^-1, of t, NULL: in a uniform object. 0: no voxel counts.
 * p->noise: the response of each patch with such voxels, times scale. */
static gt_status measure_response(gt_noise_patches *p, const gt_structure_patches *t, const unsigned char *counts, double strength,
                                  double scale, double *noise)
{
	const size_t n = p->size;
	double sum = 0;
	size_t count = 0;
	double *fields = malloc(5 * n * sizeof *fields);
	gt_patch_descent s = { .p = NULL };
	gt_status st = fields ? GT_OK : gt_patch_no_memory(p);
	GT_TRY(st);
	responses r = { fields, fields + n, fields + 2 * n, fields + 3 * n, fields + 4 * n };
	GT_TRY(gt_patch_descent_new(p, &s));
	for (size_t k = 0; k < p->places; k++) {
		size_t here = 0;
		for (size_t i = 0; i < n; i++)
			here += counts[k * n + i];
		if (!here)
			continue;
		gt_patch_descent_at(&s, k, strength, p->curvature);
		const double squares = respond(&s, t, counts + k * n, &r);
		p->noise[k] = scale * sqrt(squares / (double)here);
		sum += squares;
		count += here;
	}
	GT_TRY(gt_backend_status(gt_array_backend(p->x)));
	*noise = count ? sqrt(sum / (double)count) : 0;
done:
	gt_patch_descent_free(&s);
	free(fields);
	return st;
}

/* RMS over all patches. */
static double mean_noise(const gt_noise_patches *p)
{
	double sum = 0;
	for (size_t k = 0; k < p->places; k++)
		sum += p->noise[k] * p->noise[k];
	return sqrt(sum / (double)p->places);
}

/* The response to noise is scaled to the noise of a uniform object, which is below the target if voxels are large. */
gt_status gt_structure_strength(gt_strength_search *s, double noise, double *strength)
{
	gt_noise_patches *p = &s->patch;
	const gt_structure_patches *t = &s->structure;
	double found, response = 0, target = noise, last = 0, step = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_noise_patches_strength(p, noise, strength));
	const double uniform = mean_noise(p);
	GT_TRY(gt_structure_measure(s, *strength));
	if (t->counts)
		GT_TRY(measure_response(p, NULL, t->counts, *strength, 1, &response));
	for (int i = 0; response > 0; i++) {
		GT_TRY(measure_response(p, t, t->counts, *strength, uniform / response, &found));
		const double off = RATIO_STEP * round(log(found / response) / RATIO_STEP);
		if (!isfinite(off))
			break;
		s->structure.missed = exp(off);
		if (fabs(off) < MAX_LOG_MISSED || i + 1 == ROUNDS)
			break;
		const double slope = i ? fmin(1, fmax(MIN_SLOPE, (off - last) / step)) : 1; /* secant */
		last = off;
		step = -off / slope;
		target *= exp(step);
		GT_TRY(gt_noise_patches_strength(p, target, strength));
	}
done:
	return st;
}
