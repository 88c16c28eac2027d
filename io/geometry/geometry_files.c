/* Geometry files of other programs and of scanner manufacturers: detection of the kind, and code that all kinds
 * share. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/author/constants.h>
#include <gantry/module.h>
#include "core/files/opener.h"
#include "core/module.h"
#include "core/try.h"
#include "io/file_access.h"
#include "io/geometry/geometry_files.h"
#include "io/geometry/input.h"

#define MAX_BYTES (64 << 20)
/* The kind shows at the beginning; JSON may have a list of angles before its other keys. */
#define MAX_PROBED (4 << 20)
/* More views than any scan has. */
enum { MAX_COUNTED = 1 << 19 };

const gt_geometry_options gt_geometry_defaults = {
	.size = sizeof(gt_geometry_options), .column_pitch = NAN, .row_pitch = NAN, .origin = { NAN, NAN }, .unit = NAN
};

#define X(name) &gt_geometry_##name,
static const gt_geometry_reader *const readers[] = { GT_GEOMETRY_READERS(X) NULL };
#undef X

const gt_geometry_kind gt_geometry_kinds[] = {
	{ "rtk", "Reconstruction Toolkit, XML", 1, 1 },
	{ "astra", "ASTRA Toolbox: vectors as NumPy, JSON or text", 1, 1 },
	{ "leap", "LEAP, text", 1, 1 },
	{ "tigre", "TIGRE, JSON of the geometry's members", 1, 0 },
	{ "cil", "CIL, JSON of the AcquisitionGeometry's members", 1, 0 },
	{ "nikon", "Nikon and X-Tek, .xtekct", 1, 0 },
	{ "phoenix", "Waygate phoenix, .pca", 1, 0 },
	{ "skyscan", "Bruker SkyScan, .log", 1, 0 },
	{ "zeiss", "Zeiss Xradia, .txrm", 1, 0 },
	{ "diondo", "Diondo, .xml", 1, 0 },
	{ "yxlon", "YXLON, ScanParameter.xml", 1, 0 },
	{ "varian", "Varian, Scan.xml next to Acquisitions/", 1, 0 },
	{ "elekta", "Elekta XVI, _Frames.xml", 1, 0 },
	{ NULL, NULL, 0, 0 },
};

static const char *nth_kind(size_t i) { return gt_geometry_kinds[i].name; }

static gt_status load(gt_geometry_input *in, size_t max)
{
	int file;
	size_t bytes;
	gt_status st = gt_file_open(in->path, &file, &bytes);
	if (st != GT_OK)
		return st;
	/* Files that contain images are read through their own reader; the header is sufficient here. */
	in->bytes = bytes > max ? max : bytes;
	in->is_cut = bytes > max;
	if (!(in->text = malloc(in->bytes + 1)))
		st = gt_fail(GT_ERR_MEMORY, "%s: out of memory", in->path);
	else if ((st = gt_read_at(in->path, file, 0, in->bytes, in->text)) == GT_OK)
		in->text[in->bytes] = 0;
	close(file);
	return st;
}

static const gt_geometry_reader *reader_of(const gt_geometry_input *in)
{
	for (const gt_geometry_reader *const *r = readers; *r; r++)
		if (in->o.format ? !strcmp((*r)->name, in->o.format) : (*r)->probe(in))
			return *r;
	return NULL;
}

static gt_status complete(const char *path, const gt_geometry_options *given, gt_geometry_options *full)
{
	*full = gt_geometry_defaults;
	if (!given)
		return GT_OK;
	if (given->size < sizeof given->size || given->size > sizeof *full)
		return gt_fail(GT_ERR_ARG, "%s: options of size=%zu: expected sizeof(gt_geometry_options), which is at most %zu", path,
		               given->size, sizeof *full);
	memcpy(full, given, given->size);
	full->size = sizeof *full;
	return GT_OK;
}

static int is_one_of(const char *name, const char *const *names)
{
	while (*names && strcmp(*names, name))
		names++;
	return *names != NULL;
}

/* Rejects options that the reader would ignore. */
static gt_status check_use(const gt_geometry_input *in, const gt_geometry_reader *r)
{
	static const char *const with_unit[] = { "astra", "cil", NULL }, *const with_origin[] = { "rtk", NULL },
				 *const with_parallel[] = { "astra", NULL };
	const char *unused = !isnan(in->o.unit) && !is_one_of(r->name, with_unit)                                      ? "length-unit"
	                     : !(isnan(in->o.origin[0]) && isnan(in->o.origin[1])) && !is_one_of(r->name, with_origin) ? "origin"
	                     : in->o.parallel && !is_one_of(r->name, with_parallel)                                    ? "parallel"
	                                                                                                               : NULL;
	return unused ? gt_fail(GT_ERR_ARG, "--%s does not apply to geometry files of kind %s", unused, r->name) : GT_OK;
}

static gt_status check_sizes(const gt_geometry_input *in)
{
	const gt_scan *s = in->g->scan;
	const struct {
		const char *name;
		size_t found, given;
	} size[] = { { "view", s->views, in->o.views }, { "row", s->rows, in->o.rows }, { "column", s->columns, in->o.columns } };
	for (size_t i = 0; i < sizeof size / sizeof *size; i++)
		if (size[i].given && size[i].given != size[i].found)
			return gt_fail(GT_ERR_FORMAT, "%s: has %zu %ss, and --%ss is %zu: expected one number", in->path, size[i].found,
			               size[i].name, size[i].name, size[i].given);
	return GT_OK;
}

gt_status gt_geometry_read(const char *path, const gt_geometry_options *o, gt_geometry **out)
{
	gt_geometry_input in = { .path = path };
	gt_status st = GT_OK;
	size_t kinds = 0;
	if (!path || !out)
		return gt_fail(GT_ERR_ARG, "gt_geometry_read: %s is NULL", path ? "g" : "path");
	*out = NULL;
	while (gt_geometry_kinds[kinds].name)
		kinds++;
	GT_TRY(complete(path, o, &in.o));
	GT_TRY(load(&in, MAX_BYTES));
	if (!(in.g = calloc(1, sizeof *in.g)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	const gt_geometry_reader *r = reader_of(&in);
	if (!r && in.o.format)
		GT_TRY(gt_unknown("geometry format", in.o.format, nth_kind, kinds));
	if (!r)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: holds no geometry of a known kind ('gantry help geometry' lists them)", path));
	in.g->format = r->name;
	if (in.is_cut && r != &gt_geometry_zeiss)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: is larger than %d MiB: expected a geometry file of kind %s", path, MAX_BYTES >> 20,
		               r->name));
	GT_TRY(check_use(&in, r));
	/* some messages name the file already */
	if ((st = r->read(&in)) != GT_OK)
		GT_TRY(strncmp(gt_error(), path, strlen(path)) ? gt_fail_in(st, "%s", path) : st);
	GT_TRY(check_sizes(&in));
	*out = in.g;
	in.g = NULL;
done:
	free(in.text);
	gt_geometry_free(in.g);
	return st;
}

int gt_geometry_probe(const char *path)
{
	gt_geometry_input in = { .path = path, .o = gt_geometry_defaults };
	const int found = path && load(&in, MAX_PROBED) == GT_OK && reader_of(&in);
	free(in.text);
	return found;
}

void gt_geometry_free(gt_geometry *g)
{
	if (!g)
		return;
	gt_scan_free(g->scan);
	free(g->images);
	free(g->angle);
	free(g->shift);
	free(g);
}

const gt_scan *gt_geometry_scan(const gt_geometry *g) { return g ? g->scan : NULL; }
const char *gt_geometry_format(const gt_geometry *g) { return g ? g->format : NULL; }
unsigned gt_geometry_open(const gt_geometry *g) { return g ? g->open : 0; }
double gt_geometry_white(const gt_geometry *g) { return g ? g->white : 0; }
const char *gt_geometry_images(const gt_geometry *g) { return g ? g->images : NULL; }

static gt_status make(gt_geometry *g)
{
	gt_lab_orbit o = g->lab;
	gt_scan *scan = NULL;
	o.angle = g->angle;
	o.shift = (const double(*)[2])(void *)g->shift;
	const gt_status st = gt_scan_of_lab(&o, &g->size, &scan);
	if (st != GT_OK)
		return st;
	gt_scan_free(g->scan);
	g->scan = scan;
	return GT_OK;
}

gt_status gt_geometry_make_lab(const gt_geometry_input *in, const gt_lab_orbit *lab, const gt_scan_size3 *size)
{
	in->g->lab = *lab;
	in->g->size = *size;
	return make(in->g);
}

gt_status gt_check_counted_views(const gt_geometry_input *in, size_t views, const char *what)
{
	if (views <= MAX_COUNTED)
		return GT_OK;
	return gt_fail(GT_ERR_FORMAT, "%s: %zu %s: expected at most %d, since the file has %zu bytes and lists no view", in->path, views,
	               what, (int)MAX_COUNTED, in->bytes);
}

gt_status gt_geometry_even_angles(const gt_geometry_input *in, size_t views, double first, double step)
{
	const gt_status st = gt_check_counted_views(in, views, "views at even angles");
	if (st != GT_OK)
		return st;
	if (!(in->g->angle = calloc(views, sizeof *in->g->angle)))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t v = 0; v < views; v++)
		in->g->angle[v] = (first + (double)v * step) * GT_PI / 180;
	return GT_OK;
}

gt_status gt_geometry_reverse(gt_geometry *g, unsigned what)
{
	if (!g || what & ~(unsigned)(GT_GEOMETRY_DIRECTION | GT_GEOMETRY_OFFSET) || !g->angle)
		return gt_fail(GT_ERR_ARG, "gt_geometry_reverse: bits 0x%x: expected those that gt_geometry_open() had", what);
	for (size_t v = 0; v < g->size.views && what & GT_GEOMETRY_DIRECTION; v++)
		g->angle[v] = -g->angle[v];
	if (what & GT_GEOMETRY_OFFSET)
		g->lab.axis_offset = -g->lab.axis_offset;
	return make(g);
}
