/* Weights of the data by their spec: which kind is meant for these projections and this solver, and the weights
 * themselves. The formulas are in photon_weights.c, the reasons in docs/regularizers.md, "Few photons". It takes 4
 * bytes per pixel of all views; uniform weights take none. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/data_weights.h>
#include <gantry/module.h>
#include <gantry/noise.h>
#include "core/text.h"
#include "core/try.h"
#include "geometry/projections.h"
#include "recon/data_weights.h"

static const char *const kinds[] = { "auto", "uniform", "file", "photons", "noise" };
enum { N_KINDS = sizeof kinds / sizeof *kinds };
static const char *const abouts[N_KINDS] = {
	"the default: those of the file, else by its photons, else uniform; uniform where the solver takes no weights",
	"1 for all pixels",
	"the variable weight of the file",
	"by the inverse variance of a line integral p: N^2/(N + electronic^2), N = photons exp(-p), p smoothed along the rows",
	"exp(-p), p smoothed likewise: in proportion to the photons, where their number is not known",
};

#define AT(field) offsetof(gt_weights_spec, field)
static const gt_param photon_params[] = {
	{ .key = "count",
	  .help = "photons per pixel without the object; 0: those of the file",
	  .kind = GT_REAL,
	  .at = AT(count),
	  .least = 0,
	  .most = 1e15 },
	{ .key = "electronic",
	  .help = "standard deviation of the electronic noise, in photons",
	  .kind = GT_REAL,
	  .at = AT(electronic),
	  .least = 0,
	  .most = 1e12 },
	{ .key = NULL },
};

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
	return gt_fail_in(gt_params_parse(kind == GT_WEIGHTS_PHOTONS ? photon_params : NULL, spec[n] ? spec + n + 1 : NULL, w),
	                  "--weights %s", kinds[kind]);
}

gt_status gt_weights_spec_help(const char *name, FILE *out)
{
	gt_weights_spec none = { GT_WEIGHTS_AUTO, 0, 0 };
	gt_status st = GT_OK;
	if (name)
		GT_TRY(gt_weights_spec_parse(name, &none));
	for (int k = 0; k < N_KINDS; k++)
		if (!name || !strcmp(name, kinds[k]))
			fprintf(out, "%-10s %s\n", kinds[k], abouts[k]);
	fputs("\nphotons:key=value,...\n\n", out);
	none.kind = GT_WEIGHTS_AUTO;
	gt_params_help(photon_params, &none, out);
	fputs("\nWeights are divided by their mean; the mean is recorded in the volume.\n\n  as in  --weights photons:count=1e5,electronic=10\n",
	      out);
done:
	return st;
}

/* The kind that auto stands for with these projections and this solver. */
static gt_weights_spec_kind kind_for(const gt_weights_spec *o, unsigned traits, const gt_projections *p)
{
	if (o->kind != GT_WEIGHTS_AUTO)
		return o->kind;
	if (!(traits & GT_SUPPORTS_WEIGHTS))
		return GT_WEIGHTS_UNIFORM;
	return p->weight ? GT_WEIGHTS_FILE : p->photons ? GT_WEIGHTS_PHOTONS : GT_WEIGHTS_UNIFORM;
}

gt_counting gt_weights_spec_counting(const gt_weights_spec *o, const gt_projections *p)
{
	return (gt_counting){ o->count > 0 ? NULL : p->photons, o->count, o->electronic };
}

static gt_status check(gt_weights_spec_kind kind, const gt_weights_spec *o, unsigned traits, const char *solver, const gt_projections *p)
{
	if (kind != GT_WEIGHTS_UNIFORM && !(traits & GT_SUPPORTS_WEIGHTS))
		return gt_fail(GT_ERR_ARG, "--weights=%s: solver '%s' cannot take weights of the data", kinds[kind], solver);
	if (kind == GT_WEIGHTS_FILE && !p->weight)
		return gt_fail(GT_ERR_ARG, "--weights=file: the file has no variable weight");
	if (kind == GT_WEIGHTS_PHOTONS && !p->photons && !(o->count > 0))
		return gt_fail(GT_ERR_ARG, "--weights=photons: the file has no variable photons: expected photons:count=N");
	return GT_OK;
}

/* Counts that give no weight, by their place. */
static gt_status check_photons(const gt_projections *p)
{
	const gt_scan *s = p->scan;
	const size_t n = gt_scan_size(s), view = s->rows * s->columns;
	size_t bad = 0, first = 0;
	for (size_t i = 0; i < n; i++)
		if (!(p->photons[i] > 0 && p->photons[i] < INFINITY) && !bad++)
			first = i;
	return bad ? gt_fail(GT_ERR_ARG,
	                     "variable photons: %zu of %zu counts give no weight, the first %g in view %zu, row %zu, column %zu: expected "
	                     "counts above 0, or --weights uniform",
	                     bad, n, (double)p->photons[first], first / view, first % view / s->columns, first % s->columns)
	           : GT_OK;
}

gt_status gt_weights_from_spec(const gt_weights_spec *o, unsigned traits, const char *solver, const gt_projections *p, gt_pool *pool,
                               float **out, char **text)
{
	const gt_weights_spec_kind kind = kind_for(o, traits, p);
	const size_t n = gt_scan_size(p->scan);
	gt_counting counts = gt_weights_spec_counting(o, p);
	float *w = NULL;
	double factor = 1;
	gt_status st = GT_OK;
	*out = NULL;
	*text = NULL;
	GT_TRY(check(kind, o, traits, solver, p));
	if (kind == GT_WEIGHTS_PHOTONS && counts.photons)
		GT_TRY(check_photons(p));
	if (kind != GT_WEIGHTS_UNIFORM && !(w = malloc(n * sizeof *w)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "weights of the data need %.3g MB", (double)n * 4e-6));
	if (kind == GT_WEIGHTS_FILE)
		GT_TRY(gt_data_weights_given(pool, p->weight, n, w, &factor));
	if (kind == GT_WEIGHTS_PHOTONS || kind == GT_WEIGHTS_NOISE) {
		if (kind == GT_WEIGHTS_NOISE)
			counts = (gt_counting){ .count = 1 };
		gt_data_smooth(pool, p->data, n, p->scan->columns, w);
		GT_TRY(gt_data_weights(pool, &counts, w, n, w, &factor));
	}
	*text = kind == GT_WEIGHTS_PHOTONS ? gt_text("photons:count=%g,electronic=%g/%g", o->count, o->electronic, factor)
	        : kind == GT_WEIGHTS_FILE || kind == GT_WEIGHTS_NOISE ? gt_text("%s/%g", kinds[kind], factor)
	                                                              : gt_text("uniform");
	if (!*text)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	*out = w;
	w = NULL;
done:
	free(w);
	return st;
}

gt_status gt_weights_new(const char *spec, const gt_projections *p, gt_pool *pool, float **w, char **record)
{
	gt_weights_spec parsed = { GT_WEIGHTS_AUTO, 0, 0 };
	char *text = NULL;
	gt_status st = GT_OK;
	*w = NULL;
	if (record)
		*record = NULL;
	GT_TRY(gt_weights_spec_parse(spec ? spec : "auto", &parsed));
	GT_TRY(gt_weights_from_spec(&parsed, GT_SUPPORTS_WEIGHTS, "", p, pool, w, &text));
	if (record) {
		*record = text;
		text = NULL;
	}
done:
	free(text);
	return st;
}
