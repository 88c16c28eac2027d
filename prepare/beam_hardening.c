/* Beam hardening of a body of one material: line integrals p, which are too small where much is passed, become
 * mu_ref L by the curve p(L) of a spectrum, by a polynomial, or by the polynomial that makes a homogeneous body
 * flat. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "prepare/flatness.h"
#include "prepare/materials.h"

enum { NONE, SPECTRUM, POLYNOMIAL, FLATNESS };
struct options {
	int method, energy_weighted;
	char spectrum[GT_PARAM_TEXT], polynomial[GT_PARAM_TEXT], material[GT_PARAM_TEXT];
	double kv, aluminium, copper, energy;
};
static const struct options defaults = { .energy_weighted = 1, .material = "water", .energy = 70 };
static const char *const methods[] = { "auto", "spectrum", "polynomial", "flatness", NULL };
#define AT(field) offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "method",
	  .help = "auto: by what is given of spectrum, kv and polynomial; flatness: a homogeneous body becomes flat",
	  .kind = GT_CHOICE,
	  .at = AT(method),
	  .names = methods },
	{ .key = "spectrum",
	  .help = "text file of lines 'keV photons', behind the filters of the tube",
	  .kind = GT_TEXT,
	  .at = AT(spectrum) },
	{ .key = "kv",
	  .help = "in its place: voltage of the tube, kV, whose spectrum is after Kramers; 0: none",
	  .kind = GT_REAL,
	  .at = AT(kv),
	  .least = 0,
	  .most = 1000 },
	{ .key = "aluminium", .help = "filter, mm", .kind = GT_REAL, .at = AT(aluminium), .least = 0, .most = 1000 },
	{ .key = "copper", .help = "filter, mm", .kind = GT_REAL, .at = AT(copper), .least = 0, .most = 100 },
	{ .key = "energy-weighted",
	  .help = "the detector integrates energy; no: it counts photons",
	  .kind = GT_FLAG,
	  .at = AT(energy_weighted) },
	{ .key = "material",
	  .help = "of the body: water, aluminium, copper, bone, or a text file of lines 'keV mm-1'",
	  .kind = GT_TEXT,
	  .at = AT(material) },
	{ .key = "energy",
	  .help = "at which the body's attenuation is wanted, keV",
	  .kind = GT_REAL,
	  .at = AT(energy),
	  .least = 1,
	  .most = 2000 },
	{ .key = "polynomial", .help = "A1:A2:...: p becomes A1 p + A2 p^2 + ...", .kind = GT_TEXT, .at = AT(polynomial) },
	{ .key = NULL },
};
enum { STEPS = 500, MOST_TERMS = 16 };

static gt_status spectrum_of(const struct options *o, gt_spectrum *s)
{
	static const char *const filters[] = { "aluminium", "copper" };
	const double mm[] = { o->aluminium, o->copper };
	gt_status st = GT_OK;
	GT_TRY(o->spectrum[0] ? gt_spectrum_read(o->spectrum, s) : gt_spectrum_kramers(o->kv, s));
	for (int i = 0; i < 2; i++) {
		gt_material filter;
		if (!(mm[i] > 0))
			continue;
		GT_TRY(gt_material_new(filters[i], &filter));
		gt_spectrum_filter(s, &filter, mm[i]);
		gt_material_free(&filter);
	}
	st = gt_spectrum_finish(s, o->energy_weighted);
done:
	return st;
}

/* p(L) at equal steps of L up to the largest line integral there is, inverted by straight lines. */
static gt_status by_spectrum(gt_prepare_call *c, const struct options *o)
{
	const gt_projections *p = *c->p;
	const size_t n = gt_scan_size(p->scan);
	gt_spectrum s = { NULL, NULL, 0 };
	gt_material m = { NULL, NULL, 0 };
	double curve[STEPS + 1], most = 1e-6, longest = 1;
	gt_status st = GT_OK;
	GT_TRY(spectrum_of(o, &s));
	GT_TRY(gt_material_new(o->material, &m));
	for (size_t i = 0; i < n; i++)
		most = fmax(most, p->data[i]);
	while (gt_spectrum_line_integral(&s, &m, longest) < most && longest < 1e9)
		longest *= 1.2;
	for (int i = 0; i <= STEPS; i++)
		curve[i] = gt_spectrum_line_integral(&s, &m, longest * i / STEPS);
	const double reference = gt_material_mu(&m, o->energy), step = longest / STEPS;
	for (size_t i = 0; i < n; i++) {
		int low = 0, high = STEPS;
		while (high - low > 1) {
			const int middle = (low + high) / 2;
			*(p->data[i] < curve[middle] ? &high : &low) = middle;
		}
		const double share = (p->data[i] - curve[low]) / (curve[high] - curve[low]);
		p->data[i] = (float)(reference * step * (low + share));
	}
	gt_prepare_note(c, "line integrals up to %.3g are those of %.4g mm of %s, which has %.4g mm-1 at %g keV", most, longest,
	                o->material, reference, o->energy);
done:
	gt_spectrum_free(&s);
	gt_material_free(&m);
	return st;
}

static gt_status by_polynomial(gt_prepare_call *c, const char *text)
{
	const gt_projections *p = *c->p;
	double a[MOST_TERMS], most = 0, least_slope = INFINITY;
	int terms = 0;
	for (const char *at = text; terms == 0 || *at; terms++) {
		char *end;
		at += terms > 0;
		if (terms == MOST_TERMS)
			return gt_fail(GT_ERR_ARG, "polynomial=%s: more than %d numbers", text, MOST_TERMS);
		a[terms] = strtod(at, &end);
		if (end == at || !isfinite(a[terms]) || (*end && *end != ':') || (*end && !end[1]))
			return gt_fail(GT_ERR_ARG, "polynomial=%s: expected numbers with colons between them, A1:A2:...", text);
		at = end;
		if (!*at) {
			terms++;
			break;
		}
	}
	for (size_t i = 0; i < gt_scan_size(p->scan); i++) {
		const double x = p->data[i];
		double value = 0, slope = 0;
		for (int k = terms; k-- > 0;) {
			slope = slope * x + (k + 1) * a[k];
			value = (value + a[k]) * x;
		}
		most = fmax(most, x);
		least_slope = fmin(least_slope, slope);
		p->data[i] = (float)value;
	}
	if (!(least_slope > 0))
		return gt_fail(GT_ERR_FORMAT,
		               "polynomial=%s falls within the line integrals of the scan, which reach %.3g: expected one that rises", text,
		               most);
	return GT_OK;
}

static gt_status run(gt_prepare_call *c, const void *options)
{
	const struct options *o = options;
	const int given = (o->spectrum[0] != 0) + (o->kv > 0) + (o->polynomial[0] != 0);
	int method = o->method;
	if (method == NONE && given == 1)
		method = o->polynomial[0] ? POLYNOMIAL : SPECTRUM;
	if (given != (method != FLATNESS) || (method == SPECTRUM && o->polynomial[0]) || (method == POLYNOMIAL && !o->polynomial[0]))
		return gt_fail(GT_ERR_ARG, "found %s: expected one of spectrum=FILE, kv=, polynomial=A1:A2:... or flatness",
		               given > 1 ? "several" : "none that fits the method");
	if (o->kv > 0 && o->kv < 10)
		return gt_fail(GT_ERR_ARG, "kv=%g: expected 10 and more", o->kv);
	return method == SPECTRUM ? by_spectrum(c, o) : method == POLYNOMIAL ? by_polynomial(c, o->polynomial) : gt_prepare_flatness(c);
}

const gt_preparation gt_preparation_beam_hardening = {
	.name = "beam-hardening",
	.about = "beam hardening of a body of one material: by a spectrum, a polynomial, or so that the body is flat",
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
};
