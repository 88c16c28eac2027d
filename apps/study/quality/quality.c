/* `gantry study quality`: every candidate on every scan at the target noise, and the preset against the best in each
 * tissue. */
#include "apps/study/quality/quality.h"
#include "core/module.h"

/* The preset's error over the best in a class. */
#define MAX_RATIO 1.03

/* Results with requirements; NAN: not measured. The preset's achieved over target noise, and its overshoot at steps of
 * 800 HU. even: fraction of patches within a tenth of the target, for uniform noise. */
typedef struct {
	double asked, at_steps, even;
} promised;

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

/* Writes the central slice, or its difference from `from`, HU. */
static gt_status write(study *s, const quality_scene *c, const char *name, const float *x, const float *from)
{
	const size_t wide = c->grid.n[0], n = wide * c->grid.n[1], first = c->grid.n[2] / 2 * n;
	double *out;
	GT_OR_RETURN(study_new(n, sizeof *out, &out));
	for (size_t i = 0; i < n; i++)
		out[i] = 1000 * (((double)x[first + i] - (from ? from[first + i] : 0)) / c->of->water - (from ? 0 : 1));
	const gt_status st = study_floats(&s->folder, name, out, n);
	free(out);
	return st;
}

gt_status quality_pictures(study *s, const quality_scene *c, const char *name, const float *x)
{
	const gt_status st = write(s, c, FORMAT("%s", name), x ? x : c->truth, NULL);
	return st == GT_OK && x ? write(s, c, FORMAT("%s-error", name), x, c->truth) : st;
}

/* With the noise of the others: how even it is from place to place. */
static gt_status add_even(study *s, const quality_scene *scene, int number, const quality_result *r, int draws, promised *found)
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
static gt_status add_texture(study *s, const quality_scene *scene, int number, const quality_result *r, promised *found)
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

static gt_status run_candidates(study *s, const quality_scene *scene, quality_result r[QUALITY_CANDIDATES], promised *found)
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

/* Requirements on the preset, as docs/commands.md states them ------------------------------- */

/* 1 % of the voxels at steps of 800 HU may overshoot by more than this fraction of the step; achieved over target
 * noise. */
#define MAX_OVERSHOOT 0.1
#define MIN_NOISE 0.9
#define MAX_NOISE 1.1
/* Fraction of the patches, with kappa=noise. */
#define MIN_EVEN 0.9

static void add_goal(study *s, const quality_case *c, const char *goal, double found, const char *bound, int kept)
{
	if (!isnan(found))
		study_row(&s->table[QUALITY_GOALS], TXT(c->key), TXT(goal), NUM(found), TXT(bound), TXT(kept ? "yes" : "no"));
}

static void add_goals(study *s, const quality_case *c, const promised *found, const quality_result *r)
{
	const quality_result *preset = &r[QUALITY_PRESET], *direct = &r[QUALITY_FDK];
	/* With more noise than the direct method's widest window has there is nothing to compare. */
	const int same = fabs(direct->noise / preset->noise - 1) < QUALITY_SAME_NOISE;
	double worst = NAN;
	int at = 0;
	add_goal(s, c, "overshoot at steps of 800 HU, part of the step", found->at_steps, "at most 0.1", found->at_steps <= MAX_OVERSHOOT);
	add_goal(s, c, "achieved over target noise", found->asked, "0.9 to 1.1", found->asked >= MIN_NOISE && found->asked <= MAX_NOISE);
	add_goal(s, c, "uniform noise: part of the patches of 5 mm within 10 % of the target", found->even, "at least 0.9",
	         found->even >= MIN_EVEN);
	for (int k = 0; k < QUALITY_CLASSES; k++) {
		const double ratio = preset->rms[k] / direct->rms[k];
		if (same && isfinite(ratio) && !(ratio <= worst)) {
			worst = ratio;
			at = k;
		}
	}
	add_goal(s, c, FORMAT("error over the direct method's, where it is most: %s", quality_class_names[at]), worst, "at most 1",
	         worst <= 1);
}

static gt_status run_case(study *s, const quality_case *c, int near[2])
{
	quality_scene scene;
	quality_result r[QUALITY_CANDIDATES] = { { .runs = 0 } };
	promised found = { NAN, NAN, NAN };
	gt_status st = GT_OK;
	GT_OR_RETURN(quality_scene_new(s, c, size_of(s), &scene));
	GT_TRY(quality_pictures(s, &scene, FORMAT("%s-truth", c->key), NULL));
	GT_TRY(run_candidates(s, &scene, r, &found));
	judge(s, c, r, near);
	add_goals(s, c, &found, r);
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

/* Figures and report -------------------------------------------------------------------------- */

/* Columns of pictures, each above its difference from the truth, in pixels. */
enum { COLUMN = 330, PICTURE = 310, LEFT = 20, TOP = 40, GAP = 46 };
/* Windows, HU: of pictures, and of differences in units of the noise. */
#define LOW -150
#define HIGH 250
#define WINDOW_OF_NOISE 6

/* Draws the picture of a candidate (-1: the truth) in a column, or below it the error. */
static void panel(study_plot *p, const quality_case *c, int column, int of, int error)
{
	const size_t n[2] = { quality_side(p->s, c, 0), quality_side(p->s, c, 1) };
	const double tall = PICTURE * (double)n[1] / (double)n[0], left = LEFT + (double)column * COLUMN, top = TOP + error * (tall + GAP);
	study_panel(p, left, left + PICTURE, top, top + tall);
	if (error)
		study_colours(p, WINDOW_OF_NOISE * c->noise);
	else
		study_greys(p, LOW, HIGH);
	study_image(p, n, of < 0 ? FORMAT("%s-truth", c->key) : FORMAT("%s-%d%s", c->key, of, error ? "-error" : ""),
	            QUOTE("%s%s", of < 0 ? "truth" : quality_candidates[of].name, error ? ", difference" : ""));
}

static void draw(study *s, const quality_case *c)
{
	const double tall = PICTURE * (double)quality_side(s, c, 1) / (double)quality_side(s, c, 0);
	int column = 1;
	study_plot p = study_plot_new(s, 4 * COLUMN + 2 * LEFT, TOP + 2 * tall + 2 * GAP, "%s", c->key);
	study_images(&p);
	study_put(&p, "unset colorbox\n");
	panel(&p, c, 0, -1, 0);
	for (int i = 0; i < QUALITY_CANDIDATES; i++)
		if (quality_candidates[i].quick) {
			panel(&p, c, column, i, 0);
			panel(&p, c, column++, i, 1);
		}
	study_plot_draw(&p);
}

static void figures(study *s)
{
	for (int k = 0; k < QUALITY_CASES; k++) {
		const quality_case *c = &quality_cases[k];
		if (!quality_has_case(s, k))
			continue;
		draw(s, c);
		if (quality_has_curves(s, c))
			quality_draw_curves(s, c);
		if (quality_has_maps(s, c))
			quality_draw_maps(s, c);
	}
}

/* The truth and the candidates with pictures. */
static void case_pictures(const study *s, const quality_case *c, study_page *p)
{
	const double pitch = quality_pitch(s, c);
	study_pictures how = { .heading = c->title,
		               .n = { quality_side(s, c, 0), quality_side(s, c, 1) },
		               .pitch = { pitch, pitch },
		               .low = LOW,
		               .high = HIGH };
	study_add_picture(&how, "truth", "%s-truth", c->key);
	for (int i = 0; i < QUALITY_CANDIDATES; i++)
		if (quality_candidates[i].quick)
			study_add_picture(&how, quality_candidates[i].name, "%s-%d", c->key, i);
	study_page_pictures(p, &how);
	study_page_figure(p, c->key,
	                  FORMAT("%s. %d to %d HU; differences in a window of ±%g HU.", c->title, LOW, HIGH, WINDOW_OF_NOISE * c->noise));
}

/* The figures KIND-CASE of the scans that have it. */
static void case_figures(const study *s, study_page *p, const char *kind, int (*has)(const study *s, const quality_case *c),
                         const char *what)
{
	for (int k = 0; k < QUALITY_CASES; k++)
		if (quality_has_case(s, k) && has(s, &quality_cases[k]))
			study_page_figure(p, FORMAT("%s-%s", kind, quality_cases[k].key), FORMAT("%s: %s.", quality_cases[k].title, what));
}

static void parts(const study *s, study_page *p)
{
	static const study_section sections[] = {
		{ "Promises", "Requirements on the preset, at the noise of the others.", NULL, NULL, QUALITY_GOALS, NULL },
		{ "Target noise and achieved noise",
		  "Of the preset with noise=, before its strength is set to leave the noise of the others.", NULL, NULL, QUALITY_ASKED,
		  NULL },
		{ "Errors",
		  "Root mean square differences from the means of the object over voxels, over 3 draws, in HU of the scan's water. soft: "
		  "within 60 HU of 40, bone: above 500, air: below −900, lung: below −500, each if all adjacent voxels are of that kind; "
		  "edge: the rest. Overshoot: 1 % of the voxels at edges exceed the adjacent values by more, in the mean of the draws; at "
		  "steps of 600 to 1100 HU as a fraction of the step.",
		  NULL, NULL, QUALITY_ERRORS, NULL },
		{ "Sharpness and texture",
		  "At equal noise, in the largest round region of soft tissue of the central slice: the response to an added disc of ten "
		  "times the noise (the difference of two pictures with the same draw), whose edge gives the modulation transfer "
		  "function; and the spectrum of the difference of two draws. Methods that preserve edges respond less to smaller "
		  "contrasts.",
		  NULL, NULL, QUALITY_TEXTURE, NULL },
	};
	static const study_section even = {
		"Local noise",
		"Noise of patches of 5 mm of soft tissue over the target noise. The counted fraction includes the error of few draws. The "
		"spread is common to two halves of the draws; the last column is the fraction of a normal distribution of that spread "
		"within 10 %. The preset keeps the resolution uniform (kappa); the other candidate keeps the noise uniform (kappa=noise), "
		"as requested, with c six times as large.",
		.table = QUALITY_EVEN
	};
	study_page_text(p, "Verdict", "%s The best is that of the candidates within 5 %% of the target noise.", quality_found(s)->claim);
	study_page_table(p, QUALITY_VERDICT);
	study_page_sections(p, sections, sizeof sections / sizeof *sections);
	case_figures(s, p, "curves", quality_has_curves, "MTF and noise power at equal noise, up to the frequency of half a voxel");
	study_page_sections(p, &even, 1);
	case_figures(s, p, "noise", quality_has_maps, "noise of patches over the target noise; grey: no soft tissue");
	for (int k = 0; k < QUALITY_CASES; k++)
		if (quality_has_case(s, k))
			case_pictures(s, &quality_cases[k], p);
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
	.figures = figures,
	.parts = parts,
};
