/* Images as raw data at an offset in a file: raw files with a description, and EDF with its header. */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "core/files/opener.h"
#include "core/try.h"
#include "io/file_access.h"
#include "io/frames/frame_source.h"
#include "io/plain/json_text.h"
#include "io/write_kit/number_types.h"

enum { MAX_HEAD = 1 << 20, BLOCK = 512 };

typedef struct {
	const gt_number_type *type;
	int swap;
	size_t frames, rows, columns, header; /* frames 0: all in the file */
} bare;

struct bare_source {
	gt_frame_source base;
	gt_file_list files;
	size_t *header; /* [files] */
	size_t each;    /* frames in each file */
	bare of;
};

static gt_status read_(const gt_frame_source *self, size_t frame, size_t row, size_t rows, float *out)
{
	const struct bare_source *s = (const struct bare_source *)self;
	const size_t n = rows * s->of.columns, which = frame / s->each, bytes = s->of.type->size;
	const char *path = s->files.path[which];
	int file = -1;
	void *stored = malloc(n * bytes);
	gt_status st = stored ? gt_file_open(path, &file, NULL) : gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	if (st == GT_OK)
		st = gt_read_at(path, file, (off_t)(s->header[which] + ((frame % s->each) * s->of.rows + row) * s->of.columns * bytes),
		                n * bytes, stored);
	if (st == GT_OK)
		s->of.type->convert(stored, n, s->of.swap, out);
	if (file >= 0)
		close(file);
	free(stored);
	return st;
}

static const char *name_(const gt_frame_source *self, size_t frame)
{
	const struct bare_source *s = (const struct bare_source *)self;
	return s->files.path[frame / s->each];
}

static void free_(gt_frame_source *self)
{
	struct bare_source *s = (struct bare_source *)self;
	gt_file_list_free(&s->files);
	free(s->header);
	free(s);
}

static gt_status set_type(const char *path, const char *name, int big, bare *b)
{
	for (const gt_number_type *t = gt_number_types; t->met; t++)
		if (!strcmp(t->nifti_name, name)) {
			b->type = t;
			b->swap = t->size > 1 && big != gt_host_is_msb();
			return GT_OK;
		}
	return gt_fail(GT_ERR_FORMAT, "%s: sample type %.20s is not supported", path, name);
}

/* "u16le", "f32", "i16be" */
static gt_status parse_type(const char *what, const char *text, bare *b)
{
	const char kind = text[0];
	char *end;
	const unsigned long bits = kind ? strtoul(text + 1, &end, 10) : 0;
	char name[16];
	const int big = bits && !strcmp(end, "be"), little = bits && (!strcmp(end, "le") || !*end);
	if (!kind || !strchr("uif", kind) || !(big || little) || bits > 64)
		return gt_fail(GT_ERR_ARG, "%s: type '%.20s': expected a type such as u8, u16le, u16be, i16le, i32le, f32le or f64le", what,
		               text);
	snprintf(name, sizeof name, "%s%lu", kind == 'u' ? "uint" : kind == 'i' ? "int" : "float", bits);
	return set_type(what, name, big, b) == GT_OK ? GT_OK : gt_fail(GT_ERR_ARG, "%s: type '%.20s' is not supported", what, text);
}

/* "u16le:COLUMNSxROWS[xVIEWS][+HEADER]" */
static gt_status parse_description(const char *text, bare *b)
{
	char type[16];
	unsigned long long columns = 0, rows = 0, frames = 0, header = 0;
	const char *colon = strchr(text, ':');
	int n = 0;
	if (!colon || (size_t)(colon - text) >= sizeof type || sscanf(colon, ":%llux%llu%n", &columns, &rows, &n) != 2)
		return gt_fail(GT_ERR_ARG, "raw=%s: expected TYPE:COLUMNSxROWS, as u16le:1024x768, with optional xVIEWS and +HEADER", text);
	snprintf(type, sizeof type, "%.*s", (int)(colon - text), text);
	const char *rest = colon + n;
	if (*rest == 'x' && sscanf(rest, "x%llu%n", &frames, &n) == 1)
		rest += n;
	if (*rest == '+' && sscanf(rest, "+%llu%n", &header, &n) == 1)
		rest += n;
	if (*rest || !columns || !rows || columns > 1 << 24 || rows > 1 << 24 || frames > 1 << 28 || header > 1ull << 40 ||
	    strchr(text, '-'))
		return gt_fail(GT_ERR_ARG, "raw=%s: '%s' is invalid, or a size is 0 or too large", text, rest);
	b->columns = (size_t)columns;
	b->rows = (size_t)rows;
	b->frames = (size_t)frames;
	b->header = (size_t)header;
	return parse_type("raw", type, b);
}

static gt_status whole_number(const char *path, const cJSON *item, const char *what, size_t *value)
{
	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= 1e12) ||
	    item->valuedouble != floor(item->valuedouble))
		return gt_fail(GT_ERR_FORMAT, "%s: %s: expected whole numbers", path, what);
	*value = (size_t)item->valuedouble;
	return GT_OK;
}

/* {"type": "u16le", "shape": [views, rows, columns], "header": 0} */
static gt_status read_json(const char *path, bare *b)
{
	char *text = calloc(MAX_HEAD, 1);
	FILE *file = NULL;
	cJSON *root = NULL;
	size_t size[3] = { 0, 0, 0 };
	gt_status st = text ? gt_file_stream(path, &file, NULL) : gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	if (st != GT_OK)
		goto done;
	GT_TRY(gt_json_parse(path, text, fread(text, 1, MAX_HEAD - 1, file), &root));
	const cJSON *shape = cJSON_GetObjectItem(root, "shape"), *type = cJSON_GetObjectItem(root, "type"),
		    *header = cJSON_GetObjectItem(root, "header");
	const int n = cJSON_GetArraySize(shape);
	if (!cJSON_IsString(type) || !cJSON_IsArray(shape) || n < 2 || n > 3)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: expected a JSON object with type (\"u16le\") and shape ([views, rows, columns])", path));
	for (int i = 0; i < n; i++)
		GT_TRY(whole_number(path, cJSON_GetArrayItem(shape, i), "shape", &size[3 - n + i]));
	if (header)
		GT_TRY(whole_number(path, header, "header", &b->header));
	b->frames = size[0];
	b->rows = size[1];
	b->columns = size[2];
	if (!b->rows || !b->columns || b->rows > 1 << 24 || b->columns > 1 << 24)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: shape of %zu rows x %zu columns", path, b->rows, b->columns));
	st = parse_type(path, type->valuestring, b);
done:
	if (file)
		fclose(file);
	cJSON_Delete(root);
	free(text);
	return st;
}

/* Checks that the file has only whole frames; *frames: their number. */
static gt_status check_file(const char *path, const bare *b, int may_have_more, size_t *frames)
{
	size_t size;
	const gt_status st = gt_file_size(path, &size);
	if (st != GT_OK)
		return st;
	const size_t one = b->rows * b->columns * b->type->size;
	const size_t has = size > b->header ? (size - b->header) / one : 0;
	*frames = b->frames ? b->frames : has;
	if (has < *frames || !has || (!may_have_more && *frames * one + b->header != size))
		return gt_fail(GT_ERR_FORMAT,
		               "%s: has %zu bytes, expected %zu: a header of %zu and %zu image%s of %zu rows x %zu columns of %zu bytes",
		               path, size, b->header + (*frames ? *frames : 1) * one, b->header, *frames ? *frames : 1,
		               *frames == 1 ? "" : "s", b->rows, b->columns, b->type->size);
	return GT_OK;
}

/* describe: layout of one file. Takes over the list. */
static gt_status open_files(gt_file_list *files, gt_status (*describe)(const char *path, const void *self, bare *b), const void *self,
                            int may_have_more, gt_frame_source **out)
{
	gt_status st = GT_OK;
	struct bare_source *s = calloc(1, sizeof *s);
	if (!s || !(s->header = calloc(files->n ? files->n : 1, sizeof *s->header)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	s->base = (struct gt_frame_source){ .read = read_, .name = name_, .free = free_ };
	for (size_t i = 0; i < files->n; i++) {
		bare b = { .frames = 0 };
		size_t frames = 0;
		GT_TRY(describe(files->path[i], self, &b));
		GT_TRY(check_file(files->path[i], &b, may_have_more, &frames));
		if (i == 0) {
			s->of = b;
			s->each = frames;
		}
		if (b.rows != s->of.rows || b.columns != s->of.columns || b.type != s->of.type || b.swap != s->of.swap || frames != s->each)
			GT_TRY(gt_fail(GT_ERR_FORMAT,
			               "%s: %zu x %zu x %zu numbers %s, and %s has %zu x %zu x %zu %s: expected the same in all files",
			               files->path[i], frames, b.rows, b.columns, b.type->nifti_name, files->path[0], s->each, s->of.rows,
			               s->of.columns, s->of.type->nifti_name));
		s->header[i] = b.header;
	}
	s->base.frames = files->n * s->each;
	s->base.rows = s->of.rows;
	s->base.columns = s->of.columns;
	s->base.max = strstr(s->of.type->nifti_name, "int") && s->of.type->size <= 2 ? (s->of.type->size == 1 ? 255 : 65535) : 0;
	if (s->of.type->nifti_name[0] == 'i')
		s->base.max = floor(s->base.max / 2);
	s->base.bytes = s->base.rows * s->base.columns * s->of.type->size;
	s->files = *files;
	*files = (gt_file_list){ NULL, 0 };
	*out = &s->base;
	return GT_OK;
done:
	if (s)
		free(s->header);
	free(s);
	return st;
}

static gt_status as_told(const char *path, const void *self, bare *b)
{
	(void)path;
	*b = *(const bare *)self;
	return GT_OK;
}

gt_status gt_raw_source(gt_file_list *files, const char *description, gt_frame_source **s)
{
	bare b = { .frames = 0 };
	const size_t n = strlen(description);
	gt_status st = n > 5 && !strcasecmp(description + n - 5, ".json") ? read_json(description, &b) : parse_description(description, &b);
	if (st == GT_OK && files->n > 1 && b.frames > 1 && b.frames == files->n)
		b.frames = 1; /* one image per file */
	return st == GT_OK ? open_files(files, as_told, &b, 0, s) : st;
}

int gt_is_edf(const char *path)
{
	char head[BLOCK + 1] = "";
	return gt_file_start(path, head, BLOCK) == BLOCK && head[strspn(head, " \t\r\n")] == '{' && strstr(head, "=") && strstr(head, ";");
}

static const char *line_after(const char *at)
{
	const char *end = strchr(at, '\n');
	return end ? end + 1 : NULL;
}

/* Value after "Key =" at the start of a line, without blanks and ';'. 0: missing. */
static int edf_key(const char *head, const char *key, char *value, size_t size)
{
	const size_t n = strlen(key);
	for (const char *at = head; at && *at; at = line_after(at)) {
		at += strspn(at, " \t\r{");
		if (strncasecmp(at, key, n))
			continue;
		const char *equals = at + n + strspn(at + n, " \t");
		if (*equals != '=')
			continue;
		equals += 1 + strspn(equals + 1, " \t");
		snprintf(value, size, "%.*s", (int)strcspn(equals, " \t\r\n;"), equals);
		return 1;
	}
	return 0;
}

static gt_status parse_edf(const char *path, const char *head, bare *b)
{
	static const char *const types[][2] = {
		{ "UnsignedByte", "uint8" },     { "SignedByte", "int8" },     { "UnsignedShort", "uint16" }, { "SignedShort", "int16" },
		{ "UnsignedInteger", "uint32" }, { "SignedInteger", "int32" }, { "UnsignedLong", "uint32" },  { "SignedLong", "int32" },
		{ "FloatValue", "float32" },     { "Float", "float32" },       { "DoubleValue", "float64" }
	};
	char value[64], type[64], order[64] = "LowByteFirst";
	size_t *const size[2] = { &b->columns, &b->rows };
	for (int i = 0; i < 2; i++) {
		const char *key = i ? "Dim_2" : "Dim_1";
		char *end;
		const unsigned long long n = edf_key(head, key, value, sizeof value) ? strtoull(value, &end, 10) : 0;
		if (!n || *end || n > 1 << 24)
			return gt_fail(GT_ERR_FORMAT, "%s: %s is missing in its header, or not a size", path, key);
		*size[i] = (size_t)n;
	}
	if (edf_key(head, "EDF_BinaryFileName", value, sizeof value))
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: its data are in another file, %s (EDF_BinaryFileName), which is not supported",
		               path, value);
	edf_key(head, "ByteOrder", order, sizeof order);
	const int big = !strcasecmp(order, "HighByteFirst");
	if (!big && strcasecmp(order, "LowByteFirst"))
		return gt_fail(GT_ERR_FORMAT, "%s: ByteOrder is %s, expected LowByteFirst or HighByteFirst", path, order);
	if (!edf_key(head, "DataType", type, sizeof type))
		return gt_fail(GT_ERR_FORMAT, "%s: DataType is missing in its header", path);
	b->frames = 1;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (!strcasecmp(type, types[i][0]))
			return set_type(path, types[i][1], big, b);
	return gt_fail(GT_ERR_FORMAT, "%s: DataType is %s, expected an EDF type such as UnsignedShort or FloatValue", path, type);
}

/* The header consists of blocks of 512 bytes; the last one ends with "}\n". */
static gt_status read_edf(const char *path, const void *self, bare *b)
{
	char *head = calloc(MAX_HEAD + 1, 1);
	FILE *file = NULL;
	gt_status st = head ? gt_file_stream(path, &file, NULL) : gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	(void)self;
	while (st == GT_OK) {
		if (b->header + BLOCK > MAX_HEAD || fread(head + b->header, 1, BLOCK, file) != BLOCK)
			st = gt_fail(GT_ERR_FORMAT, "%s: its header does not end with '}' at the end of a block of %d bytes", path,
			             (int)BLOCK);
		b->header += BLOCK;
		if (st == GT_OK && head[b->header - 1] == '\n' && head[b->header - 2] == '}')
			break;
	}
	if (st == GT_OK)
		st = parse_edf(path, head, b);
	if (file)
		fclose(file);
	free(head);
	return st;
}

gt_status gt_edf_source(gt_file_list *files, gt_frame_source **s) { return open_files(files, read_edf, NULL, 1, s); }
