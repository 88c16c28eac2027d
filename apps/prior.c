#include <stdlib.h>
#include <string.h>
#include "apps/prior.h"
#include "core/data_weights.h"
#include "regularizers/regularizer.h"

static const char *const kinds[] = { "auto", "uniform", "file", "photons" };
enum { KINDS = sizeof kinds / sizeof *kinds };

#define AT(field) offsetof(app_weights, field)
static const gt_param counting[] = {
	{ .key = "count",
	  .help = "photons of a cell without the body; 0: those of the file",
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

gt_status app_weights_parse(const char *spec, app_weights *w)
{
	const size_t n = strcspn(spec, ":");
	int kind = 0;
	while (kind < KINDS && (strlen(kinds[kind]) != n || strncmp(spec, kinds[kind], n)))
		kind++;
	if (kind == KINDS) {
		char *name = strndup(spec, n);
		const gt_status st = cli_unknown_of("weights", name ? name : spec, kinds, KINDS);
		free(name);
		return st;
	}
	w->kind = (app_weights_kind)kind;
	return gt_fail_in(gt_params_parse(kind == APP_WEIGHTS_PHOTONS ? counting : NULL, spec[n] ? spec + n + 1 : NULL, w), "--weights %s",
	                  kinds[kind]);
}

/* What auto is for this file and solver. */
static app_weights_kind kind_for(const app_weights *o, unsigned traits, const gt_projections *p)
{
	if (o->kind != APP_WEIGHTS_AUTO)
		return o->kind;
	if (!(traits & GT_TAKES_WEIGHTS))
		return APP_WEIGHTS_UNIFORM;
	return p->weight ? APP_WEIGHTS_FILE : p->photons ? APP_WEIGHTS_PHOTONS : APP_WEIGHTS_UNIFORM;
}

static gt_status check(app_weights_kind kind, const app_weights *o, unsigned traits, const char *solver, const gt_projections *p)
{
	if (kind != APP_WEIGHTS_UNIFORM && !(traits & GT_TAKES_WEIGHTS))
		return gt_fail(GT_ERR_ARG, "--weights=%s: solver '%s' cannot take weights of the data", kinds[kind], solver);
	if (kind == APP_WEIGHTS_FILE && !p->weight)
		return gt_fail(GT_ERR_ARG, "--weights=file: the file has no variable weight");
	if (kind == APP_WEIGHTS_PHOTONS && !p->photons && !(o->count > 0))
		return gt_fail(GT_ERR_ARG, "--weights=photons: the file has no variable photons: expected photons:count=N");
	return GT_OK;
}

gt_status app_weights_new(const app_weights *o, unsigned traits, const char *solver, const gt_projections *p, gt_pool *pool, float **out,
                          char **text)
{
	const app_weights_kind kind = kind_for(o, traits, p);
	const size_t n = gt_scan_cells(p->scan);
	const gt_counting counts = { o->count > 0 ? NULL : p->photons, o->count, o->electronic };
	float *w = NULL;
	double factor = 1;
	gt_status st = GT_OK;
	*out = NULL;
	*text = NULL;
	GT_TRY(check(kind, o, traits, solver, p));
	if (kind != APP_WEIGHTS_UNIFORM && !(w = malloc(n * sizeof *w)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "weights of the data need %.3g MB", (double)n * 4e-6));
	if (kind == APP_WEIGHTS_FILE)
		GT_TRY(gt_data_weights_given(pool, p->weight, n, w, &factor));
	if (kind == APP_WEIGHTS_PHOTONS)
		GT_TRY(gt_data_weights(pool, &counts, p->data, n, w, &factor));
	*text = kind == APP_WEIGHTS_PHOTONS ? cli_text("photons:count=%g,electronic=%g/%g", o->count, o->electronic, factor)
	        : kind == APP_WEIGHTS_FILE  ? cli_text("file/%g", factor)
	                                    : cli_text("uniform");
	if (!*text)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	*out = w;
	w = NULL;
done:
	free(w);
	return st;
}

static const char *nth_regularizer(size_t i) { return gt_regularizers[i]->name; }

gt_status app_penalty_check(const char *spec)
{
	const size_t length = strcspn(spec, ":");
	char *name = strndup(spec, length);
	size_t n = 0;
	void *options = NULL;
	gt_status st = GT_OK;
	while (gt_regularizers[n])
		n++;
	const gt_regularizer *r = name ? gt_regularizer_find(name) : NULL;
	if (!name)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	if (!r)
		GT_TRY(cli_unknown("penalty", name, nth_regularizer, n));
	GT_TRY(gt_fail_in(gt_params_new(r->params, spec[length] ? spec + length + 1 : NULL, r->defaults, r->options_size, &options),
	                  "penalty %s", name));
done:
	free(options);
	free(name);
	return st;
}
