/* Pictures and the report of `gantry study quality`. */
#include <math.h>
#include <stdlib.h>
#include "apps/cli/gnuplot.h"
#include "apps/cli/try.h"
#include "apps/study/quality/cases.h"

/* Columns of pictures; below each its difference from the truth, in pixels. */
enum { COLUMN = 330, PICTURE = 310, LEFT = 20, TOP = 40, GAP = 46 };
/* Windows, HU: of pictures, and of differences in units of the noise. */
#define LOW -150
#define HIGH 250
#define WINDOW_OF_NOISE 6

static gt_status write(study *s, const quality_scene *c, const char *name, const float *x, const float *from)
{
	const size_t wide = c->grid.n[0], n = wide * c->grid.n[1], first = c->grid.n[2] / 2 * n;
	double *out = malloc(n * sizeof *out);
	gt_status st = out ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < n && st == GT_OK; i++)
		out[i] = 1000 * (((double)x[first + i] - (from ? from[first + i] : 0)) / c->of->water - (from ? 0 : 1));
	if (st == GT_OK)
		st = study_floats(&s->folder, name, out, n);
	free(out);
	return st;
}

gt_status quality_pictures(study *s, const quality_scene *c, const char *name, const float *x)
{
	char file[96];
	gt_status st = GT_OK;
	snprintf(file, sizeof file, "%s.f32", name);
	GT_TRY(write(s, c, file, x ? x : c->truth, NULL));
	if (x) {
		snprintf(file, sizeof file, "%s-error.f32", name);
		GT_TRY(write(s, c, file, x, c->truth));
	}
done:
	return st;
}

size_t quality_side(const study *s, const quality_case *c, int axis)
{
	const quality_size size = quality_found(s)->size;
	const size_t n = c->n[axis];
	return size == QUALITY_FULL ? 4 * n : size == QUALITY_QUICK ? n / 3 : n;
}

double quality_pitch(const study *s, const quality_case *c) { return c->pitch * (double)c->n[0] / (double)quality_side(s, c, 0); }

/* One picture; column 0 is the truth. */
static void panel(const study *s, const quality_case *c, int column, int of, int error, double height, FILE *out)
{
	const size_t n[2] = { quality_side(s, c, 0), quality_side(s, c, 1) };
	const double tall = PICTURE * (double)n[1] / (double)n[0], left = LEFT + (double)column * COLUMN;
	const double top = TOP + error * (tall + GAP), width = 4 * COLUMN + 2 * LEFT;
	study_plot_panel(out, left, left + PICTURE, top, top + tall, width, height);
	if (error)
		study_plot_colours(out, WINDOW_OF_NOISE * c->noise);
	else
		fprintf(out, "set palette gray maxcolors 0\nset cbrange [%d:%d]\n", LOW, HIGH);
	fputs("set title ", out);
	app_gnuplot_quote(out, "%s%s", column ? quality_candidates[of].name : "truth", error ? ", difference" : "");
	fprintf(out, "\nset xrange [-0.5:%g]\nset yrange [-0.5:%g]\n", (double)n[0] - 0.5, (double)n[1] - 0.5);
	if (column)
		fprintf(out, "plot '" STUDY_ARRAYS "%s-%d%s.f32'", c->key, of, error ? "-error" : "");
	else
		fprintf(out, "plot '" STUDY_ARRAYS "%s-truth.f32'", c->key);
	fprintf(out, " binary array=(%zu,%zu) format='%%float' with image notitle\n", n[0], n[1]);
}

static gt_status draw(study *s, const quality_case *c)
{
	const double tall = PICTURE * (double)quality_side(s, c, 1) / (double)quality_side(s, c, 0), height = TOP + 2 * tall + 2 * GAP;
	int column = 1;
	FILE *out = NULL;
	const gt_status st = study_plot_begin(s, c->key, 4 * COLUMN + 2 * LEFT, (int)height, &out);
	if (st != GT_OK)
		return st;
	fputs("set datafile nocolumnheaders\nset multiplot\nunset grid\nset border 15\nunset key\nunset colorbox\nunset tics\n", out);
	panel(s, c, 0, 0, 0, height, out);
	for (int i = 0; i < QUALITY_CANDIDATES; i++)
		if (quality_candidates[i].quick) {
			panel(s, c, column, i, 0, height, out);
			panel(s, c, column++, i, 1, height, out);
		}
	fputs("unset multiplot\n", out);
	return study_plot_end(s, c->key, out);
}

static gt_status draw_case(study *s, const quality_case *c)
{
	gt_status st = GT_OK;
	GT_TRY(draw(s, c));
	if (quality_has_curves(s, c))
		GT_TRY(quality_draw_curves(s, c));
	if (quality_has_maps(s, c))
		GT_TRY(quality_draw_maps(s, c));
done:
	return st;
}

gt_status quality_figures(study *s)
{
	gt_status st = GT_OK;
	for (int k = 0; k < QUALITY_CASES && st == GT_OK; k++)
		if (quality_has_case(s, k))
			st = draw_case(s, &quality_cases[k]);
	return st;
}

/* The truth and the candidates that pictures are kept of. */
static void case_pictures(const study *s, const quality_case *c, study_page *p)
{
	char array[1 + QUALITY_CANDIDATES][64], caption[256];
	study_picture list[1 + QUALITY_CANDIDATES] = { { array[0], "truth" } };
	const size_t n[2] = { quality_side(s, c, 0), quality_side(s, c, 1) };
	const double pitch = quality_pitch(s, c);
	study_pictures how = { .heading = c->title,
		               .picture = list,
		               .pictures = 1,
		               .n = { n[0], n[1] },
		               .pitch = { pitch, pitch },
		               .low = LOW,
		               .high = HIGH };
	snprintf(array[0], sizeof array[0], "%s-truth", c->key);
	for (int i = 0; i < QUALITY_CANDIDATES; i++)
		if (quality_candidates[i].quick) {
			snprintf(array[how.pictures], sizeof *array, "%s-%d", c->key, i);
			list[how.pictures] = (study_picture){ array[how.pictures], quality_candidates[i].name };
			how.pictures++;
		}
	study_page_pictures(p, &how);
	snprintf(caption, sizeof caption, "%s. %d to %d HU; differences in a window of ±%g HU.", c->title, LOW, HIGH,
	         WINDOW_OF_NOISE * c->noise);
	study_page_figure(p, c->key, caption);
}

/* KIND-CASE.png of those scans that have it. */
static void case_figures(const study *s, study_page *p, const char *kind, int (*has)(const study *s, const quality_case *c),
                         const char *what)
{
	for (int k = 0; k < QUALITY_CASES; k++) {
		char name[64], caption[256];
		if (!quality_has_case(s, k) || !has(s, &quality_cases[k]))
			continue;
		snprintf(name, sizeof name, "%s-%s", kind, quality_cases[k].key);
		snprintf(caption, sizeof caption, "%s: %s.", quality_cases[k].title, what);
		study_page_figure(p, name, caption);
	}
}

void quality_parts(const study *s, study_page *p)
{
	study_page_text(p, "Verdict", "%s The best is that of the candidates which have the noise that was asked for within 5 %%.",
	                quality_found(s)->claim);
	study_page_table(p, QUALITY_VERDICT);
	study_page_text(p, "Promises", "What the preset is held to, at the noise of the others.");
	study_page_table(p, QUALITY_GOALS);
	study_page_text(p, "Noise asked for, and had",
	                "Of the preset, with noise=: before its strength is set to leave the noise of the others.");
	study_page_table(p, QUALITY_ASKED);
	study_page_text(
		p, "Errors",
		"Root mean squares from the means of the body over voxels, over %d draws, HU of the scan's water. soft: within 60 HU of "
		"40, bone: above 500, air: below −900, lung: below −500, each where all voxels around are of that kind; edge: the rest. "
		"Overshoot: what a hundredth of the voxels at edges exceeds, beyond the values nearby, in the mean of the draws; at "
		"steps of 600 to 1100 HU as a part of the step.",
		QUALITY_DRAWS);
	study_page_table(p, QUALITY_ERRORS);
	study_page_text(
		p, "Sharpness and texture",
		"At the same noise, in the largest round piece of soft tissue of the middle slice: the answer to a disc of ten times the "
		"noise that is added to the body (the difference of two pictures with the same draw), whose edge gives the modulation "
		"transfer; the spectrum of the difference of two draws. Methods that keep edges answer to smaller contrasts by less.");
	study_page_table(p, QUALITY_TEXTURE);
	case_figures(s, p, "curves", quality_has_curves, "MTF and noise power at the same noise, up to the frequency of half a voxel");
	study_page_text(p, "Noise from place to place",
	                "Noise of patches of 5 mm of soft tissue over what was asked for. What is counted "
	                "holds the error of so few draws; the spread is "
	                "of what two halves of the draws have in common, and the last column is what a "
	                "normal distribution of so much has within 10 %%. The "
	                "preset keeps the resolution even (kappa); the other keeps the noise even (kappa=noise), as it was asked for, "
	                "with c six times as large.");
	study_page_table(p, QUALITY_EVEN);
	case_figures(s, p, "noise", quality_has_maps, "noise of patches over what was asked for; grey: no soft tissue");
	for (int k = 0; k < QUALITY_CASES; k++)
		if (quality_has_case(s, k))
			case_pictures(s, &quality_cases[k], p);
}
