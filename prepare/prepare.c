/* Runs one step by its text, or all steps that projections need, and records them. */
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/module.h"
#include "core/text.h"
#include "core/try.h"
#include "geometry/not_finite.h"
#include "prepare/images.h"
#include "recon/noise/noise_estimate.h"

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

gt_status gt_prepare_options_of(const gt_prepare_options *given, gt_prepare_options *full)
{
	*full = gt_prepare_defaults;
	if (!given)
		return GT_OK;
	if (given->size < sizeof given->size || given->size > sizeof *full)
		return gt_fail(GT_ERR_ARG, "options of size=%zu: expected sizeof(gt_prepare_options), which is at most %zu", given->size,
		               sizeof *full);
	memcpy(full, given, given->size);
	full->size = sizeof *full;
	return full->backend ? gt_prepare_backend_check(full->backend) : GT_OK;
}

static gt_status check(gt_projections *const *p)
{
	if (!p || !*p)
		return gt_fail(GT_ERR_ARG, "gt_prepare: found no projections");
	if (!(*p)->data)
		return gt_fail(GT_ERR_ARG, "gt_prepare: the projections hold the geometry alone, expected line integrals");
	gt_status st = gt_projections_unfiltered(*p, "gt_prepare", "");
	if (st == GT_OK)
		st = gt_scan_check((*p)->scan);
	return st == GT_OK ? gt_fail_in(gt_projections_finite(*p), "gt_prepare") : st;
}

/* Returns the parameters so far and one more step. */
gt_status gt_prepared_record(gt_projections *p, const gt_prepared_step *s)
{
	const char *before = p->from.parameters;
	char *step = gt_module_print((const gt_module *)s->step, s->options);
	char *all = step ? gt_text("%s%sprepare=%s", before ? before : "", before ? " " : "", step) : NULL;
	const gt_status st = all ? gt_projections_set_provenance(p, p->from.command, all, p->scan)
	                         : gt_fail(GT_ERR_MEMORY, "out of memory");
	free(step);
	free(all);
	return st;
}

gt_status gt_prepared_step_new(const char *spec, gt_prepared_step *s)
{
	const gt_module *m;
	*s = (gt_prepared_step){ NULL, NULL, NULL, NULL };
	const gt_status st = gt_module_parse_kind(&gt_preparation_kind, spec, &m, &s->options);
	s->step = st == GT_OK ? (const gt_preparation *)m : NULL;
	return st;
}

void gt_prepared_step_free(gt_prepared_step *s)
{
	if (s->known)
		(s->forget ? s->forget : free)(s->known);
	gt_free(s->options);
	*s = (gt_prepared_step){ NULL, NULL, NULL, NULL };
}

gt_status gt_prepared_inspect(gt_prepare_call *c, gt_prepared_step *s)
{
	c->step = s->step->name;
	c->known = NULL;
	c->forget = NULL;
	const gt_status st = s->step->inspect ? gt_fail_in(s->step->inspect(c, s->options), "%s", c->step) : GT_OK;
	s->known = c->known;
	s->forget = c->forget;
	return st;
}

gt_status gt_prepared_run(gt_prepare_call *c, gt_prepared_step *s)
{
	c->step = s->step->name;
	c->known = s->known;
	return gt_fail_in(s->step->run(c, s->options), "%s", c->step);
}

void gt_prepared_report(gt_prepare_call *c, gt_prepared_step *s)
{
	c->step = s->step->name;
	c->known = s->known;
	if (s->step->report)
		s->step->report(c);
}

static gt_status from_memory(void *self, size_t first, size_t views, float *out)
{
	const gt_projections *p = self;
	const size_t n = p->scan->rows * p->scan->columns;
	memcpy(out, p->data + first * n, views * n * sizeof *out);
	return GT_OK;
}

static gt_status run(gt_prepare_call *c, const char *spec)
{
	gt_prepared_step s;
	gt_status st = GT_OK;
	GT_TRY(gt_prepared_step_new(spec, &s));
	c->source = (gt_prepare_source){ (*c->p)->scan, from_memory, *c->p };
	c->water = (*c->p)->water;
	GT_TRY(gt_prepared_inspect(c, &s));
	GT_TRY(gt_prepared_run(c, &s));
	gt_prepared_report(c, &s);
	st = gt_prepared_record(*c->p, &s);
done:
	gt_prepared_step_free(&s);
	return st;
}

gt_status gt_prepare(gt_projections **p, const char *spec, const gt_prepare_options *given)
{
	gt_prepare_options o;
	gt_prepare_call c = { .p = p, .o = &o, .step = "prepare" };
	gt_status st = GT_OK;
	GT_TRY(gt_prepare_options_of(given, &o));
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
	gt_prepare_call c = { .p = p, .o = &o, .step = "auto" };
	char spec[TEXT], why[TEXT];
	gt_status st = GT_OK;
	size_t done = 0;
	GT_TRY(gt_prepare_options_of(given, &o));
	GT_TRY(check(p));
	GT_TRY(gt_pool_new(o.threads, &c.pool));
	for (const gt_preparation *const *m = gt_preparations; *m; m++) {
		if (!(*m)->advise)
			continue;
		c.round = 0;
		do {
			spec[0] = why[0] = 0;
			c.step = (*m)->name;
			c.ask_again = 0;
			c.source = (gt_prepare_source){ (*p)->scan, from_memory, *p };
			GT_TRY(gt_fail_in((*m)->advise(&c, spec, why, TEXT), "%s", (*m)->name));
			gt_prepare_note(&c, "%s: %s", spec[0] ? "done" : "left out", why);
			if (!spec[0])
				break;
			const int again = c.ask_again;
			GT_TRY(run(&c, spec));
			done++;
			if (o.after)
				GT_TRY(o.after(o.after_self, (*m)->name, *p));
			c.ask_again = again;
			c.round++;
		} while (c.ask_again);
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

gt_status gt_prepare_mark(gt_prepare_call *c, const unsigned char *marked, size_t n, float weight)
{
	float *w = NULL;
	const gt_status st = gt_prepare_weights(c, &w);
	for (size_t i = 0; st == GT_OK && i < gt_scan_size((*c->p)->scan); i++)
		if (marked[i % n] && w[i] != weight)
			w[i] *= weight;
	return st;
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
	q->filtered = p->filtered;
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

gt_status gt_prepare_known(gt_prepare_call *c, size_t bytes)
{
	return (c->known = calloc(1, bytes)) ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
}

gt_status gt_prepare_needs_all(const gt_prepare_call *c, const char *what)
{
	return c->in_chunks ? gt_fail(GT_ERR_UNSUPPORTED, "%s takes all projections at once: not possible in chunks", what) : GT_OK;
}

enum { LOOKED_VIEWS = 8 };

gt_status gt_prepare_photons(const gt_prepare_call *c, double *photons)
{
	const gt_projections *p = c->p ? *c->p : NULL;
	const gt_scan *scan = c->source.scan;
	const size_t views = scan->views < LOOKED_VIEWS ? scan->views : LOOKED_VIEWS, first = (scan->views - views) / 2;
	size_t view[LOOKED_VIEWS];
	gt_scan *few = NULL;
	gt_projections *q = NULL;
	gt_noise_model *model = NULL;
	gt_status st = GT_OK;
	*photons = 0;
	if (p && p->photons) {
		for (size_t i = 0; i < gt_scan_size(p->scan); i++)
			*photons += p->photons[i] / (double)gt_scan_size(p->scan);
		return GT_OK;
	}
	for (size_t v = 0; v < views; v++)
		view[v] = first + v;
	GT_TRY(gt_prepare_part_of(scan, view, views, 0, scan->rows, &few));
	GT_TRY(gt_projections_new(few, &q));
	GT_TRY(c->source.read(c->source.self, first, views, q->data));
	if (gt_noise_estimate(q, NULL, c->pool, &model) == GT_OK)
		*photons = 1 / fmax(gt_noise_scale(model), 1 / GT_MAX_PHOTONS);
done:
	gt_noise_free(model);
	gt_projections_free(q);
	gt_scan_free(few);
	return st;
}

gt_status gt_prepare_fields_finite(const gt_field_images *f, const char *what, size_t pixels)
{
	const size_t n = f->images * pixels, first = n ? gt_first_bad(f->data, n) : 0;
	return first == n ? GT_OK
	                  : gt_fail(GT_ERR_FORMAT, "%s field %zu is %g at pixel %zu of %zu: expected finite numbers", what, first / pixels,
	                            (double)f->data[first], first % pixels, pixels);
}

typedef struct {
	float *x;
	gt_value_work work;
	const void *self;
	atomic_size_t sum;
} values_call;

static void values_loop(void *self, size_t begin, size_t end, int worker)
{
	values_call *v = self;
	(void)worker;
	atomic_fetch_add(&v->sum, v->work(v->self, v->x + begin, end - begin));
}

size_t gt_prepare_values(const gt_prepare_call *c, gt_value_work work, const void *self)
{
	values_call v = { (*c->p)->data, work, self, 0 };
	gt_parallel(c->pool, gt_scan_size((*c->p)->scan), 1 << 16, values_loop, &v);
	return atomic_load(&v.sum);
}

gt_status gt_prepare_part_of(const gt_scan *from, const size_t *view, size_t views, size_t row, size_t rows, gt_scan **out)
{
	gt_scan *scan = NULL;
	const gt_status st = gt_scan_new(from->shape, views, rows, from->columns, &scan);
	if (st != GT_OK)
		return st;
	gt_view *table = scan->view;
	*scan = *from;
	scan->view = table;
	scan->views = views;
	scan->rows = rows;
	scan->row_center -= (double)row;
	for (size_t v = 0; v < views; v++)
		table[v] = from->view[view[v]];
	*out = scan;
	return GT_OK;
}

gt_status gt_prepare_numbers(const char *key, const char *text, size_t max, double *x, size_t *n)
{
	const char *at = text;
	for (*n = 0;; at++) {
		char *end;
		if (*n == max)
			return gt_fail(GT_ERR_ARG, "%s=%s: more than %zu numbers", key, text, max);
		x[*n] = gt_strtod(at, &end);
		if (end == at || !isfinite(x[*n]) || (*end && *end != ':'))
			return gt_fail(GT_ERR_ARG, "%s=%s: expected numbers with colons between them, A:B:...", key, text);
		++*n;
		at = end;
		if (!*at)
			return GT_OK;
	}
}
