/* Requirements on the preset for each scan, as docs/commands.md states them. */
#include <math.h>
#include "apps/study/quality/cases.h"

/* 1 % of the voxels at steps of 800 HU may overshoot by more than this fraction of the step; achieved over target
 * noise. */
#define MAX_OVERSHOOT 0.1
#define MIN_NOISE 0.9
#define MAX_NOISE 1.1
/* Fraction of the patches, with kappa=noise. */
#define MIN_EVEN 0.9

static void add(study *s, const quality_case *c, const char *goal, double found, const char *bound, int kept)
{
	if (!isnan(found))
		study_row(&s->table[QUALITY_GOALS], TXT(c->key), TXT(goal), NUM(found), TXT(bound), TXT(kept ? "yes" : "no"));
}

void quality_goals(study *s, const quality_case *c, const quality_promised *found, const quality_result *r)
{
	const quality_result *preset = &r[QUALITY_PRESET], *direct = &r[QUALITY_FDK];
	/* With more noise than the direct method's widest window has there is nothing to compare. */
	const int same = fabs(direct->noise / preset->noise - 1) < QUALITY_SAME_NOISE;
	double worst = NAN;
	int at = 0;
	add(s, c, "overshoot at steps of 800 HU, part of the step", found->at_steps, "at most 0.1", found->at_steps <= MAX_OVERSHOOT);
	add(s, c, "noise had over asked", found->asked, "0.9 to 1.1", found->asked >= MIN_NOISE && found->asked <= MAX_NOISE);
	add(s, c, "even noise asked for: patches of 5 mm within 10 % of it, part", found->even, "at least 0.9", found->even >= MIN_EVEN);
	for (int k = 0; k < QUALITY_CLASSES; k++) {
		const double ratio = preset->rms[k] / direct->rms[k];
		if (same && isfinite(ratio) && !(ratio <= worst)) {
			worst = ratio;
			at = k;
		}
	}
	add(s, c, FORMAT("error over the direct method's, where it is most: %s", quality_class_names[at]), worst, "at most 1", worst <= 1);
}
