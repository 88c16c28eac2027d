/* `gantry study quality`: every candidate on every scan at the target noise, and the preset against the best in each
 * tissue. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/cli/try.h"
#include "apps/study/quality/cases.h"
#include "core/module.h"

/* The preset's error over the best in a class. */
#define MAX_RATIO 1.03

static quality_size size_of(const study *s) { return quality_found(s)->size; }

static int has_candidate(const study *s, int k) { return size_of(s) != QUALITY_QUICK || quality_candidates[k].quick; }

static gt_status prepare(study *s, const study_options *o)
{
	const char *names[QUALITY_CASES];
	for (int k = 0; k < QUALITY_CASES; k++)
		names[k] = quality_cases[k].key;
	quality_found(s)->one = o->one;
	quality_found(s)->size = o->quick ? QUALITY_QUICK : o->size && !strcmp(o->size, "full") ? QUALITY_FULL : QUALITY_SMALL;
	snprintf(s->geometry, sizeof s->geometry, "several scans, %s",
	         o->quick                     ? "one slice, very coarse: to try the study"
	         : size_of(s) == QUALITY_FULL ? "pixels of the scanner, many slices"
	                                      : "one slice, pixels of four to eight times the scanner's");
	for (int k = 0; k < QUALITY_CASES; k++)
		if (!o->one || quality_has_case(s, k))
			return GT_OK;
	return gt_unknown_of("case of the study 'quality'", o->one, names, QUALITY_CASES);
}

/* With the noise of the others: how even it is from place to place. */
static gt_status add_even(study *s, const quality_scene *scene, int number, const quality_result *r, int draws, quality_promised *found)
{
	quality_even e;
	gt_status st = GT_OK;
	GT_TRY(quality_even_of(s, scene, &quality_candidates[number], r, draws, &e));
	study_row(&s->table[QUALITY_EVEN], TXT(scene->of->key), TXT(quality_candidates[number].name), NUM(e.patches), NUM(draws),
	          NUM(e.mean), NUM(e.counted), NUM(e.spread), NUM(e.within));
	if (number == QUALITY_PRESET)
		found->at_steps = e.at_steps;
	if (number == QUALITY_UNIFORM_NOISE)
		found->even = e.within;
	GT_TRY(study_floats(&s->folder, FORMAT("%s-%d-noise", scene->of->key, number), e.ratio, e.wide * e.high));
done:
	quality_even_free(&e);
	return st;
}

/* With the noise of the others: sharpness and spectrum, and of two candidates how even the noise is. */
static gt_status add_texture(study *s, const quality_scene *scene, int number, const quality_result *r, quality_promised *found)
{
	static const int draws_of[] = { [QUALITY_QUICK] = 0, [QUALITY_COARSE] = 0, [QUALITY_SMALL] = 24, [QUALITY_FULL] = 16 };
	const quality_candidate *by = &quality_candidates[number];
	const int draws = number == QUALITY_PRESET || number == QUALITY_UNIFORM_NOISE ? draws_of[scene->size] : 0;
	quality_texture x;
	gt_status st = GT_OK;
	GT_TRY(quality_texture_of(s, scene, by, r, &x));
	study_row(&s->table[QUALITY_TEXTURE], TXT(scene->of->key), TXT(by->name), NUM(x.f50), NUM(x.f10), NUM(x.width), NUM(x.height),
	          NUM(x.peak), NUM(x.mean));
	quality_add_curves(s, scene->of, by, &x);
	if (draws)
		GT_TRY(add_even(s, scene, number, r, draws, found));
done:
	quality_texture_free(&x);
	return st;
}

/* Lines of one case, and how many classes have the preset near the best. */
static void judge(study *s, const quality_case *c, const quality_result *r, int near[2])
{
	for (int k = 0; k < QUALITY_CLASSES; k++) {
		int best = -1;
		for (int i = 0; i < QUALITY_CANDIDATES; i++)
			if (r[i].runs && fabs(r[i].noise / c->noise - 1) < QUALITY_SAME_NOISE && (best < 0 || r[i].rms[k] < r[best].rms[k]))
				best = i;
		const double own = r[QUALITY_PRESET].rms[k], ratio = best < 0 ? NAN : own / r[best].rms[k];
		if (isnan(ratio))
			continue;
		study_row(&s->table[QUALITY_VERDICT], TXT(c->key), TXT(quality_class_names[k]), NUM(own), NUM(r[best].rms[k]),
		          TXT(quality_candidates[best].name), NUM(ratio), TXT(ratio <= MAX_RATIO ? "yes" : "no"));
		near[0] += ratio <= MAX_RATIO;
		near[1]++;
	}
}

static gt_status run_candidates(study *s, const quality_scene *scene, quality_result r[QUALITY_CANDIDATES], quality_promised *found)
{
	const quality_case *c = scene->of;
	double guess = 0;
	for (int i = 0; i < QUALITY_CANDIDATES; i++) {
		const quality_candidate *by = &quality_candidates[i];
		quality_result asked = { .runs = 0 };
		if (!has_candidate(s, i))
			continue;
		study_step(s, "%s: %s", c->key, by->name);
		GT_OR_RETURN(quality_match(s, scene, by, c->noise, by->penalty ? guess : 0, i == QUALITY_PRESET || !guess ? &asked : NULL,
		                           &r[i]));
		if (i == QUALITY_PRESET) {
			study_row(&s->table[QUALITY_ASKED], TXT(c->key), TXT(by->name), NUM(c->noise), NUM(asked.noise),
			          NUM(asked.noise / c->noise));
			found->asked = asked.noise / c->noise;
			found->at_steps = r[i].at_steps;
		}
		guess = by->penalty ? r[i].strength : guess;
		study_row(&s->table[QUALITY_ERRORS], TXT(c->key), TXT(by->name), NUM(r[i].noise));
		study_numbers(&s->table[QUALITY_ERRORS], r[i].rms, QUALITY_CLASSES);
		study_row(&s->table[QUALITY_ERRORS], NUM(r[i].overshoot), NUM(r[i].at_steps), NUM(r[i].strength));
		GT_OR_RETURN(add_texture(s, scene, i, &r[i], found));
		if (by->quick)
			GT_OR_RETURN(quality_pictures(s, scene, FORMAT("%s-%d", c->key, i), r[i].x));
		quality_result_free(&r[i]);
	}
	return GT_OK;
}

static gt_status run_case(study *s, const quality_case *c, int near[2])
{
	quality_scene scene;
	quality_result r[QUALITY_CANDIDATES] = { { .runs = 0 } };
	quality_promised found = { NAN, NAN, NAN };
	gt_status st = quality_scene_new(s, c, size_of(s), &scene);
	if (st != GT_OK)
		return st;
	GT_TRY(quality_pictures(s, &scene, FORMAT("%s-truth", c->key), NULL));
	GT_TRY(run_candidates(s, &scene, r, &found));
	judge(s, c, r, near);
	quality_goals(s, c, &found, r);
done:
	for (int i = 0; i < QUALITY_CANDIDATES; i++)
		quality_result_free(&r[i]);
	quality_scene_free(&scene);
	return st;
}

static gt_status measure(study *s)
{
	int near[2] = { 0, 0 };
	s->steps = 1;
	for (int k = 0; k < QUALITY_CASES; k++)
		for (int i = 0; i < QUALITY_CANDIDATES; i++)
			s->steps += quality_has_case(s, k) && has_candidate(s, i);
	study_begin_tables(s, QUALITY_ERRORS, QUALITY_CURVES);
	for (int k = 0; k < QUALITY_CASES; k++)
		if (quality_has_case(s, k))
			GT_OR_RETURN(run_case(s, &quality_cases[k], near));
	snprintf(quality_found(s)->claim, sizeof quality_found(s)->claim,
	         "The preset is within %.2f of the best in %d of %d classes of tissue%s.", MAX_RATIO, near[0], near[1],
	         near[0] == near[1] ? ": in every one" : "; the table says where it is not");
	cli_note(s->call, "%s", quality_found(s)->claim);
	return GT_OK;
}

static const study_columns tables[] = {
	{ "errors", "case$|candidate$|noise [HU]|all [HU]|edge [HU]|soft [HU]|bone [HU]|air [HU]|lung [HU]|overshoot [HU]|"
	            "overshoot at 800 HU, part|strength or cut-off" },
	{ "asked", "case$|candidate$|noise asked for [HU]|had [HU]|ratio" },
	{ "verdict", "case$|class$|preset [HU]|best [HU]|best candidate$|ratio|within 1.03$" },
	{ "texture", "case$|candidate$|MTF 0.5 [1/mm]|MTF 0.1 [1/mm]|edge [mm]|disc's height|NPS peak [1/mm]|NPS mean [1/mm]" },
	{ "even", "case$|candidate$|patches|draws|mean over asked|within 10 %, counted|spread|within 10 %, without the draws' error" },
	{ "goals", "case$|promise$|found|bound$|kept$" },
	{ "curves", "case$|candidate$|curve$|frequency [1/mm]|MTF, or NPS [HU^2 mm^2]" },
};
const study_kind study_kind_quality = {
	.name = "quality",
	.title = "Image quality at equal noise",
	.intro = "--preset iterative against manual choices. The strength of every penalty, and the window of the direct method, is set "
		 "to leave the same noise in soft tissue to 2 %: the standard deviation between draws of the noise.",
	.table = tables,
	.tables = sizeof tables / sizeof *tables,
	.own_size = sizeof(quality_findings),
	.takes = TAKES_SIZE | TAKES_CASE,
	.prepare = prepare,
	.measure = measure,
	.figures = quality_figures,
	.parts = quality_parts,
};
