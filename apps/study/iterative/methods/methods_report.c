/* Figures and the report of all solvers and penalties. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/cli/gnuplot.h"
#include "apps/cli/try.h"
#include "apps/study/iterative/methods/methods.h"

enum { WIDTH = 1500, HEIGHT = 620, MOST = 32, PICTURE = 300, ACROSS = 4, GAP = 28, MARGIN = 16, BESIDE = 2 };
#define LOW -150
#define HIGH 250

/* Curves of one body: those with a penalty, or those without. */
static void curves(const study *s, const char *body, const char *penalty, FILE *out)
{
	const study_table *t = &s->table[STUDY_PATHS];
	const char *before = "";
	int line = 0;
	fputs("plot ", out);
	for (size_t i = 0; i < study_rows(t); i++) {
		const study_cell *row = &t->cell[i * t->columns];
		if (strcmp(row[0].text, body) || strcmp(row[2].text, penalty) || !strcmp(row[1].text, before))
			continue;
		before = row[1].text;
		fprintf(out,
		        "%s'solver-paths.csv' using (strcol(1) eq '%s' && strcol(2) eq '%s' ? $5 : NaN):6 "
		        "with lines lt %d dt %d title '%s'",
		        line ? ", \\\n     " : "", body, before, line % 12 + 1, line / 12 + 1, before);
		line++;
	}
	fputs("\n", out);
}

static gt_status draw_paths(study *s, const quality_case *c)
{
	char name[64];
	FILE *out = NULL;
	gt_status st;
	snprintf(name, sizeof name, "solvers-%s", c->key);
	st = study_plot_begin(s, name, WIDTH, HEIGHT, &out);
	if (st != GT_OK)
		return st;
	fputs("set multiplot layout 1,2\nset logscale x\n" STUDY_LOGARITHMIC
	      "set xlabel 'seconds'\nset ylabel 'error [HU]'\nset key outside right\n",
	      out);
	fputs("set title 'no penalty, up to the noise that is asked for'\n", out);
	curves(s, c->key, "no", out);
	fputs("set title 'with a penalty'\n", out);
	curves(s, c->key, "yes", out);
	fputs("unset multiplot\n", out);
	return study_plot_end(s, name, out);
}

static size_t side(const study *s, size_t n)
{
	const quality_size size = methods_size(s);
	return size == QUALITY_TINY ? n / 4 : size == QUALITY_COARSE ? n / 2 : n;
}

/* The truth, the direct method, and the penalties that there are pictures of. */
static size_t pictures_of(const study *s, const char *name[MOST])
{
	const study_table *t = &s->table[STUDY_PRIORS];
	size_t n = 0;
	name[n++] = "truth";
	name[n++] = "fdk"; /* BESIDE the penalties */
	for (size_t i = 0; i < study_rows(t) && n < MOST; i++)
		name[n++] = t->cell[i * t->columns].text;
	return n;
}

/* Of the truth the window as well, of a penalty its error over all voxels. */
static void title(const study *s, size_t i, const char *name, FILE *out)
{
	const study_table *t = &s->table[STUDY_PRIORS];
	fputs("set title ", out);
	if (i == 0)
		app_gnuplot_quote(out, "%s, %d to %d HU", name, LOW, HIGH);
	else if (i < BESIDE)
		app_gnuplot_quote(out, "%s", name);
	else
		app_gnuplot_quote(out, "%s: %.0f HU", name, t->cell[(i - BESIDE) * t->columns + METHODS_ERROR].number);
}

static gt_status draw_priors(study *s)
{
	const quality_case *c = methods_prior_case();
	const char *name[MOST];
	const size_t all = pictures_of(s, name), n[2] = { side(s, c->n[0]), side(s, c->n[1]) }, down = (all + ACROSS - 1) / ACROSS;
	const double width = ACROSS * (PICTURE + MARGIN) + MARGIN, height = (double)(down * (PICTURE + GAP) + MARGIN);
	FILE *out = NULL;
	const gt_status st = study_plot_begin(s, "priors", (int)width, (int)height, &out);
	if (st != GT_OK)
		return st;
	fputs("set datafile nocolumnheaders\nset multiplot\nunset grid\nset border 15\nunset key\nunset colorbox\nunset tics\n", out);
	fprintf(out, "set palette gray maxcolors 0\nset cbrange [%d:%d]\nset xrange [-0.5:%g]\nset yrange [-0.5:%g]\n", LOW, HIGH,
	        (double)n[0] - 0.5, (double)n[1] - 0.5);
	for (size_t i = 0; i < all; i++) {
		const double left = MARGIN + (double)(i % ACROSS) * (PICTURE + MARGIN), top = GAP + (double)(i / ACROSS) * (PICTURE + GAP);
		study_plot_panel(out, left, left + PICTURE, top, top + PICTURE, width, height);
		title(s, i, name[i], out);
		fprintf(out,
		        " offset 0,-0.6\nplot '" STUDY_ARRAYS "prior-%s.f32' binary array=(%zu,%zu) format='%%float' with image notitle\n",
		        name[i], n[0], n[1]);
	}
	fputs("unset multiplot\n", out);
	return study_plot_end(s, "priors", out);
}

/* Something was measured: it may be left out, as all that comes after --seconds. */
static int has_paths(const study *s, const char *body, const char *penalty)
{
	const study_table *t = &s->table[STUDY_PATHS];
	for (size_t i = 0; i < study_rows(t); i++) {
		const study_cell *row = &t->cell[i * t->columns];
		if (!strcmp(row[0].text, body) && !strcmp(row[2].text, penalty))
			return 1;
	}
	return 0;
}

static int is_drawn(const study *s, const char *body) { return has_paths(s, body, "no") && has_paths(s, body, "yes"); }

gt_status methods_figures(study *s)
{
	gt_status st = GT_OK;
	for (int i = 0; methods_body(s, i) && st == GT_OK; i++)
		if (is_drawn(s, methods_body(s, i)->key))
			st = draw_paths(s, methods_body(s, i));
	return st == GT_OK ? draw_priors(s) : st;
}

static void viewer(const study *s, study_page *p)
{
	const quality_case *c = methods_prior_case();
	const char *name[MOST];
	char array[MOST][64];
	study_picture list[MOST];
	const size_t all = pictures_of(s, name), n[2] = { side(s, c->n[0]), side(s, c->n[1]) };
	const double pitch = c->pitch * (double)c->n[0] / (double)n[0];
	for (size_t i = 0; i < all; i++) {
		snprintf(array[i], sizeof array[i], "prior-%s", name[i]);
		list[i] = (study_picture){ array[i], name[i] };
	}
	const study_pictures how = { .heading = "The same, to be windowed",
		                     .picture = list,
		                     .pictures = all,
		                     .n = { n[0], n[1] },
		                     .pitch = { pitch, pitch },
		                     .low = LOW,
		                     .high = HIGH };
	study_page_pictures(p, &how);
}

void methods_parts(const study *s, study_page *p)
{
	study_page_text(p, "All solvers at equal noise",
	                "Every solver of the library from zero, one slice of each body, data without weights. With a penalty (q-GGMRF "
	                "where the solver takes a gradient, else tv) its strength is set so that %d draws of the noise differ in soft "
	                "tissue by what is asked for, to %g %%; hybrid-lsqr is set by its lambda, asd-pocs by the length of its steps. "
	                "Solvers that have nothing of the kind end where their noise comes to that, between two iterations by the "
	                "mixture of both. Errors are root mean squares from the means of the body over voxels. Times are of %s, with the "
	                "picture's way to the host left out; one slice is small, so that a device's launches count more than in volumes.",
	                QUALITY_DRAWS, 100 * QUALITY_MAX_OFF, s->gpu[0] ? s->gpu : s->cpu);
	for (int i = 0; methods_body(s, i); i++) {
		char name[64], caption[256];
		const quality_case *c = methods_body(s, i);
		if (!is_drawn(s, c->key))
			continue;
		snprintf(name, sizeof name, "solvers-%s", c->key);
		snprintf(caption, sizeof caption, "%s, noise of %g HU: error of the first draw after each iteration, against time.",
		         c->title, c->noise);
		study_page_figure(p, name, caption);
	}
	study_page_table(p, STUDY_METHODS);
	study_page_text(p, "What they take",
	                "Projections and backprojections of all views in an iteration, counted; arrays like the volume and like the data "
	                "that the solver allocates beside these two and the operators, in a dry run; iterations until the picture stays "
	                "within 1 HU (root mean square) of what three times the iterations end with, or of the one in which a solver "
	                "without a penalty ends; empty: not in %s iterations.",
	                s->quick ? "these few" : "40 (sirt and mlem 200)");
	study_page_table(p, STUDY_COSTS);
	study_page_text(p, "All penalties at equal noise, few views",
	                "%s, noise of %g HU in soft tissue, from zero, data without weights; strengths to the same noise, nlm's by its "
	                "h. piccs and nltv have an earlier scan with all views and %d times the photons. Window of %d to %d HU.",
	                methods_prior_case()->title, methods_prior_case()->noise, 10, LOW, HIGH);
	study_page_figure(p, "priors",
	                  "The body, filtered backprojection of the same views, and the first draw by each penalty, with its error: "
	                  "root mean square over all voxels and three draws. All but fdk have the same noise in soft tissue.");
	viewer(s, p);
	study_page_table(p, STUDY_PRIORS);
}
