/* What is chosen for a scan where nothing was asked for, and why: the method and the projector. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <gantry/constants.h>
#include <gantry/projector.h>
#include "core/log.h"
#include "recon/choose.h"

const char *gt_projector_for(const gt_listener *log, const char *asked, const gt_scan *scan)
{
	static const char *const leaning = "sf-tr";
	const char *usual = gt_projectors[0]->name;
	if (asked || gt_scan_rows_along_z(scan, usual) == GT_OK)
		return asked ? asked : usual;
	gt_say(log, GT_INFO, GT_ABOUT_CHOICE,
	       "projector: %s (%s; on a CPU --projector joseph takes a third of its time, with one ray for each pixel)", leaning,
	       gt_error());
	return leaning;
}

/* Degrees between views from which on streaks are what is seen first. */
#define FEW_VIEWS 10.0

static void note_few(const gt_listener *log, const gt_analytic *m, const gt_scan *scan)
{
	const double step = gt_scan_angular_range(scan) / (double)scan->views * 180 / GT_PI;
	if (step > FEW_VIEWS)
		gt_say(log, GT_INFO, GT_ABOUT_CHOICE,
		       "%s: %zu views, %.3g degrees apart: expect streaks; an iterative --solver reduces them", m->name, scan->views, step);
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
				gt_say(log, GT_INFO, GT_ABOUT_CHOICE, "%s: kernel=%s needs CUDA; %s has one kernel, which is used",
				       method->name, p->names[form], gt_backend_name(be));
		}
}
