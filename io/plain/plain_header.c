/* Reads, validates and writes the JSON of a volume. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/text.h"
#include "core/try.h"
#include "geometry/patient_position.h"
#include "geometry/volume.h"
#include "io/external.h"
#include "io/frames/frame_source.h"
#include "io/plain/plain_header.h"
#include "io/plain/plain_json.h"

static const char *const axes[] = { "z", "y", "x" };

static const cJSON *item(const cJSON *root, const char *key) { return cJSON_GetObjectItemCaseSensitive(root, key); }

/* Three numbers z, y, x -> to[x, y, z]; unchanged if the key is missing. */
static gt_status take_three(const gt_plain_head *h, const cJSON *root, const char *key, double *to)
{
	const cJSON *list = item(root, key), *one;
	int n = 0;
	if (!list)
		return GT_OK;
	cJSON_ArrayForEach(one, list)
	{
		if (n < 3 && cJSON_IsNumber(one) && isfinite(one->valuedouble))
			to[2 - n] = one->valuedouble;
		else
			n = 3;
		n++;
	}
	return cJSON_IsArray(list) && n == 3
	               ? GT_OK
	               : gt_fail(GT_ERR_FORMAT, "%s: key %s: expected a list of three numbers, z, y, x", h->head, key);
}

static gt_status take_number(const gt_plain_head *h, const cJSON *root, const char *key, double min, double max, double *to)
{
	const cJSON *one = item(root, key);
	if (!one)
		return GT_OK;
	if (!cJSON_IsNumber(one) || !(one->valuedouble >= min && one->valuedouble <= max))
		return gt_fail(GT_ERR_FORMAT, "%s: key %s: expected a number from %g to %g", h->head, key, min, max);
	*to = one->valuedouble;
	return GT_OK;
}

/* *to is NULL if the key is missing. */
static gt_status take_text(const gt_plain_head *h, const cJSON *root, const char *key, const char **to)
{
	const cJSON *one = item(root, key);
	*to = cJSON_GetStringValue(one);
	return !one || *to ? GT_OK : gt_fail(GT_ERR_FORMAT, "%s: key %s: expected a text", h->head, key);
}

static gt_status size_of_npy(const gt_plain_head *h, double size[3])
{
	gt_frame_source *s = NULL;
	gt_status st = gt_external_check(h->head, "key data_file", h->data);
	if (st == GT_OK)
		st = gt_npy_source(h->data, &s);
	if (st == GT_OK) {
		size[0] = (double)s->columns;
		size[1] = (double)s->rows;
		size[2] = (double)s->frames;
	}
	gt_frame_source_free(s);
	return st;
}

static gt_status take_grid(gt_plain_head *h, const cJSON *root)
{
	double size[3] = { 0, 0, 0 }, origin[3] = { NAN, NAN, NAN };
	gt_status st = GT_OK;
	const cJSON *order = item(root, "axes");
	for (int i = 0; order && i < 3; i++) {
		const char *axis = cJSON_GetStringValue(cJSON_GetArrayItem(order, i));
		if (!axis || strcmp(axis, axes[i]) || cJSON_GetArraySize(order) != 3)
			return gt_fail(GT_ERR_UNSUPPORTED, "%s: key axes: expected [\"z\", \"y\", \"x\"]", h->head);
	}
	if (!item(root, "shape") && gt_is_npy(h->data))
		GT_TRY(size_of_npy(h, size));
	else if (!item(root, "shape"))
		return gt_fail(GT_ERR_FORMAT, "%s: key shape is missing, expected a list of three numbers, z, y, x", h->head);
	GT_TRY(take_three(h, root, "shape", size));
	GT_TRY(take_three(h, root, GT_PLAIN_MARK, h->grid.pitch));
	GT_TRY(take_three(h, root, "origin_mm", origin));
	for (int a = 0; a < 3; a++) {
		if (!(size[a] >= 1 && size[a] <= 1 << 24) || size[a] != floor(size[a]))
			return gt_fail(GT_ERR_FORMAT, "%s: key shape: %s is %g, expected a whole number from 1 to %d", h->head, axes[2 - a],
			               size[a], 1 << 24);
		h->grid.n[a] = (size_t)size[a];
		h->grid.center[a] = isnan(origin[a]) ? 0 : origin[a] + (size[a] - 1) / 2 * h->grid.pitch[a];
	}
	st = gt_volume_check(h->head, &h->grid);
done:
	return st;
}

/* Sample type and byte order. */
static gt_status take_type(gt_plain_head *h, const cJSON *root)
{
	const char *type, *order;
	double header = 0;
	gt_status st = GT_OK;
	GT_TRY(take_text(h, root, "type", &type));
	GT_TRY(take_text(h, root, "byte_order", &order));
	GT_TRY(take_number(h, root, "header", 0, 1e12, &header));
	const size_t n = type ? strlen(type) : 0;
	if (n >= sizeof h->type || (n && strspn(type, "uifble0123456789") != n))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: key type: is '%.20s', expected a type such as f32le, u16le or u8", h->head, type));
	if (!type)
		return GT_OK;
	const int big = n > 2 && !strcmp(type + n - 2, "be"), said = order && !strcmp(order, "big");
	if (order && !said && strcmp(order, "little"))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: key byte_order: is '%.20s', expected little or big", h->head, order));
	if (order && said != big && n > 2)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: keys type and byte_order contradict each other: %s and %s", h->head, type, order));
	strcpy(h->type, type);
	snprintf(h->raw, sizeof h->raw, "%s:%zux%zux%zu+%.0f", type, h->grid.n[0], h->grid.n[1], h->grid.n[2], floor(header));
done:
	return st;
}

static gt_status take_meaning(gt_plain_head *h, const cJSON *root)
{
	const char *unit, *position;
	gt_status st = GT_OK;
	GT_TRY(take_text(h, root, "unit", &unit));
	GT_TRY(take_text(h, root, "patient_position", &position));
	GT_TRY(take_number(h, root, "water_attenuation_mm-1", 0, GT_WATER_MAX, &h->said.water));
	GT_TRY(take_number(h, root, "slope", -1e30, 1e30, &h->slope));
	GT_TRY(take_number(h, root, "offset", -1e30, 1e30, &h->offset));
	if (unit && strcmp(unit, "mm-1") && strcmp(unit, "HU"))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: key unit: is '%.20s', expected mm-1 or HU", h->head, unit));
	if (position && (h->said.position = gt_position_find(position)) == GT_POSITION_AUTO)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: key patient_position: is '%.20s', expected HFS, HFP, FFS or FFP", h->head, position));
	if (isnan(h->slope) != isnan(h->offset)) {
		h->slope = isnan(h->slope) ? 1 : h->slope;
		h->offset = isnan(h->offset) ? 0 : h->offset;
	}
	h->said.ours = unit != NULL;
	if (unit)
		h->said.unit = !strcmp(unit, "HU") ? GT_HU : GT_PER_MM;
done:
	return st;
}

static gt_status take_origin(gt_plain_head *h, const cJSON *root)
{
	const char *key[] = { "gantry_command", "gantry_parameters", "gantry_scan_hash" }, *text[3];
	for (int i = 0; i < 3; i++) {
		const gt_status st = take_text(h, root, key[i], &text[i]);
		if (st != GT_OK)
			return st;
	}
	h->from.command = text[0] ? strdup(text[0]) : NULL;
	h->from.parameters = text[1] ? strdup(text[1]) : NULL;
	h->from.scan_hash = text[2] ? strtoull(text[2], NULL, 16) : 0;
	return GT_OK;
}

gt_status gt_plain_read_head(const char *path, gt_plain_head *h)
{
	gt_status st = GT_OK;
	cJSON *root = NULL;
	*h = (gt_plain_head){ .slope = NAN, .offset = NAN, .said = { .unit = GT_UNIT_AUTO, .position = GT_POSITION_AUTO } };
	if (gt_plain_find(path, &h->head, &h->data))
		GT_TRY(gt_plain_json(h->head, &root));
	if (!root)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: no JSON file describes it: expected %s.json", path, path));
	GT_TRY(take_grid(h, root));
	GT_TRY(take_type(h, root));
	GT_TRY(take_meaning(h, root));
	st = take_origin(h, root);
done:
	cJSON_Delete(root);
	return st;
}

void gt_plain_clear(gt_plain_head *h)
{
	free(h->head);
	free(h->data);
	free(h->from.command);
	free(h->from.parameters);
	*h = (gt_plain_head){ .head = NULL };
}

static int add_list(cJSON *root, const char *key, double z, double y, double x)
{
	const double three[3] = { z, y, x };
	return cJSON_AddItemToObject(root, key, cJSON_CreateDoubleArray(three, 3));
}

static int add_text(cJSON *root, const char *key, const char *text) { return !text || cJSON_AddStringToObject(root, key, text) != NULL; }

static int add_number(cJSON *root, const char *key, double x) { return cJSON_AddNumberToObject(root, key, x) != NULL; }

char *gt_plain_print(const char *path, const gt_write_options *o, const gt_volume *v, const gt_plain_numbers *n)
{
	const gt_grid *g = &v->grid;
	const char *slash = strrchr(path, '/');
	const double water = n->hu ? gt_hu_water(o, v) : v->water;
	char hash[24] = "", *text = NULL;
	cJSON *root = cJSON_CreateObject();
	if (v->from.scan_hash)
		snprintf(hash, sizeof hash, "%016" PRIx64, v->from.scan_hash);
	int all = root && add_number(root, "gantry_schema", 1) && add_text(root, "data_file", slash ? slash + 1 : path) &&
	          add_text(root, "type", n->type) && add_text(root, "byte_order", gt_host_is_msb() ? "big" : "little") &&
	          add_number(root, "header", (double)n->header) && cJSON_AddItemToObject(root, "axes", cJSON_CreateStringArray(axes, 3)) &&
	          add_list(root, "shape", (double)g->n[2], (double)g->n[1], (double)g->n[0]) &&
	          add_list(root, GT_PLAIN_MARK, g->pitch[2], g->pitch[1], g->pitch[0]) &&
	          add_list(root, "origin_mm", gt_grid_first(g, 2), gt_grid_first(g, 1), gt_grid_first(g, 0)) &&
	          add_text(root, "unit", n->hu ? "HU" : "mm-1") && add_number(root, "slope", n->slope) &&
	          add_number(root, "offset", n->offset) && (!(water > 0) || add_number(root, "water_attenuation_mm-1", water)) &&
	          add_text(root, "patient_position", v->positioned || v->position != GT_HFS ? gt_position_names[v->position] : NULL) &&
	          add_text(root, "gantry_command", v->from.command) && add_text(root, "gantry_parameters", v->from.parameters) &&
	          add_text(root, "gantry_scan_hash", *hash ? hash : NULL);
	if (all)
		text = cJSON_Print(root);
	cJSON_Delete(root);
	return text;
}
