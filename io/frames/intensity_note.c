/* Notes on implausible counts. A single black view comes from a closed shutter or a lost exposure, many dark values
 * from a dark field of another exposure, one value in many pixels from saturation. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/order_statistics.h"
#include "io/frames/intensity.h"
#include "io/write_kit/volume_units.h"

void gt_intensity_restart(gt_intensity *x)
{
	memset(x->seen, GT_UNREAD, x->views);
	x->floored = 0;
	x->top = (gt_top_counts){ 0, 0 };
}

/* Positive floats are ordered as their bits are; a maximum of integers is vectorised. */
void gt_top_counts_of(const float *stored, size_t n, gt_top_counts *top)
{
	int32_t max = 0, value;
	uint32_t equal = 0;
	gt_top_counts here = { 0, 0 };
	for (size_t i = 0; i < n; i++) {
		memcpy(&value, stored + i, sizeof value);
		max = value > max ? value : max;
	}
	memcpy(&here.counts, &max, sizeof max);
	if (here.counts < top->counts)
		return;
	for (size_t i = 0; i < n; i++)
		equal += stored[i] == here.counts;
	here.values = equal;
	gt_top_counts_add(top, &here);
}

void gt_top_counts_add(gt_top_counts *top, const gt_top_counts *more)
{
	const size_t before = top->counts > more->counts ? SIZE_MAX : top->counts == more->counts ? top->values : 0;
	if (before < SIZE_MAX)
		*top = (gt_top_counts){ more->counts, before + more->values };
}

/* Largest plausible fraction of values without transmission: air and most of the object transmit more. */
#define MAX_DARK 0.3

gt_status gt_intensity_check(const gt_intensity *x, const char *path, double white)
{
	size_t lit = 0, black = 0;
	for (size_t v = 0; v < x->views; v++) {
		lit += x->seen[v] == GT_LIT;
		black += x->seen[v] == GT_BLACK;
	}
	const double view = (double)x->rows * (double)x->columns, dark = ((double)x->floored - (double)black * view) / ((double)lit * view);
	if (!(white > 0) || !(dark > MAX_DARK))
		return GT_OK;
	return gt_fail(GT_ERR_FORMAT,
	               "%s: %.0f %% of the values are at most 1/65536 of white=%g, expected counts; use --values line-integrals if they "
	               "are line integrals",
	               path, 100 * fmin(dark, 1), white);
}

/* Adjacent second differences of white noise have the correlation -2/3: 73 % of their signs alternate. In smooth
 * images few do. Rounding to integers makes them 0.7 counts large; values below MIN_NOISE do not count. */
#define MIN_NOISE 3
#define ALTERNATING 0.5
enum { MIN_PAIRS = 20 };

static int is_noisy(const float *t, size_t rows, size_t columns)
{
	size_t pairs = 0, alternating = 0;
	for (size_t r = 0; r < rows; r++) {
		const float *x = t + r * columns;
		double before = 0;
		for (size_t c = 1; c + 1 < columns; c++) {
			const double here = (double)x[c - 1] - 2 * (double)x[c] + (double)x[c + 1];
			const int counts = fabs(here) >= MIN_NOISE && fabs(before) >= MIN_NOISE;
			pairs += counts;
			alternating += counts && here * before < 0;
			before = here;
		}
	}
	return pairs >= MIN_PAIRS && (double)alternating > ALTERNATING * (double)pairs;
}

/* Returns 1 if the central view of the scan has noise. */
static int has_noise(const gt_frame_source *s)
{
	float *t = malloc(s->rows * s->columns * sizeof *t);
	const int noisy = t && s->read(s, s->frames / 2, 0, s->rows, t) == GT_OK && is_noisy(t, s->rows, s->columns);
	free(t);
	return noisy;
}

/* Many pixels with exactly the largest counts are saturated, unless the images have no noise, as simulated air. */
#define MAX_EQUAL 0.01

static void note_saturated(const gt_intensity *x, size_t all, const gt_read_options *o)
{
	const gt_top_counts *top = &x->top;
	const double part = (double)top->values / (double)all;
	const int saturated = (top->counts >= (float)x->frames->max && part > 1e-3) || (part > MAX_EQUAL && has_noise(x->frames));
	if (x->frames->max > 0 && saturated)
		gt_read_note(o, "%zu of %zu pixels are saturated at %.0f counts: their transmission is underestimated", top->values, all,
		             (double)top->counts);
}

/* A synthetic field may be one number; a smooth field has more values just below its maximum than there. */
#define CLOSE 0.98
enum { MIN_CLIPPED = 16, MIN_CLIPPED_PER_CLOSE = 2 };

void gt_note_clipped_field(const gt_frame_source *views, const gt_frame_source *flat, const float *mean, const gt_read_options *o)
{
	const size_t cells = flat->rows * flat->columns;
	gt_top_counts top = { 0, 0 };
	size_t close = 0;
	gt_top_counts_of(mean, cells, &top);
	for (size_t c = 0; c < cells; c++)
		close += mean[c] < top.counts && mean[c] > CLOSE * top.counts;
	if (flat->max > 0 && top.counts < (float)flat->max && top.values < cells && top.values >= MIN_CLIPPED &&
	    top.values > MIN_CLIPPED_PER_CLOSE * close && (double)top.values > MAX_EQUAL * (double)cells && has_noise(views))
		gt_read_note(o,
		             "%s: %zu of %zu pixels of the flat field are saturated at %.0f counts: their true counts are unknown; "
		             "use flat fields with fewer counts, or --white",
		             flat->name(flat, 0), top.values, cells, (double)top.counts);
}

void gt_intensity_note(const gt_intensity *x, const char *path, const gt_read_options *o)
{
	size_t black = 0, first = 0, read = 0;
	for (size_t v = 0; v < x->views; v++) {
		first = x->seen[v] == GT_BLACK && !black ? v : first;
		black += x->seen[v] == GT_BLACK;
		read += x->seen[v] != GT_UNREAD;
	}
	/* If all views are black, white or the dark field is wrong. */
	black = black == read ? 0 : black;
	const size_t view = x->rows * x->columns, all = x->views * view, dark = x->floored - (x->floored < black * view ? 0 : black * view);
	if (black)
		gt_read_note(o,
		             "%s: %zu of %zu views %s black, the first is view %zu (%s): no transmission above 1/65536 of white; remove "
		             "black views, or select others (--views)",
		             path, black, read, black == 1 ? "is" : "are", first, x->frames->name(x->frames, first));
	if (dark)
		gt_read_note(o, "%zu of %zu transmissions are below 1/65536: clipped to that value%s", dark, all,
		             100 * dark > all ? "; is the dark field of another exposure?" : "");
	note_saturated(x, all, o);
}

/* Largest plausible deviation of a flat field from the median of all, and of a dark field in units of the signal. */
#define ODD_FLAT 0.2
#define ODD_DARK 0.05

gt_status gt_note_odd_field(const gt_averaged_fields *f, const double *level, const gt_read_options *o)
{
	double *sorted = malloc(f->n * sizeof *sorted);
	size_t odd = 0;
	if (!sorted)
		return gt_fail(GT_ERR_MEMORY, "flat and dark fields: out of memory");
	memcpy(sorted, level, f->n * sizeof *sorted);
	const double median = gt_upper_median(sorted, f->n);
	free(sorted);
	for (size_t i = 0; i < f->n; i++)
		odd = fabs(level[i] - median) > fabs(level[odd] - median) ? i : odd;
	const double limit = strcmp(f->what, "dark") ? ODD_FLAT * fabs(median) : ODD_DARK * f->signal;
	if (o && limit > 0 && fabs(level[odd] - median) > limit)
		gt_read_note(
			o,
			"%s: %s field %zu of %zu has %.5g counts in the mean, the median of all has %.5g: is it of another exposure, or "
			"no %s field? Remove it",
			f->source->name(f->source, f->first + odd), f->what, odd + 1, f->n, level[odd], median, f->what);
	return GT_OK;
}
