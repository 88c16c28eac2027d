#include <stdlib.h>
#include <string.h>
#include <gantry/data_weights.h>
#include <gantry/module.h>
#include <gantry/regularizer.h>
#include "core/text.h"
#include "core/try.h"
#include "geometry/projections.h"
#include "recon/prior.h"

static const char *const kinds[] = { "auto", "uniform", "file", "photons", "noise" };
enum { KINDS = sizeof kinds / sizeof *kinds };
static const char *const abouts[KINDS] = {
	"the default: those of the file, else by its photons, else uniform; uniform where the solver takes none",
	"1 for all cells",
	"the variable weight of the file",
	"by the inverse variance of a line integral p: N^2/(N + electronic^2), N = photons exp(-p), p smoothed along the rows",
	"exp(-p), the same: in proportion to photons whose number is not known",
};

#define AT(field) offsetof(gt_weights_spec, field)
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

gt_status gt_weights_spec_parse(const char *spec, gt_weights_spec *w)
{
	const size_t n = strcspn(spec, ":");
	int kind = 0;
	while (kind < KINDS && (strlen(kinds[kind]) != n || strncmp(spec, kinds[kind], n)))
		kind++;
	if (kind == KINDS) {
		char *name = strndup(spec, n);
		const gt_status st = gt_unknown_of("weights", name ? name : spec, kinds, KINDS);
		free(name);
		return st;
	}
	w->kind = (gt_weights_spec_kind)kind;
	return gt_fail_in(gt_params_parse(kind == GT_WEIGHTS_PHOTONS ? counting : NULL, spec[n] ? spec + n + 1 : NULL, w), "--weights %s",
	                  kinds[kind]);
}

gt_status gt_weights_spec_help(const char *name, FILE *out)
{
	gt_weights_spec none = { GT_WEIGHTS_AUTO, 0, 0 };
	gt_status st = GT_OK;
	if (name)
		GT_TRY(gt_weights_spec_parse(name, &none));
	for (int k = 0; k < KINDS; k++)
		if (!name || !strcmp(name, kinds[k]))
			fprintf(out, "%-10s %s\n", kinds[k], abouts[k]);
	fputs("\nphotons:key=value,...\n\n", out);
	none.kind = GT_WEIGHTS_AUTO;
	gt_params_help(counting, &none, out);
	fputs("\nWeights are brought to the mean 1; what they were divided by is recorded in the volume.\n\n  as in  --weights photons:count=1e5,electronic=10\n",
	      out);
done:
	return st;
}

/* What auto is for this file and solver. */
static gt_weights_spec_kind kind_for(const gt_weights_spec *o, unsigned traits, const gt_projections *p)
{
	if (o->kind != GT_WEIGHTS_AUTO)
		return o->kind;
	if (!(traits & GT_SUPPORTS_WEIGHTS))
		return GT_WEIGHTS_UNIFORM;
	return p->weight ? GT_WEIGHTS_FILE : p->photons ? GT_WEIGHTS_PHOTONS : GT_WEIGHTS_UNIFORM;
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

gt_status gt_weights_from_spec(const gt_weights_spec *o, unsigned traits, const char *solver, const gt_projections *p, gt_pool *pool,
                               float **out, char **text)
{
	const gt_weights_spec_kind kind = kind_for(o, traits, p);
	const size_t n = gt_scan_size(p->scan);
	const gt_counting counts = { o->count > 0 || kind == GT_WEIGHTS_NOISE ? NULL : p->photons, kind == GT_WEIGHTS_NOISE ? 1 : o->count,
		                     o->electronic };
	float *w = NULL;
	double factor = 1;
	gt_status st = GT_OK;
	*out = NULL;
	*text = NULL;
	GT_TRY(check(kind, o, traits, solver, p));
	if (kind != GT_WEIGHTS_UNIFORM && !(w = malloc(n * sizeof *w)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "weights of the data need %.3g MB", (double)n * 4e-6));
	if (kind == GT_WEIGHTS_FILE)
		GT_TRY(gt_data_weights_given(pool, p->weight, n, w, &factor));
	if (kind == GT_WEIGHTS_PHOTONS || kind == GT_WEIGHTS_NOISE) {
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

static const char *nth_regularizer(size_t i) { return gt_regularizers[i]->name; }

/* The regularizer and its own parameters. */
static gt_status check_spec(const char *spec)
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
		GT_TRY(gt_unknown("penalty", name, nth_regularizer, n));
	GT_TRY(gt_fail_in(gt_params_new(r->params, spec[length] ? spec + length + 1 : NULL, r->defaults, r->options_size, &options),
	                  "penalty %s", name));
done:
	free(options);
	free(name);
	return st;
}

struct found {
	double noise;
	int kappa, strengths;
};
static const gt_param own[] = {
	{ .key = "noise", .help = "wanted", .kind = GT_MU, .at = offsetof(struct found, noise), .least = 1e-9, .most = 1 },
	{ .key = "kappa", .help = "even resolution", .kind = GT_FLAG, .at = offsetof(struct found, kappa) },
	{ .key = NULL },
};

/* strength=auto, strength=1.5x; a plain number is the regularizer's. *mine: it was one of the former. */
static gt_status take_strength(const char *value, gt_penalty_spec *p, int *mine)
{
	const size_t n = strlen(value);
	*mine = !strcmp(value, "auto") || (n && value[n - 1] == 'x');
	p->automatic = *mine;
	if (!*mine || !strcmp(value, "auto"))
		return GT_OK;
	char *number = strndup(value, n - 1);
	const gt_status st = !number ? gt_fail(GT_ERR_MEMORY, "out of memory") : gt_parse_real("strength", number, 1e-6, 1e6, &p->factor);
	free(number);
	return st == GT_ERR_ARG
	               ? gt_fail(GT_ERR_ARG, "strength=%s: expected a number, auto, or a factor on that from 1e-06x to 1e+06x", value)
	               : st;
}

/* One of "key=value": kept in p, or added to p->spec. */
static gt_status take(const char *pair, struct found *found, gt_penalty_spec *p)
{
	const size_t key = strcspn(pair, "=");
	int mine = 0;
	gt_status st = GT_OK;
	if (key == 8 && !strncmp(pair, "strength=", 9)) {
		found->strengths++;
		GT_TRY(take_strength(pair + 9, p, &mine));
	} else if (key == 5 && (!strncmp(pair, "noise", 5) || !strncmp(pair, "kappa", 5))) {
		GT_TRY(gt_params_parse(own, pair, found));
		mine = 1;
	}
	if (!mine) {
		strcat(p->spec, strchr(p->spec, ':') ? "," : ":");
		strcat(p->spec, pair);
	}
done:
	return st;
}

gt_status gt_penalty_spec_parse(const char *text, gt_penalty_spec *p)
{
	struct found found = { 0, 0, 0 };
	char *copy = strdup(text), *rest = copy;
	gt_status st = GT_OK;
	*p = (gt_penalty_spec){ .spec = calloc(strlen(text) + 2, 1), .factor = 1 };
	if (!copy || !p->spec)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	const char *name = strsep(&rest, ":");
	strcat(p->spec, name);
	for (const char *pair; (pair = strsep(&rest, ",")) && st == GT_OK;)
		st = gt_fail_in(take(pair, &found, p), "penalty %s", name);
	GT_TRY(st);
	if (found.noise > 0 && found.strengths)
		GT_TRY(gt_fail(GT_ERR_ARG, "penalty %s: strength= and noise=, which sets it, cannot be combined", name));
	p->automatic = p->automatic || !found.strengths;
	p->noise = found.noise;
	p->kappa = found.kappa;
	GT_TRY(check_spec(p->spec));
done:
	free(copy);
	if (st != GT_OK)
		gt_penalty_spec_free(p);
	return st;
}

void gt_penalty_spec_free(gt_penalty_spec *p)
{
	free(p->spec);
	p->spec = NULL;
}

gt_status gt_penalty_spec_check(const char *text)
{
	gt_penalty_spec p;
	const gt_status st = gt_penalty_spec_parse(text, &p);
	if (st == GT_OK)
		gt_penalty_spec_free(&p);
	return st;
}
