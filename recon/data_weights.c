/* Weights of the data from their specification. Formulas are in photon_weights.c, reasons in docs/regularizers.md, "Few
 * photons". Memory: 4 bytes per pixel of all views; none for uniform weights. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/module.h>
#include "core/arguments.h"
#include "core/device/host_memory.h"
#include "core/module.h"
#include "core/params.h"
#include "core/text.h"
#include "core/try.h"
#include "geometry/projections.h"
#include "recon/data_weights.h"
#include "recon/noise/noise_estimate.h"
#include "recon/weights/model_weights.h"
#include "recon/weights/photon_weights.h"
#include "recon/weights/weight_mask.h"

static const char *const kinds[] = { "auto", "uniform", "file", "photons", "noise", "model" };
enum { N_KINDS = sizeof kinds / sizeof *kinds };
static const char *const abouts[N_KINDS] = {
	"the default: weights of the file, else from its photons, else uniform; photons times weights that are a mask",
	"1 for all pixels",
	"the variable weight of the file",
	"inverse variance of a line integral p: N^2/(N + electronic^2), N = photons exp(-p), p smoothed along the rows",
	"exp(-p), p smoothed likewise: proportional to the photons, for an unknown number of photons",
	"inverse of the variance of photons plus the squared discretisation error at steep slopes of the projections",
};

#define AT(field) offsetof(gt_weights_spec, field)
static const gt_param photon_params[] = {
	{ .key = "count",
	  .help = "photons per pixel without the object; 0: photons of the file",
	  .kind = GT_REAL,
	  .at = AT(count),
	  .min = 0,
	  .max = 1e15 },
	{ .key = "electronic",
	  .help = "standard deviation of the electronic noise, in photons",
	  .kind = GT_REAL,
	  .at = AT(electronic),
	  .min = 0,
	  .max = 1e12 },
	{ .key = NULL },
};
static const gt_param model_params[] = {
	{ .key = "slope",
	  .help = "model error relative to the slope of the projections at a ray, per pixel; -1: from the width of voxels in pixels",
	  .kind = GT_REAL,
	  .at = AT(slope),
	  .min = -1,
	  .max = 1e3 },
	{ .key = "even",
	  .help = "model error of all rays, relative to the mean slope; -1: from the width of voxels in pixels",
	  .kind = GT_REAL,
	  .at = AT(even),
	  .min = -1,
	  .max = 1e3 },
	{ .key = "count",
	  .help = "photons per pixel without the object; 0: photons of the file, else from the noise of the data",
	  .kind = GT_REAL,
	  .at = AT(count),
	  .min = 0,
	  .max = 1e15 },
	{ .key = "electronic",
	  .help = "standard deviation of the electronic noise, in photons, if these are known",
	  .kind = GT_REAL,
	  .at = AT(electronic),
	  .min = 0,
	  .max = 1e12 },
	{ .key = NULL },
};
static const gt_param *const params[N_KINDS] = { [GT_WEIGHTS_PHOTONS] = photon_params, [GT_WEIGHTS_MODEL] = model_params };

gt_status gt_weights_spec_parse(const char *spec, gt_weights_spec *w)
{
	const size_t n = strcspn(spec, ":");
	int kind = 0;
	while (kind < N_KINDS && (strlen(kinds[kind]) != n || strncmp(spec, kinds[kind], n)))
		kind++;
	if (kind == N_KINDS) {
		char *name = strndup(spec, n);
		const gt_status st = gt_unknown_of("weights", name ? name : spec, kinds, N_KINDS);
		free(name);
		return st;
	}
	w->kind = (gt_weights_spec_kind)kind;
	w->slope = w->even = -1;
	return gt_fail_in(gt_params_parse(params[kind], spec[n] ? spec + n + 1 : NULL, w), "--weights %s", kinds[kind]);
}

gt_status gt_weights_spec_help(const char *name, FILE *out)
{
	gt_weights_spec none = { .kind = GT_WEIGHTS_AUTO };
	gt_status st = GT_OK;
	if (name)
		GT_TRY(gt_weights_spec_parse(name, &none));
	for (int k = 0; k < N_KINDS; k++)
		if (!name || !strcmp(name, kinds[k]))
			fprintf(out, "%-10s %s\n", kinds[k], abouts[k]);
	none = (gt_weights_spec){ .kind = GT_WEIGHTS_AUTO, .slope = -1, .even = -1 };
	for (int k = 0; k < N_KINDS; k++)
		if (params[k] && (!name || !strcmp(name, kinds[k]))) {
			fprintf(out, "\n%s:key=value,...\n\n", kinds[k]);
			gt_params_help(params[k], &none, out);
		}
	fputs("\nWeights are divided by their mean; the mean is recorded in the volume.\n\n  as in  --weights photons:count=1e5,electronic=10\n",
	      out);
done:
	return st;
}

/* Resolves auto for these projections and this solver. */
static gt_weights_spec_kind kind_for(const gt_weights_spec *o, unsigned traits, const gt_projections *p)
{
	if (o->kind != GT_WEIGHTS_AUTO)
		return o->kind;
	if (!(traits & GT_SUPPORTS_WEIGHTS))
		return GT_WEIGHTS_UNIFORM;
	if (traits & GT_WEIGHTS_ARE_BLANK)
		return p->photons ? GT_WEIGHTS_PHOTONS : GT_WEIGHTS_UNIFORM;
	if (p->photons && (!p->weight || gt_projections_mask(p)))
		return GT_WEIGHTS_PHOTONS;
	return p->weight ? GT_WEIGHTS_FILE : GT_WEIGHTS_UNIFORM;
}

gt_counting gt_weights_spec_counting(const gt_weights_spec *o, const gt_projections *p)
{
	return (gt_counting){ o->count > 0 ? NULL : p->photons, o->count, o->electronic };
}

static gt_status check(gt_weights_spec_kind kind, const gt_weights_spec *o, const gt_weights_problem *q)
{
	if (kind != GT_WEIGHTS_UNIFORM && !(q->traits & GT_SUPPORTS_WEIGHTS))
		return gt_fail(GT_ERR_ARG, "--weights=%s: solver '%s' cannot take weights of the data", kinds[kind], q->solver);
	if (q->traits & GT_WEIGHTS_ARE_BLANK && kind != GT_WEIGHTS_UNIFORM && (kind != GT_WEIGHTS_PHOTONS || o->electronic > 0))
		return gt_fail(GT_ERR_ARG,
		               "--weights=%s: solver '%s' takes blank-scan counts and models their noise: expected uniform, or "
		               "photons without electronic",
		               kinds[kind], q->solver);
	if (kind == GT_WEIGHTS_FILE && !q->p->weight)
		return gt_fail(GT_ERR_ARG, "--weights=file: the file has no variable weight");
	if (kind == GT_WEIGHTS_PHOTONS && !q->p->photons && !(o->count > 0))
		return gt_fail(GT_ERR_ARG, "--weights=photons: the file has no variable photons: expected photons:count=N");
	if (kind == GT_WEIGHTS_MODEL && !q->grid && !(o->slope >= 0 && o->even >= 0))
		return gt_fail(GT_ERR_ARG, "--weights=model: the width of voxels is unknown: expected model:slope=X,even=Y");
	return GT_OK;
}

/* Refuses counts without a weight, and names the first one. Pixels of mask 0 need no counts. mask may be NULL. */
static gt_status check_photons(const gt_projections *p, const float *mask)
{
	const gt_scan *s = p->scan;
	const size_t n = gt_scan_size(s), view = s->rows * s->columns;
	size_t bad = 0, first = 0;
	for (size_t i = 0; i < n; i++)
		if (!(p->photons[i] > 0 && p->photons[i] < INFINITY) && !(mask && !(mask[i] > 0)) && !bad++)
			first = i;
	return bad ? gt_fail(GT_ERR_ARG,
	                     "variable photons: %zu of %zu counts are not positive and finite, the first %g in view %zu, row %zu, column %zu: expected "
	                     "counts above 0, or --weights uniform",
	                     bad, n, (double)p->photons[first], first / view, first % view / s->columns, first % s->columns)
	           : GT_OK;
}

/* Blank-scan counts, scaled to the mean 1. */
static gt_status make_blank(const gt_counting *counts, const gt_weights_problem *q, float *w, double *factor)
{
	const size_t n = gt_scan_size(q->p->scan);
	for (size_t i = 0; i < n; i++)
		w[i] = counts->photons ? counts->photons[i] : (float)counts->count;
	return gt_data_weights_given(q->pool, w, n, w, factor);
}

static gt_status make_photons(const gt_counting *counts, const gt_weights_problem *q, float *w, double *factor)
{
	const float *mask = gt_projections_mask(q->p);
	const size_t n = gt_scan_size(q->p->scan);
	gt_status st = GT_OK;
	GT_TRY(gt_projections_mask_check(q->p, mask));
	gt_data_smooth(q->pool, q->p->data, mask, n, q->p->scan->columns, w);
	st = gt_data_weights_masked(q->pool, counts, mask, w, n, w, factor);
done:
	return st;
}

/* *error: the model error that was used. */
static gt_status make_model(const gt_weights_spec *o, const gt_weights_problem *q, float *w, double *factor, gt_model_error *error)
{
	const gt_counting known = gt_weights_spec_counting(o, q->p);
	double width[2] = { 0, 0 };
	gt_noise_model *noise = NULL;
	gt_status st = GT_OK;
	if (q->grid)
		gt_voxel_shadow(q->p->scan, q->grid, width);
	*error = gt_model_error_of(width, gt_view_sampling(q->p, width));
	error->slope = o->slope < 0 ? error->slope : o->slope;
	if (o->even >= 0)
		*error = (gt_model_error){ .slope = error->slope, .even = o->even };
	GT_TRY(gt_noise_estimate(q->p, &known, q->pool, &noise));
	GT_TRY(gt_model_weights(q->pool, noise, q->p, error, w, factor));
	if (q->noise) {
		*q->noise = noise;
		noise = NULL;
	}
done:
	gt_noise_free(noise);
	return st;
}

/* w: NULL for uniform weights. */
static gt_status make(gt_weights_spec_kind kind, const gt_weights_spec *o, const gt_weights_problem *q, float *w, char **text)
{
	const gt_counting counts = kind == GT_WEIGHTS_NOISE ? (gt_counting){ .count = 1 } : gt_weights_spec_counting(o, q->p);
	double factor = 1;
	gt_model_error error = { .slope = 0 };
	gt_status st = GT_OK;
	if ((kind == GT_WEIGHTS_PHOTONS || kind == GT_WEIGHTS_MODEL) && counts.photons)
		GT_TRY(check_photons(q->p, q->traits & GT_WEIGHTS_ARE_BLANK ? NULL : gt_projections_mask(q->p)));
	if (kind == GT_WEIGHTS_FILE)
		GT_TRY(gt_data_weights_given(q->pool, q->p->weight, gt_scan_size(q->p->scan), w, &factor));
	if (kind == GT_WEIGHTS_PHOTONS || kind == GT_WEIGHTS_NOISE)
		GT_TRY((q->traits & GT_WEIGHTS_ARE_BLANK ? make_blank : make_photons)(&counts, q, w, &factor));
	if (kind == GT_WEIGHTS_MODEL)
		GT_TRY(make_model(o, q, w, &factor, &error));
	*text = kind == GT_WEIGHTS_PHOTONS ? gt_text("photons:count=%g,electronic=%g/%g", o->count, o->electronic, factor)
	        : kind == GT_WEIGHTS_MODEL ? gt_text("model:slope=%.4g,even=%.4g,count=%g,electronic=%g/%g", error.slope, error.even,
	                                             o->count, o->electronic, factor)
	        : kind == GT_WEIGHTS_FILE || kind == GT_WEIGHTS_NOISE ? gt_text("%s/%g", kinds[kind], factor)
	                                                              : gt_text("uniform");
done:
	return st;
}

gt_status gt_weights_from_spec(const gt_weights_spec *o, const gt_weights_problem *q, float **out, char **text)
{
	const gt_weights_spec_kind kind = kind_for(o, q->traits, q->p);
	const size_t n = gt_scan_size(q->p->scan);
	float *w = NULL;
	gt_status st = GT_OK;
	*out = NULL;
	*text = NULL;
	GT_TRY(check(kind, o, q));
	if (kind != GT_WEIGHTS_UNIFORM && !(w = gt_host_alloc(n * sizeof *w)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "weights of the data need %.3g MB", (double)n * 4e-6));
	if (q->is_estimate)
		*text = gt_text("%s", kinds[kind]);
	else
		GT_TRY(make(kind, o, q, w, text));
	if (!*text)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	*out = w;
	w = NULL;
done:
	free(w);
	return st;
}

gt_status gt_weights_on_grid(const char *spec, const gt_projections *p, const gt_grid *grid, gt_pool *pool, float **w, char **record)
{
	GT_NEED(p);
	GT_NEED(w);
	gt_weights_spec parsed = { .kind = GT_WEIGHTS_AUTO };
	const gt_weights_problem q = { p, grid, GT_SUPPORTS_WEIGHTS, "", pool, 0, NULL };
	char *text = NULL;
	gt_status st = GT_OK;
	*w = NULL;
	if (record)
		*record = NULL;
	GT_TRY(gt_weights_spec_parse(spec ? spec : "auto", &parsed));
	GT_TRY(gt_weights_from_spec(&parsed, &q, w, &text));
	if (record) {
		*record = text;
		text = NULL;
	}
done:
	free(text);
	return st;
}
