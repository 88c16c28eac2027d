/* Parses "huber:delta=5HU,noise=10HU,kappa=yes": separates the engine's keys (noise, kappa, automatic strength) from
 * the regularizer's parameters, and checks both. docs/regularizers.md lists the keys. */
#include <stdlib.h>
#include <string.h>
#include <gantry/module.h>
#include <gantry/regularizer.h>
#include "core/module.h"
#include "core/params.h"
#include "core/spec.h"
#include "core/text.h"
#include "core/try.h"
#include "recon/penalty/penalty_spec.h"

/* 1: a parameter is a file for the whole volume; the strength search uses small patches. */
static int has_file(const gt_module *r, const void *options)
{
	for (const gt_param *p = r->params; p && p->key; p++)
		if (p->kind == GT_TEXT && *((const char *)options + p->at))
			return 1;
	return 0;
}

int gt_penalty_has_file(const char *spec)
{
	const gt_module *regularizer = NULL;
	void *options = NULL;
	const int has = gt_module_parse_kind(&gt_regularizer_kind, spec, &regularizer, &options) == GT_OK && has_file(regularizer, options);
	free(options);
	return has;
}

/* Checks the regularizer, its own parameters, and that it supports an automatic strength if one is requested. */
static gt_status check_regularizer(const char *spec, int automatic)
{
	const gt_module *regularizer;
	void *options = NULL;
	gt_status st = gt_module_parse_kind(&gt_regularizer_kind, spec, &regularizer, &options);
	if (st == GT_OK && automatic && (gt_regularizer_find(regularizer->name)->no_automatic_strength || has_file(regularizer, options)))
		st = gt_fail(GT_ERR_ARG, "penalty %s: its strength cannot be found from the noise: expected strength=NUMBER",
		             regularizer->name);
	free(options);
	return st;
}

/* Keys of the engine. */
struct requests {
	double noise;
	int kappa, strengths; /* number of strength= keys */
};
static const gt_param request_params[] = {
	{ .key = "noise", .help = "wanted", .kind = GT_MU, .at = offsetof(struct requests, noise), .min = 1e-9, .max = 1 },
	{ .key = "kappa", .help = "uniform resolution or noise", .kind = GT_FLAG, .at = offsetof(struct requests, kappa) },
	{ .key = NULL },
};

static int ends_in_hu(const char *pair)
{
	const size_t n = strlen(pair);
	return n > 2 && !strcmp(pair + n - 2, "HU");
}

/* Parses strength=auto and strength=1.5x, which make the strength automatic; a plain number is the regularizer's. */
static gt_status take_strength(const char *value, gt_penalty_spec *p)
{
	const size_t n = strlen(value);
	const int plain = !strcmp(value, "auto");
	p->automatic = plain || (n && value[n - 1] == 'x');
	if (!p->automatic || plain)
		return GT_OK;
	char *number = strndup(value, n - 1);
	const gt_status st = !number ? gt_fail(GT_ERR_MEMORY, "out of memory") : gt_parse_real("strength", number, 1e-6, 1e6, &p->factor);
	free(number);
	return st == GT_ERR_ARG ? gt_fail(GT_ERR_ARG, "strength=%s: expected a number, auto, or a factor from 1e-06x to 1e+06x", value)
	                        : st;
}

/* Parses kappa, kappa=yes and the like, and kappa=noise. */
static gt_status take_kappa(const char *pair, struct requests *requests)
{
	if (!strcmp(pair, "kappa=noise")) {
		requests->kappa = GT_KAPPA_NOISE;
		return GT_OK;
	}
	const gt_status st = gt_params_parse(request_params, pair, requests);
	return st == GT_ERR_ARG && !strncmp(pair, "kappa=", 6)
	               ? gt_fail(GT_ERR_ARG, "%s: expected yes (uniform resolution), noise (uniform noise) or no", pair)
	               : st;
}

/* Returns the parameter of "c=..." or "delta=...", which are the edge thresholds of penalties; NULL: this regularizer
 * has no such key. */
static const gt_param *threshold_of(const char *pair, const char *name)
{
	const size_t key = strcspn(pair, "=");
	const gt_regularizer *r = !strncmp(pair, "c=", 2) || !strncmp(pair, "delta=", 6) ? gt_regularizer_find(name) : NULL;
	for (const gt_param *p = r ? r->params : NULL; p && p->key; p++)
		if (p->kind == GT_MU && strlen(p->key) == key && !strncmp(p->key, pair, key))
			return p;
	return NULL;
}

/* Takes "auto" into p->edges. GT_ERR_ARG: neither auto nor a threshold. */
static gt_status take_threshold(const gt_param *threshold, const char *pair, gt_penalty_spec *p)
{
	const char *value = pair + strlen(threshold->key) + 1;
	double number;
	if (!strcmp(value, "auto"))
		return (p->edges = strdup(threshold->key)) ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	if (gt_parse_mu(threshold->key, value, threshold->min, threshold->max, &number) == GT_OK)
		return GT_OK;
	return gt_fail(GT_ERR_ARG,
	               "%s: expected %s=auto (a multiple of the noise), HU as in %s=10HU, or mm^-1 as in %s=2e-4mm-1, from %g to %g mm^-1",
	               pair, threshold->key, threshold->key, threshold->key, threshold->min, threshold->max);
}

/* Parses one "key=value" of the regularizer of this name into p, or adds it to p->spec if it is the regularizer's. */
static gt_status take(const char *name, const char *pair, struct requests *requests, gt_penalty_spec *p)
{
	const size_t key = strcspn(pair, "=");
	char *longer = NULL;
	int taken = 0;
	gt_status st = GT_OK;
	if (key == 8 && !strncmp(pair, "strength=", 9)) {
		requests->strengths++;
		GT_TRY(take_strength(pair + 9, p));
		taken = p->automatic;
	} else if (key == 5 && (!strncmp(pair, "noise", 5) || !strncmp(pair, "kappa", 5))) {
		GT_TRY(pair[0] == 'k' ? take_kappa(pair, requests) : gt_params_parse(request_params, pair, requests));
		p->noise_in_hu |= pair[0] == 'n' && ends_in_hu(pair);
		taken = 1;
	} else if (!p->edges && threshold_of(pair, name)) {
		GT_TRY(take_threshold(threshold_of(pair, name), pair, p));
		taken = p->edges != NULL;
	}
	if (!taken) {
		if (!(longer = gt_spec_with(p->spec, pair)))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
		free(p->spec);
		p->spec = longer;
	}
done:
	return st;
}

static gt_status check_units(const char *name, const char *values)
{
	const gt_regularizer *r = gt_regularizer_find(name);
	const gt_status st = gt_spec_check_units(request_params, values);
	return gt_fail_in(st == GT_OK ? gt_spec_check_units(r ? r->params : NULL, values) : st, "penalty %s", name);
}

gt_status gt_penalty_spec_parse(const char *text, gt_penalty_spec *p)
{
	struct requests requests = { 0, 0, 0 };
	const gt_spec cut = gt_spec_cut(text);
	char *name = strndup(text, cut.length), *copy = cut.values ? strdup(cut.values) : NULL, *rest = copy;
	gt_status st = GT_OK;
	*p = (gt_penalty_spec){ .spec = name ? strdup(name) : NULL, .factor = 1 };
	if (!name || !p->spec || (cut.values && !copy))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(check_units(name, cut.values));
	for (const char *pair; (pair = strsep(&rest, ",")) && st == GT_OK;)
		st = gt_fail_in(take(name, pair, &requests, p), "penalty %s", name);
	GT_TRY(st);
	GT_TRY(gt_fail_in(gt_spec_check_once(cut.values), "penalty %s", name));
	if (requests.noise > 0 && requests.strengths)
		GT_TRY(gt_fail(GT_ERR_ARG, "penalty %s: strength= cannot be combined with noise=, which determines it", name));
	p->automatic = p->automatic || !requests.strengths;
	p->noise = requests.noise;
	p->kappa = (gt_kappa)requests.kappa;
	if (p->kappa == GT_KAPPA_NOISE && !p->automatic)
		GT_TRY(gt_fail(GT_ERR_ARG,
		               "penalty %s: kappa=noise and a fixed strength: expected noise=10HU or strength=auto, because the "
		               "target noise determines the local strength",
		               name));
	GT_TRY(check_regularizer(p->spec, p->automatic));
done:
	free(name);
	free(copy);
	if (st != GT_OK)
		gt_penalty_spec_free(p);
	return st;
}

void gt_penalty_spec_free(gt_penalty_spec *p)
{
	free(p->spec);
	free(p->edges);
	p->spec = p->edges = NULL;
}

gt_status gt_penalty_spec_check(const char *text)
{
	gt_penalty_spec p;
	const gt_status st = gt_penalty_spec_parse(text, &p);
	if (st == GT_OK)
		gt_penalty_spec_free(&p);
	return st;
}
