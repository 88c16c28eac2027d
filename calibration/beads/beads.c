/* Calibration by beads: finds bead projections, assigns them to beads, and adjusts the geometry. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/author/scan_math.h>
#include "calibration/beads/beads.h"
#include "calibration/note.h"
#include "core/arguments.h"
#include "core/try.h"
#include "geometry/projections.h"

enum { N = GT_BEADS_PARAMETERS, MAX_BEADS = GT_BEADS_MAX, MIN_VIEWS = 8, ROUNDS = 4 };
const gt_beads_options gt_beads_defaults = { .size = sizeof(gt_beads_options) };
/* Largest RMS residual in pixels: of one geometry for all views, and before each view gets its own. */
static const double max_rms = 1, max_rms_each_view = 8;
static const double gates[] = { 4, 8, 16, 32, 64 };

static gt_status check(const gt_projections *p, const gt_beads_options *o)
{
	const gt_scan *s = p->scan;
	if (!p->data)
		return gt_fail(GT_ERR_ARG, "calibration by beads: found no line integrals");
	if (o->beads < GT_BEADS_MIN || o->beads > GT_BEADS_MAX)
		return gt_fail(GT_ERR_ARG, "%zu beads: expected %d to %d", o->beads, GT_BEADS_MIN, GT_BEADS_MAX);
	if (!(o->span >= 0) || isinf(o->span) || (o->span > 0 && o->place))
		return gt_fail(GT_ERR_ARG, "span of the beads %g: expected a length in mm, and 0 if positions are given", o->span);
	for (size_t k = 0; o->place && k < o->beads; k++)
		if (!isfinite(o->place[k][0]) || !isfinite(o->place[k][1]) || !isfinite(o->place[k][2]))
			return gt_fail(GT_ERR_ARG, "position of bead %zu: expected finite numbers in mm", k);
	if (s->shape != GT_FLAT || gt_scan_is_helical(s))
		return gt_fail(GT_ERR_UNSUPPORTED, "beads: expected a cone beam, a flat detector and a circular orbit, found %s",
		               s->shape == GT_ARC    ? "an arc detector"
		               : s->shape == GT_FLAT ? "a helix"
		                                     : "parallel rays; use gantry calibrate --find axis,roll");
	if (s->views < MIN_VIEWS)
		return gt_fail(GT_ERR_UNSUPPORTED, "beads: %zu views: expected at least %d, preferably over 360 degrees", s->views,
		               MIN_VIEWS);
	return gt_projections_unfiltered(p, "calibration by beads", "");
}

static void forget_sights(gt_bead_search *s)
{
	for (size_t i = 0; i < s->given->views * MAX_BEADS; i++)
		s->sight[i] = GT_BEADS_NONE;
	s->beads = 0;
	s->shift[0] = s->shift[1] = 0;
}

static gt_status wrong_number(size_t found, size_t expected)
{
	return gt_fail(
		GT_ERR_UNSUPPORTED,
		"found %zu beads that at least half of the views show separately, expected %zu: count the beads within the field of view "
		"in all views; %s",
		found, expected, found < expected ? "beads must not overlap" : "list every bead, or move it outside");
}

/* Finds the beads with the smallest gate that yields `expected` beads. */
static gt_status find_beads(gt_bead_search *s, size_t expected)
{
	gt_status st = GT_OK;
	size_t max = 0;
	for (size_t g = 0; g < sizeof gates / sizeof *gates; g++) {
		forget_sights(s);
		GT_TRY(gt_beads_match(s, gates[g]));
		max = s->beads > max ? s->beads : max;
		if (s->beads >= expected)
			break;
	}
	if (max != expected)
		GT_TRY(wrong_number(max, expected));
done:
	return st;
}

static double rms_of(const gt_beads_fit *f) { return sqrt(f->squares / (double)(2 * f->sights)); }

/* Alternates adjustment and assignment for ROUNDS rounds. Fails unless the RMS residual is below max. */
static gt_status refine_sights(gt_bead_search *s, unsigned fixed, const double (*shape)[3], double max, gt_beads_fit *fit)
{
	gt_status st = GT_OK;
	for (int round = 0; round < ROUNDS; round++) {
		free(fit->inverse);
		GT_TRY(gt_beads_adjust(s, fixed, shape, fit));
		if (round < ROUNDS - 1)
			gt_beads_assign(s, fmin(gates[1] * (round ? 1 : 2), fmax(1, 6 * rms_of(fit))));
	}
	if (!(rms_of(fit) < max))
		GT_TRY(gt_fail(
			GT_ERR_UNSUPPORTED, "RMS residual of the bead projections %.3g pixels: expected less than %g: %s", rms_of(fit), max,
			shape ? "the positions belong to other beads, or views move independently (--each-view)"
			      : "beads were confused, views move independently (--each-view), or columns or the rotation direction are "
				"reversed (gantry import --flip columns, turn)"));
done:
	return st;
}

static double sigma2(const gt_beads_fit *f) { return f->squares / (double)(2 * f->sights - f->unknowns); }

static double error_of(const gt_beads_fit *f, size_t unknown)
{
	return sqrt(fmax(0, sigma2(f) * f->inverse[unknown * f->unknowns + unknown]));
}

/* Computes standard errors of the free values. Returns the least identifiable one, or -1 if all are identifiable. */
static int errors(const gt_bead_search *s, unsigned fixed, const gt_beads_fit *f, double error[N])
{
	const double min[N] = { 1, 5, 0.01, 0.03, 0.03, 0.03 * s->given->source_to_detector, 0.03 * s->given->source_to_axis };
	double max = 1;
	int worst = -1;
	for (size_t j = 0, i = 0; j < N; j++) {
		if (fixed >> j & 1)
			continue;
		error[j] = error_of(f, i++);
		if (error[j] > max * min[j]) {
			max = error[j] / min[j];
			worst = (int)j;
		}
	}
	return worst;
}

/* Scales all lengths of the object and the source-to-axis distance; no ray changes. */
static void rescale(gt_bead_search *s, double factor)
{
	const double distance = hypot(s->scan->view[0].source[0], s->scan->view[0].source[1]);
	s->value[GT_BEADS_AXIS] += (factor - 1) * distance;
	for (size_t k = 0; k < s->beads; k++)
		for (int a = 0; a < 3; a++)
			s->place[k][a] *= factor;
	gt_beads_apply(s->given, s->value, s->scan);
}

/* Returns the largest distance between two beads, and these beads. */
static double span_of(const gt_bead_search *s, size_t pair[2])
{
	double max = 0;
	for (size_t i = 0; i < s->beads; i++)
		for (size_t j = 0; j < i; j++) {
			double d = 0;
			for (int a = 0; a < 3; a++)
				d += pow(s->place[i][a] - s->place[j][a], 2);
			if (sqrt(d) > max) {
				max = sqrt(d);
				pair[0] = i;
				pair[1] = j;
			}
		}
	return max;
}

/* Scales to the known span; the distance from source to axis inherits its standard error. */
static void scale_to_span(gt_bead_search *s, double span, unsigned fixed, const gt_beads_fit *f, gt_beads_report *r)
{
	size_t pair[2] = { 0 }, first = 0;
	const double found = span_of(s, pair);
	double variance = 0;
	for (int j = 0; j < N; j++)
		first += !(fixed >> j & 1);
	for (int a = 0; a < 6; a++)
		for (int b = 0; b < 6; b++) {
			const size_t i = first + 3 * pair[a / 3] + (size_t)(a % 3), j = first + 3 * pair[b / 3] + (size_t)(b % 3);
			const double ga = (s->place[pair[0]][a % 3] - s->place[pair[1]][a % 3]) / found;
			const double gb = (s->place[pair[0]][b % 3] - s->place[pair[1]][b % 3]) / found;
			variance += (a / 3 ? -ga : ga) * (b / 3 ? -gb : gb) * f->inverse[i * f->unknowns + j] * sigma2(f);
		}
	rescale(s, span / found);
	r->identifiable[GT_BEADS_AXIS] = 1;
	r->error[GT_BEADS_AXIS] = sqrt(fmax(0, variance)) / found * hypot(s->scan->view[0].source[0], s->scan->view[0].source[1]);
}

/* Sorts the known positions like the beads and scales the geometry to them. */
static gt_status take_places(gt_bead_search *s, const double (*known)[3], double (*shape)[3])
{
	double scale = 1, moved[MAX_BEADS][3];
	const gt_status st = gt_beads_recognise(s, known, shape);
	if (st == GT_OK) {
		gt_beads_superpose(s->beads, (const double(*)[3])shape, (const double(*)[3])s->place, &scale, moved);
		rescale(s, 1 / scale);
	}
	return st;
}

/* Adjusts values and positions, or the pose of known positions; resets values that are not identifiable. */
static gt_status adjust_free(gt_bead_search *s, const gt_beads_options *o, const double (*shape)[3], gt_beads_fit *fit, gt_beads_report *r)
{
	unsigned fixed = shape ? 0 : 1u << GT_BEADS_AXIS;
	gt_status st = GT_OK;
	for (;;) {
		GT_TRY(refine_sights(s, fixed, shape, o->each_view ? max_rms_each_view : max_rms, fit));
		const int worst = errors(s, fixed, fit, r->error);
		if (worst < 0)
			break;
		gt_calibration_note(&o->notes, GT_INFO,
		                    "%s is not identifiable from these bead projections: its standard error would be %.2g; left unchanged",
		                    gt_beads_names[worst], r->error[worst]);
		r->error[worst] = 0;
		s->value[worst] = 0;
		fixed |= 1u << worst;
	}
	for (int j = 0; j < N; j++)
		r->identifiable[j] = !(fixed >> j & 1);
	for (size_t k = 0; k < s->beads; k++)
		for (size_t a = 0; a < 3; a++) {
			r->place_error[k][a] = shape ? 0 : error_of(fit, fit->unknowns - 3 * s->beads + 3 * k + a);
		}
	if (!shape && o->span > 0)
		scale_to_span(s, o->span, fixed, fit, r);
done:
	return st;
}

/* Residual of positions fitted to the scan as given. */
static gt_status residual_before(gt_bead_search *s, gt_beads_report *r)
{
	double value[N], place[MAX_BEADS][3];
	gt_beads_fit fit = { 0 };
	memcpy(value, s->value, sizeof value);
	memcpy(place, s->place, sizeof place);
	memset(s->value, 0, sizeof s->value);
	const gt_status st = gt_beads_adjust(s, (1u << N) - 1, NULL, &fit);
	r->before = st == GT_OK ? rms_of(&fit) : NAN;
	free(fit.inverse);
	memcpy(s->value, value, sizeof value);
	memcpy(s->place, place, sizeof place);
	gt_beads_apply(s->given, s->value, s->scan);
	return st == GT_ERR_MEMORY ? st : GT_OK;
}

/* Reports measured and modelled positions, and residuals, for the current scan. */
static void report_sights(const gt_bead_search *s, gt_beads_report *r)
{
	double all = 0;
	r->seen = 0;
	for (size_t v = 0; v < r->views; v++) {
		double sum = 0;
		size_t n = 0;
		for (size_t k = 0; k < r->beads; k++) {
			const long at = s->sight[v * MAX_BEADS + k];
			gt_bead_sight *sight = &r->sight[v * r->beads + k];
			double off[2];
			*sight = (gt_bead_sight){ NAN, NAN, NAN, NAN };
			if (at == GT_BEADS_NONE)
				continue;
			const gt_blob *b = &s->blobs.blob[at];
			gt_beads_off(s->scan, v, s->place[k], b, off);
			*sight = (gt_bead_sight){ b->column, b->row, b->column - off[0], b->row - off[1] };
			sum += off[0] * off[0] + off[1] * off[1];
			n++;
		}
		r->view_rms[v] = n ? sqrt(sum / (double)n) : NAN;
		all += sum;
		r->seen += n;
	}
	r->after = sqrt(all / (double)(2 * r->seen));
}

static gt_status make_report(const gt_bead_search *s, size_t beads, gt_beads_report *r)
{
	r->beads = beads;
	r->views = s->given->views;
	r->place = calloc(beads, sizeof *r->place);
	r->place_error = calloc(beads, sizeof *r->place_error);
	r->sight = calloc(r->views * beads, sizeof *r->sight);
	r->view_rms = calloc(r->views, sizeof *r->view_rms);
	r->view_error = calloc(r->views, sizeof *r->view_error);
	if (!r->place || !r->place_error || !r->sight || !r->view_rms || !r->view_error)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t v = 0; v < r->views; v++)
		r->view_error[v][0] = r->view_error[v][1] = NAN;
	return GT_OK;
}

/* Detects an additional bead, which only an accurate geometry separates. */
static gt_status check_rest(gt_bead_search *s)
{
	const size_t beads = s->beads;
	s->shift[0] = s->shift[1] = 0;
	const gt_status st = gt_beads_match(s, gates[0]);
	if (st != GT_OK)
		return st;
	return s->beads == beads ? GT_OK : wrong_number(s->beads, beads);
}

/* A slant above 90 degrees means reversed columns. */
static void note_behind(const gt_bead_search *s, const gt_beads_options *o)
{
	const double slant = remainder(s->value[GT_BEADS_SLANT], 2 * GT_PI), off = remainder(slant, GT_PI);
	if (fabs(slant) < GT_PI / 2)
		return;
	gt_calibration_note(&o->notes, GT_WARNING,
	                    "the panel is seen from behind: its columns are reversed%s; the slant of %+.2f deg then becomes "
	                    "%+.2f deg (gantry import SCAN -o FLIPPED --flip columns%s, then calibrate again)",
	                    o->place ? "" : " or its rotation direction is, which cannot be distinguished without bead positions",
	                    slant * GT_DEGREES, off * GT_DEGREES, o->place ? "" : ", or turn");
}

/* Calibrates from the given scan, or from the scan with the panel seen from behind. */
static gt_status find_from(gt_bead_search *s, int behind, const gt_beads_options *o, gt_beads_fit *fit, gt_beads_report *r)
{
	gt_status st = GT_OK;
	memset(s->value, 0, sizeof s->value);
	s->value[GT_BEADS_SLANT] = behind ? GT_PI : 0;
	gt_beads_apply(s->given, s->value, s->scan);
	GT_TRY(find_beads(s, o->beads));
	gt_calibration_note(&o->notes, GT_INFO, "%zu beads, projections %.1f pixels wide, offset by %.2f columns and %.2f rows", s->beads,
	                    2 * s->blobs.radius, s->shift[0], s->shift[1]);
	st = adjust_free(s, o, NULL, fit, r);
done:
	return st;
}

/* If both fail, the first error is the more helpful one. */
static gt_status find_either(gt_bead_search *s, const gt_beads_options *o, gt_beads_fit *fit, gt_beads_report *r)
{
	char why[512];
	gt_status st = find_from(s, 0, o, fit, r);
	if (st != GT_ERR_UNSUPPORTED)
		return st;
	snprintf(why, sizeof why, "%s", gt_error());
	st = find_from(s, 1, o, fit, r);
	return st == GT_ERR_UNSUPPORTED ? gt_fail(st, "%s", why) : st;
}

static gt_status find(gt_bead_search *s, const gt_beads_options *o, gt_beads_report *r)
{
	double shape[MAX_BEADS][3];
	gt_beads_fit fit = { 0 };
	gt_status st = GT_OK;
	GT_TRY(find_either(s, o, &fit, r));
	GT_TRY(check_rest(s));
	if (o->place) {
		GT_TRY(take_places(s, o->place, shape));
		GT_TRY(adjust_free(s, o, (const double(*)[3])shape, &fit, r));
	}
	note_behind(s, o);
	GT_TRY(residual_before(s, r));
	report_sights(s, r);
	if (o->each_view) {
		gt_calibration_note(&o->notes, GT_INFO, "RMS residual %.4f pixels with one geometry for all views", r->after);
		GT_TRY(gt_beads_each_view(s, r));
		report_sights(s, r);
	}
	memcpy(r->value, s->value, sizeof r->value);
	memcpy(r->place, s->place, s->beads * sizeof *r->place);
done:
	free(fit.inverse);
	return st;
}

gt_status gt_calibrate_beads(gt_projections *p, const gt_beads_options *given, gt_beads_report *r)
{
	gt_beads_options o = gt_beads_defaults;
	gt_bead_search s = { 0 };
	gt_scan *scan = NULL, *old = NULL;
	gt_status st = GT_OK;
	GT_NEED(p);
	GT_NEED(r);
	*r = (gt_beads_report){ .before = NAN };
	GT_TRY(gt_options_complete("gt_calibrate_beads", "gt_beads_options", given, &o, sizeof o));
	GT_TRY(check(p, &o));
	GT_TRY(gt_fail_in(gt_projections_finite(p), "gt_calibrate_beads"));
	GT_TRY(gt_scan_clone(p->scan, &scan));
	GT_TRY(gt_scan_clone(p->scan, &old));
	s.given = old;
	s.scan = scan;
	s.place = calloc(MAX_BEADS, sizeof *s.place);
	s.sight = calloc(scan->views * MAX_BEADS, sizeof *s.sight);
	if (!s.place || !s.sight)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(make_report(&s, o.beads, r));
	GT_TRY(gt_blobs_find(p, &s.blobs));
	GT_TRY(find(&s, &o, r));
	GT_TRY(gt_scan_check(scan));
	gt_view *view = p->scan->view;
	memcpy(view, scan->view, scan->views * sizeof *view);
	*p->scan = *scan;
	p->scan->view = view;
done:
	gt_blobs_free(&s.blobs);
	free(s.place);
	free(s.sight);
	gt_scan_free(scan);
	gt_scan_free(old);
	return st;
}

void gt_beads_free(gt_beads_report *r)
{
	if (!r)
		return;
	free(r->place);
	free(r->place_error);
	free(r->sight);
	free(r->view_rms);
	free(r->view_error);
	*r = (gt_beads_report){ 0 };
}
