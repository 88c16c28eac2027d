/* Beam hardening of an object of one material. Measured line integrals p are too small behind long paths; they become
 * mu_ref L. L(p) is the inverse curve of a spectrum, a polynomial, or the polynomial that makes a homogeneous object
 * flat. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/module.h"
#include "core/text.h"
#include "core/try.h"
#include "prepare/flatness.h"
#include "prepare/materials.h"
#include "prepare/two_materials.h"

enum { NONE, SPECTRUM, POLYNOMIAL, FLATNESS };
struct options {
	int method, energy_weighted;
	char spectrum[GT_PARAM_TEXT], polynomial[GT_PARAM_TEXT], material[GT_PARAM_TEXT], dense[GT_PARAM_TEXT];
	double kv, aluminium, copper, energy, threshold;
	int passes;
};
static const struct options defaults = { .energy_weighted = 1, .material = "water", .energy = 70, .threshold = 1.6, .passes = 2 };
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
	  .min = 0,
	  .max = 1000 },
	{ .key = "aluminium", .help = "filter, mm", .kind = GT_REAL, .at = AT(aluminium), .min = 0, .max = 1000 },
	{ .key = "copper", .help = "filter, mm", .kind = GT_REAL, .at = AT(copper), .min = 0, .max = 100 },
	{ .key = "energy-weighted",
	  .help = "the detector integrates energy; no: it counts photons",
	  .kind = GT_FLAG,
	  .at = AT(energy_weighted) },
	{ .key = "material",
	  .help = "material of the object: water, aluminium, titanium, iron, copper, bone, or a text file of lines 'keV mm-1'",
	  .kind = GT_TEXT,
	  .at = AT(material) },
	{ .key = "energy", .help = "energy of the corrected attenuation, keV", .kind = GT_REAL, .at = AT(energy), .min = 1, .max = 2000 },
	{ .key = "dense",
	  .help = "a second material, as bone, where an image is dense: found there, and corrected too",
	  .kind = GT_TEXT,
	  .at = AT(dense) },
	{ .key = "threshold",
	  .help = "attenuation of the second material, as a multiple of the first: denser voxels belong to it",
	  .kind = GT_REAL,
	  .at = AT(threshold),
	  .min = 1,
	  .max = 1e3 },
	{ .key = "passes", .help = "of the second material", .kind = GT_INT, .at = AT(passes), .min = 1, .max = 10 },
	{ .key = "polynomial", .help = "A1:A2:...: p becomes A1 p + A2 p^2 + ...", .kind = GT_TEXT, .at = AT(polynomial) },
	{ .key = NULL },
};
enum { STEPS = 2000, MAX_TERMS = 16 };
/* -ln(1/65536) = 11. */
#define MAX_LINE_INTEGRAL 20.0

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

/* The corrected value of p: from a table at equal steps of p from 0 on, extrapolated along its last line, or from
 * powers of p. */
typedef struct {
	int method;
	size_t terms;
	double a[MAX_TERMS];
	double step, value[STEPS + 1];
	double reference; /* mm^-1 */
} curve;

static double table_at(const curve *t, double p)
{
	const double at = p / t->step;
	const int i = at < 0 ? 0 : at < STEPS - 1 ? (int)at : STEPS - 1;
	return t->value[i] + (at - i) * (t->value[i + 1] - t->value[i]);
}

/* Returns the path length with the line integral p, by bisection: p grows with the length. */
static double length_of(const gt_spectrum *s, const double *mu, double p, double low)
{
	double high = low > 0 ? 2 * low : 1;
	while (gt_spectrum_measured(s, 1, &mu, &high) < p && high < 1e9)
		high *= 2;
	for (int i = 0; i < 40 && high - low > 1e-8 * high; i++) {
		const double middle = (low + high) / 2;
		*(gt_spectrum_measured(s, 1, &mu, &middle) < p ? &low : &high) = middle;
	}
	return (low + high) / 2;
}

static gt_status know_spectrum(const struct options *o, curve *t)
{
	gt_spectrum s = { NULL, NULL, 0 };
	gt_material m = { NULL, NULL, 0, 0, 1 };
	double *mu = NULL;
	gt_status st = GT_OK;
	GT_TRY(spectrum_of(o, &s));
	GT_TRY(gt_material_new(o->material, &m));
	if (!(mu = gt_spectrum_attenuation(&s, &m)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "beam hardening: out of memory"));
	t->reference = gt_material_mu(&m, o->energy);
	t->step = MAX_LINE_INTEGRAL / STEPS;
	for (int i = 1; i <= STEPS; i++)
		t->value[i] = length_of(&s, mu, i * t->step, t->value[i - 1]);
	for (int i = 1; i <= STEPS; i++)
		t->value[i] *= t->reference;
done:
	free(mu);
	gt_spectrum_free(&s);
	gt_material_free(&m);
	return st;
}

static size_t by_table(const void *self, float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = (float)table_at(self, x[i]);
	return 0;
}

/* Returns the number of values beyond the maximum of the polynomial. */
static size_t by_powers(const void *self, float *values, size_t n)
{
	const curve *t = self;
	size_t falls = 0;
	for (size_t i = 0; i < n; i++) {
		const double x = values[i];
		double value = 0, slope = 0;
		for (size_t k = t->terms; k-- > 0;) {
			slope = slope * x + (k + 1) * t->a[k];
			value = (value + t->a[k]) * x;
		}
		falls += !(slope > 0);
		values[i] = (float)value;
	}
	return falls;
}

static gt_status method_of(const struct options *o, int *method)
{
	const int given = (o->spectrum[0] != 0) + (o->kv > 0) + (o->polynomial[0] != 0);
	*method = o->method;
	if (*method == NONE && given == 1)
		*method = o->polynomial[0] ? POLYNOMIAL : SPECTRUM;
	if (given != (*method != FLATNESS) || (*method == SPECTRUM && o->polynomial[0]) || (*method == POLYNOMIAL && !o->polynomial[0]))
		return gt_fail(GT_ERR_ARG, "found %s: expected one of spectrum=FILE, kv=, polynomial=A1:A2:... or flatness",
		               given > 1 ? "several" : "none that fits the method");
	return o->kv > 0 && o->kv < 10 ? gt_fail(GT_ERR_ARG, "kv=%g: expected at least 10", o->kv) : GT_OK;
}

static gt_status inspect(gt_prepare_call *c, const void *options)
{
	const struct options *o = options;
	int method;
	gt_status st = GT_OK;
	GT_TRY(method_of(o, &method));
	GT_TRY(gt_prepare_known(c, sizeof(curve)));
	curve *t = c->known;
	t->method = method;
	if (o->dense[0] && method != SPECTRUM)
		GT_TRY(gt_fail(GT_ERR_ARG, "dense=%s: expected a spectrum, by kv= or spectrum=FILE", o->dense));
	if (o->dense[0])
		GT_TRY(gt_prepare_needs_all(c, "a second material"));
	st = method == SPECTRUM   ? know_spectrum(o, t)
	     : method == FLATNESS ? gt_prepare_needs_all(c, "flatness")
	                          : gt_prepare_numbers("polynomial", o->polynomial, MAX_TERMS, t->a, &t->terms);
done:
	return st;
}

/* Corrects one material first, then two. */
static gt_status by_two(gt_prepare_call *c, const struct options *o, const curve *t)
{
	const size_t n = gt_scan_size((*c->p)->scan);
	float *measured = malloc(n * sizeof *measured);
	gt_spectrum s = { NULL, NULL, 0 };
	gt_material body = { NULL, NULL, 0, 0, 1 }, dense = body;
	gt_status st = GT_OK;
	if (!measured)
		return gt_fail(GT_ERR_MEMORY, "beam hardening: out of memory");
	memcpy(measured, (*c->p)->data, n * sizeof *measured);
	gt_prepare_values(c, by_table, t);
	GT_TRY(spectrum_of(o, &s));
	GT_TRY(gt_material_new(o->material, &body));
	GT_TRY(gt_material_new(o->dense, &dense));
	const gt_two_materials two = { &s, &body, &dense, o->energy, o->threshold, o->passes };
	st = gt_prepare_two_materials(c, &two, measured);
done:
	free(measured);
	gt_spectrum_free(&s);
	gt_material_free(&body);
	gt_material_free(&dense);
	return st;
}

static gt_status run(gt_prepare_call *c, const void *options)
{
	const struct options *o = options;
	const curve *t = c->known;
	if (o->dense[0])
		return by_two(c, o, t);
	if (t->method == FLATNESS)
		return gt_prepare_flatness(c);
	const size_t falls = gt_prepare_values(c, t->method == SPECTRUM ? by_table : by_powers, t);
	return falls ? gt_fail(GT_ERR_FORMAT, "polynomial=%s falls at %zu of %zu line integrals of the scan: expected one that rises",
	                       o->polynomial, falls, gt_scan_size((*c->p)->scan))
	             : GT_OK;
}

static void report(gt_prepare_call *c)
{
	const curve *t = c->known;
	if (t->method == SPECTRUM)
		gt_prepare_note(c, "the material has %.4g mm-1 at the reference; a line integral of 1 is that of %.4g mm", t->reference,
		                table_at(t, 1) / t->reference);
}

gt_status gt_spectrum_of_spec(const char *spec, gt_spectrum *s)
{
	char *text = gt_text("beam-hardening:%s", spec);
	const gt_module *m;
	void *options = NULL;
	int method;
	gt_status st = GT_OK;
	*s = (gt_spectrum){ NULL, NULL, 0 };
	if (!text)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(gt_module_parse_kind(&gt_preparation_kind, text, &m, &options));
	GT_TRY(method_of(options, &method));
	if (method != SPECTRUM)
		GT_TRY(gt_fail(GT_ERR_ARG, "%s: expected kv= or spectrum=FILE", spec));
	st = spectrum_of(options, s);
done:
	gt_free(options);
	free(text);
	return st;
}

const gt_preparation gt_preparation_beam_hardening = {
	.name = "beam-hardening",
	.about = "corrects beam hardening of one material or two: by a spectrum, a polynomial, or a flat object",
	GT_STEP_MEMBERS,
	.chunks = GT_BY_VIEWS | GT_BY_ROWS,
	.inspect = inspect,
	.report = report,
};
