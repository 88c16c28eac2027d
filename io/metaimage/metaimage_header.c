/* Header of MetaImage files: "Key = Value" lines up to ElementDataFile. Keys follow the MetaIO documentation. */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "core/files/opener.h"
#include "core/text.h"
#include "core/try.h"
#include "io/metaimage/metaimage.h"
#include "io/plain/plain_header.h"
#include "io/same_file.h"
#include "io/write_kit/volume_units.h"

enum { LONGEST = 8192 };

/* Splits "Key = Value" in place; 0 if the line does not have this form. */
static int split(char *line, char **key, char **value)
{
	char *equals = strchr(line, '='), *end;
	if (!equals)
		return 0;
	*equals = 0;
	for (*key = line; isspace((unsigned char)**key);)
		++*key;
	for (end = equals; end > *key && isspace((unsigned char)end[-1]);)
		*--end = 0;
	for (*value = equals + 1; isspace((unsigned char)**value);)
		++*value;
	for (end = *value + strlen(*value); end > *value && isspace((unsigned char)end[-1]);)
		*--end = 0;
	return **key != 0;
}

int gt_metaimage_is(const char *path)
{
	char line[LONGEST], *key, *value;
	const size_t n = gt_file_start(path, line, sizeof line - 1);
	line[n] = 0;
	return n && split(line, &key, &value) &&
	       (!strcmp(key, "ObjectType") || !strcmp(key, "NDims") || !strcmp(key, "ObjectSubType") || !strcmp(key, "Comment"));
}

typedef struct {
	double dims, channels, header_size, size[3], spacing[3], offset[3], matrix[9];
	int have_size, have_spacing, have_offset, have_matrix, msb, have_msb; /* have_spacing 2: by ElementSpacing */
	char type[64], file[LONGEST];
} fields;

static int is_place(const char *key)
{
	static const char *const keys[] = { "ElementSpacing", "ElementSize", "Offset", "Origin", "Position" };
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!strcmp(key, keys[i]))
			return 1;
	return 0;
}

static gt_status numbers(const char *path, const char *key, const char *value, int n, double *to)
{
	const char *at = value;
	for (int i = 0; i < n; i++) {
		char *end;
		to[i] = gt_strtod(at, &end);
		if (end == at || !isfinite(to[i]))
			return gt_fail(GT_ERR_FORMAT, "%s: key %s: is '%s', expected %d number%s", path, key, value, n, n > 1 ? "s" : "");
		at = end;
	}
	if (at[strspn(at, " \t")])
		return gt_fail(GT_ERR_FORMAT, "%s: key %s: is '%s', expected %d number%s", path, key, value, n, n > 1 ? "s" : "");
	return GT_OK;
}

/* Numbers that a header may state once, or again with equal values. */
static gt_status numbers_once(const char *path, const char *key, const char *value, int n, double *to, int *have)
{
	double again[9];
	gt_status st = numbers(path, key, value, n, again);
	for (int i = 0; i < n && st == GT_OK && *have; i++)
		if (again[i] != to[i])
			st = gt_fail(GT_ERR_FORMAT, "%s: key %s: is '%s', which contradicts an earlier line: expected one of them", path,
			             key, value);
	if (st == GT_OK)
		memcpy(to, again, (size_t)n * sizeof *to);
	*have = 1;
	return st;
}

/* The size of a pixel is its spacing only if the header states none. */
static gt_status take_spacing(const char *path, const char *key, const char *value, fields *f)
{
	const int is_size = !strcmp(key, "ElementSize");
	int again = f->have_spacing == (is_size ? 1 : 2);
	if (is_size && f->have_spacing == 2)
		return GT_OK;
	const gt_status st = numbers_once(path, key, value, 3, f->spacing, &again);
	f->have_spacing = is_size ? 1 : 2;
	return st;
}

/* MetaIO reads "Yes" as false, so only True, T, 1 and their opposites are accepted. */
static gt_status boolean(const char *path, const char *key, const char *value, int *is_true)
{
	const int truth = *value && strchr("TtFf10", *value) ? gt_boolean_of(value) : -1;
	*is_true = truth > 0;
	return truth >= 0 ? GT_OK : gt_fail(GT_ERR_FORMAT, "%s: key %s: is '%.40s', expected True or False", path, key, value);
}

/* Compressed data and values as text are not supported. */
static gt_status check_storage(const char *path, const char *key, const char *value)
{
	const int compressed = !strcmp(key, "CompressedData");
	int is_true;
	const gt_status st = boolean(path, key, value, &is_true);
	if (st != GT_OK || is_true != compressed)
		return st;
	return gt_fail(GT_ERR_UNSUPPORTED, "%s: key %s: is %s, expected %s: write the file %s", path, key, value,
	               compressed ? "False" : "True", compressed ? "without compression" : "with binary data");
}

/* Other programs ignore this scale of the values or apply it, so only 1 and 0 are accepted. */
static gt_status check_scale(const char *path, const char *key, const char *value)
{
	const double expected = strcmp(key, "ElementToIntensityFunctionSlope") ? 0 : 1;
	double x;
	const gt_status st = numbers(path, key, value, 1, &x);
	if (st != GT_OK || x == expected)
		return st;
	return gt_fail(GT_ERR_FORMAT, "%s: key %s: is %g, expected %g: write the file with scaled values", path, key, x, expected);
}

static gt_status keep(const char *value, char **text)
{
	free(*text);
	*text = strdup(value);
	return *text ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
}

static gt_status take(const char *path, const char *key, const char *value, fields *f, gt_metaimage_head *h)
{
	if (!strcmp(key, "NDims"))
		return numbers(path, key, value, 1, &f->dims);
	if (f->dims != 3 && f->dims > 0)
		return gt_fail(GT_ERR_FORMAT, "%s: key NDims: is %g, expected 3", path, f->dims);
	if (!strcmp(key, "DimSize"))
		return numbers_once(path, key, value, 3, f->size, &f->have_size);
	if (!strcmp(key, "ElementSpacing") || !strcmp(key, "ElementSize"))
		return take_spacing(path, key, value, f);
	if (!strcmp(key, "Offset") || !strcmp(key, "Origin") || !strcmp(key, "Position"))
		return numbers_once(path, key, value, 3, f->offset, &f->have_offset);
	if (!strcmp(key, "TransformMatrix") || !strcmp(key, "Rotation") || !strcmp(key, "Orientation"))
		return numbers_once(path, key, value, 9, f->matrix, &f->have_matrix);
	if (!strcmp(key, "ElementNumberOfChannels"))
		return numbers(path, key, value, 1, &f->channels);
	if (!strcmp(key, "HeaderSize"))
		return numbers(path, key, value, 1, &f->header_size);
	if (!strcmp(key, "BinaryDataByteOrderMSB") || !strcmp(key, "ElementByteOrderMSB"))
		return f->have_msb = 1, boolean(path, key, value, &f->msb);
	if (!strcmp(key, "ElementType"))
		return snprintf(f->type, sizeof f->type, "%s", value), GT_OK;
	if (!strcmp(key, "ElementDataFile"))
		return snprintf(f->file, sizeof f->file, "%s", value), GT_OK;
	if (!strcmp(key, "CompressedData") || !strcmp(key, "BinaryData"))
		return check_storage(path, key, value);
	if (!strcmp(key, "ElementToIntensityFunctionSlope") || !strcmp(key, "ElementToIntensityFunctionOffset"))
		return check_scale(path, key, value);
	if (!strcmp(key, "ObjectType") && strcmp(value, "Image"))
		return gt_fail(GT_ERR_FORMAT, "%s: key ObjectType: is %s, expected Image", path, value);
	if (!strcmp(key, "Comment"))
		return gt_stated_parse(value, &h->said), GT_OK;
	if (!strcmp(key, "GantryCommand"))
		return keep(value, &h->from.command);
	if (!strcmp(key, "GantryParameters"))
		return keep(value, &h->from.parameters);
	if (!strcmp(key, "GantryScanHash"))
		return h->from.scan_hash = strtoull(value, NULL, 16), GT_OK;
	return GT_OK;
}

static gt_status set_grid(const char *path, const fields *f, gt_metaimage_head *h)
{
	if (f->dims != 3)
		return gt_fail(GT_ERR_FORMAT, "%s: key NDims is missing, expected 3", path);
	if (!f->have_size)
		return gt_fail(GT_ERR_FORMAT, "%s: key DimSize is missing", path);
	if (!f->have_spacing)
		return gt_fail(GT_ERR_FORMAT, "%s: key ElementSpacing is missing", path);
	if (f->channels != 1)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: key ElementNumberOfChannels: is %g, expected 1", path, f->channels);
	const int ours = h->said.ours;
	for (int a = 0; a < 3; a++) {
		const double spacing = ours ? f->spacing[a] : gt_length_meant(f->spacing[a]),
			     offset = ours ? f->offset[a] : gt_length_meant(f->offset[a]);
		if (!(f->size[a] >= 1 && f->size[a] <= 1e15) || f->size[a] != floor(f->size[a]))
			return gt_fail(GT_ERR_FORMAT, "%s: key DimSize: number %d is %g, expected a whole number of at least 1", path,
			               a + 1, f->size[a]);
		for (int b = 0; b < 3; b++)
			if (fabs(fabs(f->matrix[3 * a + b]) - (a == b)) > 1e-6)
				return gt_fail(
					GT_ERR_UNSUPPORTED,
					"%s: key TransformMatrix: row %d is %g %g %g: expected axes along x, y and z (reversed ones are read too)",
					path, a + 1, f->matrix[3 * a], f->matrix[3 * a + 1], f->matrix[3 * a + 2]);
		const double direction = f->matrix[4 * a] < 0 ? -1 : 1;
		h->flip[a] = direction < 0;
		h->grid.n[a] = (size_t)f->size[a];
		h->grid.pitch[a] = spacing;
		h->grid.center[a] = offset + direction * (f->size[a] - 1) / 2 * spacing;
		if (!ours)
			h->grid.center[a] = gt_rounded(h->grid.center[a], 15);
	}
	if (f->size[0] * f->size[1] * f->size[2] > 1e18)
		return gt_fail(GT_ERR_FORMAT, "%s: key DimSize: %g x %g x %g overflows", path, f->size[0], f->size[1], f->size[2]);
	return gt_volume_check(path, &h->grid);
}

/* Path of a file that the header at path names. */
static char *beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	const size_t folder = slash && name[0] != '/' ? (size_t)(slash - path) + 1 : 0;
	char *file = malloc(folder + strlen(name) + 1);
	if (file) {
		memcpy(file, path, folder);
		strcpy(file + folder, name);
	}
	return file;
}

static gt_status set_data(const char *path, const fields *f, long long here, gt_metaimage_head *h)
{
	for (h->type = gt_number_types; h->type->met && strcmp(h->type->met, f->type);)
		h->type++;
	if (!h->type->met)
		return gt_fail(
			GT_ERR_UNSUPPORTED,
			"%s: key ElementType: is '%s', expected one of MET_CHAR, MET_UCHAR, MET_SHORT, MET_USHORT, MET_INT, MET_UINT, MET_LONG_LONG, MET_ULONG_LONG, MET_FLOAT, MET_DOUBLE",
			path, f->type);
	h->swap = f->have_msb && f->msb != gt_host_is_msb() && h->type->size > 1;
	if (f->header_size != floor(f->header_size) || fabs(f->header_size) > 1e15)
		return gt_fail(GT_ERR_FORMAT, "%s: key HeaderSize: is %g, expected a number of bytes, or -1", path, f->header_size);
	if (!strcasecmp(f->file, "LOCAL")) {
		h->data_at = here;
		return GT_OK;
	}
	if (!strcasecmp(f->file, "LIST") || !strncasecmp(f->file, "LIST ", 5) || strchr(f->file, '%'))
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: key ElementDataFile: is '%s', expected LOCAL or one file", path, f->file);
	h->data_at = (long long)f->header_size;
	if (!(h->data_file = beside(path, f->file)))
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	if (!h->data_at && gt_same_file(path, h->data_file))
		return gt_fail(GT_ERR_FORMAT, "%s: key ElementDataFile: names the header itself: expected LOCAL", path);
	return GT_OK;
}

char *gt_data_file(const char *path)
{
	char line[LONGEST], *key, *value, *found = NULL;
	FILE *file = NULL;
	if (gt_metaimage_is(path))
		gt_file_stream(path, &file, NULL);
	for (int last = !file; !last && fgets(line, sizeof line, file);)
		if (split(line, &key, &value) && !strcmp(key, "ElementDataFile")) {
			last = 1;
			if (strcasecmp(value, "LOCAL") && strcmp(value, "LIST"))
				found = beside(path, value);
		}
	if (file)
		fclose(file);
	return found ? found : gt_plain_other(path);
}

gt_status gt_metaimage_read_head(const char *path, int projections, gt_metaimage_head *h)
{
	gt_status st = GT_OK;
	char line[LONGEST], *key, *value;
	fields f = {
		.dims = 0, .channels = 1, .matrix = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, .spacing = { 1, 1, 1 }, .have_spacing = projections
	};
	memset(h, 0, sizeof *h);
	h->said = (gt_stated){ .unit = GT_UNIT_AUTO, .position = GT_POSITION_AUTO };
	FILE *file;
	if ((st = gt_file_stream(path, &file, NULL)) != GT_OK)
		return st;
	while (!f.file[0]) {
		if (!fgets(line, sizeof line, file))
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: truncated: its header ends before the key ElementDataFile", path));
		if (split(line, &key, &value) && !(projections && is_place(key)))
			GT_TRY(take(path, key, value, &f, h));
	}
	GT_TRY(set_grid(path, &f, h));
	GT_TRY(set_data(path, &f, (long long)ftello(file), h));
done:
	fclose(file);
	return st;
}

void gt_metaimage_clear(gt_metaimage_head *h)
{
	free(h->data_file);
	free(h->from.command);
	free(h->from.parameters);
	memset(h, 0, sizeof *h);
}
