/* A remark on projections that no detector can have measured as -ln(I/I0). */
#include "core/log.h"
#include "io/plausibility.h"

/* Twenty times as bright as air; and so dark that 10^21 photons leave not one. Noise and photons that lack stay far within. */
#define LEAST -3.0f
#define MOST 50.0f

static int is_strange(float x) { return (x < LEAST) | (x > MOST); }

void gt_value_range_look(gt_value_range *l, const float *value, size_t n)
{
	size_t strange = 0;
	for (size_t i = 0; i < n; i++)
		strange += (size_t)is_strange(value[i]);
	l->looked += n;
	if (strange && !l->strange)
		l->least = l->most = value[0];
	l->strange += strange;
	for (size_t i = 0; strange && i < n; i++) {
		l->least = value[i] < l->least ? value[i] : l->least;
		l->most = value[i] > l->most ? value[i] : l->most;
	}
}

void gt_value_range_note(const gt_listener *log, const char *path, const gt_value_range *l)
{
	if (l->strange)
		gt_say(log, GT_INFO, GT_ABOUT_CHOICE,
		       "%s: %zu of %zu values, from %.4g to %.4g, are no line integrals: expected -ln(I/I0), which is 0 in air, seldom above 15 "
		       "and never above %g or below %g; are they counts, or of another unit?",
		       path, l->strange, l->looked, (double)l->least, (double)l->most, (double)MOST, (double)LEAST);
}
