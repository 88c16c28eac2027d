/* Chooses the method and the projector for a scan if the settings name none, and reports the reason. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/array.h>
#include <gantry/author/constants.h>
#include <gantry/projector.h>
#include <gantry/author/scan_math.h>
#include <gantry/author/vec3.h>
#include "core/log.h"
#include "geometry/detector_edges.h"
#include "recon/choose.h"
#include "recon/modules.h"

/* Above this roll, in degrees, dd with sheared pixels blurs more than joseph aliases, for pixels as large as voxels.
 * The joseph projector samples only the centre of a pixel and aliases more for larger or smaller pixels. The limit
 * therefore grows by ROLL_PER_OCTAVE for a factor of two. Both have errors of 0.03 to 0.06 of the object there
 * (docs/measurements.md). */
#define MAX_ROLL 15.0
#define ROLL_PER_OCTAVE 20.0
/* Smallest cosine between a ray and its slice axis for dd, which itself refuses less than a tenth of it. */
#define MIN_COSINE 1e-2

/* Angles in degrees between the image of a line along z, at the centre of the detector, and its rows and columns. */
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

/* Returns the largest angle of z from the columns, or from the nearer of rows and columns, and its view. */
static double max_roll(const gt_scan *scan, int by_rows_too, size_t *view)
{
	double max = -1, rows, columns;
	for (size_t v = 0; v < scan->views; v++) {
		roll_of(&scan->view[v], &rows, &columns);
		const double roll = by_rows_too ? fmin(rows, columns) : columns;
		if (roll > max) {
			max = roll;
			*view = v;
		}
	}
	return max;
}

/* Size ratio of pixels, projected to the centre of the grid, to voxels, across or along z: in factors of two, at most
 * 1. */
static double size_ratio(const gt_grid *grid, const gt_scan *scan, size_t view)
{
	const gt_view *w = &scan->view[view];
	const int rows_up = fabs(w->column_axis[2]) > fabs(w->row_axis[2]);
	const double across = rows_up ? scan->row_pitch : scan->column_pitch, along_z = rows_up ? scan->column_pitch : scan->row_pitch;
	double ray[3], to[3];
	if (!grid)
		return 0;
	for (int a = 0; a < 3; a++) {
		ray[a] = w->detector[a] - w->source[a];
		to[a] = grid->center[a] - w->source[a];
	}
	const double share = scan->shape == GT_PARALLEL ? 1 : gt_dot3(to, ray) / gt_dot3(ray, ray);
	if (!(share > 0))
		return 0;
	const double wider = log2(across * share / sqrt(grid->pitch[0] * grid->pitch[1]));
	return fmin(1, fmax(fabs(wider), fabs(log2(along_z * share / grid->pitch[2]))));
}

/* Whether every ray advances along the horizontal axis, x or y, along which the central ray of its view advances more.
 * The distance-driven model of dd needs it, and tilted axes with a wide fan break it. */
static int cross_slices(const gt_scan *scan)
{
	const gt_detector d = gt_scan_detector(scan);
	for (size_t v = 0; v < scan->views; v++) {
		double middle[3], point[3], ray[3];
		gt_pixel_ray(&d, &scan->view[v], ((double)scan->columns - 1) / 2, ((double)scan->rows - 1) / 2, point, middle);
		const int axis = fabs(middle[1]) > fabs(middle[0]);
		for (int c = 0; c < 4; c++) {
			gt_pixel_ray(&d, &scan->view[v], c & 1 ? (double)scan->columns - 0.5 : -0.5,
			             c & 2 ? (double)scan->rows - 0.5 : -0.5, point, ray);
			if (!(ray[axis] * copysign(1, middle[axis]) > MIN_COSINE * sqrt(gt_dot3(ray, ray))))
				return 0;
		}
	}
	return 1;
}

/* Returns the requested projector, with a note if the default does the same in a fraction of its time. */
static const char *as_asked(const gt_listener *log, const char *asked, const gt_scan *scan)
{
	if (!strncmp(asked, "sf-", 3) && gt_scan_rows_along_z(scan, asked) != GT_OK)
		gt_notify(log, GT_INFO, GT_ABOUT_CHOICE,
		          "projector: %.*s processes detectors with inclined rows or columns voxel by voxel, in double precision; %s, the "
		          "default, takes at most a tenth of that time, with similar errors for rolls up to about 5 degrees",
		          (int)strcspn(asked, ":"), asked, gt_projectors[0]->name);
	return asked;
}

const char *gt_projector_for_grid(const gt_listener *log, const char *asked, const gt_grid *grid, const gt_scan *scan)
{
	static const char *const any = "joseph";
	const char *usual = gt_projectors[0]->name;
	const int is_arc = scan->shape == GT_ARC;
	size_t view = 0;
	if (asked)
		return as_asked(log, asked, scan);
	if (gt_scan_rows_along_z(scan, usual) == GT_OK)
		return usual;
	if (gt_scan_is_laminography(scan) && !cross_slices(scan)) {
		gt_notify(log, GT_INFO, GT_ABOUT_CHOICE, "projector: %s (some rays run along the axis: the fan is too wide for %s)", any,
		          usual);
		return any;
	}
	const double roll = max_roll(scan, !is_arc, &view), limit = MAX_ROLL + ROLL_PER_OCTAVE * size_ratio(grid, scan, view);
	if (roll <= MAX_ROLL)
		return usual;
	gt_notify(log, GT_INFO, GT_ABOUT_CHOICE,
	          "projector: %s (lines along z are seen at %.1f degrees to the %s of view %zu; %s %.3g it is the most accurate one%s)",
	          roll <= limit ? usual : any, roll, is_arc ? "columns" : "rows or columns", view, roll <= limit ? "up to" : "above", limit,
	          roll <= limit ? " for pixels and voxels that differ as much in size" : "; dd is faster");
	return roll <= limit ? usual : any;
}

/* Degrees between views above which streaks dominate. */
#define FEW_VIEWS 10.0

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Returns the mean distance of neighbouring directions on the circle, in degrees, for any order of the views and any
 * number of rotations. NAN without angles or memory. */
static double mean_step(const gt_scan *scan)
{
	const double period = scan->shape == GT_PARALLEL ? GT_PI : 2 * GT_PI, same = 0.02 * period / (double)scan->views;
	double *angle = malloc(scan->views * sizeof *angle), sum = 0, widest = 0;
	size_t gaps = 0;
	for (size_t v = 0; angle && v < scan->views; v++)
		angle[v] = scan->view[v].angle - period * floor(scan->view[v].angle / period);
	if (!angle || scan->views < 2)
		sum = NAN;
	else
		qsort(angle, scan->views, sizeof *angle, ascending);
	for (size_t v = 0; angle && v < scan->views; v++) {
		const double gap = v + 1 < scan->views ? angle[v + 1] - angle[v] : angle[0] + period - angle[v];
		sum += gap;
		gaps += gap > same;
		widest = fmax(widest, gap);
	}
	free(angle);
	return gaps > 1 ? (sum - widest) / (double)(gaps - 1) * 180 / GT_PI : NAN;
}

static void note_few(const gt_listener *log, const gt_analytic *m, const gt_scan *scan)
{
	const double step = mean_step(scan);
	if (step > FEW_VIEWS)
		gt_notify(log, GT_INFO, GT_ABOUT_CHOICE,
		          "%s: %zu views, %.3g degrees apart: expect streaks; an iterative --solver reduces them", m->name, scan->views,
		          step);
}

/* Sets the defaults, with one subset per view if there are fewer views than subsets. */
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

/* Arcs of a displaced detector see what lies beyond its nearer side from few directions. There the momentum of os-sqs
 * halves the error of os-sart after the same passes: mean attenuation +0.5 % instead of -3.7 % over 250 degrees. */
static const gt_solver *solver_for(const gt_scan *scan)
{
	const gt_solver *fast = gt_displaced_is_open(scan) ? gt_solver_find("os-sqs") : NULL;
	return fast ? fast : gt_solvers[0];
}

gt_status gt_method_instead(const gt_listener *log, const gt_scan *scan, gt_method *m)
{
	gt_method_free(m);
	*m = (gt_method){ .solver = solver_for(scan) };
	gt_notify(log, GT_INFO, GT_ABOUT_CHOICE, "solver: %s (%.*s)", m->solver->name, gt_length_without_advice(gt_error()), gt_error());
	return set_fitting(m, scan->views);
}

gt_status gt_method_for(const gt_listener *log, const gt_grid *grid, const gt_scan *scan, gt_method *m)
{
	const gt_analytic *direct = gt_analytic_for(scan);
	const gt_status st = gt_analytic_supports(direct, grid, scan);
	if (st != GT_OK && st != GT_ERR_UNSUPPORTED)
		return st;
	if (st != GT_OK)
		return gt_method_instead(log, scan, m);
	note_few(log, direct, scan);
	return gt_method_parse(direct->name, m);
}

const char *gt_method_choice(const gt_analytic *method, const void *options, const char *key)
{
	options = options ? options : method->defaults;
	for (const gt_param *p = method->params; p && p->key; p++)
		if (!strcmp(p->key, key) && p->kind == GT_CHOICE)
			return p->names[*(const int *)(const void *)((const char *)options + p->at)];
	return NULL;
}

void gt_method_note_form(const gt_listener *log, const gt_analytic *method, const void *options, const gt_backend *be)
{
	const char *form = gt_backend_is_gpu(be) ? NULL : gt_method_choice(method, options, "kernel");
	if (form && strcmp(form, "auto") != 0)
		gt_notify(log, GT_INFO, GT_ABOUT_CHOICE, "%s: kernel=%s needs CUDA; %s has one kernel, which is used", method->name, form,
		          gt_backend_name(be));
}
