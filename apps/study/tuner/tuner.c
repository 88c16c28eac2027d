/* `gantry study tuner`: search strategies on equal logs, by evaluations, and the paper's tables next to ours. */
#include "apps/study/tuner/tuner.h"
#include "core/order_statistics.h"

static const char *const strategies[] = { "ants:as-published", "ants", "random", "climb" };
enum { STRATEGIES = sizeof strategies / sizeof *strategies, CURVE_POINTS = 24 };
static const double near = 1.03;

static gt_status prepare(study *s, const study_options *o)
{
	if (o->logs)
		GT_OR_RETURN(tuner_read_logs(o->logs, tuner_found(s)));
	else if (!s->gpu[0])
		return gt_fail(GT_ERR_UNSUPPORTED, "the study 'tuner' needs a GPU, or --logs FOLDER with logs of gantry tune");
	snprintf(s->geometry, sizeof s->geometry, "%s", o->logs ? "problems of the logs" : "problems of gantry bench");
	return GT_OK;
}

/* Over the seeds after a number of evaluations: the median of the best so far over the log's best, and the fraction
 * within 3 %. */
static double after(const tuner_log *l, const double *best, size_t evaluations, double *share)
{
	double at[TUNER_SEEDS];
	*share = 0;
	for (int i = 0; i < TUNER_SEEDS; i++) {
		at[i] = best[(size_t)i * TUNER_EVALUATIONS + evaluations - 1] / l->facts.best_ms;
		*share += at[i] <= near ? 1. / TUNER_SEEDS : 0;
	}
	const double median = gt_median(at, TUNER_SEEDS);
	return isfinite(median) ? median : NAN; /* half of the searches found no correct one */
}

static void add_curve(study *s, const tuner_log *l, const char *strategy, const double *best)
{
	study_table *t = &s->table[TUNER_CURVES];
	size_t last = 0;
	for (int k = 0; k < CURVE_POINTS; k++) {
		double share;
		const size_t evaluations = (size_t)round(pow(TUNER_EVALUATIONS, k / (CURVE_POINTS - 1.)));
		if (evaluations == last)
			continue;
		last = evaluations;
		const double median = after(l, best, evaluations, &share);
		study_row(t, TXT(l->name), TXT(strategy), NUM(evaluations), NUM(median), NUM(share));
	}
}

static void note_success(tuner_log *l, const char *strategy, size_t evaluations, double ratio, double share)
{
	tuner_success *a = &l->success;
	const double median = isnan(ratio) ? INFINITY : ratio, searches = round(share * TUNER_SEEDS);
	if (evaluations == TUNER_PUBLISHED && !strcmp(strategy, "ants:as-published")) {
		l->published_ms = ratio * l->facts.best_ms;
		a->published = median;
	} else if (evaluations == TUNER_PUBLISHED && !strcmp(strategy, "random")) {
		a->random = median;
	} else if (evaluations == TUNER_PUBLISHED && !strcmp(strategy, "climb")) {
		a->climb = searches;
	} else if (evaluations == TUNER_EVALUATIONS && !strcmp(strategy, "ants")) {
		a->ants = searches;
	}
}

static gt_status replay(study *s, tuner_log *l, const char *strategy, double *best)
{
	static const size_t points[] = { 10, 50, 150, 600 };
	study_table *t = &s->table[TUNER_STRATEGIES];
	for (int i = 0; i < TUNER_SEEDS; i++) {
		const gt_status st = gt_tune_log_replay(l->log, strategy, 1 + (uint64_t)i, TUNER_EVALUATIONS,
		                                        best + (size_t)i * TUNER_EVALUATIONS);
		if (st != GT_OK)
			return st;
	}
	study_row(t, TXT(l->name), TXT(strategy));
	for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
		double share;
		const double ratio = after(l, best, points[k], &share);
		study_row(t, NUM(ratio), NUM(share));
		note_success(l, strategy, points[k], ratio, share);
	}
	study_number(t, l->facts.seconds > 0 ? TUNER_PUBLISHED * l->facts.seconds / (double)l->facts.candidates / 60 : NAN);
	add_curve(s, l, strategy, best);
	return GT_OK;
}

static void add_gain(study *s, const tuner_log *l)
{
	const gt_tune_log_facts *f = &l->facts;
	const int chosen = f->ended && *f->chosen;
	study_row(&s->table[TUNER_GAINS], TXT(l->name), TXT(f->kernel), TXT(*f->problem ? f->problem : f->about), TXT(f->device),
	          NUM(f->candidates), NUM(f->right), NUM(f->built_in_ms), NUM(f->best_ms), NUM(f->built_in_ms / f->best_ms),
	          NUM(f->seconds > 0 ? f->seconds : NAN), NUM(f->ended ? f->chosen_built_in_ms : NAN), NUM(chosen ? f->chosen_ms : NAN),
	          NUM(chosen     ? f->chosen_built_in_ms / f->chosen_ms
	              : f->ended ? 1
	                         : NAN));
}

/* Criteria that search strategies must meet on the logs: a row per log, and a summary -------- */

/* Required searches within 3 % out of TUNER_SEEDS. A single time is accurate to 1 %. */
enum { ANTS_NEEDED = 15, CLIMB_NEEDED = 18 };
static const double as_good = 1.01;

static const char *const claims[TUNER_CLAIMS] = { "as published not worse than random", "as published as good as hand-tuned",
	                                          "ants within 3 %", "climb within 3 %" };

static int hold(const tuner_log *l, const tuner_success *a, int *holds)
{
	holds[0] = a->published <= a->random;
	holds[1] = a->published * l->facts.best_ms <= as_good * l->facts.built_in_ms;
	holds[2] = a->ants >= ANTS_NEEDED;
	holds[3] = a->climb >= CLIMB_NEEDED;
	return holds[0] && holds[1] && holds[2] && holds[3];
}

static void add_success(study_table *t, const tuner_log *l, tuner_findings *f)
{
	const tuner_success *a = &l->success;
	int holds[TUNER_CLAIMS];
	char not_held[200] = "";
	f->all_hold += hold(l, a, holds);
	for (int i = 0; i < TUNER_CLAIMS; i++) {
		const size_t n = strlen(not_held);
		f->held[i] += holds[i];
		if (!holds[i])
			snprintf(not_held + n, sizeof not_held - n, "%s%s", n ? ", " : "", claims[i]);
	}
	study_row(t, TXT(l->name), NUM(a->published / a->random), NUM(a->published * l->facts.best_ms / l->facts.built_in_ms), NUM(a->ants),
	          NUM(a->climb), TXT(not_held));
}

/* The paper's tables --------------------------------------------------------------------- */

static const tuner_log *log_of(const tuner_findings *f, const char *kernel, int side)
{
	char voxels[32];
	snprintf(voxels, sizeof voxels, ", %d x %d x ", side, side);
	for (int i = 0; i < f->logs; i++)
		if (!strcmp(f->log[i].facts.kernel, kernel) && strstr(f->log[i].facts.problem, voxels))
			return &f->log[i];
	return NULL;
}

/* Seconds. Table II: hand, ants; table III: ants, of TUNER_PAPER_VIEWS projections. */
static const struct {
	int side;
	double hand, ants, footprint;
} paper[] = { { 256, 2.71, 2.54, 15.95 }, { 512, 6.07, 6.07, 72.19 } };
enum { PAPER = sizeof paper / sizeof *paper };

static void fill_paper(study *s)
{
	const tuner_findings *f = tuner_found(s);
	study_table *two = &s->table[TUNER_TABLE_2], *three = &s->table[TUNER_TABLE_3];
	for (int i = 0; i < PAPER; i++) {
		const tuner_log *l = log_of(f, "fdk-published", paper[i].side);
		const char *volume = FORMAT("%d^3", paper[i].side);
		study_row(two, TXT(volume), TXT("by hand"), NUM(paper[i].hand), NUM(l ? l->facts.built_in_ms / 1000 : NAN), NUM(NAN),
		          NUM(NAN));
		study_row(two, TXT(volume), TXT("ants, 30 x 5"), NUM(paper[i].ants), NUM(l ? l->published_ms / 1000 : NAN),
		          NUM(paper[i].hand / paper[i].ants), NUM(l ? l->facts.built_in_ms / l->published_ms : NAN));
		l = log_of(f, "sf-back", paper[i].side);
		study_row(three, TXT(volume), NUM(paper[i].footprint),
		          NUM(TUNER_PAPER_VIEWS * pow(paper[i].side, 3) / paper[i].footprint * 1e-9),
		          NUM(l ? l->facts.built_in_ms / 1000 : NAN), NUM(l ? l->published_ms / 1000 : NAN),
		          NUM(l ? l->facts.updates / l->published_ms * 1e-6 : NAN), NUM(l ? l->facts.built_in_ms / l->published_ms : NAN));
	}
}

/* Uses the times after the search if the log has them: the minimum of many times is too optimistic. */
static double gain_of(const gt_tune_log_facts *a)
{
	if (!a->ended)
		return a->built_in_ms / a->best_ms;
	return *a->chosen ? a->chosen_built_in_ms / a->chosen_ms : 1;
}

static void claim(tuner_findings *f)
{
	double max = 0;
	int gained = 0, which = 0;
	for (int i = 0; i < f->logs; i++) {
		const double gain = gain_of(&f->log[i].facts);
		gained += gain > 1.01;
		if (gain > max) {
			max = gain;
			which = i;
		}
	}
	char where[160] = "";
	if (gained)
		snprintf(where, sizeof where, "; the most is %.2f times, in %s", max, f->log[which].name);
	snprintf(f->claim, sizeof f->claim, "%d of %d searches found a kernel that is faster than the hand-tuned one by more than 1 %%%s.",
	         gained, f->logs, where);
}

static gt_status measure(study *s)
{
	tuner_findings *f = tuner_found(s);
	double *best;
	gt_status st = GT_OK;
	GT_OR_RETURN(study_new(TUNER_SEEDS * TUNER_EVALUATIONS, sizeof *best, &best));
	study_begin_tables(s, TUNER_GAINS, TUNER_SUCCESS);
	if (!f->logs)
		GT_TRY(tuner_search(s, f));
	s->steps = s->done + 1 + (size_t)f->logs;
	for (int i = 0; i < f->logs; i++) {
		study_step(s, "%s: search strategies", f->log[i].name);
		for (int k = 0; k < STRATEGIES; k++)
			GT_TRY(replay(s, &f->log[i], strategies[k], best));
		add_gain(s, &f->log[i]);
		add_success(&s->table[TUNER_SUCCESS], &f->log[i], f);
	}
	fill_paper(s);
	claim(f);
	cli_note(s->call, "%s", f->claim);
done:
	free(best);
	return st;
}

/* Figures and report --------------------------------------------------------------------- */

enum { MAX_FIGURES = 6 };

/* Returns the curves of log number n; no rows if there is no such log. */
static study_curves curves_of(const study *s, int n)
{
	const study_table *t = &s->table[TUNER_CURVES];
	study_curves c = { .table = t, .keys = 2, .x = 2, .y = 3 };
	do {
		c.first = c.end;
		while (c.end < study_rows(t) && study_same(t, c.end, c.first, 0))
			c.end++;
	} while (n-- > 0);
	return c;
}

static int figures_of(const study *s)
{
	int n = 0;
	while (n < MAX_FIGURES && curves_of(s, n).end > curves_of(s, n).first)
		n++;
	return n;
}

static void draw(study *s, int n)
{
	const study_curves c = curves_of(s, n);
	study_plot p = study_plot_new(s, 900, 420, "curve-%d", n + 1);
	study_blocks(&p, &c, "curve");
	study_put(&p,
	          "set datafile nocolumnheaders\nset key outside right\nset xlabel 'evaluations'\n"
	          "set ylabel 'best so far over best, median of seeds'\n"
	          "set logscale x\nset xrange [1:600]\nset yrange [0.98:*<2.5]\nset title %s\n",
	          QUOTE("%s", study_text_at(c.table, c.first, 0)));
	study_series(&p, "1 with lines dt 2 lc rgb '#888888' notitle");
	for (size_t i = c.first, k = 0; i < c.end; i++)
		if (study_begins(&c, i))
			study_series(&p, "$curve%zu using 1:2 with linespoints title %s", k++, QUOTE("%s", study_text_at(c.table, i, 1)));
	study_series_end(&p);
	study_plot_draw(&p);
}

static void figures(study *s)
{
	for (int n = 0; n < figures_of(s); n++)
		draw(s, n);
}

static void success(const study *s, study_page *p)
{
	const tuner_findings *f = tuner_found(s);
	study_page_text(p, "Criteria",
	                "Of %d logs all four hold on %d. Median of ants as published after %d evaluations: no worse than random search "
	                "(%d logs), equal to the hand-tuned kernel to 1 %% (%d). Searches within 3 %%: at least %d of %d by ants after %d "
	                "evaluations (%d), at least %d of %d by climb after %d (%d).",
	                f->logs, f->all_hold, TUNER_PUBLISHED, f->held[0], f->held[1], ANTS_NEEDED, TUNER_SEEDS, TUNER_EVALUATIONS,
	                f->held[2], CLIMB_NEEDED, TUNER_SEEDS, TUNER_PUBLISHED, f->held[3]);
	study_page_table(p, TUNER_SUCCESS);
}

static void parts(const study *s, study_page *p)
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
	success(s, p);
	study_page_text(
		p, "Table II",
		"Papenhausen, Zheng, Mueller (2013): filtered backprojection of the scan of RabbitCT on a GTX 480, their own three "
		"kernels and a fourth with two views per launch. Here: the published forms of fdk, block, views and slices per launch. "
		"Hand-tuned: the form layered with its default launch. Ants: as published, after %d evaluations. –: no log of that volume.",
		TUNER_PUBLISHED);
	study_page_table(p, TUNER_TABLE_2);
	study_page_text(
		p, "Table III",
		"The same paper: backprojection by separable footprints, %d views of 1014 × 374 on a GTX 480. The workloads "
		"footprint256 and footprint512 have these sizes. Of logs of other problems, only updates per second are comparable.",
		TUNER_PAPER_VIEWS);
	study_page_table(p, TUNER_TABLE_3);
}

static void drop(study *s)
{
	for (int i = 0; i < TUNER_MAX_LOGS; i++)
		gt_tune_log_close(tuner_found(s)->log[i].log);
}

static const study_columns tables[] = {
	{ "gains", "log$|kernel$|problem$|device$|candidates|right|hand-tuned [ms]|best [ms]|gain|search [s]|hand-tuned again [ms]|"
	           "chosen again [ms]|gain again" },
	{ "searchers",
	  "log$|searcher$|10 programs: over best|within 3 %|50 programs: over best|within 3 %|150 programs: over best|within 3 %|600 "
	  "programs: over best|within 3 %|minutes for 150" },
	{ "curves", "log$|searcher$|programs|best so far over best|within 3 %" },
	{ "table-2", "volume$|configuration$|there [s]|here [s]|hand over ants, there|hand over ants, here" },
	{ "table-3", "volume$|there [s], GTX 480|there [GUPS]|here, hand-tuned [s]|here, ants [s]|here, ants [GUPS]|hand over ants, here" },
	{ "success",
	  "log$|as published over random, 150 programs|as published over hand-tuned, 150 programs|ants within 3 % after 600, of 20|climb "
	  "within 3 % after 150, of 20|what does not hold$" },
};
const study_kind study_kind_tuner = {
	.name = "tuner",
	.title = "Tuning of kernels",
	.intro = "Kernels tuned for a problem and a device by search: the gain over manually tuned kernels, the evaluations that it "
		 "takes, and a comparison of ant colonies, as published and improved, with other search strategies.",
	.takes = TAKES_LOGS | TAKES_SECONDS,
	.table = tables,
	.tables = sizeof tables / sizeof *tables,
	.own_size = sizeof(tuner_findings),
	.drop = drop,
	.prepare = prepare,
	.measure = measure,
	.figures = figures,
	.parts = parts,
};
