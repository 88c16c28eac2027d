/* Noise around structure. On a patch the data term is 1/2 <z - f, F (z - f)> + <g, z - f>, with the start f and the
 * gradient g of the true data term there: its data vector is v = F f - g. With z(v) the minimiser on the patch and n a
 * normal field of spectrum G, half the difference of z(v + n/sqrt(2)) and z(v - n/sqrt(2)) is the response to noise as
 * large as that between two scans. The ratio of its root mean squares for this v, and for a v of noise alone, is what
 * structure adds, with overshoot at edges; errors common to both cancel. Takes one projection and backprojection.
 * docs/regularizers.md, "Strength from the noise", has the figures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/constants.h>
#include "core/try.h"
#include "geometry/grid.h"
#include "recon/noise/patch_descent.h"
#include "recon/noise/structure_noise.h"

/* Fraction of a side over which patches are tapered to 0 at each end, so that periodic continuation makes no edge. */
#define TAPER 0.125
/* Sides of fewer voxels hold too little to be tapered: few slices are all within the patch. */
enum { MIN_TAPERED = 16 };
/* Ratios beyond these limits are rather errors of the patch model than structure. */
#define MIN_RATIO 0.8
#define MAX_RATIO 2.5
/* Powers of the ratio around the direct volume, which has more streaks than the iterative one, and of the ratio with the
 * gradient, which is local and so has less of the overshoot: a fit to differences of three draws of a head. Powers of 1
 * leave 1.01 of 6 HU (arc, 246 views, 1e6 photons), 0.87 of 18 and 0.86 of 30 HU (62 views), 0.95 of 20 HU (parallel). */
#define STREAKS 0.65
#define EDGES 1.35
/* Ratios are rounded to multiples of this, as logarithms: devices that round otherwise then find the same one. */
#define RATIO_STEP 0.005
/* The strength is changed until the noise is met as a logarithm, at most in this number of rounds. */
#define MAX_LOG_MISSED 0.03
enum { ROUNDS = 2 };

void gt_structure_free(gt_structure_patches *t)
{
	free(t->image);
	free(t->slope);
	free(t->noise);
	free(t->counts);
	*t = (gt_structure_patches){ .missed = 1 };
}

/* Weight of voxel i of n: 1 inside, 0 at the ends. */
static double taper(size_t i, size_t n)
{
	const double width = TAPER * (double)n, from_end = fmin((double)i, (double)(n - 1 - i)) + 0.5;
	return n < MIN_TAPERED || from_end >= width ? 1 : (1 - cos(GT_PI * from_end / width)) / 2;
}

/* Index in the volume of voxel i of the patch around `voxel`, clamped to the grid; *weight: its taper. */
static size_t voxel_of(const gt_strength_search *s, size_t voxel, size_t i, double *weight)
{
	const size_t *n = s->q->grid->n, *m = s->patch.n, layer = i / s->patch.box;
	const size_t at[3] = { voxel % n[0], voxel / n[0] % n[1], voxel / n[0] / n[1] };
	size_t in[3] = { i % m[0], i / m[0] % m[1], i / m[0] / m[1] % m[2] }, k[3];
	*weight = 1;
	for (int a = 0; a < 3; a++) {
		const size_t sum = at[a] + in[a], first = m[a] / 2;
		k[a] = sum < first ? 0 : sum - first < n[a] ? sum - first : n[a] - 1;
		*weight *= taper(in[a], m[a]);
	}
	if (s->patch.layers > 1)
		k[2] = layer;
	return k[0] + n[0] * (k[1] + n[1] * k[2]);
}

/* Tapers the deviation from the mean, so that a uniform patch is 0. Gradients have the mean 0 already, almost. */
static void taper_patch(const gt_strength_search *s, size_t voxel, const float *volume, double *patch)
{
	double sum = 0, weight, weights = 0;
	for (size_t i = 0; i < s->patch.size; i++) {
		patch[i] = volume[voxel_of(s, voxel, i, &weight)];
		sum += weight * patch[i];
		weights += weight;
	}
	for (size_t i = 0; i < s->patch.size; i++) {
		voxel_of(s, voxel, i, &weight);
		patch[i] = weight * (patch[i] - sum / weights);
	}
}

static gt_status cut(const gt_strength_search *s, const float *volume, double **patches)
{
	const size_t size = s->patch.size;
	if (!(*patches = malloc(s->patch.places * size * sizeof **patches)))
		return gt_patch_no_memory(&s->patch);
	for (size_t k = 0; k < s->patch.places; k++)
		taper_patch(s, s->voxel[k], volume, *patches + k * size);
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
	for (size_t k = 0; k < p->places; k++)
		for (size_t i = 0; i < p->size; i++) {
			double weight;
			const size_t at = voxel_of(s, s->voxel[k], i, &weight), layer = i / p->box;
			(*counts)[k * p->size + i] = weight == 1 && layer >= p->first && layer < p->end &&
			                             bsearch(&at, s->object.at, s->object.voxels, sizeof at, ascending);
		}
	return GT_OK;
}

/* g: gradient of 1/2 |A x - b|^2_W at the start x. */
static gt_status gradient_at_start(const gt_strength_search *s, gt_array *g)
{
	const gt_subsets *sub = s->q->data;
	gt_array *rest = NULL, *part = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_like(g, &part));
	for (size_t k = 0; k < sub->subsets; k++) {
		GT_TRY(gt_array_like(sub->b[k], &rest));
		gt_forward(sub->A[k], s->q->start, rest);
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

static gt_status cut_from(const gt_strength_search *s, const gt_array *volume, double **patches)
{
	gt_array_get_float(volume, s->host);
	const gt_status st = gt_backend_status(s->be);
	return st == GT_OK ? cut(s, s->host, patches) : st;
}

gt_status gt_structure_measure(gt_strength_search *s)
{
	gt_array *g = NULL;
	gt_status st = GT_OK;
	if (!s->q->data || !s->direct)
		return GT_OK;
	if (!gt_backend_is_dry_run(s->be))
		GT_TRY(cut(s, s->host, &s->structure.noise));
	GT_TRY(gt_array_like(s->q->start, &g));
	GT_TRY(gradient_at_start(s, g));
	if (gt_backend_is_dry_run(s->be))
		goto done;
	GT_TRY(cut_from(s, s->q->start, &s->structure.image));
	GT_TRY(cut_from(s, g, &s->structure.slope));
	GT_TRY(mark(s, &s->structure.counts));
done:
	gt_array_free(g);
	return st;
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

/* s->t: transform of the data vector F image - slope of the patch, or of a sample of noise. scratch: a field. */
static void data_vector(gt_patch_descent *s, const double *image, const double *slope, double *scratch)
{
	const gt_noise_patches *p = s->p;
	const size_t numbers = p->layers * p->layers, first = s->k * p->size;
	if (!image) {
		gt_patch_normal_field(p, s->k, 200 + s->k, scratch, &s->t);
		return;
	}
	gt_layers_transform(&s->t, image + first);
	for (size_t i = 0; i < p->box; i++)
		gt_layers_multiply(&s->t, i, p->at[s->k].F + i * numbers, NULL);
	gt_layers_field(&s->t, scratch);
	for (size_t i = 0; i < p->size && slope; i++)
		scratch[i] -= slope[first + i];
	gt_layers_transform(&s->t, scratch);
}

/* Returns the squares of the response to noise around that data vector, added over the voxels that count. */
static double respond(gt_patch_descent *s, const double *image, const double *slope, const unsigned char *counts, responses *r)
{
	const gt_noise_patches *p = s->p;
	const size_t n = p->size;
	double sum = 0;
	gt_patch_normal_field(p, s->k, 100 + s->k, s->z, &s->t);
	gt_patch_descent_start(s);
	memcpy(r->n, s->z, n * sizeof *r->n);
	memcpy(r->Fn, s->Fz, n * sizeof *r->Fn);
	data_vector(s, image, slope, r->up);
	gt_patch_descent_start(s);
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
		sum += counts[s->k * n + i] ? d * d : 0;
	}
	return sum;
}

gt_status gt_structure_ratio(gt_noise_patches *p, const gt_structure_patches *t, double strength, double *ratio)
{
	const size_t n = p->size;
	double streaks[2] = { 0, 0 }, edges[2] = { 0, 0 };
	double *fields = malloc(5 * n * sizeof *fields);
	gt_patch_descent s = { .p = NULL };
	gt_status st = fields ? GT_OK : gt_patch_no_memory(p);
	*ratio = 1;
	GT_TRY(st);
	responses r = { fields, fields + n, fields + 2 * n, fields + 3 * n, fields + 4 * n };
	GT_TRY(gt_patch_descent_new(p, &s));
	for (size_t k = 0; k < p->places; k++) {
		gt_patch_descent_at(&s, k, strength, p->curvature);
		streaks[0] += respond(&s, t->image, NULL, t->counts, &r);
		streaks[1] += respond(&s, t->noise, NULL, t->counts, &r);
		edges[0] += respond(&s, t->image, t->slope, t->counts, &r);
		edges[1] += respond(&s, NULL, NULL, t->counts, &r);
	}
	GT_TRY(gt_backend_status(gt_array_backend(p->x)));
	if (streaks[0] > 0 && streaks[1] > 0 && edges[0] > 0 && edges[1] > 0) {
		const double more = (STREAKS * log(streaks[0] / streaks[1]) + EDGES * log(edges[0] / edges[1])) / 2;
		*ratio = exp(RATIO_STEP * round(fmax(log(MIN_RATIO), fmin(log(MAX_RATIO), more)) / RATIO_STEP));
	}
	if (getenv("GT_PRINT"))
		fprintf(stderr, "structure: strength %g ratio %g %g\n", strength, sqrt(streaks[0] / streaks[1]), sqrt(edges[0] / edges[1]));
done:
	gt_patch_descent_free(&s);
	free(fields);
	return st;
}

gt_status gt_structure_strength(gt_strength_search *s, double noise, double *strength)
{
	gt_noise_patches *p = &s->patch;
	double ratio, target = noise;
	gt_status st = GT_OK;
	GT_TRY(gt_noise_patches_strength(p, noise, strength));
	for (int i = 0; i < ROUNDS && s->structure.counts; i++) {
		GT_TRY(gt_structure_ratio(p, &s->structure, *strength, &ratio));
		s->structure.missed = target * ratio / noise;
		if (fabs(log(s->structure.missed)) < MAX_LOG_MISSED)
			break;
		target = noise / ratio;
		GT_TRY(gt_noise_patches_strength(p, target, strength));
		for (size_t k = 0; k < p->places; k++)
			p->noise[k] *= ratio;
		s->structure.missed = 1;
	}
done:
	return st;
}
