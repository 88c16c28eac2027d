/* Criteria that search strategies must meet on the logs: a row per log, and a summary. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "apps/study/tuner/tuner.h"

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

void tuner_add_success(study_table *t, const tuner_log *l, tuner_findings *f)
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

void tuner_success_part(const study *s, study_page *p)
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
