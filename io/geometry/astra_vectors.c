/* Vectors of the ASTRA Toolbox: a NumPy array, the JSON of a projection geometry, or text with one view on each
 * line. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "io/geometry/geometry_writers.h"
#include "io/geometry/json_keys.h"

static const char signature[] = "\x93NUMPY";

static int is_npy(const gt_geometry_input *in) { return in->bytes > 12 && !memcmp(in->text, signature, 6); }

/* Text: the first line that is not blank has exactly six or twelve numbers. */
static int is_text(const gt_geometry_input *in)
{
	const char *at = in->text + strspn(in->text, " \t\r\n");
	size_t n = 0, commas = 0;
	double value;
	for (; *at && *at != '\n'; at += strspn(at, " \t,;\r")) {
		const size_t word = strcspn(at, " \t,;\r\n");
		if (!word || !gt_number_of(at, word, &value, &commas))
			return 0;
		n++;
		at += word;
	}
	return n == 6 || n == 12;
}

static int probe(const gt_geometry_input *in) { return is_npy(in) || gt_json_has(in, "Vectors") || is_text(in); }

static gt_status read_npy(const gt_geometry_input *in, gt_number_list *l, size_t *width)
{
	const unsigned char *head = (const unsigned char *)in->text;
	const size_t wide = head[6] >= 2, from = wide ? 12 : 10;
	const size_t n = head[8] + 256u * head[9] + (wide ? 65536u * head[10] + 16777216u * (size_t)head[11] : 0);
	char text[1024] = "";
	unsigned long long shape[2] = { 0, 0 };
	if (n >= sizeof text || from + n > in->bytes)
		return gt_fail(GT_ERR_FORMAT, "its header has %zu bytes, expected at most %zu", n, sizeof text - 1);
	memcpy(text, in->text + from, n);
	const char *type = strstr(text, "'descr':"), *order = strstr(text, "'fortran_order':"), *size = strstr(text, "'shape':");
	const int is_double = type && strstr(type, "<f8"), is_float = type && strstr(type, "<f4");
	if (!size || !order || sscanf(size, "'shape': (%llu, %llu)", &shape[0], &shape[1]) != 2 || (!is_double && !is_float) ||
	    strncmp(order + 16 + strspn(order + 16, " "), "False", 5))
		return gt_fail(GT_ERR_FORMAT, "its array is %.80s, expected views x 12 numbers '<f8' or '<f4' in C order", text);
	const size_t bytes = is_double ? 8 : 4;
	if (shape[1] > 12 || shape[0] > in->bytes || shape[0] * shape[1] * bytes != in->bytes - from - n)
		return gt_fail(GT_ERR_FORMAT, "states %llu x %llu numbers of %zu bytes, but has %zu bytes of data", shape[0], shape[1],
		               bytes, in->bytes - from - n);
	*width = (size_t)shape[1];
	gt_status st = GT_OK;
	for (size_t i = 0; i < shape[0] * shape[1] && st == GT_OK; i++) {
		double value;
		float narrow;
		memcpy(is_double ? (void *)&value : (void *)&narrow, in->text + from + n + i * bytes, bytes);
		st = gt_number_add(in->path, is_double ? value : (double)narrow, l);
	}
	return st;
}

static gt_status read_lines(const gt_geometry_input *in, gt_number_list *l, size_t *width)
{
	size_t line = 1;
	for (const char *at = in->text; *at; line++) {
		const size_t n = strcspn(at, "\n"), had = l->n;
		const gt_status st = gt_number_list_of(in->path, "vectors", at, n, l);
		if (st != GT_OK)
			return gt_fail_in(st, "line %zu", line);
		*width = *width ? *width : l->n;
		if (l->n != had && l->n - had != *width)
			return gt_fail(GT_ERR_FORMAT, "line %zu has %zu numbers, expected %zu as in the first line", line, l->n - had,
			               *width);
		at += n + (at[n] == '\n');
	}
	return GT_OK;
}

/* Values of a projection geometry besides its vectors. */
typedef struct {
	size_t rows, columns;
	int parallel;
} said;

static gt_status read_json(const gt_geometry_input *in, gt_number_list *l, size_t *width, said *s)
{
	static const char *const types[] = { "cone_vec", "fanflat_vec", "parallel3d_vec", "parallel_vec" };
	const double one = 1;
	double rows = 0, columns = 0;
	int kind = 0;
	cJSON *root = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_json_read(in, &root));
	const char *type;
	GT_TRY(gt_json_text(root, "type", &type));
	while (kind < 4 && type && strcmp(type, types[kind]))
		kind++;
	if (!type || kind == 4)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "type is '%s', expected cone_vec, parallel3d_vec, fanflat_vec or parallel_vec",
		               type ? type : ""));
	GT_TRY(gt_json_list(in, root, "Vectors", l, width));
	GT_TRY(gt_json_number(in, root, "DetectorColCount", cJSON_GetObjectItem(root, "DetectorCount") ? &one : NULL, &columns));
	if (cJSON_GetObjectItem(root, "DetectorCount"))
		GT_TRY(gt_json_number(in, root, "DetectorCount", NULL, &columns));
	GT_TRY(gt_json_number(in, root, "DetectorRowCount", kind % 2 ? &one : NULL, &rows));
	GT_TRY(gt_size_of(in, "DetectorColCount", columns, &s->columns));
	GT_TRY(gt_size_of(in, "DetectorRowCount", rows, &s->rows));
	s->parallel = kind >= 2;
	gt_geometry_note(in, "%s of %zu rows x %zu columns from type, DetectorRowCount and DetectorColCount", type, s->rows, s->columns);
done:
	cJSON_Delete(root);
	return st;
}

static gt_status read_(gt_geometry_input *in)
{
	const double unit = isnan(in->o.unit) ? 1 : in->o.unit;
	said s = { 0, 0, in->o.parallel };
	gt_number_list l = { NULL, 0, 0 };
	gt_scan_size3 size;
	size_t width = 0;
	gt_status st = GT_OK;
	if (is_npy(in))
		GT_TRY(read_npy(in, &l, &width));
	else if (gt_json_has(in, "Vectors"))
		GT_TRY(read_json(in, &l, &width, &s));
	else
		GT_TRY(read_lines(in, &l, &width));
	if (width != 6 && width != 12)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "has %zu numbers for each view, expected 12, or 6 in two dimensions", width));
	GT_TRY(gt_geometry_size(in, l.n / width, s.rows ? s.rows : width == 6, s.columns, &size));
	gt_geometry_note(in, "%zu views of %s vectors; one unit of their lengths is %s%g mm%s", size.views,
	                 s.parallel ? "parallel" : "cone-beam", isnan(in->o.unit) ? "taken as " : "", unit,
	                 isnan(in->o.unit) ? " (--length-unit sets it: often the size of a voxel)" : "");
	if (width == 12)
		GT_TRY(gt_scan_of_astra(s.parallel, (const double(*)[12])(void *)l.value, &size, unit, &in->g->scan));
	else
		GT_TRY(gt_scan_of_astra_2d(s.parallel, (const double(*)[6])(void *)l.value, &size, unit,
		                           isnan(in->o.row_pitch) ? unit : in->o.row_pitch, &in->g->scan));
done:
	free(l.value);
	return st;
}

const gt_geometry_reader gt_geometry_astra = { "astra", probe, read_ };

static void write_npy(FILE *file, const gt_scan *scan, const double (*vec)[12])
{
	char head[118];
	const int n = snprintf(head, sizeof head, "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, 12), }", scan->views);
	fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
	memset(head + n, ' ', sizeof head - (size_t)n);
	head[sizeof head - 1] = '\n';
	fwrite(head, 1, sizeof head, file);
	fwrite(vec, sizeof *vec, scan->views, file);
}

gt_status gt_write_astra(FILE *file, const gt_scan *scan, const char *ending, const gt_listener *notes)
{
	const int json = !strcmp(ending, "json"), parallel = scan->shape == GT_PARALLEL;
	double(*vec)[12] = calloc(scan->views, sizeof *vec);
	gt_status st = vec ? gt_scan_to_astra(scan, vec) : gt_fail(GT_ERR_MEMORY, "out of memory");
	if (st == GT_OK && !strcmp(ending, "npy")) {
		write_npy(file, scan, (const double(*)[12])vec);
	} else if (st == GT_OK) {
		if (json)
			fprintf(file, "{\"type\": \"%s\", \"DetectorRowCount\": %zu, \"DetectorColCount\": %zu,\n\"Vectors\": [\n",
			        parallel ? "parallel3d_vec" : "cone_vec", scan->rows, scan->columns);
		for (size_t v = 0; v < scan->views; v++)
			for (int i = 0; i < 12; i++)
				fprintf(file, "%s%.17g%s", json && !i ? "[" : "", vec[v][i],
				        i < 11                ? ", "
				        : !json               ? "\n"
				        : v + 1 < scan->views ? "],\n"
				                              : "]\n");
		if (json)
			fprintf(file, "]}\n");
	}
	if (st == GT_OK)
		gt_writer_note(
			notes,
			"%s of %zu rows x %zu columns, in mm: give ASTRA's volume a window in mm; its projections are [row][view][column]",
			parallel ? "parallel3d_vec" : "cone_vec", scan->rows, scan->columns);
	free(vec);
	return st;
}
