/* What is chosen for a scan where nothing was asked for, and why: the method and the projector. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <gantry/array.h>
#include <gantry/constants.h>
#include <gantry/projector.h>
#include <gantry/vec3.h>
#include "core/log.h"
#include "recon/choose.h"

/* From this roll on, in degrees, the sheared pixels of dd blur more than joseph's rays alias. */
#define MOST_ROLL 15.0

/* Degrees between the image of a line along z, in the middle of the detector, and its rows and columns. */
static void roll_of(const gt_view *w, double *rows, double *columns)
{
	double normal[3], ray[3], image[3];
	gt_cross3(w->column_axis, w->row_axis, normal);
	for (int a = 0; a < 3; a++)
		ray[a] = w->detector[a] - w->source[a];
	const double share = normal[2] / gt_dot3(normal, ray);
	for (int a = 0; a < 3; a++)
		image[a] = (a == 2) - share * ray[a];
	const double across = fabs(gt_dot3(image, w->column_axis)), up = fabs(gt_dot3(image, w->row_axis));
	*columns = atan2(across, up) * 180 / GT_PI;
	*rows = 90 - *columns;
}

/* The view where z is farthest from the columns, or from the nearer of rows and columns, and how far. */
static double most_roll(const gt_scan *scan, int by_rows_too, size_t *view)
{
	double most = -1, rows, columns;
	for (size_t v = 0; v < scan->views; v++) {
		roll_of(&scan->view[v], &rows, &columns);
		const double roll = by_rows_too ? fmin(rows, columns) : columns;
		if (roll > most) {
			most = roll;
			*view = v;
		}
	}
	return most;
}

const char *gt_projector_for_backend(const gt_listener *log, const char *asked, const gt_scan *scan, const char *backend)
{
	static const char *const any = "joseph";
	const char *usual = gt_projectors[0]->name;
	const int is_arc = scan->shape == GT_ARC;
	size_t view = 0;
	(void)backend; /* all have kernels for the same detectors */
	if (asked || gt_scan_rows_along_z(scan, usual) == GT_OK)
		return asked ? asked : usual;
	const double roll = most_roll(scan, !is_arc, &view);
	if (roll <= MOST_ROLL)
		return usual;
	gt_say(log, GT_INFO, GT_ABOUT_CHOICE,
	       "projector: %s (lines along z are seen at %.1f degrees to the %s of view %zu; above %g it is the most accurate one)", any,
	       roll, is_arc ? "columns" : "rows or columns", view, MOST_ROLL);
	return any;
}

const char *gt_projector_for(const gt_listener *log, const char *asked, const gt_scan *scan)
{
	return gt_projector_for_backend(log, asked, scan, NULL);
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
