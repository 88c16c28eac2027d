/* gt_tune_projector(): tunes both directions of a projector; each gets search time in proportion to its run time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/text.h"
#include "core/try.h"
#include "tuner/tune.h"
#include "tuner/tuner.h"

enum { DIRECTIONS = 2 };
/* Fraction of the remaining time that the final timing of each part takes. */
static const double for_the_end = 0.1;

/* Times the built-in kernel; sets part->why if it cannot be tuned. */
static void look_at(const gt_tune_options *o, gt_tune_part *part)
{
	gt_tune_options one = *o;
	gt_tune_evaluation t;
	one.kernel = part->kernel;
	const gt_status st = gt_tune_try(&one, "", &t);
	if (st != GT_OK)
		gt_snprintf(part->why, sizeof part->why, "%s", gt_error());
	else if (t.verdict != GT_TUNE_OK)
		gt_snprintf(part->why, sizeof part->why, "%s", t.why);
	else
		part->ms = t.built_in_ms;
}

static gt_status tune_part(const gt_tune_options *o, gt_tune_part *part)
{
	gt_tune_options one = *o;
	char *log = o->log ? gt_text("%s.%s", o->log, part->kernel) : NULL;
	one.kernel = part->kernel;
	one.log = log;
	one.seconds = o->seconds * (1 - for_the_end) * part->share;
	one.evaluations = (size_t)ceil((double)o->evaluations * part->share);
	const gt_status st = gt_tune_search(&one, &part->outcome);
	free(log);
	return st;
}

gt_status gt_tune_projector(const gt_tune_options *o, const char *projector, void (*each)(void *self, const gt_tune_part *part))
{
	gt_tune_part part[DIRECTIONS];
	double sum = 0;
	gt_status st = GT_OK;
	memset(part, 0, sizeof part);
	for (int back = 0; back < DIRECTIONS; back++) {
		part[back].size = sizeof *part;
		part[back].kernel = gt_tune_kernel_of(projector, back);
		if (!part[back].kernel)
			return gt_fail(GT_ERR_UNSUPPORTED, "no kernel of the projector %s can be tuned: expected dd, sf-tr or joseph",
			               projector);
	}
	for (int back = 0; back < DIRECTIONS; back++) {
		look_at(o, &part[back]);
		sum += part[back].ms;
	}
	if (sum == 0)
		return gt_fail(GT_ERR_UNSUPPORTED, "no kernel of this run can be tuned here: needs an NVIDIA GPU and NVRTC: %s",
		               part[0].why);
	for (int back = 0; back < DIRECTIONS && (st == GT_OK || st == GT_ERR_IO); back++) {
		part[back].share = part[back].ms / sum;
		if (part[back].ms > 0)
			st = tune_part(o, &part[back]);
		if (st == GT_OK || st == GT_ERR_IO)
			each(o->self, &part[back]);
	}
	return st;
}
