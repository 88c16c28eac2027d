/* Child process of the tuner, without a device: a variant that hangs is ended, a crashed child is replaced, and the
 * next variant is evaluated. Every changed guard word is found.
 * labels: unit, backend: none */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/support/clock.h"
#include "tests/support/support.h"
#include "tuner/check.h"
#include "tuner/tuner.h"

struct counted {
	int tried;
};

static void fake(void *self, const char *variant, gt_tune_evaluation *t)
{
	struct counted *c = self;
	c->tried++;
	if (strstr(variant, "HANG=1"))
		for (;;)
			pause();
	if (strstr(variant, "DIE=1"))
		abort();
	if (strstr(variant, "LEAVE=1"))
		_exit(3);
	if (strstr(variant, "LOST=1")) {
		t->verdict = GT_TUNE_ENDED;
		strcpy(t->why, "the device is lost");
		return;
	}
	t->verdict = strstr(variant, "WRONG=1") ? GT_TUNE_WRONG : GT_TUNE_OK;
	t->ms = c->tried;
}

/* s; a hanging variant exceeds it when the replaced clock jumps, nothing else does */
static const double limit = 600;

static void try_variant(gt_child *child, const char *variant, gt_tune_evaluation *t)
{
	gt_child_send(child, variant);
	if (strstr(variant, "HANG=1"))
		gt_test_clock_pass(limit + 1);
	gt_child_wait(child, t);
}

GT_TEST(goes_on_after_all_of_them)
{
	static const struct {
		const char *variant, *why;
		gt_tune_verdict verdict;
		int tried; /* evaluations of this process */
	} step[] = {
		{ "A=1", "", GT_TUNE_OK, 1 },
		{ "A=2", "", GT_TUNE_OK, 2 },
		{ "HANG=1", "did not end", GT_TUNE_ENDED, 0 },
		{ "A=3", "", GT_TUNE_OK, 1 },
		{ "DIE=1", "Abort", GT_TUNE_ENDED, 0 },
		{ "LEAVE=1", "ended with 3", GT_TUNE_ENDED, 0 },
		{ "WRONG=1", "", GT_TUNE_WRONG, 1 },
		{ "LOST=1", "lost", GT_TUNE_ENDED, 2 },
		{ "A=4", "", GT_TUNE_OK, 1 },
	};
	struct counted c = { 0 };
	gt_child *child = NULL;
	gt_test_clock(0);
	ck_ok(gt_child_new(fake, &c, limit, 0, &child));
	for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
		gt_tune_evaluation t;
		try_variant(child, step[i].variant, &t);
		ck_assert_msg(t.verdict == step[i].verdict && strstr(t.why, step[i].why), "%s: %s, %s", step[i].variant,
		              gt_tune_verdict_text(t.verdict), t.why);
		if (t.verdict == GT_TUNE_OK)
			ck_assert_double_eq(t.ms, step[i].tried);
	}
	gt_child_free(child);
	ck_assert_int_eq(c.tried, 0);
}

GT_TEST(several_at_a_time)
{
	struct counted c = { 0 };
	gt_child *child[3];
	gt_tune_evaluation t;
	static const char *const variant[] = { "A=1", "HANG=1", "A=2" };
	gt_test_clock(0);
	for (int i = 0; i < 3; i++) {
		ck_ok(gt_child_new(fake, &c, i == 2 ? 3 * limit : limit, 0, &child[i]));
		gt_child_send(child[i], variant[i]);
	}
	for (int i = 0; i < 3; i++) {
		if (i == 1)
			gt_test_clock_pass(limit + 1);
		gt_child_wait(child[i], &t);
		ck_assert_int_eq(t.verdict, i == 1 ? GT_TUNE_ENDED : GT_TUNE_OK);
		gt_child_free(child[i]);
	}
}

GT_TEST(guard_words)
{
	enum { N = 1000, MIDDLE = 300, LENGTH = 411 };
	float words[N];
	gt_guard_fill(words, N);
	memset(words + MIDDLE, 0, LENGTH * sizeof *words);
	ck_assert(gt_guard_holds(words, 0, MIDDLE) && gt_guard_holds(words, MIDDLE + LENGTH, N - MIDDLE - LENGTH));
	for (size_t i = 0; i < N; i++) {
		if (i >= MIDDLE && i < MIDDLE + LENGTH)
			continue;
		const float before = words[i];
		words[i] = 0;
		ck_assert(!gt_guard_holds(words, 0, MIDDLE) || !gt_guard_holds(words, MIDDLE + LENGTH, N - MIDDLE - LENGTH));
		memcpy(words + i, &before, sizeof before);
		gt_guard_fill(words, N);
		memset(words + MIDDLE, 0, LENGTH * sizeof *words);
	}
}

int main(void) { return gt_test_main("processes for variants", NULL); }
