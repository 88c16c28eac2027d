/* Error bounds of variants: fixed ones, raised if the built-in kernel exceeds them. */
#include "tuner/bound.h"
#include <math.h>
#include <string.h>
#include "core/text.h"

/* Factor over the built-in kernel's error. The upper limits reject an entry that is wrong by 1e-4. */
static const double beyond = 1.5;
static const gt_off fixed = { 2e-6, 2e-5, 1e-5 }, never_more = { 1e-5, 5e-5, 5e-5 };
static const gt_off loosely = { 5e-3, 5e-2, 1e-5 }, never_more_loosely = { 5e-2, 0.5, 5e-5 };

static double follow(double fixed_one, double built_in, double max) { return fmin(fmax(fixed_one, beyond * built_in), max); }

gt_off gt_bound(int loose, gt_off built_in)
{
	const gt_off min = loose ? loosely : fixed, max = loose ? never_more_loosely : never_more;
	return (gt_off){ follow(min.rms, built_in.rms, max.rms), follow(min.entry, built_in.entry, max.entry),
		         follow(min.adjoint, built_in.adjoint, max.adjoint) };
}

void gt_bound_describe(gt_off allowed, gt_off built_in, char *text, size_t size)
{
	const size_t n = strlen(text);
	gt_snprintf(text + n, size - n, "%s%.1e %.1e %.1e (%.1e %.1e %.1e)", n ? "; " : "", allowed.rms, allowed.entry, allowed.adjoint,
	            built_in.rms, built_in.entry, built_in.adjoint);
}
