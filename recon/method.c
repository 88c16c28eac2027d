#include <gantry/module.h>
#include "core/log.h"
#include "core/text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/projector.h>
#include "core/try.h"
#include "recon/method.h"

static const gt_module *module_of(const gt_method *m) { return m->solver ? (const gt_module *)m->solver : (const gt_module *)m->analytic; }

const char *gt_method_name(const gt_method *m) { return module_of(m)->name; }

gt_status gt_projector_check(const char *spec)
{
	const gt_module *projector;
	void *options;
	const gt_status st = gt_module_parse("projector", spec, &projector, &options);
	gt_free(options);
	return st;
}

char *gt_projector_text(const char *spec)
{
	const gt_module *projector;
	void *options;
	char *text = gt_module_parse("projector", spec, &projector, &options) == GT_OK ? gt_module_print(projector, options) : NULL;
	gt_free(options);
	return text;
}

gt_status gt_method_parse(const char *spec, gt_method *m)
{
	const gt_module *module;
	gt_status st = GT_OK;
	*m = (gt_method){ NULL, NULL, NULL };
	GT_TRY(gt_module_parse("method", spec, &module, &m->options));
	m->solver = gt_solver_find(module->name);
	m->analytic = m->solver ? NULL : gt_analytic_find(module->name);
done:
	return st;
}

const char *gt_projector_for(const gt_listener *log, const char *asked, const gt_scan *scan)
{
	static const char *const leaning = "sf-tr";
	const char *usual = gt_projectors[0]->name;
	if (asked || gt_scan_rows_along_z(scan, usual) == GT_OK)
		return asked ? asked : usual;
	gt_say(log, GT_INFO, GT_ABOUT_CHOICE, "projector: %s (%s)", leaning, gt_error());
	return leaning;
}

/* Degrees between views from which on streaks are what is seen first. */
#define FEW_VIEWS 10.0

static void note_few(const gt_listener *log, const gt_analytic *m, const gt_scan *scan)
{
	const double step = gt_scan_angular_range(scan) / (double)scan->views * 180 / acos(-1);
	if (step > FEW_VIEWS)
		gt_say(log, GT_INFO, GT_ABOUT_CHOICE,
		       "%s: %zu views, %.3g degrees apart: expect streaks, of which an iterative --solver leaves less", m->name,
		       scan->views, step);
}

/* The defaults, with a subset of each view where there are fewer views than subsets. */
static gt_status set_fitting(gt_method *m, size_t views)
{
	size_t subsets;
	gt_status st = gt_method_parse(m->solver->name, m);
	if (st != GT_OK || !m->solver->subsets || m->solver->subsets(m->options, views, &subsets) == GT_OK)
		return st;
	char text[32];
	snprintf(text, sizeof text, "subsets=%zu", views);
	return gt_fail_in(gt_params_parse(m->solver->params, text, m->options), "%s", m->solver->name);
}

int gt_length_without_advice(const char *why)
{
	const char *advice = strstr(why, "; use an iterative solver");
	return (int)(advice ? (size_t)(advice - why) : strlen(why));
}

gt_status gt_method_for(const gt_listener *log, const gt_grid *grid, const gt_scan *scan, gt_method *m)
{
	const gt_analytic *direct = gt_analytic_for(scan);
	const gt_status st = gt_analytic_supports(direct, grid, scan);
	if (st != GT_OK && st != GT_ERR_UNSUPPORTED)
		return st;
	m->analytic = st == GT_OK ? direct : NULL;
	m->solver = m->analytic ? NULL : gt_solvers[0];
	if (m->solver) {
		gt_say(log, GT_INFO, GT_ABOUT_CHOICE, "solver: %s (%.*s)", m->solver->name, gt_length_without_advice(gt_error()),
		       gt_error());
		return set_fitting(m, scan->views);
	}
	note_few(log, direct, scan);
	return gt_method_parse(direct->name, m);
}

void gt_method_note_form(const gt_listener *log, const gt_analytic *method, const void *options, const gt_backend *be)
{
	for (const gt_param *p = options && !gt_backend_is_gpu(be) ? method->params : NULL; p && p->key; p++)
		if (!strcmp(p->key, "kernel")) {
			const int form = *(const int *)(const void *)((const char *)options + p->at);
			if (form)
				gt_say(log, GT_INFO, GT_ABOUT_CHOICE, "%s: kernel=%s is a form on CUDA; %s has one form, which computes",
				       method->name, p->names[form], gt_backend_name(be));
		}
}

void gt_method_free(gt_method *m)
{
	free(m->options);
	m->options = NULL;
}

char *gt_method_print(const gt_method *m) { return gt_module_print(module_of(m), m->options); }

/* Values of views first, first + stride, ... one after the other. */
static gt_status gather(const gt_scan *scan, const float *data, size_t first, size_t stride, gt_array *b)
{
	const size_t view = scan->rows * scan->columns;
	float *part = malloc(gt_array_size(b) * sizeof *part), *to = part;
	if (!part)
		return gt_fail(GT_ERR_MEMORY, "a subset of the projections needs %.3g MB", (double)gt_array_size(b) * 4e-6);
	for (size_t v = first; v < scan->views; v += stride, to += view)
		memcpy(to, data + v * view, view * sizeof *part);
	gt_array_put_float(part, b);
	free(part);
	return GT_OK;
}

static gt_status new_subset(const gt_linop *A, const gt_scan *scan, const float *data, size_t k, size_t subsets, gt_array **b)
{
	gt_status st = GT_OK;
	GT_TRY(gt_array_new(gt_linop_backend(A), gt_linop_type(A), gt_linop_ny(A), b));
	if (subsets == 1 || gt_backend_is_dry_run(gt_linop_backend(A)))
		gt_array_put_float(data, *b);
	else
		GT_TRY(gather(scan, data, k, subsets, *b));
done:
	return st;
}

gt_status gt_subsets_new(const char *projector, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan, const float *data,
                         const float *weights, size_t subsets, gt_subsets *s)
{
	gt_scan *part = NULL;
	gt_status st = GT_OK;
	if (subsets < 1 || subsets > scan->views)
		return gt_fail(GT_ERR_ARG, "subsets=%zu: expected a number from 1 to %zu, the number of views", subsets, scan->views);
	s->subsets = subsets;
	s->A = calloc(subsets, sizeof *s->A);
	s->b = calloc(subsets, sizeof *s->b);
	s->w = weights ? calloc(subsets, sizeof *s->w) : NULL;
	if (!s->A || !s->b || (weights && !s->w))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t k = 0; k < subsets; k++) {
		GT_TRY(gt_scan_subset(scan, k, subsets, &part));
		GT_TRY(gt_projector_new(projector, be, type, grid, part, &s->A[k]));
		GT_TRY(new_subset(s->A[k], scan, data, k, subsets, &s->b[k]));
		if (weights)
			GT_TRY(new_subset(s->A[k], scan, weights, k, subsets, &s->w[k]));
		gt_scan_free(part);
		part = NULL;
	}
	GT_TRY(gt_backend_status(be));
done:
	gt_scan_free(part);
	if (st != GT_OK)
		gt_subsets_free(s);
	return st;
}

void gt_subsets_free(gt_subsets *s)
{
	for (size_t k = 0; k < s->subsets; k++) {
		if (s->A)
			gt_linop_free(s->A[k]);
		if (s->b)
			gt_array_free(s->b[k]);
		if (s->w)
			gt_array_free(s->w[k]);
	}
	free(s->A);
	free(s->b);
	free(s->w);
	*s = (gt_subsets){ 0 };
}

double gt_subsets_norm(const gt_subsets *s)
{
	double sum = 0;
	for (size_t k = 0; k < s->subsets; k++)
		sum += gt_dot(s->b[k], s->b[k]);
	return sqrt(sum);
}
