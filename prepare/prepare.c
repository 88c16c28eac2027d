/* One step by its text, or all that projections need; the record of both. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/noise.h>
#include "core/text.h"
#include "core/try.h"
#include "prepare/step.h"

const gt_prepare_options gt_prepare_defaults = { .size = sizeof(gt_prepare_options) };

enum { TEXT = 1024 };

void gt_prepare_note(const gt_prepare_call *c, const char *format, ...)
{
	char text[TEXT];
	va_list args;
	if (!c->o->notes.say)
		return;
	const int n = snprintf(text, sizeof text, "%s: ", c->step);
	va_start(args, format);
	vsnprintf(text + n, sizeof text - (size_t)n, format, args);
	va_end(args);
	const gt_message m = { sizeof m, GT_INFO, GT_ABOUT_DATA, text };
	c->o->notes.say(c->o->notes.self, &m);
}

static gt_status complete(const gt_prepare_options *given, gt_prepare_options *full)
{
	*full = gt_prepare_defaults;
	if (!given)
		return GT_OK;
	if (given->size < sizeof given->size || given->size > sizeof *full)
		return gt_fail(GT_ERR_ARG, "options of size=%zu: expected sizeof(gt_prepare_options), which is at most %zu", given->size,
		               sizeof *full);
	memcpy(full, given, given->size);
	full->size = sizeof *full;
	return GT_OK;
}

static gt_status check(gt_projections *const *p)
{
	if (!p || !*p)
		return gt_fail(GT_ERR_ARG, "gt_prepare: found no projections");
	if (!(*p)->data)
		return gt_fail(GT_ERR_ARG, "gt_prepare: the projections hold the geometry alone, expected line integrals");
	return gt_scan_check((*p)->scan);
}

/* The parameters so far and one step more. */
static gt_status record(gt_projections *p, const gt_preparation *m, const void *options)
{
	const char *before = p->from.parameters;
	char *step = gt_module_print((const gt_module *)m, options);
	char *all = step ? gt_text("%s%sprepare=%s", before ? before : "", before ? " " : "", step) : NULL;
	const gt_status st = all ? gt_projections_set_provenance(p, p->from.command, all, p->scan)
	                         : gt_fail(GT_ERR_MEMORY, "out of memory");
	free(step);
	free(all);
	return st;
}

static gt_status run(gt_prepare_call *c, const char *spec)
{
	const gt_module *m;
	void *options = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_module_parse_kind(&gt_preparation_kind, spec, &m, &options));
	const gt_preparation *step = (const gt_preparation *)m;
	c->step = step->name;
	GT_TRY(gt_fail_in(step->run(c, options), "%s", step->name));
	st = record(*c->p, step, options);
done:
	gt_free(options);
	return st;
}

gt_status gt_prepare(gt_projections **p, const char *spec, const gt_prepare_options *given)
{
	gt_prepare_options o;
	gt_prepare_call c = { p, NULL, &o, "prepare" };
	gt_status st = GT_OK;
	GT_TRY(complete(given, &o));
	GT_TRY(check(p));
	GT_TRY(gt_pool_new(o.threads, &c.pool));
	st = run(&c, spec);
done:
	gt_pool_free(c.pool);
	return st;
}

gt_status gt_prepare_auto(gt_projections **p, const gt_prepare_options *given, size_t *steps)
{
	gt_prepare_options o;
	gt_prepare_call c = { p, NULL, &o, "auto" };
	char spec[TEXT], why[TEXT];
	gt_status st = GT_OK;
	size_t done = 0;
	GT_TRY(complete(given, &o));
	GT_TRY(check(p));
	GT_TRY(gt_pool_new(o.threads, &c.pool));
	for (const gt_preparation *const *m = gt_preparations; *m; m++) {
		if (!(*m)->advise)
			continue;
		spec[0] = why[0] = 0;
		c.step = (*m)->name;
		GT_TRY(gt_fail_in((*m)->advise(&c, spec, why, TEXT), "%s", (*m)->name));
		gt_prepare_note(&c, "%s: %s", spec[0] ? "done" : "left out", why);
		if (!spec[0])
			continue;
		GT_TRY(run(&c, spec));
		done++;
	}
	if (steps)
		*steps = done;
done:
	gt_pool_free(c.pool);
	return st;
}

gt_status gt_prepare_weights(gt_prepare_call *c, float **weights)
{
	gt_projections *p = *c->p;
	const size_t n = gt_scan_size(p->scan);
	if (!p->weight) {
		if (!(p->weight = malloc(n * sizeof *p->weight)))
			return gt_fail(GT_ERR_MEMORY, "weights: out of memory");
		for (size_t i = 0; i < n; i++)
			p->weight[i] = 1;
	}
	*weights = p->weight;
	return GT_OK;
}

gt_status gt_prepare_like(const gt_projections *p, const gt_scan *scan, gt_projections **out)
{
	const size_t n = gt_scan_size(scan);
	gt_projections *q = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_projections_new(scan, &q));
	if ((p->weight && !(q->weight = calloc(n, sizeof *q->weight))) || (p->photons && !(q->photons = calloc(n, sizeof *q->photons))))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "the projections: out of memory"));
	q->position = p->position;
	q->positioned = p->positioned;
	q->water = p->water;
	GT_TRY(gt_projections_set_provenance(q, p->from.command, p->from.parameters, NULL));
	*out = q;
	q = NULL;
done:
	gt_projections_free(q);
	return st;
}

void gt_prepare_replace(gt_prepare_call *c, gt_projections *by)
{
	gt_projections_free(*c->p);
	*c->p = by;
}

double gt_prepare_photons(const gt_prepare_call *c)
{
	const gt_projections *p = *c->p;
	gt_noise_model *model = NULL;
	double photons = 0;
	if (p->photons) {
		for (size_t i = 0; i < gt_scan_size(p->scan); i++)
			photons += p->photons[i];
		return photons / (double)gt_scan_size(p->scan);
	}
	if (gt_noise_estimate(p, NULL, c->pool, &model) == GT_OK)
		photons = gt_noise_scale(model) > 0 ? 1 / gt_noise_scale(model) : 0;
	gt_noise_free(model);
	return photons;
}
