/* Functions shared by the volume formats: voxel order, units, notes. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/text.h"
#include "core/log.h"
#include "geometry/not_finite.h"
#include "geometry/patient_position.h"
#include "geometry/volume.h"
#include "io/write_kit/volume_units.h"

gt_status gt_volume_check(const char *path, const gt_grid *grid)
{
	const gt_status st = gt_fail_in(gt_grid_check(grid, NULL), "%s", path);
	return st == GT_ERR_ARG ? GT_ERR_FORMAT : st;
}

static void swap_lines(float *a, float *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const float t = a[i];
		a[i] = b[i];
		b[i] = t;
	}
}

/* data is [outer][n][inner]: reverses the second index. */
static void reverse(float *data, size_t outer, size_t n, size_t inner)
{
	for (size_t o = 0; o < outer; o++)
		for (size_t i = 0; i < n / 2; i++)
			swap_lines(data + (o * n + i) * inner, data + (o * n + n - 1 - i) * inner, inner);
}

void gt_voxels_flip(float *data, const size_t n[3], const int flip[3])
{
	if (flip[0])
		reverse(data, n[2] * n[1], n[0], 1);
	if (flip[1])
		reverse(data, n[2], n[1], n[0]);
	if (flip[2])
		reverse(data, 1, n[2], n[1] * n[0]);
}

size_t gt_stored_slice(size_t all, size_t first, size_t n, int down) { return down ? all - first - n : first; }

void gt_voxels_linear(float *data, size_t n, double scale, double offset)
{
	for (size_t i = 0; i < n; i++)
		data[i] = (float)(scale * data[i] + offset);
}

double gt_hu_water(const gt_write_options *o, const gt_volume *v)
{
	return o->water > 0 ? o->water : v->water > 0 ? v->water : GT_WATER_DEFAULT;
}

void gt_extremes_extend(gt_write_options *o, const gt_volume *head, size_t n, const float *data)
{
	const double water = gt_hu_water(o, head);
	for (size_t i = 0; i < n; i++) {
		const double hu = 1000 * (data[i] / water - 1);
		o->low = fmin(o->low, hu);
		o->high = fmax(o->high, hu);
	}
}

void gt_stated_print(const gt_write_options *o, int hu, const gt_volume *v, char text[GT_STATED])
{
	const double water = hu ? gt_hu_water(o, v) : v->water;
	const int n = snprintf(text, GT_STATED, "gantry unit=%s position=%s%s", hu ? "HU" : "mm-1", gt_position_names[v->position],
	                       v->positioned ? "" : " assumed");
	if (water > 0)
		gt_snprintf(text + n, GT_STATED - (size_t)n, " water=%.17g", water);
}

void gt_stated_parse(const char *text, gt_stated *said)
{
	char name[8] = "";
	if (strncmp(text, "gantry ", 7) != 0)
		return;
	const char *water = strstr(text, " water="), *position = strstr(text, " position=");
	said->unit = strstr(text, " unit=HU") ? GT_HU : strstr(text, " unit=mm-1") ? GT_PER_MM : GT_UNIT_AUTO;
	said->ours = said->unit != GT_UNIT_AUTO;
	said->water = water ? gt_strtod(water + 7, NULL) : 0;
	if (!(said->water > 0 && isfinite(said->water)))
		said->water = 0;
	if (position && sscanf(position, " position=%7s", name) == 1)
		said->position = gt_position_find(name);
	said->assumed = strstr(text, " assumed") != NULL;
}

gt_status gt_volume_scaling(const char *path, const char *format, const char *type, gt_meaning meaning, const gt_stated *said,
                            const gt_read_options *o, gt_scaling *s)
{
	const int told = o->unit != GT_UNIT_AUTO, scaled = !isnan(s->slope);
	s->unit = told ? o->unit : said->ours ? said->unit : meaning == GT_MEANS_PER_MM ? GT_PER_MM : GT_HU;
	s->slope = !isnan(o->slope) ? o->slope : scaled ? s->slope : 1;
	s->offset = !isnan(o->offset)                                                ? o->offset
	            : scaled                                                         ? s->offset
	            : !said->ours && s->unit == GT_HU && meaning == GT_MEANS_CT_1024 ? -1024
	                                                                             : 0;
	if (said->water > GT_WATER_MAX)
		return gt_fail(GT_ERR_FORMAT, "%s: its comment has water=%g: expected an attenuation in mm^-1, at most %g", path,
		               said->water, GT_WATER_MAX);
	if (!isfinite(s->slope) || s->slope == 0 || !isfinite(s->offset))
		return gt_fail(GT_ERR_ARG, "%s: slope=%g, offset=%g: expected finite numbers, the slope not 0", path, s->slope, s->offset);
	if (!told && !said->ours && meaning == GT_MEANS_NOTHING)
		return gt_fail(
			GT_ERR_UNSUPPORTED,
			"%s: elements are %s, which hold neither CT numbers nor mm^-1: the unit (HU or mm-1) and the slope must be given",
			path, type);
	if (!said->ours || told)
		gt_read_note(o, "%s: %s taken as %s = %g * stored %+g (%s%s)", path, type, s->unit == GT_HU ? "HU" : "mm^-1", s->slope,
		             s->offset, told ? "as requested" : format, told ? "" : " names no unit");
	return GT_OK;
}

void gt_volume_scale(gt_volume *v, const gt_scaling *s, const gt_stated *said, const gt_read_options *o, double *scale, double *offset)
{
	v->water = said->water;
	v->unit = s->unit;
	*scale = s->slope;
	*offset = s->offset;
	if (s->unit == GT_HU) {
		v->water = said->water > 0 ? said->water : o->water > 0 ? o->water : GT_WATER_DEFAULT;
		*scale = s->slope * v->water / 1000;
		*offset = (1 + s->offset / 1000) * v->water;
	}
}

gt_status gt_voxels_finite(const char *path, const size_t size[3], size_t first, size_t n, const float *data)
{
	const size_t plane = size[1] * size[2], all = n * plane, at = gt_first_bad(data, all);
	char where[64] = "";
	if (at == all)
		return GT_OK;
	if (n < size[0])
		snprintf(where, sizeof where, " in slices %zu to %zu", first, first + n - 1);
	return gt_fail(GT_ERR_FORMAT,
	               "%s: %zu of %zu voxels%s are NaN or infinite, the first at [%zu][%zu][%zu] (z, y, x); expected finite numbers", path,
	               gt_count_bad(data, all), all, where, first + at / plane, at / size[2] % size[1], at % size[2]);
}

double gt_rounded(double x, int digits)
{
	char text[32];
	gt_snprintf(text, sizeof text, "%.*g", digits, x);
	return gt_strtod(text, NULL);
}

double gt_length_meant(double x)
{
	const double short_one = gt_rounded(x, 7);
	return (double)(float)x == x && (float)short_one == (float)x ? short_one : x;
}

void gt_read_note(const gt_read_options *o, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	gt_notify_list(&o->notes, GT_INFO, GT_ABOUT_DATA, format, args);
	va_end(args);
}

void gt_write_note(const gt_write_options *o, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	gt_notify_list(&o->notes, GT_INFO, GT_ABOUT_DATA, format, args);
	va_end(args);
}
