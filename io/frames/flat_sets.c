/* Flat fields of one or several times: before, during and after a scan. Views are divided by an interpolation in time.
 * Distinguishes changes of the beam intensity from views that were passed as flat fields. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/array.h>
#include "core/order_statistics.h"
#include "core/try.h"
#include "geometry/not_finite.h"
#include "io/frames/intensity.h"
#include "io/write_kit/volume_units.h"

/* More than DARK_AREA of the detector below DARK_PART of another field's signal, relative to most of the detector,
 * means an object. Objects do that in most views; the beam does not. */
#define DARK_PART 0.7
#define DIM_PART 0.9
#define DARK_AREA 0.02
/* Pixels below this fraction of their former signal are unlit. */
#define DEAD 0.1
enum { BLOCK = 8 };

static gt_status out_of_memory(void) { return gt_fail(GT_ERR_MEMORY, "flat and dark fields: out of memory"); }

gt_status gt_mean_field(const gt_averaged_fields *f, const gt_frame_source *views, const gt_read_options *o, float **out)
{
	const gt_frame_source *s = f->source;
	const size_t cells = views->rows * views->columns;
	double *sum = NULL, *level = NULL;
	float *frame = NULL;
	gt_status st = GT_OK;
	if (s->rows != views->rows || s->columns != views->columns)
		return gt_fail(GT_ERR_FORMAT,
		               "%s: a %s field of %zu rows x %zu columns, expected %zu x %zu as in %s: is it of another scan, or binned?",
		               s->name(s, 0), f->what, s->rows, s->columns, views->rows, views->columns, views->name(views, 0));
	sum = calloc(cells, sizeof *sum);
	level = calloc(f->n, sizeof *level);
	frame = malloc(cells * sizeof *frame);
	*out = malloc(cells * sizeof **out);
	if (!sum || !level || !frame || !*out)
		GT_TRY(out_of_memory());
	for (size_t i = f->first; i < f->first + f->n; i++) {
		GT_TRY(s->read(s, i, 0, s->rows, frame));
		const size_t bad = gt_first_bad(frame, cells);
		if (bad < cells)
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: NaN or infinite at row %zu, column %zu", s->name(s, i), bad / s->columns,
			               bad % s->columns));
		for (size_t c = 0; c < cells; c++) {
			sum[c] += frame[c];
			level[i - f->first] += frame[c] / (double)cells;
		}
	}
	for (size_t c = 0; c < cells; c++)
		(*out)[c] = (float)(sum[c] / (double)f->n);
	GT_TRY(gt_note_odd_field(f, level, o));
done:
	free(sum);
	free(level);
	free(frame);
	return st;
}

void gt_note_saturated(const gt_frame_source *flat, const float *mean, const gt_read_options *o)
{
	size_t n = 0;
	for (size_t c = 0; c < flat->rows * flat->columns && flat->max > 0; c++)
		n += mean[c] >= flat->max;
	if (n)
		gt_read_note(o,
		             "%s: %zu pixels of the flat field are saturated, at %.0f: their true counts are unknown; "
		             "use flat fields with fewer counts, or --white",
		             flat->name(flat, 0), n, flat->max);
}

static double share_below(const double *ratio, size_t n, double level)
{
	size_t below = 0;
	for (size_t i = 0; i < n; i++)
		below += ratio[i] < level;
	return (double)below / (double)n;
}

/* Fractions of the detector in which one field has less relative signal than another. */
typedef struct {
	double dark, dim;
} shadow;

/* Compares blocks of pixels, which averages noise. The reference level is the median of the brighter half. */
static gt_status find_shadow(const gt_intensity *x, const float *field, const float *other, shadow *found)
{
	const size_t across = (x->columns + BLOCK - 1) / BLOCK, n = across * ((x->rows + BLOCK - 1) / BLOCK);
	double *ratio = calloc(3 * n, sizeof *ratio), *first = ratio + n, *some = first + n;
	size_t upper = 0;
	if (!ratio)
		return out_of_memory();
	for (size_t c = 0; c < x->rows * x->columns; c++) {
		const size_t block = c / x->columns / BLOCK * across + c % x->columns / BLOCK;
		ratio[block] += field[c];
		first[block] += other[c];
	}
	for (size_t i = 0; i < n; i++)
		some[i] = ratio[i] /= first[i];
	const double middle = gt_upper_median(some, n);
	for (size_t i = 0; i < n; i++)
		if (ratio[i] >= middle)
			some[upper++] = ratio[i];
	const double level = gt_upper_median(some, upper);
	*found = (shadow){ share_below(ratio, n, DARK_PART * level), share_below(ratio, n, DIM_PART * level) };
	free(ratio);
	return GT_OK;
}

static gt_status body_in(const char *name, double part, const char *which)
{
	return gt_fail(GT_ERR_FORMAT,
	               "%s: relative to the rest, %.0f %% of the detector has less than %g of its signal %s: "
	               "these flat fields contain an object; are they views?",
	               name, 100 * part, DARK_PART, which);
}

static double light_of(const gt_intensity *x, const float *field)
{
	double sum = 0;
	for (size_t c = 0; c < x->rows * x->columns; c++)
		sum += field[c];
	return sum;
}

/* Checks that a field differs from the first one only by the beam. *first: the object is in the first one. */
static gt_status check_light(const gt_intensity *x, const float *gain, const char *name, const gt_read_options *o, int *first)
{
	shadow later, earlier;
	gt_status st = GT_OK;
	GT_TRY(find_shadow(x, gain, x->gain, &later));
	GT_TRY(find_shadow(x, x->gain, gain, &earlier));
	/* An object that covers most of one field makes the rest of the other field look darker. */
	*first = earlier.dark > DARK_AREA && (later.dark <= DARK_AREA || light_of(x, x->gain) < light_of(x, gain));
	if (*first)
		st = body_in(name, earlier.dark, "in flat fields of a later time");
	else if (later.dark > DARK_AREA)
		st = body_in(name, later.dark, "before");
	else if (later.dim > DARK_AREA)
		gt_read_note(o,
		             "%s: relative to the rest, %.0f %% of the detector has less than %g of its signal before: "
		             "does it contain an object?",
		             name, 100 * later.dim, DIM_PART);
done:
	return st;
}

static gt_status append(gt_intensity *x, double view, float *gain)
{
	gt_flat_set *more = realloc(x->set, (x->sets + 1) * sizeof *more);
	if (!more)
		return out_of_memory();
	x->set = more;
	x->set[x->sets++] = (gt_flat_set){ view, gain };
	return GT_OK;
}

/* Flat fields of one time, and their position among the views. own: as gt_fields_of_scan. */
typedef struct {
	const gt_frame_source *source;
	size_t first, n;
	double view;
	int own;
} later_set;

/* Unlit pixels: a few have died and are interpolated in all views; many mean a closed shutter. */
typedef struct {
	unsigned char *dead; /* including earlier dead pixels */
	size_t n, first;
} unlit_cells;

static gt_status find_unlit(const gt_intensity *x, const float *gain, const char *name, unlit_cells *u)
{
	const size_t cells = x->rows * x->columns;
	if (!(u->dead = calloc(cells, 1)))
		return out_of_memory();
	for (size_t i = 0; i < x->fills; i++)
		u->dead[x->fill[i].row * x->columns + x->fill[i].column] = 1;
	for (size_t c = 0; c < cells; c++)
		if (!u->dead[c] && !(gain[c] > DEAD * x->gain[c])) {
			u->first = u->n++ ? u->first : c;
			u->dead[c] = 1;
		}
	if ((double)u->n > DARK_AREA * (double)cells)
		return gt_fail(GT_ERR_FORMAT,
		               "%s: row %zu, column %zu has %.4g counts above the dark field after the scan and %.4g before: has the "
		               "shutter closed, or is it of another scan?",
		               name, u->first / x->columns, u->first % x->columns, (double)gain[u->first], (double)x->gain[u->first]);
	return GT_OK;
}

static gt_status fill_unlit(gt_intensity *x, float *gain, const char *name, const unlit_cells *u, const gt_read_options *o)
{
	if (!u->n)
		return GT_OK;
	gt_read_note(o, "%s: interpolated %zu dead pixel%s that had signal before (first at row %zu, column %zu)", name, u->n,
	             u->n == 1 ? "" : "s", u->first / x->columns, u->first % x->columns);
	for (size_t c = 0; c < x->rows * x->columns; c++)
		gain[c] = u->dead[c] ? 1 : gain[c];
	return gt_intensity_fill(x, u->dead, name);
}

static gt_status check_set(const gt_intensity *x, float *gain, const char *name, const gt_read_options *o, unlit_cells *u, int *first)
{
	const gt_status st = find_unlit(x, gain, name, u);
	if (st != GT_OK)
		return st;
	for (size_t c = 0; c < x->rows * x->columns; c++)
		gain[c] = u->dead[c] ? x->gain[c] : gain[c];
	return check_light(x, gain, name, o, first);
}

/* Ignores sets of the scan's own file that do not fit, with a note; other sets are an error. */
static gt_status leave_out(const later_set *l, gt_status why, int first, const gt_read_options *o)
{
	if (!l->own || why != GT_ERR_FORMAT)
		return why;
	gt_read_note(o, "%s (flat fields of %s time are ignored; --flat selects others)", gt_error(), first ? "the first" : "that");
	return GT_OK;
}

/* o: receives the note on saturated pixels; NULL: no note. */
static gt_status light_of_set(const gt_intensity *x, const later_set *l, const gt_read_options *o, float **gain)
{
	const gt_averaged_fields images = { l->source, l->first, l->n, "flat", 0 };
	const gt_status st = gt_mean_field(&images, x->frames, o, gain);
	if (o && st == GT_OK)
		gt_note_saturated(l->source, *gain, o);
	for (size_t c = 0; c < x->rows * x->columns && x->dark && st == GT_OK; c++)
		(*gain)[c] -= x->dark[c];
	return st;
}

static gt_status add_later(gt_intensity *x, const later_set *l, const gt_read_options *o)
{
	const size_t cells = x->rows * x->columns;
	const char *name = l->source->name(l->source, l->first);
	float *gain = NULL, *raw = NULL;
	unlit_cells unlit = { NULL, 0, 0 };
	int first = 0;
	gt_status st = GT_OK;
	if (l->view <= x->set[x->sets - 1].view)
		return gt_fail(GT_ERR_ARG, "%s: flat fields are not later than the preceding ones: expected one set for each time", name);
	GT_TRY(gt_host_has_memory(16 * (double)cells, "flat fields of another time"));
	GT_TRY(light_of_set(x, l, o, &gain));
	for (size_t i = 0; i < x->fills; i++)
		gain[x->fill[i].row * x->columns + x->fill[i].column] = 1;
	const gt_status fits = check_set(x, gain, name, o, &unlit, &first);
	if (fits != GT_OK) {
		/* with several earlier sets, the present one is the exception */
		first = first && x->sets == 1;
		GT_TRY(leave_out(l, fits, first, o));
		if (first) {
			/* pixels that only the object had darkened are not dead */
			GT_TRY(light_of_set(x, l, NULL, &raw));
			memcpy(x->gain, raw, cells * sizeof *raw);
			x->set[0].view = l->view;
			st = gt_intensity_find_dead(x, name, o);
		}
		goto done;
	}
	GT_TRY(fill_unlit(x, gain, name, &unlit, o));
	GT_TRY(append(x, l->view, gain));
	gain = NULL;
done:
	free(gain);
	free(raw);
	free(unlit.dead);
	return st;
}

/* Position of a set among the views, from the number of views before it. */
static double view_of_set(const gt_intensity *x, size_t before)
{
	if (x->views == 1) /* between the fields before and after it */
		return before ? 0.5 : -0.5;
	return before == 0 ? 0 : before >= x->views ? (double)x->views - 1 : (double)before - 0.5;
}

/* Signal of the last set as a fraction of the first one's. */
static double last_level(const gt_intensity *x)
{
	const float *last = x->set[x->sets - 1].gain;
	double before = 0, after = 0;
	for (size_t c = 0; c < x->rows * x->columns; c++) {
		before += x->gain[c];
		after += last[c];
	}
	return after / before;
}

gt_status gt_intensity_add_sets(gt_intensity *x, const gt_fields_of_scan *f, const gt_read_options *o)
{
	const size_t images = f->flat && f->before ? f->flat->frames : 0;
	gt_status st = append(x, view_of_set(x, images ? f->before[0] : 0), x->gain);
	later_set l = { .source = f->flat, .own = f->own };
	for (; l.first < images && st == GT_OK; l.first += l.n) {
		for (l.n = 1; l.first + l.n < images && f->before[l.first + l.n] == f->before[l.first];)
			l.n++;
		l.view = view_of_set(x, f->before[l.first]);
		if (l.first > 0)
			st = add_later(x, &l, o);
	}
	if (st == GT_OK && x->sets > 1)
		gt_read_note(
			o, "flat fields of %zu times, the last with %.4g of the first one's signal: views are divided by an interpolation",
			x->sets, last_level(x));
	return st;
}

gt_status gt_intensity_set_after(gt_intensity *x, const gt_frame_source *flat, const gt_read_options *o)
{
	const later_set l = { flat, 0, flat->frames, view_of_set(x, x->views), 0 };
	const gt_status st = add_later(x, &l, o);
	if (st == GT_OK)
		gt_read_note(
			o,
			"flat field after the scan: %zu image%s from %s, %.4g of the signal before; views are divided by an interpolation",
			flat->frames, flat->frames == 1 ? "" : "s", flat->name(flat, 0), last_level(x));
	return st;
}

gt_status gt_flat_times(const char *text, size_t images, size_t views, size_t **before)
{
	const char *at = text;
	size_t times = 1;
	for (const char *c = at; *c; c++)
		times += *c == ',';
	if (!images || images % times)
		return gt_fail(GT_ERR_ARG, "flat_at %s: %zu times, but %zu flat fields: expected equal numbers for each time", text, times,
		               images);
	free(*before);
	if (!(*before = malloc(images * sizeof **before)))
		return out_of_memory();
	for (size_t time = 0, last = 0; time < times; time++) {
		char *end;
		const unsigned long long n = strtoull(at, &end, 10);
		if (*at < '0' || *at > '9' || *end != (time + 1 < times ? ',' : 0) || n > views || (time && n <= last))
			return gt_fail(GT_ERR_ARG, "flat_at %s: expected ascending numbers of views from 0 to %zu, separated by commas",
			               text, views);
		for (size_t i = 0; i < images / times; i++)
			(*before)[time * (images / times) + i] = (size_t)n;
		last = (size_t)n;
		at = end + 1;
	}
	return GT_OK;
}

void gt_note_number(const gt_frame_source *field, const char *what, const gt_frame_source *scan, const gt_read_options *o)
{
	if (field && field->frames > 1 && field->frames == scan->frames)
		gt_read_note(o, "%s: the number of %s fields equals the number of views, %zu: are they views?", field->name(field, 0), what,
		             field->frames);
}
