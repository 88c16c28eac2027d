/* Figures and report of `gantry study tuner`. */
#include <math.h>
#include <string.h>
#include "apps/cli/gnuplot.h"
#include "apps/cli/try.h"
#include "apps/study/tuner/tuner.h"

enum { WIDTH = 900, HEIGHT = 420, MAX_FIGURES = 6, MAX_CURVES = 12 };

static const study_cell *at(const study_table *t, size_t row, size_t column) { return &t->cell[row * t->columns + column]; }
static const char *text_at(const study_table *t, size_t row, size_t column)
{
	const study_cell *c = at(t, row, column);
	return c->text ? c->text : "";
}

/* Returns the first row of log number n in the table; the number of rows if there is none. */
static size_t row_of_log(const study_table *t, int n)
{
	for (size_t i = 0; i < study_rows(t); i++)
		if ((i == 0 || strcmp(text_at(t, i, 0), text_at(t, i - 1, 0)) != 0) && n-- == 0)
			return i;
	return study_rows(t);
}

static void name_figure(int n, char name[24]) { snprintf(name, 24, "curve-%d", n + 1); }

/* Writes a block of points per strategy and the plot commands. */
static gt_status draw(study *s, int n)
{
	const study_table *t = &s->table[TUNER_CURVES];
	const size_t first = row_of_log(t, n);
	const char *log = text_at(t, first, 0), *title[MAX_CURVES];
	char name[24];
	int curves = 0;
	FILE *out = NULL;
	name_figure(n, name);
	const gt_status st = study_plot_begin(s, name, WIDTH, HEIGHT, &out);
	if (st != GT_OK)
		return st;
	for (size_t i = first; i < study_rows(t) && !strcmp(text_at(t, i, 0), log); i++) {
		if (i == first || strcmp(text_at(t, i, 1), text_at(t, i - 1, 1)) != 0) {
			if (curves == MAX_CURVES)
				break;
			fprintf(out, "%s$curve%d << END\n", curves ? "END\n" : "", curves);
			title[curves++] = text_at(t, i, 1);
		}
		fprintf(out, "%.6g,%.6g\n", at(t, i, 2)->number, at(t, i, 3)->number); /* NaN is not drawn */
	}
	fputs("END\nset datafile nocolumnheaders\nset key outside right\nset xlabel 'evaluations'\n"
	      "set ylabel 'best so far over best, median of seeds'\n"
	      "set logscale x\nset xrange [1:600]\nset yrange [0.98:*<2.5]\nset title ",
	      out);
	app_gnuplot_quote(out, "%s", log);
	fputs("\nplot 1 with lines dt 2 lc rgb '#888888' notitle", out);
	for (int k = 0; k < curves; k++) {
		fprintf(out, ", \\\n     $curve%d using 1:2 with linespoints title ", k);
		app_gnuplot_quote(out, "%s", title[k]);
	}
	fputc('\n', out);
	return study_plot_end(s, name, out);
}

static int figures_of(const study *s)
{
	int n = 0;
	while (n < MAX_FIGURES && row_of_log(&s->table[TUNER_CURVES], n) < study_rows(&s->table[TUNER_CURVES]))
		n++;
	return n;
}

gt_status tuner_figures(study *s)
{
	gt_status st = GT_OK;
	for (int n = 0; n < figures_of(s) && st == GT_OK; n++)
		st = draw(s, n);
	return st;
}

void tuner_parts(const study *s, study_page *p)
{
	study_page_text(p, "Gain",
	                "%s Hand-tuned is the built-in kernel, or the fastest of the published forms of FDK as published. "
	                "A candidate that is wrong, does not compile or hangs has no time. Best: minimum of many single times. "
	                "Again: the choice, timed alternately with the hand-tuned kernel after the search; 1 means that none was faster by "
	                "1 %%, and – that the log is incomplete.",
	                tuner_found(s)->claim);
	study_page_table(p, TUNER_GAINS);
	study_page_text(
		p, "Search strategies",
		"Each strategy searches the candidates of a log, all timed once, from %d seeds: the median of the best so far over "
		"the best of the log, and the fraction of searches within 3 %%. Ants as published are 30 in 5 iterations; the paper "
		"does not give its rates, which are assumed. They also walk paths outside the log, which count as failed evaluations, "
		"so they are meaningful on exhaustive logs only. –: half of the searches found no correct candidate. Minutes are for "
		"150 evaluations at the log's rate. Figures show the first %d logs, up to 2.5 times the best.",
		TUNER_SEEDS, MAX_FIGURES);
	for (int n = 0; n < figures_of(s); n++) {
		char name[24];
		name_figure(n, name);
		study_page_figure(p, name, "Best so far over the best of the log, by evaluations: medians.");
	}
	study_page_table(p, TUNER_STRATEGIES);
	tuner_success_part(s, p);
	study_page_text(
		p, "Table II",
		"Papenhausen, Zheng, Mueller (2013): filtered backprojection of the scan of RabbitCT on a GTX 480, their own three "
		"kernels and a fourth with two views per launch. Here: the published forms of fdk, block, views and slices per launch; "
		"hand-tuned is the form layered with its default launch; ants are as published after %d evaluations. –: no log of "
		"that volume.",
		TUNER_PUBLISHED);
	study_page_table(p, TUNER_TABLE_2);
	study_page_text(
		p, "Table III",
		"The same paper: backprojection by separable footprints, %d views of 1014 × 374 on a GTX 480. The problem here is that of "
		"the log, so only updates per second are comparable.",
		TUNER_PAPER_VIEWS);
	study_page_table(p, TUNER_TABLE_3);
}
