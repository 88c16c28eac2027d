/* One candidate on one scan: pictures of all draws, their errors by tissue, and the strength that leaves a noise. */
#include <gantry/analytic.h>
#include "apps/study/quality/quality.h"
#include "core/order_statistics.h"

const char *const quality_class_names[QUALITY_CLASSES] = { "all", "edge", "soft", "bone", "air", "lung" };
enum { MAX_TRIALS = 7, QUICK_TRIALS = 3, TINY_TRIALS = 2 };
#define MIN_CUTOFF 0.03
/* Steps of about 800 HU, found within NEAR_STEP voxels; fewer than MIN_STEPS give no result. */
#define MIN_STEP 600
#define MAX_STEP 1100
enum { NEAR_STEP = 2, MIN_STEPS = 30 };

/* A window that is made narrower leaves less noise; what else is set leaves less where it is larger. */
static int is_direct(const quality_candidate *c) { return !c->penalty && !c->knob; }

/* The penalty's text has the strength that was taken. */
static double strength_of(gt_recon *r)
{
	const char *text = gt_recon_text(r, "penalty"), *at = text ? strstr(text, "strength=") : NULL;
	return at ? strtod(at + strlen("strength="), NULL) : NAN;
}

/* Texts of solver and penalty, with the setting that decides on the noise; "": not set. */
static void texts_of(const quality_scene *scene, const quality_candidate *c, double noise, double strength, char text[2][STUDY_PATH])
{
	const int direct = is_direct(c);
	const char *key = c->knob ? c->knob : direct ? "cutoff" : "strength", *solver = c->solver ? c->solver : "";
	char *at = text[direct || c->knob_of_solver ? 0 : 1];
	study_format(text[0], STUDY_PATH, "%s", direct ? gt_analytic_for(scene->scan)->name : solver);
	study_format(text[1], STUDY_PATH, "%s", c->penalty ? c->penalty : "");
	if (direct && *solver)
		study_spec(text[0], text[0], "%s", solver);
	if (c->edges > 0)
		study_spec(text[1], text[1], "noise=%.9gHU,c=%.9gHU", noise, c->edges * noise);
	else if (*at && *key && (strength > 0 || direct))
		study_spec(at, at, "%s=%.9g", key, strength > 0 ? strength : 1);
	else if (*at && *key)
		study_spec(at, at, "noise=%.9gHU", noise);
}

gt_status quality_recon(const study *s, const quality_scene *scene, const quality_candidate *c, int draw, double noise, double strength,
                        gt_recon **r)
{
	char text[2][STUDY_PATH];
	gt_status st = GT_OK;
	texts_of(scene, c, noise, strength, text);
	GT_TRY(gt_recon_new(scene->p[draw], r));
	const char *const set[][2] = { { "backend", s->gpu[0] ? s->gpu : s->cpu },
		                       { "check", "no" },
		                       { "preset", c->preset },
		                       { "solver", *text[0] ? text[0] : NULL },
		                       { "penalty", *text[1] ? text[1] : NULL },
		                       { "weights", c->weights },
		                       { "init", c->init },
		                       { "padding", c->padding } };
	for (size_t i = 0; i < sizeof set / sizeof *set; i++)
		if (set[i][1])
			GT_TRY(gt_recon_set(*r, set[i][0], set[i][1]));
done:
	if (st != GT_OK) {
		gt_recon_free(*r);
		*r = NULL;
	}
	return st;
}

gt_status quality_reconstruct(const study *s, const quality_scene *c, const quality_candidate *by, int draw, double noise, double *strength,
                              gt_volume **v)
{
	gt_recon *r = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_volume_new(&c->grid, v));
	GT_TRY(quality_recon(s, c, by, draw, noise, *strength, &r));
	GT_TRY(gt_recon_run(r, *v));
	if (is_direct(by))
		*strength = *strength > 0 ? *strength : 1;
	else if (by->edges > 0 || !(*strength > 0))
		*strength = strength_of(r);
done:
	gt_recon_free(r);
	return st;
}

static void values_near(const quality_scene *c, const size_t at[3], size_t by, double *low, double *high)
{
	const size_t *n = c->grid.n;
	*low = INFINITY;
	*high = -INFINITY;
	for (size_t z = at[2] > by ? at[2] - by : 0; z <= at[2] + by && z < n[2]; z++)
		for (size_t y = at[1] > by ? at[1] - by : 0; y <= at[1] + by && y < n[1]; y++)
			for (size_t k = at[0] > by ? at[0] - by : 0; k <= at[0] + by && k < n[0]; k++) {
				const double truth = c->truth[k + n[0] * (y + n[1] * z)];
				*low = fmin(*low, truth);
				*high = fmax(*high, truth);
			}
}

/* Overshoot of the mean over draws at a voxel: distance to the range of the object within a voxel, HU. */
static double beyond(const quality_scene *c, double mean, const size_t at[3])
{
	double low, high;
	values_near(c, at, 1, &low, &high);
	return 1000 / c->of->water * fmax(0, fmax(mean - high, low - mean));
}

gt_status quality_overshoot(const quality_scene *c, const double *mean, double *overshoot, double *at_steps)
{
	const size_t wide = c->grid.n[0], high = c->grid.n[1], edges = c->count[QUALITY_EDGE];
	double *all, from, to;
	size_t found = 0, steps = 0;
	GT_OR_RETURN(study_new(2 * (edges + 1), sizeof *all, &all));
	double *const parts = all + edges + 1;
	for (size_t i = 0; i < c->count[QUALITY_ALL]; i++) {
		const size_t at[3] = { i % wide, i / wide % high, i / wide / high };
		if (c->kind[i] != QUALITY_EDGE)
			continue;
		values_near(c, at, NEAR_STEP, &from, &to);
		const double off = beyond(c, mean[i], at), step = 1000 / c->of->water * (to - from);
		all[found++] = off;
		if (step >= MIN_STEP && step <= MAX_STEP)
			parts[steps++] = off / step;
	}
	*overshoot = gt_quantile(all, found, 0.99);
	*at_steps = steps >= MIN_STEPS ? gt_quantile(parts, steps, 0.99) : NAN;
	free(all);
	return GT_OK;
}

static gt_status overshoot_of(const quality_scene *c, const float *const x[], quality_result *r)
{
	double *mean;
	GT_OR_RETURN(study_new(c->count[QUALITY_ALL], sizeof *mean, &mean));
	for (size_t i = 0; i < c->count[QUALITY_ALL]; i++)
		for (int d = 0; d < QUALITY_DRAWS; d++)
			mean[i] += x[d][i] / (double)QUALITY_DRAWS;
	const gt_status st = quality_overshoot(c, mean, &r->overshoot, &r->at_steps);
	free(mean);
	return st;
}

void quality_errors(const quality_scene *c, const float *const x[], quality_result *r)
{
	const double hu = 1000 / c->of->water;
	double squares[QUALITY_CLASSES] = { 0 }, apart = 0;
	for (size_t i = 0; i < c->count[QUALITY_ALL]; i++) {
		double sum = 0, square = 0, mean = 0;
		for (int d = 0; d < QUALITY_DRAWS; d++) {
			const double off = hu * ((double)x[d][i] - c->truth[i]);
			sum += off * off / QUALITY_DRAWS;
			mean += off / QUALITY_DRAWS;
		}
		for (int d = 0; d < QUALITY_DRAWS; d++) {
			const double off = hu * ((double)x[d][i] - c->truth[i]) - mean;
			square += off * off / (QUALITY_DRAWS - 1);
		}
		squares[c->kind[i]] += sum;
		squares[QUALITY_ALL] += sum;
		apart += c->kind[i] == QUALITY_SOFT ? square : 0;
	}
	for (int k = 0; k < QUALITY_CLASSES; k++)
		r->rms[k] = c->count[k] ? sqrt(squares[k] / (double)c->count[k]) : NAN;
	r->noise = c->count[QUALITY_SOFT] ? sqrt(apart / (double)c->count[QUALITY_SOFT]) : NAN;
}

gt_status quality_run(study *s, const quality_scene *scene, const quality_candidate *c, double noise, double strength, quality_result *r)
{
	gt_volume *v[QUALITY_DRAWS] = { NULL };
	const float *x[QUALITY_DRAWS];
	gt_status st = GT_OK;
	double logs = 0;
	*r = (quality_result){ .runs = 1 };
	for (int d = 0; d < QUALITY_DRAWS; d++) {
		double own = strength; /* 0: each draw finds its own, by its own noise */
		GT_TRY(quality_reconstruct(s, scene, c, d, noise, &own, &v[d]));
		x[d] = gt_volume_data(v[d]);
		logs += log(own) / QUALITY_DRAWS;
	}
	r->strength = exp(logs);
	quality_errors(scene, x, r);
	GT_TRY(overshoot_of(scene, x, r));
	GT_TRY(study_host_floats(scene->count[QUALITY_ALL], "a picture", &r->x));
	memcpy(r->x, x[0], scene->count[QUALITY_ALL] * sizeof *r->x);
done:
	for (int d = 0; d < QUALITY_DRAWS; d++)
		gt_volume_free(v[d]);
	return st;
}

void quality_result_free(quality_result *r)
{
	free(r->x);
	r->x = NULL;
}

/* The next logarithm of the strength, from those that left too much and too little; NAN: none of the kind yet. */
static double next(double at, double off, const double low[2], const double high[2], int direct)
{
	if (isnan(low[0]) || isnan(high[0]))
		return direct ? at - fmax(-0.5, fmin(0.5, off)) : at + fmax(-1.5, fmin(1.5, 1.7 * off));
	return low[0] + fmax(0.08, fmin(0.92, low[1] / (low[1] - high[1]))) * (high[0] - low[0]);
}

gt_status quality_match(study *s, const quality_scene *scene, const quality_candidate *c, double noise, double guess, quality_result *asked,
                        quality_result *r)
{
	static const int trials[] = { [QUALITY_TINY] = TINY_TRIALS,
		                      [QUALITY_QUICK] = QUICK_TRIALS,
		                      [QUALITY_COARSE] = MAX_TRIALS,
		                      [QUALITY_SMALL] = MAX_TRIALS,
		                      [QUALITY_FULL] = MAX_TRIALS };
	double low[2] = { NAN, NAN }, high[2] = { NAN, NAN };
	GT_OR_RETURN(quality_run(s, scene, c, noise, asked ? 0 : guess, r));
	if (asked) {
		*asked = *r;
		asked->x = NULL;
	}
	for (int k = 1; k < trials[scene->size]; k++) {
		const double off = log(r->noise / noise), at = log(r->strength);
		if (c->edges > 0 || fabs(off) < QUALITY_MAX_OFF || !isfinite(off) || (is_direct(c) && off < 0 && r->strength >= 1))
			break;
		double *side = off > 0 ? low : high;
		side[0] = at;
		side[1] = off;
		const double wanted = exp(next(at, off, low, high, is_direct(c))), strength = c->max > 0 ? fmin(c->max, wanted) : wanted;
		if ((is_direct(c) && strength < MIN_CUTOFF) || (c->max > 0 && off > 0 && r->strength >= c->max))
			break;
		quality_result_free(r);
		GT_OR_RETURN(quality_run(s, scene, c, noise, is_direct(c) ? fmin(1, strength) : strength, r));
		r->runs = k + 1;
	}
	return GT_OK;
}
