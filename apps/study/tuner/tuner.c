/* `gantry study tuner`: search strategies on equal logs, by evaluations, and the paper's tables next to ours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/cli/try.h"
#include "apps/study/tuner/tuner.h"
#include "tuner/tuner.h"

static const char *const strategies[] = { "ants:as-published", "ants", "random", "climb" };
enum { STRATEGIES = sizeof strategies / sizeof *strategies, CURVE_POINTS = 24 };
static const double near = 1.03;

static gt_status check(const cli_call *call, const study_options *o)
{
	if (call->files > 1)
		return gt_fail(GT_ERR_ARG, "the study 'tuner' has problems of its own: %s cannot be given", call->file[1]);
	if (o->grid)
		return gt_fail(GT_ERR_ARG, "--grid=%s: the study 'tuner' has grids of its own", o->grid);
	return GT_OK;
}

static gt_status prepare(study *s, const study_options *o)
{
	gt_status st = GT_OK;
	if (o->logs)
		GT_TRY(tuner_read_logs(o->logs, tuner_found(s)));
	else if (!s->gpu[0])
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "the study 'tuner' needs a GPU, or --logs FOLDER with logs of gantry tune"));
	snprintf(s->geometry, sizeof s->geometry, "%s", o->logs ? "problems of the logs" : "problems of gantry bench");
done:
	return st;
}

static void heads(study *s)
{
	static const char *const gains[] = { "log",
		                             "kernel",
		                             "problem",
		                             "device",
		                             "candidates",
		                             "right",
		                             "hand-tuned [ms]",
		                             "best [ms]",
		                             "gain",
		                             "search [s]",
		                             "hand-tuned again [ms]",
		                             "chosen again [ms]",
		                             "gain again",
		                             NULL };
	static const char *const of_strategies[] = { "log",
		                                     "searcher",
		                                     "10 programs: over best",
		                                     "within 3 %",
		                                     "50 programs: over best",
		                                     "within 3 %",
		                                     "150 programs: over best",
		                                     "within 3 %",
		                                     "600 programs: over best",
		                                     "within 3 %",
		                                     "minutes for 150",
		                                     NULL };
	static const char *const curves[] = { "log", "searcher", "programs", "best so far over best", "within 3 %", NULL };
	static const char *const table_2[] = { "volume",   "configuration",         "there [s]",
		                               "here [s]", "hand over ants, there", "hand over ants, here",
		                               NULL };
	static const char *const table_3[] = { "volume",         "there [s], GTX 480", "there [GUPS]",         "here, hand-tuned [s]",
		                               "here, ants [s]", "here, ants [GUPS]",  "hand over ants, here", NULL };
	static const char *const *const all[] = { gains, of_strategies, curves, table_2, table_3 };
	for (size_t t = 0; t < sizeof all / sizeof *all; t++)
		for (int k = 0; all[t][k]; k++)
			study_head(&s->table[TUNER_GAINS + t], "%s", all[t][k]);
	tuner_success_heads(&s->table[TUNER_SUCCESS]);
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
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
	qsort(at, TUNER_SEEDS, sizeof *at, by_size);
	const double median = (at[TUNER_SEEDS / 2 - 1] + at[TUNER_SEEDS / 2]) / 2;
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
		study_text(t, "%s", l->name);
		study_text(t, "%s", strategy);
		study_number(t, (double)evaluations);
		study_number(t, after(l, best, evaluations, &share));
		study_number(t, share);
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
	study_text(t, "%s", l->name);
	study_text(t, "%s", strategy);
	for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
		double share;
		const double ratio = after(l, best, points[k], &share);
		study_number(t, ratio);
		study_number(t, share);
		note_success(l, strategy, points[k], ratio, share);
	}
	study_number(t, l->facts.seconds > 0 ? TUNER_PUBLISHED * l->facts.seconds / (double)l->facts.candidates / 60 : NAN);
	add_curve(s, l, strategy, best);
	return GT_OK;
}

static void add_gain(study *s, const tuner_log *l)
{
	study_table *t = &s->table[TUNER_GAINS];
	study_text(t, "%s", l->name);
	study_text(t, "%s", l->facts.kernel);
	study_text(t, "%s", *l->facts.problem ? l->facts.problem : l->facts.about);
	study_text(t, "%s", l->facts.device);
	study_number(t, (double)l->facts.candidates);
	study_number(t, (double)l->facts.right);
	study_number(t, l->facts.built_in_ms);
	study_number(t, l->facts.best_ms);
	study_number(t, l->facts.built_in_ms / l->facts.best_ms);
	study_number(t, l->facts.seconds > 0 ? l->facts.seconds : NAN);
	const int chosen = l->facts.ended && *l->facts.chosen;
	study_number(t, l->facts.ended ? l->facts.chosen_built_in_ms : NAN);
	study_number(t, chosen ? l->facts.chosen_ms : NAN);
	study_number(t, chosen ? l->facts.chosen_built_in_ms / l->facts.chosen_ms : l->facts.ended ? 1 : NAN);
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
		for (int ants = 0; ants < 2; ants++) {
			study_text(two, "%d^3", paper[i].side);
			study_text(two, ants ? "ants, 30 x 5" : "by hand");
			study_number(two, ants ? paper[i].ants : paper[i].hand);
			study_number(two, !l ? NAN : (ants ? l->published_ms : l->facts.built_in_ms) / 1000);
			study_number(two, ants ? paper[i].hand / paper[i].ants : NAN);
			study_number(two, l && ants ? l->facts.built_in_ms / l->published_ms : NAN);
		}
		l = log_of(f, "sf-back", paper[i].side);
		study_text(three, "%d^3", paper[i].side);
		study_number(three, paper[i].footprint);
		study_number(three, TUNER_PAPER_VIEWS * pow(paper[i].side, 3) / paper[i].footprint * 1e-9);
		study_number(three, l ? l->facts.built_in_ms / 1000 : NAN);
		study_number(three, l ? l->published_ms / 1000 : NAN);
		study_number(three, l ? l->facts.updates / l->published_ms * 1e-6 : NAN);
		study_number(three, l ? l->facts.built_in_ms / l->published_ms : NAN);
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
	double *best = malloc(sizeof *best * TUNER_SEEDS * TUNER_EVALUATIONS);
	gt_status st = best ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	if (st != GT_OK)
		return st;
	heads(s);
	if (!f->logs)
		GT_TRY(tuner_search(s, f));
	s->steps = s->done + 1 + (size_t)f->logs;
	for (int i = 0; i < f->logs; i++) {
		study_step(s, "%s: search strategies", f->log[i].name);
		for (int k = 0; k < STRATEGIES; k++)
			GT_TRY(replay(s, &f->log[i], strategies[k], best));
		add_gain(s, &f->log[i]);
		tuner_add_success(&s->table[TUNER_SUCCESS], &f->log[i], f);
	}
	fill_paper(s);
	claim(f);
	cli_note(s->call, "%s", f->claim);
done:
	free(best);
	return st;
}

static void drop(study *s)
{
	for (int i = 0; i < TUNER_MAX_LOGS; i++)
		gt_tune_log_close(tuner_found(s)->log[i].log);
}

static const char *const tables[] = { "gains", "searchers", "curves", "table-2", "table-3", "success" };
const study_kind study_kind_tuner = {
	.name = "tuner",
	.title = "Tuning of kernels",
	.intro = "Kernels tuned for a problem and a device by search: the gain over manually tuned kernels, the evaluations that it takes, "
		 "and a comparison of ant colonies, as published and improved, with other search strategies.",
	.table_name = tables,
	.tables = sizeof tables / sizeof *tables,
	.own_size = sizeof(tuner_findings),
	.drop = drop,
	.check = check,
	.prepare = prepare,
	.measure = measure,
	.figures = tuner_figures,
	.parts = tuner_parts,
};
