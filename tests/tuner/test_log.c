/* Logs of searches: they are read as written, with the choice at the end or the reason why no search started.
 * labels: unit, backend: none */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/support/support.h"
#include "tuner/log.h"
#include "tuner/tuner.h"

static const gt_log_head head = { .facts = { .kernel = "dd-back",
	                                     .about = "rows=13 slices=7",
	                                     .device = "A device",
	                                     .problem = "5 views of 13 x 11, 9 x 8 x 7 voxels",
	                                     .built_in_ms = 3.25,
	                                     .updates = 2520 },
	                          .built_in = "A=2 B=-3",
	                          .driver = 13010 };

static FILE *create(char path[64])
{
	snprintf(path, 64, "/tmp/gantry-log-XXXXXX");
	const int file = mkstemp(path);
	ck_assert_int_ge(file, 0);
	return fdopen(file, "w");
}

/* Two candidates, one of which failed; then the choice, unless variant is NULL. */
static void write_log(const char *variant, char path[64])
{
	FILE *f = create(path);
	gt_space *s = NULL;
	gt_tune_evaluation right = { .verdict = GT_TUNE_OK, .ms = 2.75, .built_in_ms = 3.5, .pairs = 5 },
			   wrong = { .verdict = GT_TUNE_WRONG, .why = "it writes outside its result" };
	gt_tune_outcome o = { .ms = 2.5, .built_in_ms = 3.125 };
	ck_ok(gt_space_empty("dd-back", &s));
	ck_ok(gt_space_add(s, "A 1 2 4"));
	ck_ok(gt_space_add(s, "B -3 5"));
	gt_log_begin(f, &head, s);
	gt_log_line(f, "A=4 B=5", &wrong, 1.5);
	gt_log_line(f, "A=1 B=5", &right, 2.5);
	if (variant) {
		snprintf(o.variant, sizeof o.variant, "%s", variant);
		gt_log_end(f, &o);
	}
	ck_assert_int_eq(fclose(f), 0);
	gt_space_free(s);
}

static gt_tune_log_facts read_facts(const char *path)
{
	gt_tune_log_facts a;
	ck_ok(gt_tune_log_facts_of(path, &a));
	unlink(path);
	ck_assert_uint_eq(a.candidates, 2);
	ck_assert_uint_eq(a.right, 1);
	ck_assert_double_eq(a.best_ms, 2.75);
	ck_assert_double_eq(a.built_in_ms, 3.25);
	ck_assert_double_eq(a.updates, 2520);
	ck_assert_double_eq(a.seconds, 2.5);
	ck_assert_str_eq(a.kernel, "dd-back");
	ck_assert_str_eq(a.device, "A device");
	ck_assert_str_eq(a.problem, head.facts.problem);
	ck_assert_str_eq(a.about, head.facts.about);
	return a;
}

GT_TEST(a_choice_is_kept)
{
	static const char *const variant[] = { "A=1 B=5", "" };
	for (int i = 0; i < 2; i++) {
		char path[64];
		write_log(variant[i], path);
		const gt_tune_log_facts a = read_facts(path);
		ck_assert_int_eq(a.ended, 1);
		ck_assert_str_eq(a.chosen, variant[i]);
		ck_assert_double_eq(a.chosen_ms, 2.5);
		ck_assert_double_eq(a.chosen_built_in_ms, 3.125);
	}
}

GT_TEST(without_its_end)
{
	char path[64];
	write_log(NULL, path);
	const gt_tune_log_facts a = read_facts(path);
	ck_assert_int_eq(a.ended, 0);
	ck_assert_str_eq(a.chosen, "");
}

GT_TEST(no_search)
{
	char path[64];
	gt_tune_log_facts a;
	FILE *f = create(path);
	gt_log_failed(f, "sf-back", "its kernel is another");
	fclose(f);
	ck_refused(gt_tune_log_facts_of(path, &a), GT_ERR_UNSUPPORTED, "its kernel is another");
	ck_refused(gt_tune_log_facts_of(path, &a), GT_ERR_UNSUPPORTED, path);
	unlink(path);
}

/* An open log gives the same replays as one that is read for every search, without its file. */
GT_TEST(read_once)
{
	static const char *const strategies[] = { "random", "climb", "ants:as-published" };
	enum { EVALUATIONS = 5 };
	char path[64];
	double again[3][EVALUATIONS], best[EVALUATIONS];
	gt_tune_log *log = NULL;
	gt_tune_log_facts a, b;
	write_log("A=1 B=5", path);
	for (int i = 0; i < 3; i++)
		ck_ok(gt_tune_replay(path, strategies[i], 7, EVALUATIONS, again[i]));
	ck_ok(gt_tune_log_facts_of(path, &b));
	ck_ok(gt_tune_log_open(path, &log));
	unlink(path);
	for (int i = 0; i < 3; i++) {
		ck_ok(gt_tune_log_replay(log, strategies[i], 7, EVALUATIONS, best));
		ck_assert_mem_eq(best, again[i], sizeof best);
	}
	gt_tune_log_describe(log, &a);
	ck_assert_mem_eq(&a, &b, sizeof a);
	ck_assert_uint_eq(a.right, 1);
	ck_refused(gt_tune_log_replay(log, "bees", 7, EVALUATIONS, best), GT_ERR_UNKNOWN, "unknown search strategy \"bees\"");
	gt_tune_log_close(log);
	ck_refused(gt_tune_log_open(path, &log), GT_ERR_IO, "No such file");
	ck_assert_ptr_null(log);
	gt_tune_log_close(NULL);
}

GT_TEST(bounds_stand_in_the_log)
{
	char path[64];
	FILE *f = create(path);
	gt_log_head h = head;
	gt_space *s = NULL;
	gt_tune_log log;
	gt_tune_evaluation right = { .verdict = GT_TUNE_OK, .ms = 2.75, .built_in_ms = 3.5, .pairs = 5 };
	strcpy(h.bounds, "4.5e-06 3.0e-05 1.8e-05 (3.0e-06 2.0e-05 1.2e-05)");
	ck_ok(gt_space_empty("dd-back", &s));
	ck_ok(gt_space_add(s, "A 1 2 4"));
	gt_log_begin(f, &h, s);
	gt_log_line(f, "A=4", &right, 1.5);
	ck_assert_int_eq(fclose(f), 0);
	gt_space_free(s);
	ck_ok(gt_log_read(path, &log));
	unlink(path);
	ck_assert_str_eq(log.head.bounds, h.bounds);
	gt_log_free(&log);
}

int main(void) { return gt_test_main("logs", NULL); }
