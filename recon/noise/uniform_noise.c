/* Finds the kappa for uniform noise: the local strength of the penalty that leaves the target noise in each voxel.
 * Locally F = a F0 and G = g F0 with one F0 for all positions, a = A'w and g = A'(w^2 v) of the voxel, v: variance of
 * the data. Hence H = F + b R leaves the variance
 * mean over frequencies of g F0/(a F0 + b R)^2 = Q(b/a)/known, known = a^2/g,
 * and the required b is a times a function of `known` alone. A power fitted to the b of the patches approximates this
 * function. Each patch is solved with the actual potential. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "core/log.h"
#include "core/module.h"
#include "core/try.h"
#include "recon/noise/strength_search.h"
#include "team/team.h"

/* Patches whose noise misses the target by more, as a logarithm, are ignored. */
#define MAX_LOG_MISSED 0.1
/* If differences above c = this multiple of the noise count as edges, edges of the object's structure do too, and their
 * surroundings are noisier. */
#define MIN_C 6
/* Power if too few patches determine it: a uniform strength, for statistical weights. */
#define PLAIN_POWER (-1.)

/* sum[0] = A'w, sum[1] = A'(w^2 v); part: scratch. */
static gt_status backproject(const gt_strength_search *s, gt_array *sum[2], gt_array *part)
{
	const gt_subsets *sub = s->subsets;
	gt_array *of[2] = { NULL, NULL };
	gt_status st = GT_OK;
	for (size_t k = 0; k < sub->subsets; k++) {
		for (int i = 0; i < 2; i++)
			GT_TRY(gt_array_like(sub->b[k], &of[i]));
		GT_TRY(gt_strength_gather(s, k, sub->subsets, of[0], of[1]));
		for (int i = 0; i < 2; i++) {
			gt_adjoint(sub->A[k], of[i], k ? part : sum[i]);
			if (k)
				gt_axpy(1, part, sum[i]);
			gt_array_free(of[i]);
			of[i] = NULL;
		}
	}
done:
	gt_array_free(of[0]);
	gt_array_free(of[1]);
	return st;
}

gt_status gt_strength_measure_known(gt_strength_search *s)
{
	const size_t n = gt_array_size(s->q->start);
	gt_array *sum[2] = { NULL, NULL }, *part = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_like(s->q->start, &sum[0]));
	GT_TRY(gt_array_like(s->q->start, &sum[1]));
	GT_TRY(gt_array_like(s->q->start, &part));
	GT_TRY(backproject(s, sum, part));
	if (gt_backend_is_dry_run(s->be))
		goto done;
	if (!(s->known = calloc(n, sizeof *s->known)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "kappa=noise needs %.3g MB", (double)n * 8e-6));
	gt_array_get_float(sum[0], s->kappa);
	gt_array_get_float(sum[1], s->known);
	GT_TRY(gt_backend_status(s->be));
	for (size_t i = 0; i < n; i++)
		s->known[i] = s->kappa[i] > 0 && s->known[i] > 0 ? s->kappa[i] * (s->kappa[i] / s->known[i]) : 0;
done:
	gt_array_free(sum[0]);
	gt_array_free(sum[1]);
	gt_array_free(part);
	return st;
}

/* Statistics of both logarithms over the object's voxels. */
typedef struct {
	double answer, known, min, max;
} object_means;

static object_means means_of(const gt_strength_search *s)
{
	object_means m = { 0, 0, INFINITY, -INFINITY };
	size_t count = 0;
	for (size_t i = 0; i < s->object.voxels; i++) {
		const size_t at = s->object.at[i];
		if (!(s->known[at] > 0))
			continue;
		const double known = log(s->known[at]);
		m.answer += log(s->kappa[at]);
		m.known += known;
		m.min = fmin(m.min, known);
		m.max = fmax(m.max, known);
		count++;
	}
	m.answer /= (double)(count ? count : 1);
	m.known /= (double)(count ? count : 1);
	return m;
}

/* b of one patch alone; NAN if it cannot have that noise. */
static gt_status own_strength(const gt_strength_search *s, size_t k, double noise, double *b)
{
	gt_noise_patches one = s->patch;
	one.places = 1;
	one.at[0] = s->patch.at[k];
	one.at[0].square = 1;
	*b = NAN;
	if (!(gt_noise_patches_quadratic_strength(&one, noise) > 0)) /* no weighted ray passes it */
		return GT_OK;
	const gt_status st = gt_noise_patches_strength(&one, noise, b);
	if (st == GT_OK && !(fabs(log(one.noise[0] / noise)) < MAX_LOG_MISSED))
		*b = NAN;
	return st;
}

/* Slope of log(b/a) over log(known), a least-squares fit to all patches. */
static gt_status fit_power(const gt_strength_search *s, double noise, double *power)
{
	double n = 0, x = 0, y = 0, xx = 0, xy = 0, b = NAN;
	gt_status st = GT_OK;
	*power = PLAIN_POWER;
	for (size_t k = 0; k < s->patch.places; k++) {
		const size_t at = s->voxel[k];
		GT_TRY(own_strength(s, k, noise, &b));
		if (!(s->known[at] > 0) || isnan(b))
			continue;
		const double known = log(s->known[at]), u = log(b / s->kappa[at]);
		n++;
		x += known;
		y += u;
		xx += known * known;
		xy += known * u;
	}
	const double spread = n * xx - x * x;
	if (spread > 1e-6 * n * n)
		*power = (n * xy - x * y) / spread;
	/* Heterogeneous devices may differ in the last bit. */
	*power = gt_team_first(s->be, *power);
done:
	return st;
}

gt_status gt_strength_edges(const gt_strength_search *s, const char **key, double *c)
{
	const gt_module *regularizer;
	void *options = NULL;
	const gt_status st = gt_module_parse_kind(&gt_regularizer_kind, s->q->penalty, &regularizer, &options);
	*c = INFINITY;
	for (const gt_param *p = st == GT_OK ? regularizer->params : NULL; p && p->key; p++)
		if (p->kind == GT_MU) {
			*key = p->key;
			memcpy(c, (const char *)options + p->at, sizeof *c);
		}
	free(options);
	return st;
}

gt_status gt_strength_report_edges(const gt_strength_search *s, double noise_hu)
{
	const double unit = 1000 / s->q->water;
	const char *key = "";
	double c;
	const gt_status st = gt_strength_edges(s, &key, &c);
	if (st == GT_OK && c * unit < 0.99 * MIN_C * noise_hu)
		gt_notify(s->q->log, GT_INFO, GT_ABOUT_CHOICE,
		          "kappa=noise: %s=%.3gHU is less than %d times the noise: small structure counts as edges and keeps more "
		          "noise around it; for uniform noise there set %s=%.3gHU",
		          key, c * unit, MIN_C, key, MIN_C * noise_hu);
	return st;
}

gt_status gt_strength_even_out(gt_strength_search *s, double noise)
{
	const size_t n = gt_array_size(s->q->start);
	const object_means m = means_of(s);
	double power, sum = 0;
	size_t count = 0;
	gt_status st = GT_OK;
	GT_TRY(fit_power(s, noise, &power));
	for (size_t i = 0; i < n; i++) {
		const double known = fmax(m.min, fmin(m.max, log(s->known[i])));
		s->kappa[i] = s->known[i] > 0 ? (float)exp((log(s->kappa[i]) - m.answer + power * (known - m.known)) / 2) : 0;
		sum += s->kappa[i];
		count += s->kappa[i] > 0;
	}
	for (size_t i = 0; i < n; i++)
		s->kappa[i] = s->kappa[i] > 0 ? s->kappa[i] : count ? (float)(sum / (double)count) : 1;
	for (size_t k = 0; k < s->patch.places; k++)
		s->patch.at[k].square = (double)s->kappa[s->voxel[k]] * s->kappa[s->voxel[k]];
done:
	return st;
}
