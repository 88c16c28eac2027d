/* Flat and dark fields, dead pixels, logarithm. Flat fields are averaged as counts, not as logarithms: -ln of a mean is
 * the value of one long exposure. */
#include <stdlib.h>
#include <string.h>
#include <gantry/array.h>
#include "core/line_integrals.h"
#include "core/order_statistics.h"
#include "core/try.h"
#include "geometry/not_finite.h"
#include "io/frames/intensity.h"
#include "io/write_kit/volume_units.h"

/* One step of a 16-bit detector: smaller transmissions are unreliable. */
#define MIN_TRANSMISSION (1.0 / 65536)
/* Pixels below this fraction of the signal of their neighbours are dead. */
#define DEAD 0.1
/* If more than this fraction of a flat field is saturated, the beam was too intense; fewer pixels are hot. */
#define MAX_SATURATED 0.02

static gt_status out_of_memory(void) { return gt_fail(GT_ERR_MEMORY, "flat and dark fields: out of memory"); }

/* Median of the 5 x 5 pixels around, within the detector. */
static double local_median(const float *gain, size_t rows, size_t columns, size_t row, size_t column)
{
	double value[25];
	size_t n = 0;
	for (size_t r = row < 2 ? 0 : row - 2; r <= row + 2 && r < rows; r++)
		for (size_t c = column < 2 ? 0 : column - 2; c <= column + 2 && c < columns; c++)
			value[n++] = gain[r * columns + c];
	return gt_upper_median(value, n);
}

/* Good pixels within the smallest distance that has at least three. */
static void find_neighbours(const gt_intensity *x, const unsigned char *dead, gt_filled_cell *f)
{
	for (size_t reach = 1; reach <= GT_FILL_REACH && f->n < 3; reach++) {
		f->n = 0;
		for (size_t r = f->row < reach ? 0 : f->row - reach; r <= f->row + reach && r < x->rows; r++)
			for (size_t c = f->column < reach ? 0 : f->column - reach; c <= f->column + reach && c < x->columns; c++)
				if (!dead[r * x->columns + c])
					f->from[f->n++] = r * x->columns + c;
	}
}

gt_status gt_intensity_fill(gt_intensity *x, const unsigned char *dead, const char *path)
{
	const size_t cells = x->rows * x->columns;
	size_t n = 0;
	for (size_t c = 0; c < cells; c++)
		n += dead[c];
	free(x->fill);
	x->fills = 0;
	if (!(x->fill = calloc(n ? n : 1, sizeof *x->fill)))
		return out_of_memory();
	for (size_t c = 0; c < cells; c++) {
		if (!dead[c])
			continue;
		gt_filled_cell *f = &x->fill[x->fills++];
		f->row = c / x->columns;
		f->column = c % x->columns;
		find_neighbours(x, dead, f);
		if (f->n == 0)
			return gt_fail(GT_ERR_FORMAT, "%s: row %zu, column %zu and all pixels within %d of it are dead", path, f->row,
			               f->column, GT_FILL_REACH);
		x->gain[c] = 1;
		for (size_t i = 1; i < x->sets; i++)
			x->set[i].gain[c] = 1;
	}
	return GT_OK;
}

gt_status gt_intensity_find_dead(gt_intensity *x, const char *path, const gt_read_options *o)
{
	const size_t cells = x->rows * x->columns;
	unsigned char *dead = calloc(cells, 1);
	size_t n = 0;
	gt_status st = GT_OK;
	float max = 0;
	if (!dead)
		return out_of_memory();
	for (size_t c = 0; c < cells; c++)
		max = x->gain[c] > max ? x->gain[c] : max;
	for (size_t c = 0; c < cells; c++) {
		/* Medians are at most max: only pixels below this limit need one. */
		dead[c] = !(x->gain[c] > 0) || x->gain[c] < DEAD * max;
		if (dead[c] && x->gain[c] > 0)
			dead[c] = x->gain[c] < DEAD * local_median(x->gain, x->rows, x->columns, c / x->columns, c % x->columns);
		n += dead[c];
	}
	if (2 * n > cells)
		GT_TRY(gt_fail(GT_ERR_FORMAT,
		               "%s: the flat field is not above the dark field in %zu of %zu pixels: are they exchanged (--flat, --dark)?",
		               path, n, cells));
	GT_TRY(gt_intensity_fill(x, dead, path));
	if (n)
		gt_read_note(o, "%s: interpolated %zu dead pixel%s (first at row %zu, column %zu)", path, n, n == 1 ? "" : "s",
		             x->fill[0].row, x->fill[0].column);
done:
	free(dead);
	return st;
}

/* Number of images of the first time. */
static size_t first_images(const gt_fields_of_scan *f)
{
	size_t n = 1;
	while (n < f->flat->frames && (!f->before || f->before[n] == f->before[0]))
		n++;
	return n;
}

/* A few saturated pixels of a flat field are hot, and treated as dead; many mean that the beam was too intense. */
static void take_saturated(gt_intensity *x, const gt_frame_source *flat, const gt_read_options *o)
{
	const size_t cells = x->rows * x->columns;
	size_t n = 0;
	for (size_t c = 0; c < cells && flat->max > 0; c++)
		n += x->gain[c] >= flat->max;
	if (!n || (double)n > MAX_SATURATED * (double)cells) {
		gt_note_saturated(flat, x->gain, o);
		return;
	}
	for (size_t c = 0; c < cells; c++)
		if (x->gain[c] >= flat->max)
			x->gain[c] = 0;
	gt_read_note(o, "%s: %zu pixel%s of the flat field %s saturated, at %.0f: treated as dead", flat->name(flat, 0), n,
	             n == 1 ? "" : "s", n == 1 ? "is" : "are", flat->max);
}

static double mean_of(const float *x, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum / (double)n;
}

gt_status gt_intensity_new(const gt_frame_source *frames, const gt_fields_of_scan *f, const gt_read_options *o, gt_intensity **out)
{
	const size_t cells = frames->rows * frames->columns;
	const int lit = f->flat || f->white > 0;
	gt_status st = GT_OK;
	gt_intensity *x = calloc(1, sizeof *x);
	if (!x)
		return out_of_memory();
	x->rows = frames->rows;
	x->columns = frames->columns;
	x->views = frames->frames;
	x->frames = frames;
	x->seen = calloc(frames->frames, 1);
	pthread_mutex_init(&x->lock, NULL);
	GT_TRY(x->seen ? gt_host_has_memory(16 * (double)cells, "flat and dark fields") : out_of_memory());
	if (f->flat) {
		const gt_averaged_fields flat = { f->flat, 0, first_images(f), "flat", 0 };
		GT_TRY(gt_mean_field(&flat, frames, o, &x->gain));
		gt_note_clipped_field(frames, f->flat, x->gain, o);
		take_saturated(x, f->flat, o);
	} else if (!(x->gain = malloc(cells * sizeof *x->gain))) {
		GT_TRY(out_of_memory());
	}
	if (f->dark) {
		const gt_averaged_fields dark = { f->dark, 0, f->dark->frames, "dark", f->flat ? mean_of(x->gain, cells) : f->white };
		GT_TRY(gt_mean_field(&dark, frames, o, &x->dark));
	}
	for (size_t c = 0; c < cells; c++)
		x->gain[c] = (f->flat ? x->gain[c] : (float)(f->white > 0 ? f->white : 1)) - (f->dark && lit ? x->dark[c] : 0);
	GT_TRY(gt_intensity_find_dead(x, f->flat ? f->flat->name(f->flat, 0) : frames->name(frames, 0), o));
	GT_TRY(gt_intensity_add_sets(x, f, o));
	*out = x;
	x = NULL;
done:
	gt_intensity_free(x);
	return st;
}

void gt_intensity_free(gt_intensity *x)
{
	if (!x)
		return;
	pthread_mutex_destroy(&x->lock);
	free(x->dark);
	free(x->gain);
	for (size_t i = 1; i < x->sets; i++)
		free(x->set[i].gain);
	free(x->set);
	free(x->fill);
	free(x->level);
	free(x->seen);
	free(x);
}

static gt_status check_counts(const gt_intensity *x, size_t view, size_t first, const float *t, size_t n)
{
	/* integers are finite */
	const size_t bad = x->frames->max > 0 ? n : gt_first_bad(t, n);
	return bad == n ? GT_OK
	                : gt_fail(GT_ERR_FORMAT, "%s: NaN or infinite in view %zu at row %zu, column %zu; expected finite numbers",
	                          x->frames->name(x->frames, view), view, (first + bad) / x->columns, (first + bad) % x->columns);
}

/* Extends rows row ... row+rows-1 by those that interpolation needs. */
static void widen(const gt_intensity *x, size_t *row, size_t *rows)
{
	size_t end = *row + *rows;
	int needed = 0;
	for (size_t i = 0; i < x->fills && !needed; i++)
		needed = x->fill[i].row >= *row && x->fill[i].row < end;
	if (!needed)
		return;
	*row = *row < GT_FILL_REACH ? 0 : *row - GT_FILL_REACH;
	end = end + GT_FILL_REACH < x->rows ? end + GT_FILL_REACH : x->rows;
	*rows = end - *row;
}

static void fill(const gt_intensity *x, size_t row, size_t rows, float *t)
{
	for (size_t i = 0; i < x->fills; i++) {
		const gt_filled_cell *f = &x->fill[i];
		double sum = 0;
		if (f->row < row || f->row >= row + rows)
			continue;
		size_t n = 0;
		for (size_t k = 0; k < f->n; k++)
			if (f->from[k] >= row * x->columns && f->from[k] < (row + rows) * x->columns) {
				sum += t[f->from[k] - row * x->columns];
				n++;
			}
		if (n)
			t[(f->row - row) * x->columns + f->column] = (float)(sum / (double)n);
	}
}

/* values that stay in the cache for all steps */
enum { BAND = 1 << 14 };

/* The sets before and after a view, and its fraction *part of the way; *after NULL: only one set. */
static const gt_flat_set *sets_of(const gt_intensity *x, size_t view, const gt_flat_set **after, double *part)
{
	const gt_flat_set *first = x->set;
	*after = NULL;
	*part = 0;
	while (first + 1 < x->set + x->sets && first[1].view <= (double)view)
		first++;
	if (first->view >= (double)view || first + 1 == x->set + x->sets)
		return first;
	*after = first + 1;
	*part = ((double)view - first->view) / (first[1].view - first->view);
	return first;
}

/* Converts n <= BAND counts from pixel `from` on to transmissions. A quotient of floats is bit-identical to the rounded
 * quotient of doubles (Figueroa, ACM SIGNUM Newsl. 30 (1995) 21). */
static void divide(const gt_intensity *x, size_t view, size_t from, float *t, size_t n)
{
	const gt_flat_set *after;
	double a;
	const float *gain = sets_of(x, view, &after, &a)->gain + from, *dark = x->dark ? x->dark + from : NULL,
		    *next = after ? after->gain + from : NULL;
	if (next)
		for (size_t c = 0; c < n; c++)
			t[c] = (float)(((double)t[c] - (dark ? dark[c] : 0)) / ((1 - a) * gain[c] + a * next[c]));
	else if (dark)
		for (size_t c = 0; c < n; c++)
			t[c] = (float)(((double)t[c] - dark[c]) / gain[c]);
	else
		for (size_t c = 0; c < n; c++)
			t[c] /= gain[c];
}

static gt_status transmission_of(gt_intensity *x, size_t view, size_t row, size_t rows, float *t)
{
	const size_t n = rows * x->columns, from = row * x->columns;
	gt_top_counts top = { 0, 0 };
	gt_status st = x->frames->read(x->frames, view, row, rows, t);
	for (size_t at = 0; at < n && st == GT_OK; at += BAND) {
		const size_t some = n - at < BAND ? n - at : BAND;
		st = check_counts(x, view, from + at, t + at, some);
		if (x->frames->max > 0)
			gt_top_counts_of(t + at, some, &top);
		divide(x, view, from + at, t + at, some);
	}
	if (st != GT_OK)
		return st;
	pthread_mutex_lock(&x->lock);
	gt_top_counts_add(&x->top, &top);
	pthread_mutex_unlock(&x->lock);
	fill(x, row, rows, t);
	return GT_OK;
}

gt_status gt_intensity_transmission(gt_intensity *x, size_t view, size_t row, size_t rows, float *out)
{
	size_t first = row, n = rows;
	widen(x, &first, &n);
	if (n == rows)
		return transmission_of(x, view, row, rows, out);
	float *t = malloc(n * x->columns * sizeof *t);
	if (!t)
		return gt_fail(GT_ERR_MEMORY, "view %zu: out of memory", view);
	const gt_status st = transmission_of(x, view, first, n, t);
	memcpy(out, t + (row - first) * x->columns, rows * x->columns * sizeof *out);
	free(t);
	return st;
}

/* Air level of a view, from all its rows whichever are requested; measured once. */
static gt_status air_of(gt_intensity *x, size_t view, gt_air_level *level)
{
	pthread_mutex_lock(&x->lock);
	*level = x->level[view];
	pthread_mutex_unlock(&x->lock);
	if (level->known)
		return GT_OK;
	gt_status st = GT_OK;
	float *t = malloc(x->rows * x->columns * sizeof *t);
	if (!t)
		return gt_fail(GT_ERR_MEMORY, "view %zu: out of memory", view);
	GT_TRY(gt_intensity_transmission(x, view, 0, x->rows, t));
	GT_TRY(gt_fail_in(gt_air_measure(x, t, level), "%s", x->frames->name(x->frames, view)));
	pthread_mutex_lock(&x->lock);
	x->level[view] = *level;
	pthread_mutex_unlock(&x->lock);
done:
	free(t);
	return st;
}

/* The air level varies with the column only. */
static gt_status take_logarithms(gt_intensity *x, size_t view, const gt_air_level *air, size_t rows, float *out)
{
	const double slope = x->columns > 1 ? (air->at_right - air->at_left) / (double)(x->columns - 1) : 0;
	double *level = malloc(x->columns * sizeof *level);
	size_t floored = 0;
	if (!level)
		return out_of_memory();
	for (size_t k = 0; k < x->columns; k++)
		level[k] = air->at_left + slope * (double)k;
	for (size_t r = 0; r < rows; r++)
		floored += gt_line_integrals(level, MIN_TRANSMISSION, x->columns, out + r * x->columns);
	free(level);
	pthread_mutex_lock(&x->lock);
	x->floored += floored;
	if (floored < rows * x->columns)
		x->seen[view] = GT_LIT;
	else if (x->seen[view] == GT_UNREAD)
		x->seen[view] = GT_BLACK;
	pthread_mutex_unlock(&x->lock);
	return GT_OK;
}

static gt_status measure_here(gt_intensity *x, size_t view, const float *t, gt_air_level *air)
{
	const gt_status st = gt_fail_in(gt_air_measure(x, t, air), "%s", x->frames->name(x->frames, view));
	if (st != GT_OK)
		return st;
	pthread_mutex_lock(&x->lock);
	x->level[view] = *air;
	pthread_mutex_unlock(&x->lock);
	return GT_OK;
}

gt_status gt_intensity_read(gt_intensity *x, size_t view, size_t row, size_t rows, float *out)
{
	gt_air_level air = { 1, 1, 1 };
	const int whole = rows == x->rows;
	gt_status st = x->level && !whole ? air_of(x, view, &air) : GT_OK;
	if (st == GT_OK)
		st = gt_intensity_transmission(x, view, row, rows, out);
	if (st == GT_OK && x->level && whole)
		st = measure_here(x, view, out, &air);
	return st == GT_OK ? take_logarithms(x, view, &air, rows, out) : st;
}
