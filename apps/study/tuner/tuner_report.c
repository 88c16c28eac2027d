/* Figures and report of `gantry study tuner`. */
#include <string.h>
#include "apps/study/tuner/tuner.h"

enum { MAX_FIGURES = 6, MAX_CURVES = 12 };

/* Returns the first row of log number n in the table of curves; the number of rows if there is none. */
static size_t row_of_log(const study_table *t, int n)
{
	size_t i = 0;
	while (i < study_rows(t) && ((i > 0 && study_same(t, i, i - 1, 0)) || n-- > 0))
		i++;
	return i;
}

static int figures_of(const study *s)
{
	const study_table *t = &s->table[TUNER_CURVES];
	int n = 0;
	while (n < MAX_FIGURES && row_of_log(t, n) < study_rows(t))
		n++;
	return n;
}

/* Writes a block of points for each strategy, and the plot commands. */
static void draw(study *s, int n)
{
	const study_table *t = &s->table[TUNER_CURVES];
	const size_t first = row_of_log(t, n);
	size_t begin[MAX_CURVES + 1];
	int curves = 0;
	study_plot p = study_plot_new(s, 900, 420, "curve-%d", n + 1);
	for (size_t i = first; i < study_rows(t) && study_same(t, i, first, 0); i++) {
		if (i == first || !study_same(t, i, i - 1, 1)) {
			if (curves == MAX_CURVES)
				break;
			study_put(&p, "%s$curve%d << END\n", curves ? "END\n" : "", curves);
			begin[curves++] = i;
		}
		study_put(&p, "%.6g,%.6g\n", study_at(t, i, 2), study_at(t, i, 3)); /* gnuplot leaves NaN out */
	}
	study_put(&p,
	          "END\nset datafile nocolumnheaders\nset key outside right\nset xlabel 'evaluations'\n"
	          "set ylabel 'best so far over best, median of seeds'\n"
	          "set logscale x\nset xrange [1:600]\nset yrange [0.98:*<2.5]\nset title %s\n",
	          QUOTE("%s", study_text_at(t, first, 0)));
	study_series(&p, "1 with lines dt 2 lc rgb '#888888' notitle");
	for (int k = 0; k < curves; k++)
		study_series(&p, "$curve%d using 1:2 with linespoints title %s", k, QUOTE("%s", study_text_at(t, begin[k], 1)));
	study_series_end(&p);
	study_plot_draw(&p);
}

void tuner_figures(study *s)
{
	for (int n = 0; n < figures_of(s); n++)
		draw(s, n);
}

void tuner_parts(const study *s, study_page *p)
{
	study_page_text(
		p, "Gain",
		"%s Hand-tuned: the built-in kernel, or the fastest of the published forms of FDK as published. Candidates that are "
		"wrong, do not compile or hang have no time. Best: minimum of many single times. Again: the choice, timed alternately "
		"with the hand-tuned kernel after the search; 1: none was faster by 1 %%; –: the log is incomplete.",
		tuner_found(s)->claim);
	study_page_table(p, TUNER_GAINS);
	study_page_text(
		p, "Search strategies",
		"Each strategy searches the candidates of a log, all timed once, from %d seeds: the median of the best so far over the "
		"best of the log, and the fraction of searches within 3 %%. Ants as published are 30 in 5 iterations; the paper does not "
		"give its rates, which are assumed. They also walk paths outside the log, which count as failed evaluations, so use "
		"exhaustive logs. –: half of the searches found no correct candidate. Minutes are for 150 evaluations at the log's rate. "
		"Figures show the first %d logs, up to 2.5 times the best.",
		TUNER_SEEDS, MAX_FIGURES);
	for (int n = 0; n < figures_of(s); n++)
		study_page_figure(p, FORMAT("curve-%d", n + 1), "Best so far over the best of the log, by evaluations: medians.");
	study_page_table(p, TUNER_STRATEGIES);
	tuner_success_part(s, p);
	study_page_text(
		p, "Table II",
		"Papenhausen, Zheng, Mueller (2013): filtered backprojection of the scan of RabbitCT on a GTX 480, their own three "
		"kernels and a fourth with two views per launch. Here: the published forms of fdk, block, views and slices per launch. "
		"Hand-tuned: the form layered with its default launch. Ants: as published, after %d evaluations. –: no log of that volume.",
		TUNER_PUBLISHED);
	study_page_table(p, TUNER_TABLE_2);
	study_page_text(
		p, "Table III",
		"The same paper: backprojection by separable footprints, %d views of 1014 × 374 on a GTX 480. The problem here is that of "
		"the log, so only updates per second are comparable.",
		TUNER_PAPER_VIEWS);
	study_page_table(p, TUNER_TABLE_3);
}
