/* Geometries of TIGRE and CIL, which have no file format for them: the members of their objects as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "core/try.h"
#include "io/geometry/json_keys.h"

static int probe_tigre(const gt_geometry_input *in) { return gt_json_has(in, "nDetector") && gt_json_has(in, "angles"); }
static int probe_cil(const gt_geometry_input *in) { return gt_json_has(in, "num_pixels") && gt_json_has(in, "angles"); }

/* Reads n numbers for each view; one set of n numbers applies to all views. */
static gt_status per_view(gt_geometry_input *in, const cJSON *root, const char *key, size_t n, size_t views, double **out)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, key);
	gt_number_list l = { NULL, 0, 0 };
	size_t width = 0;
	gt_status st = GT_OK;
	double *all = calloc(n * views, sizeof *all), one = 0;
	*out = all;
	if (!all)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	if (!item || cJSON_IsNull(item))
		return GT_OK;
	if (cJSON_IsNumber(item))
		GT_TRY(gt_json_number(in, root, key, NULL, &one));
	else
		GT_TRY(gt_json_list(in, root, key, &l, &width));
	if (l.n != n && l.n != n * views && !(cJSON_IsNumber(item) && (n == 1 || one == 0)))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s has %zu numbers, expected %zu, or %zu for each of the %zu views", key, l.n, n, n, views));
	for (size_t i = 0; i < n * views; i++)
		all[i] = l.n == 0 ? one : l.value[l.n == n ? i % n : i];
done:
	free(l.value);
	return st;
}

/* Swaps the (v, u) pairs of TIGRE's Python interface to (u, v). */
static void swap_pairs(double *pair, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const double v = pair[2 * i];
		pair[2 * i] = pair[2 * i + 1];
		pair[2 * i + 1] = v;
	}
}

typedef struct {
	gt_tigre_orbit orbit;
	gt_scan_size3 size;
	double *offset, *rotation, *cor, (*angle)[3];
} tigre;

static gt_status read_tigre_angles(gt_geometry_input *in, const cJSON *root, tigre *t)
{
	gt_number_list l = { NULL, 0, 0 };
	size_t width = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_json_list(in, root, "angles", &l, &width));
	if (width != 1 && width != 3)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "angles has %zu numbers for each view, expected 1 or 3", width));
	t->size.views = l.n / width;
	if (!(t->angle = calloc(t->size.views, sizeof *t->angle)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t i = 0; i < l.n; i++)
		t->angle[i / width][i % width] = l.value[i];
	gt_geometry_note(in, "%zu angles from %g to %g rad from angles", t->size.views, l.value[0], l.value[l.n - width]);
done:
	free(l.value);
	return st;
}

static gt_status read_tigre_sizes(gt_geometry_input *in, const cJSON *root, tigre *t)
{
	static const double none[3] = { 0, 0, 0 };
	double pixels[2], origin[3];
	const char *mode;
	gt_status st = GT_OK;
	GT_TRY(gt_json_text(root, "mode", &mode));
	t->orbit.parallel = mode && !strcmp(mode, "parallel");
	if (mode && strcmp(mode, "parallel") && strcmp(mode, "cone"))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "mode is '%s', expected cone or parallel", mode));
	GT_TRY(gt_json_numbers(in, root, "nDetector", NULL, 2, pixels));
	GT_TRY(gt_size_of(in, "nDetector", pixels[0], &t->size.rows));
	GT_TRY(gt_size_of(in, "nDetector", pixels[1], &t->size.columns));
	GT_TRY(gt_json_numbers(in, root, "dDetector", NULL, 2, t->orbit.pitch));
	swap_pairs(t->orbit.pitch, 1);
	GT_TRY(gt_json_number(in, root, "DSO", t->orbit.parallel ? none : NULL, &t->orbit.dso));
	GT_TRY(gt_json_number(in, root, "DSD", t->orbit.parallel ? none : NULL, &t->orbit.dsd));
	if (!t->orbit.parallel && !(t->orbit.dso > 0 && t->orbit.dsd > t->orbit.dso))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "DSO is %g and DSD %g, expected the second to be larger", t->orbit.dso, t->orbit.dsd));
	GT_TRY(gt_json_numbers(in, root, "offOrigin", none, 3, origin));
	if (origin[0] != 0 || origin[1] != 0 || origin[2] != 0)
		gt_geometry_note(in, "offOrigin moves the volume, not the scan: set the grid centre to %g,%g,%g", origin[2] + 0,
		                 origin[1] + 0, origin[0] + 0);
	gt_geometry_note(in, "source to axis %g mm from DSO, to detector %g mm from DSD; pairs are (v, u), as in Python", t->orbit.dso,
	                 t->orbit.dsd);
done:
	return st;
}

static gt_status read_tigre(gt_geometry_input *in)
{
	tigre t = { .size = { 0, 0, 0 } };
	cJSON *root = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_json_read(in, &root));
	GT_TRY(read_tigre_sizes(in, root, &t));
	GT_TRY(read_tigre_angles(in, root, &t));
	GT_TRY(per_view(in, root, "offDetector", 2, t.size.views, &t.offset));
	GT_TRY(per_view(in, root, "rotDetector", 3, t.size.views, &t.rotation));
	GT_TRY(per_view(in, root, "COR", 1, t.size.views, &t.cor));
	swap_pairs(t.offset, t.size.views);
	t.orbit.offset = (const double(*)[2])(void *)t.offset;
	t.orbit.rotation = (const double(*)[3])(void *)t.rotation;
	t.orbit.cor = t.cor;
	t.orbit.angle = (const double(*)[3])t.angle;
	GT_TRY(gt_scan_of_tigre(&t.orbit, &t.size, &in->g->scan));
done:
	free(t.offset);
	free(t.rotation);
	free(t.cor);
	free(t.angle);
	cJSON_Delete(root);
	return st;
}

const gt_geometry_reader gt_geometry_tigre = { "tigre", probe_tigre, read_tigre };

static gt_status read_cil_vectors(gt_geometry_input *in, const cJSON *root, gt_cil_orbit *o)
{
	static const double zero[3] = { 0, 0, 0 }, x[3] = { 1, 0, 0 }, y[3] = { 0, 1, 0 }, z[3] = { 0, 0, 1 };
	const double unit = isnan(in->o.unit) ? 1 : in->o.unit;
	gt_status st = GT_OK;
	o->parallel = !cJSON_GetObjectItemCaseSensitive(root, "source_position");
	if (o->parallel && !cJSON_GetObjectItemCaseSensitive(root, "ray_direction"))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "source_position is missing, and ray_direction of parallel rays: expected one of them"));
	GT_TRY(gt_json_numbers(in, root, "source_position", o->parallel ? zero : NULL, 3, o->source));
	GT_TRY(gt_json_numbers(in, root, "detector_position", o->parallel ? zero : NULL, 3, o->detector));
	GT_TRY(gt_json_numbers(in, root, "rotation_axis_position", zero, 3, o->axis));
	GT_TRY(gt_json_numbers(in, root, "rotation_axis_direction", z, 3, o->axis_direction));
	GT_TRY(gt_json_numbers(in, root, "detector_direction_x", x, 3, o->column_direction));
	GT_TRY(gt_json_numbers(in, root, "detector_direction_y", z, 3, o->row_direction));
	GT_TRY(gt_json_numbers(in, root, "ray_direction", y, 3, o->ray));
	GT_TRY(gt_json_numbers(in, root, "pixel_size", NULL, 2, o->pitch));
	for (int a = 0; a < 3; a++) {
		o->source[a] *= unit;
		o->detector[a] *= unit;
		o->axis[a] *= unit;
	}
	for (int i = 0; i < 2; i++)
		if (!((o->pitch[i] *= unit) > 0))
			GT_TRY(gt_fail(GT_ERR_FORMAT, "pixel_size is %g, expected lengths above 0", o->pitch[i]));
	gt_geometry_note(in, "one unit of its lengths is %s%g mm%s", isnan(in->o.unit) ? "taken as " : "", unit,
	                 isnan(in->o.unit) ? " (--length-unit sets it)" : "");
done:
	return st;
}

static gt_status read_cil_angles(gt_geometry_input *in, const cJSON *root, gt_number_list *l)
{
	const double zero = 0;
	const char *unit;
	double initial = 0;
	size_t width = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_json_text(root, "angle_unit", &unit));
	if (unit && strcmp(unit, "degree") && strcmp(unit, "radian"))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "angle_unit is '%s', expected degree or radian", unit));
	GT_TRY(gt_json_list(in, root, "angles", l, &width));
	GT_TRY(gt_json_number(in, root, "initial_angle", &zero, &initial));
	if (width != 1)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "angles has %zu numbers for each view, expected 1", width));
	gt_geometry_note(in, "%zu angles from %g to %g %ss from angles, %s", l->n, l->value[0], l->value[l->n - 1], unit ? unit : "degree",
	                 unit ? "by angle_unit" : "as CIL takes them");
	for (size_t v = 0; v < l->n; v++)
		l->value[v] = (l->value[v] + initial) * (unit && !strcmp(unit, "radian") ? 1 : GT_PI / 180);
done:
	return st;
}

static gt_status read_cil(gt_geometry_input *in)
{
	static const char *const origins[] = { "bottom-left", "bottom-right", "top-left", "top-right" };
	gt_cil_orbit o = { .parallel = 0 };
	gt_number_list angles = { NULL, 0, 0 };
	gt_scan_size3 size = { 0, 0, 0 };
	double pixels[2];
	cJSON *root = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_json_read(in, &root));
	GT_TRY(read_cil_vectors(in, root, &o));
	GT_TRY(gt_json_numbers(in, root, "num_pixels", NULL, 2, pixels));
	GT_TRY(gt_size_of(in, "num_pixels", pixels[0], &size.columns));
	GT_TRY(gt_size_of(in, "num_pixels", pixels[1], &size.rows));
	const char *origin;
	GT_TRY(gt_json_text(root, "origin", &origin));
	while (origin && o.origin < 4 && strcmp(origin, origins[o.origin]))
		o.origin++;
	if (o.origin == 4)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "origin is '%s', expected bottom-left, bottom-right, top-left or top-right", origin));
	GT_TRY(read_cil_angles(in, root, &angles));
	o.angle = angles.value;
	size.views = angles.n;
	gt_geometry_note(in, "%zu columns x %zu rows from num_pixels, counted from the %s", size.columns, size.rows, origins[o.origin]);
	GT_TRY(gt_scan_of_cil(&o, &size, &in->g->scan));
done:
	free(angles.value);
	cJSON_Delete(root);
	return st;
}

const gt_geometry_reader gt_geometry_cil = { "cil", probe_cil, read_cil };
