/* `gantry study quality`: every candidate on every scan, with the noise that was asked for, and whether the preset is
 * near the best in every kind of tissue. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/cli/try.h"
#include "apps/study/quality/cases.h"
#include "core/module.h"

/* The preset's error over the best in a class. */
#define MAX_RATIO 1.1

static quality_size size_of(const study *s) { return quality_found(s)->size; }

int quality_has_case(const study *s, int k)
{
	const char *one = quality_found(s)->one;
	return one ? !strcmp(one, quality_cases[k].key) : size_of(s) != QUALITY_QUICK || quality_cases[k].quick;
}

static int has_candidate(const study *s, int k) { return size_of(s) != QUALITY_QUICK || quality_candidates[k].quick; }

static gt_status check_case(const char *name)
{
	const char *names[QUALITY_CASES];
	for (int k = 0; k < QUALITY_CASES; k++) {
		names[k] = quality_cases[k].key;
		if (!name || !strcmp(name, names[k]))
			return GT_OK;
	}
	return gt_unknown_of("case of the study 'quality'", name, names, QUALITY_CASES);
}

static gt_status check(const cli_call *call, const study_options *o)
{
	if (call->files > 1)
		return gt_fail(GT_ERR_ARG, "the study 'quality' has scans of its own: %s cannot be given", call->file[1]);
	if (o->grid)
		return gt_fail(GT_ERR_ARG, "--grid=%s: the study 'quality' has a grid of its own", o->grid);
	return check_case(o->one);
}

static gt_status prepare(study *s, const study_options *o)
{
	quality_found(s)->one = o->one;
	quality_found(s)->size = o->quick ? QUALITY_QUICK : o->size && !strcmp(o->size, "full") ? QUALITY_FULL : QUALITY_SMALL;
	snprintf(s->geometry, sizeof s->geometry, "several scans, %s",
	         o->quick                     ? "one slice, very coarse: to try the study"
	         : size_of(s) == QUALITY_FULL ? "pixels of the scanner, many slices"
	                                      : "one slice, pixels of four to eight times the scanner's");
	return GT_OK;
}

static void make_heads(study *s)
{
	study_table *errors = &s->table[QUALITY_ERRORS], *asked = &s->table[QUALITY_ASKED], *verdict = &s->table[QUALITY_VERDICT];
	static const char *const of_verdict[] = { "case", "class", "preset [HU]", "best [HU]", "best candidate", "ratio", "within 1.10" };
	study_head(errors, "case");
	study_head(errors, "candidate");
	study_head(errors, "noise [HU]");
	for (int k = 0; k < QUALITY_CLASSES; k++)
		study_head(errors, "%s [HU]", quality_class_names[k]);
	study_head(errors, "overshoot [HU]");
	study_head(errors, "overshoot at 800 HU, part");
	study_head(errors, "strength or cut-off");
	study_head(asked, "case");
	study_head(asked, "candidate");
	study_head(asked, "noise asked for [HU]");
	study_head(asked, "had [HU]");
	study_head(asked, "ratio");
	static const char *const of_texture[] = { "case",      "candidate",     "MTF 0.5 [1/mm]",  "MTF 0.1 [1/mm]",
		                                  "edge [mm]", "disc's height", "NPS peak [1/mm]", "NPS mean [1/mm]" };
	static const char *const of_even[] = { "case",
		                               "candidate",
		                               "patches",
		                               "draws",
		                               "mean over asked",
		                               "within 10 %, counted",
		                               "spread",
		                               "within 10 %, without the draws' error" };
	static const char *const of_goals[] = { "case", "promise", "found", "bound", "kept" };
	static const char *const of_curves[] = { "case", "candidate", "curve", "frequency [1/mm]", "MTF, or NPS [HU^2 mm^2]" };
	for (size_t k = 0; k < sizeof of_texture / sizeof *of_texture; k++)
		study_head(&s->table[QUALITY_TEXTURE], "%s", of_texture[k]);
	for (size_t k = 0; k < sizeof of_even / sizeof *of_even; k++)
		study_head(&s->table[QUALITY_EVEN], "%s", of_even[k]);
	for (size_t k = 0; k < sizeof of_goals / sizeof *of_goals; k++)
		study_head(&s->table[QUALITY_GOALS], "%s", of_goals[k]);
	for (size_t k = 0; k < sizeof of_curves / sizeof *of_curves; k++)
		study_head(&s->table[QUALITY_CURVES], "%s", of_curves[k]);
	for (size_t k = 0; k < sizeof of_verdict / sizeof *of_verdict; k++)
		study_head(verdict, "%s", of_verdict[k]);
}

static void add_result(study *s, const quality_case *c, const quality_candidate *by, const quality_result *r)
{
	study_table *t = &s->table[QUALITY_ERRORS];
	study_text(t, "%s", c->key);
	study_text(t, "%s", by->name);
	study_number(t, r->noise);
	for (int k = 0; k < QUALITY_CLASSES; k++)
		study_number(t, r->rms[k]);
	study_number(t, r->overshoot);
	study_number(t, r->at_steps);
	study_number(t, r->strength);
}

static void add_asked(study *s, const quality_case *c, const quality_candidate *by, const quality_result *r)
{
	study_table *t = &s->table[QUALITY_ASKED];
	study_text(t, "%s", c->key);
	study_text(t, "%s", by->name);
	study_number(t, c->noise);
	study_number(t, r->noise);
	study_number(t, r->noise / c->noise);
}

/* With the noise of the others: how even it is from place to place. */
static gt_status add_even(study *s, const quality_scene *scene, int number, const quality_result *r, int draws, quality_promised *found)
{
	study_table *t = &s->table[QUALITY_EVEN];
	quality_even e;
	gt_status st = GT_OK;
	GT_TRY(quality_even_of(s, scene, &quality_candidates[number], r, draws, &e));
	study_text(t, "%s", scene->of->key);
	study_text(t, "%s", quality_candidates[number].name);
	study_number(t, (double)e.patches);
	study_number(t, draws);
	study_number(t, e.mean);
	study_number(t, e.counted);
	study_number(t, e.spread);
	study_number(t, e.within);
	if (number == QUALITY_PRESET)
		found->at_steps = e.at_steps;
	if (number == QUALITY_UNIFORM_NOISE)
		found->even = e.within;
	GT_TRY(quality_write_map(s, scene->of, number, &e));
done:
	quality_even_free(&e);
	return st;
}

/* With the noise of the others: sharpness and spectrum, and of two candidates how even the noise is. */
static gt_status add_texture(study *s, const quality_scene *scene, int number, const quality_result *r, quality_promised *found)
{
	static const int draws_of[] = { [QUALITY_QUICK] = 0, [QUALITY_COARSE] = 0, [QUALITY_SMALL] = 24, [QUALITY_FULL] = 16 };
	const quality_candidate *by = &quality_candidates[number];
	study_table *t = &s->table[QUALITY_TEXTURE];
	const int draws = number == QUALITY_PRESET || number == QUALITY_UNIFORM_NOISE ? draws_of[scene->size] : 0;
	quality_texture x;
	gt_status st = GT_OK;
	GT_TRY(quality_texture_of(s, scene, by, r, &x));
	study_text(t, "%s", scene->of->key);
	study_text(t, "%s", by->name);
	const double *const number_of[] = { &x.f50, &x.f10, &x.width, &x.height, &x.peak, &x.mean };
	for (size_t k = 0; k < sizeof number_of / sizeof *number_of; k++)
		study_number(t, *number_of[k]);
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
	study_table *t = &s->table[QUALITY_VERDICT];
	for (int k = 0; k < QUALITY_CLASSES; k++) {
		int best = -1;
		for (int i = 0; i < QUALITY_CANDIDATES; i++)
			if (r[i].runs && fabs(r[i].noise / c->noise - 1) < QUALITY_SAME_NOISE && (best < 0 || r[i].rms[k] < r[best].rms[k]))
				best = i;
		const double own = r[QUALITY_PRESET].rms[k], ratio = best < 0 ? NAN : own / r[best].rms[k];
		if (isnan(ratio))
			continue;
		study_text(t, "%s", c->key);
		study_text(t, "%s", quality_class_names[k]);
		study_number(t, own);
		study_number(t, r[best].rms[k]);
		study_text(t, "%s", quality_candidates[best].name);
		study_number(t, ratio);
		study_text(t, "%s", ratio <= MAX_RATIO ? "yes" : "no");
		near[0] += ratio <= MAX_RATIO;
		near[1]++;
	}
}

static gt_status run_candidates(study *s, const quality_scene *scene, quality_result r[QUALITY_CANDIDATES], quality_promised *found)
{
	const quality_case *c = scene->of;
	double guess = 0;
	gt_status st = GT_OK;
	for (int i = 0; i < QUALITY_CANDIDATES; i++) {
		const quality_candidate *by = &quality_candidates[i];
		quality_result asked = { .runs = 0 };
		if (!has_candidate(s, i))
			continue;
		study_step(s, "%s: %s", c->key, by->name);
		GT_TRY(quality_match(s, scene, by, c->noise, by->penalty ? guess : 0, i == QUALITY_PRESET || !guess ? &asked : NULL,
		                     &r[i]));
		if (i == QUALITY_PRESET) {
			add_asked(s, c, by, &asked);
			found->asked = asked.noise / c->noise;
			found->at_steps = r[i].at_steps;
		}
		guess = by->penalty ? r[i].strength : guess;
		add_result(s, c, by, &r[i]);
		GT_TRY(add_texture(s, scene, i, &r[i], found));
		if (by->quick) {
			char name[64];
			snprintf(name, sizeof name, "%s-%d", c->key, i);
			GT_TRY(quality_pictures(s, scene, name, r[i].x));
		}
		quality_result_free(&r[i]);
	}
done:
	return st;
}

static gt_status run_case(study *s, const quality_case *c, int near[2])
{
	quality_scene scene;
	quality_result r[QUALITY_CANDIDATES] = { { .runs = 0 } };
	char name[64];
	quality_promised found = { NAN, NAN, NAN };
	gt_status st = quality_scene_new(s, c, size_of(s), &scene);
	if (st != GT_OK)
		return st;
	snprintf(name, sizeof name, "%s-truth", c->key);
	GT_TRY(quality_pictures(s, &scene, name, NULL));
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
	gt_status st = GT_OK;
	s->steps = 1;
	for (int k = 0; k < QUALITY_CASES; k++)
		for (int i = 0; i < QUALITY_CANDIDATES; i++)
			s->steps += quality_has_case(s, k) && has_candidate(s, i);
	make_heads(s);
	for (int k = 0; k < QUALITY_CASES; k++)
		if (quality_has_case(s, k))
			GT_TRY(run_case(s, &quality_cases[k], near));
	snprintf(quality_found(s)->claim, sizeof quality_found(s)->claim,
	         "The preset is within %.2f of the best in %d of %d classes of tissue%s.", MAX_RATIO, near[0], near[1],
	         near[0] == near[1] ? ": in every one" : "; the table says where it is not");
	cli_note(s->call, "%s", quality_found(s)->claim);
done:
	return st;
}

static const char *const tables[] = { "errors", "asked", "verdict", "texture", "even", "goals", "curves" };
const study_kind study_kind_quality = {
	.name = "quality",
	.title = "Image quality at equal noise",
	.intro = "What --preset iterative gives, against what one would choose by hand. The strength of every penalty, and the "
		 "window of the direct method, is set so that all leave the same noise in soft tissue: the deviation between draws of "
		 "the noise, to 2 %.",
	.table_name = tables,
	.tables = sizeof tables / sizeof *tables,
	.own_size = sizeof(quality_findings),
	.check = check,
	.prepare = prepare,
	.measure = measure,
	.figures = quality_figures,
	.parts = quality_parts,
};
