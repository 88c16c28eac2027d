/* Running medians in a sorted window. The entering and the leaving value shift the values between them by one
 * position. All lines perform the same operations at the same time, so that no step depends on the data and the lines
 * vectorise. */
#include <math.h>
#include <string.h>
#include "core/clones.h"
#include "prepare/stripes/running_medians.h"

enum { LINES = GT_MEDIAN_LINES };

size_t gt_running_medians_scratch(size_t places) { return (places + 1) * LINES; }

/* sorted[n][LINES], followed by a line of infinity: replaces `out` by `in`; infinity marks an empty position. */
GT_CLONES static void replace(float *restrict sorted, size_t n, const float *restrict out, const float *restrict in)
{
	float before[LINES];
	for (int l = 0; l < LINES; l++)
		before[l] = -INFINITY;
	for (size_t i = 0; i < n; i++, sorted += LINES)
		for (int l = 0; l < LINES; l++) {
			const float here = sorted[l] >= out[l] ? sorted[LINES + l] : sorted[l], min = in[l] < here ? in[l] : here;
			sorted[l] = before[l] > min ? before[l] : min;
			before[l] = here;
		}
}

void gt_running_medians(const float *x, size_t places, size_t window, float *scratch, float *out)
{
	const size_t half = window / 2, size = window < places ? window : places;
	size_t last = 0, n = 0; /* end of the values read; number in the window */
	float nothing[LINES];
	for (int l = 0; l < LINES; l++)
		nothing[l] = INFINITY;
	for (size_t i = 0; i < gt_running_medians_scratch(size); i++)
		scratch[i] = INFINITY;
	for (size_t k = 0; k < places; k++) {
		const float *leaves = k > half ? x + (k - half - 1) * LINES : nothing;
		for (; last < places && last < k + half; last++, n++)
			replace(scratch, size, nothing, x + last * LINES);
		const int comes = last < places;
		if (comes || k > half)
			replace(scratch, size, leaves, comes ? x + last * LINES : nothing);
		last += (size_t)comes;
		n += (size_t)comes;
		n -= k > half;
		memcpy(out + k * LINES, scratch + n / 2 * LINES, LINES * sizeof *out);
	}
}

GT_INLINE float min(float a, float b) { return a < b ? a : b; }
GT_INLINE float max(float a, float b) { return a < b ? b : a; }

static GT_CLONES void medians_of_five(const float *restrict x, size_t places, float *restrict out)
{
	for (size_t k = 2; k + 2 < places; k++) {
		const float a = x[k - 2], b = x[k - 1], c = x[k], d = x[k + 1], e = x[k + 2];
		/* Neither the smallest nor the largest of four is the median of five. */
		const float low = max(min(a, b), min(c, d)), high = min(max(a, b), max(c, d));
		out[k] = max(min(low, high), min(max(low, high), e));
	}
}
/* GT_CLONES would export the function. */
void gt_medians_of_five(const float *x, size_t places, float *out) { medians_of_five(x, places, out); }

/* Median of nine: sorts three triples, then takes the median of the largest minimum, the middle median and the
 * smallest maximum. */
GT_CLONES static void medians_of_nine(const float *restrict x, size_t places, float *restrict out)
{
	for (size_t k = 4; k + 4 < places; k++) {
		float low[3], middle[3], high[3];
		for (int i = 0; i < 3; i++) {
			const float *of = x + k - 4 + 3 * i;
			const float a = min(of[0], of[1]), b = max(of[0], of[1]), c = of[2];
			low[i] = min(a, c);
			high[i] = max(b, c);
			middle[i] = max(a, min(b, c));
		}
		const float a = max(max(low[0], low[1]), low[2]), c = min(min(high[0], high[1]), high[2]);
		const float b = max(min(middle[0], middle[1]), min(max(middle[0], middle[1]), middle[2]));
		out[k] = max(min(a, b), min(max(a, b), c));
	}
}

/* Returns the median of the part of the window within the line, by insertion. */
static float median_at(const float *x, size_t places, size_t k, size_t half)
{
	const size_t first = k < half ? 0 : k - half, last = k + half < places ? k + half : places - 1;
	float sorted[9];
	size_t n = 0;
	for (size_t i = first; i <= last; i++, n++) {
		size_t at = n;
		for (; at > 0 && sorted[at - 1] > x[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = x[i];
	}
	return sorted[n / 2];
}

void gt_short_medians(const float *x, size_t places, size_t window, float *out)
{
	const size_t half = window / 2, inner = places > 2 * half ? half : places;
	if (window == 5)
		medians_of_five(x, places, out);
	else
		medians_of_nine(x, places, out);
	for (size_t k = 0; k < places; k++)
		if (k < inner || k + inner >= places)
			out[k] = median_at(x, places, k, half);
}
