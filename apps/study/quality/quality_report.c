/* Pictures and report of `gantry study quality`. */
#include <stdlib.h>
#include "apps/cli/try.h"
#include "apps/study/quality/cases.h"

/* Columns of pictures, each above its difference from the truth, in pixels. */
enum { COLUMN = 330, PICTURE = 310, LEFT = 20, TOP = 40, GAP = 46 };
/* Windows, HU: of pictures, and of differences in units of the noise. */
#define LOW -150
#define HIGH 250
#define WINDOW_OF_NOISE 6

/* Writes the central slice, or its difference from `from`, HU. */
static gt_status write(study *s, const quality_scene *c, const char *name, const float *x, const float *from)
{
	const size_t wide = c->grid.n[0], n = wide * c->grid.n[1], first = c->grid.n[2] / 2 * n;
	double *out = NULL;
	gt_status st = GT_OK;
	GT_TRY(study_new(n, sizeof *out, &out));
	for (size_t i = 0; i < n; i++)
		out[i] = 1000 * (((double)x[first + i] - (from ? from[first + i] : 0)) / c->of->water - (from ? 0 : 1));
	GT_TRY(study_floats(&s->folder, name, out, n));
done:
	free(out);
	return st;
}

gt_status quality_pictures(study *s, const quality_scene *c, const char *name, const float *x)
{
	const gt_status st = write(s, c, FORMAT("%s", name), x ? x : c->truth, NULL);
	return st == GT_OK && x ? write(s, c, FORMAT("%s-error", name), x, c->truth) : st;
}

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

void quality_figures(study *s)
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

void quality_parts(const study *s, study_page *p)
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
