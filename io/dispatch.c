/* Selects the format, by contents for reading and by extension for writing, and holds code shared by all readers and
 * writers. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <sys/stat.h>
#include "core/arguments.h"
#include "core/files/opener.h"
#include "core/try.h"
#include "geometry/projections.h"
#include "geometry/volume.h"
#include "io/file_lock.h"
#include "io/tmp_list.h"
#include "io/dispatch.h"
#include "io/finite.h"
#include "io/slice_reader.h"
#include "io/write_kit/volume_units.h"

static int can_do(const gt_format *f, int projections, int writing)
{
	if (projections)
		return writing ? f->write_projections != NULL : f->read_projections != NULL;
	return writing ? f->write_volume != NULL : f->read_volume || f->slices;
}

/* folders may have one too: slices.tif/ */
static int has_extension(const gt_format *f, const char *path)
{
	size_t length = strlen(path);
	const int folder = gt_names_folder(path);
	if (folder && !f->folders)
		return 0;
	while (length > 1 && path[length - 1] == '/')
		length--;
	for (const char *e = f->extensions; *e; e += strspn(e, " ")) {
		const size_t n = strcspn(e, " ");
		if (length > n && path[length - n - 1] == '.' && !strncasecmp(e, path + length - n, n))
			return 1;
		e += n;
	}
	return 0;
}

/* Extensions of all capable formats: ".nc .nc4 .mha". */
static void list_extensions(int projections, int writing, char *text, size_t size)
{
	int at = 0;
	text[0] = 0;
	for (const gt_format *const *f = gt_formats; *f; f++) {
		if (!can_do(*f, projections, writing))
			continue;
		if ((*f)->folders && (size_t)at + 40 < size)
			at += sprintf(text + at, "%s%s%.*s/ (a folder of %s)", at ? " " : "", *(*f)->extensions ? "." : "",
			              (int)strcspn((*f)->extensions, " "), (*f)->extensions, (*f)->about);
		for (const char *e = (*f)->extensions; *e; e += strspn(e, " ")) {
			const size_t n = strcspn(e, " ");
			if ((size_t)at + n + 3 < size)
				at += sprintf(text + at, "%s.%.*s", at ? " " : "", (int)n, e);
			e += n;
		}
	}
}

/* Reports what the format needs but this machine lacks. */
static gt_status is_ready(const gt_format *f, const char *path) { return f->ready ? gt_fail_in(f->ready(), "%s", path) : GT_OK; }

static const char *what(int projections) { return projections ? "projections" : "a volume"; }

static gt_status format_called(const char *name, int projections, const gt_format **format)
{
	char known[256];
	size_t at = 0;
	known[0] = 0;
	for (const gt_format *const *f = gt_formats; *f; f++) {
		if (!can_do(*f, projections, 1))
			continue;
		*format = *f;
		if (!strcmp((*f)->name, name))
			return GT_OK;
		if (at + strlen((*f)->name) + 2 < sizeof known)
			at += (size_t)sprintf(known + at, "%s%s", at ? ", " : "", (*f)->name);
	}
	return gt_fail(GT_ERR_ARG, "cannot write %s in the format '%s': expected one of: %s", what(projections), name, known);
}

/* A folder is written in the first format that writes folders; if `numbers` is set, in the first that supports sample
 * types. */
static gt_status to_write(const char *path, int projections, int numbers, const gt_format **format)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
	char known[256];
	for (const gt_format *const *f = gt_formats; *f; f++)
		if (can_do(*f, projections, 1) && has_extension(*f, path)) {
			*format = *f;
			return GT_OK;
		}
	for (const gt_format *const *f = gt_formats; gt_names_folder(path) && *f; f++)
		if (can_do(*f, projections, 1) && (*f)->folders && (!numbers || (*f)->numbers)) {
			*format = *f;
			return GT_OK;
		}
	list_extensions(projections, 1, known, sizeof known);
	return gt_fail(GT_ERR_ARG, "%s: cannot write %s as '%s': expected a name that ends in one of: %s", path, what(projections),
	               dot ? dot : "no extension", known);
}

gt_status gt_format_to_write(const char *path, int projections, const gt_format **format) { return to_write(path, projections, 0, format); }

gt_status gt_format_for(const char *path, const gt_write_options *o, int projections, const gt_format **format)
{
	const gt_status st = o && o->format ? format_called(o->format, projections, format)
	                                    : to_write(path, projections, !projections && o && o->bits != 0, format);
	return st == GT_OK ? is_ready(*format, path) : st;
}

static gt_status readable(const char *path, int *folder)
{
	struct stat s;
	if (stat(path, &s) != 0)
		return gt_fail(GT_ERR_IO, "%s: %s", path, strerror(errno));
	*folder = S_ISDIR(s.st_mode);
	if (*folder)
		return access(path, R_OK | X_OK) == 0 ? GT_OK : gt_fail(GT_ERR_IO, "%s: %s", path, strerror(errno));
	const gt_status st = gt_file_check(path);
	if (st != GT_OK)
		return st;
	if (s.st_size == 0)
		return gt_fail(GT_ERR_FORMAT, "%s: the file is empty", path);
	return GT_OK;
}

gt_status gt_format_of(const char *path, const gt_format **format)
{
	int folder = 0;
	gt_status st = readable(path, &folder);
	if (st != GT_OK)
		return st;
	for (const gt_format *const *f = gt_formats; *f; f++)
		if ((!folder || (*f)->folders) && (*f)->probe && (*f)->probe(path)) {
			*format = *f;
			return is_ready(*f, path);
		}
	char names[256] = "";
	for (const gt_format *const *f = gt_formats; *f; f++)
		if ((!folder || (*f)->folders) && strlen(names) + strlen((*f)->about) + 3 < sizeof names) {
			strcat(names, *names ? ", " : "");
			strcat(names, (*f)->about);
		}
	return gt_fail(GT_ERR_FORMAT, "%s: %s; expected one of: %s", path,
	               folder ? "is a folder that holds no files of a known format" : "not a file of a known format", names);
}

static gt_status format_to_read(const char *path, int projections, const gt_format **format)
{
	gt_status st = gt_format_of(path, format);
	if (st == GT_OK && !can_do(*format, projections, 0))
		st = gt_fail(GT_ERR_FORMAT, "%s: is a %s file, which holds %s, expected %s", path, (*format)->about, what(!projections),
		             what(projections));
	return st;
}

gt_status gt_volume_format_of(const char *path, const gt_format **format) { return format_to_read(path, 0, format); }

gt_status gt_explain_reading(gt_status st, const gt_format *f, const char *path, int projections)
{
	char why[512];
	int found = projections;
	if (st != GT_ERR_FORMAT || !f->kind)
		return st;
	snprintf(why, sizeof why, "%s", gt_error());
	if (f->kind(path, &found) == GT_OK && found != projections)
		return gt_fail(st, "%s: %s %s, expected %s", path, found ? "holds" : "is", what(found), what(projections));
	return gt_fail(st, "%s", why);
}

static gt_status read_projections(const char *path, const gt_read_options *o, gt_projections **p)
{
	const gt_format *f;
	gt_read_options full;
	gt_status st = GT_OK;
	GT_TRY(gt_need_argument("gt_read_projections", "a place for the projections", p));
	*p = NULL;
	GT_TRY(gt_complete_read_options(path, o, &full));
	GT_TRY(format_to_read(path, 1, &f));
	GT_TRY(gt_explain_reading(f->read_projections(path, &full, p), f, path, 1));
	/* Formats of images place their views themselves. */
	if (!f->open_scan && (st = gt_read_axis((*p)->scan, &full)) != GT_OK) {
		gt_projections_free(*p);
		*p = NULL;
		return st;
	}
	if ((*p)->filtered && (*p)->data)
		gt_read_note(&full, "%s: the projections are weighted and filtered already: for 'gantry rabbitct', not for other methods",
		             path);
done:
	return st;
}

gt_status gt_read_projections(const char *path, const gt_read_options *o, gt_projections **p)
{
	GT_NEED(path);
	GT_FILE_LOCKED(read_projections(path, o, p));
}

static gt_status read_volume(const char *path, const gt_read_options *o, gt_volume **v)
{
	const gt_format *f;
	gt_read_options full;
	gt_status st = GT_OK;
	GT_TRY(gt_need_argument("gt_read_volume", "a place for the volume", v));
	*v = NULL;
	GT_TRY(gt_complete_read_options(path, o, &full));
	GT_TRY(format_to_read(path, 0, &f));
	st = f->slices ? gt_read_by_slices(f->slices, path, &full, v) : f->read_volume(path, &full, v);
	GT_TRY(gt_explain_reading(st, f, path, 0));
	if (full.center)
		memset((*v)->grid.center, 0, sizeof(*v)->grid.center);
done:
	return st;
}

gt_status gt_read_volume(const char *path, const gt_read_options *o, gt_volume **v)
{
	GT_NEED(path);
	GT_FILE_LOCKED(read_volume(path, o, v));
}

static gt_status check_options(const char *path, const gt_write_options *o)
{
	if (o->deflate < 0 || o->deflate > 9)
		return gt_fail(GT_ERR_ARG, "%s: deflate=%d: expected a number from 0 to 9", path, o->deflate);
	if (!(o->water >= 0 && o->water <= GT_WATER_MAX))
		return gt_fail(GT_ERR_ARG, "%s: water=%g: expected an attenuation in mm^-1, at most %g", path, o->water, GT_WATER_MAX);
	if (o->unit != GT_PER_MM && o->unit != GT_HU && o->unit != GT_UNIT_AUTO)
		return gt_fail(GT_ERR_ARG, "%s: unit %d: expected mm^-1 or HU", path, (int)o->unit);
	return GT_OK;
}

static gt_status check_numbers(const char *path, const gt_format *f, const gt_write_options *o)
{
	if (o->bits != 0 && o->bits != 8 && o->bits != 16 && o->bits != 32)
		return gt_fail(GT_ERR_ARG, "%s: bits=%d: expected 8, 16 or 32", path, o->bits);
	if (o->bits != 0 && !f->numbers)
		return gt_fail(GT_ERR_ARG, "%s: the format %s has one sample type: expected a name in .tif, .npy or .raw", path, f->about);
	const int ranged = o->low != 0 || o->high != 0;
	if (ranged && !(o->low < o->high && isfinite(o->high - o->low)))
		return gt_fail(GT_ERR_ARG, "%s: a range from %g to %g: expected two numbers, the lower one first", path, o->low, o->high);
	if (ranged && (o->bits == 0 || o->bits == 32))
		return gt_fail(GT_ERR_ARG, "%s: a range is only used for integers: expected 8 or 16 bits", path);
	return GT_OK;
}

gt_status gt_check_writing(const char *path, const gt_format *f, const gt_write_options *o, const gt_grid *grid)
{
	gt_status st = check_options(path, o);
	if (st == GT_OK)
		st = check_numbers(path, f, o);
	return st != GT_OK ? st : gt_fail_in(gt_grid_check(grid, NULL), "%s", path);
}

static gt_status write_projections(const char *path, const gt_write_options *o, const gt_projections *p)
{
	const gt_format *f;
	gt_write_options full;
	gt_status st = GT_OK;
	GT_TRY(gt_projections_are("gt_write_projections", p));
	GT_TRY(gt_complete_write_options(path, o, &full));
	GT_TRY(gt_format_for(path, &full, 1, &f));
	GT_TRY(check_options(path, &full));
	GT_TRY(gt_fail_in(gt_scan_check(p->scan), "%s", path));
	GT_TRY(gt_check_finite(path, p->data, 0, gt_scan_size(p->scan)));
	if (p->data)
		GT_TRY(gt_has_space_for_projections(path, o, p->scan));
	GT_TRY(f->write_projections(path, &full, p));
done:
	return st;
}

gt_status gt_write_projections(const char *path, const gt_write_options *o, const gt_projections *p)
{
	GT_NEED(path);
	GT_FILE_LOCKED(write_projections(path, o, p));
}

static gt_status write_volume(const char *path, const gt_write_options *o, const gt_volume *v)
{
	const gt_format *f;
	gt_write_options full;
	gt_status st = GT_OK;
	GT_TRY(gt_volume_is("gt_write_volume", v));
	GT_TRY(gt_complete_write_options(path, o, &full));
	GT_TRY(gt_format_for(path, &full, 0, &f));
	GT_TRY(gt_check_writing(path, f, &full, &v->grid));
	if (!v->data)
		GT_TRY(gt_fail(GT_ERR_ARG, "%s: the volume is a grid without voxels: expected data to write", path));
	GT_TRY(gt_check_finite(path, v->data, 0, gt_grid_voxels(&v->grid)));
	GT_TRY(gt_has_space_for_volume(path, o, &v->grid));
	GT_TRY(f->write_volume(path, &full, v));
done:
	return st;
}

gt_status gt_write_volume(const char *path, const gt_write_options *o, const gt_volume *v)
{
	GT_NEED(path);
	GT_FILE_LOCKED(write_volume(path, o, v));
}

/* Checks that the folder can be created. */
static gt_status can_make(const char *path)
{
	char *tmp = NULL;
	const gt_status can = gt_tmp_folder(path, 0, "", &tmp);
	gt_tmp_drop(tmp);
	return can;
}

gt_status gt_can_write(const char *path)
{
	GT_NEED(path);
	struct stat s;
	gt_status st = gt_tmp_check_target(path);
	if (st != GT_OK)
		return st;
	const char *slash = strrchr(path, '/');
	const size_t n = slash ? (size_t)(slash - path) + 1 : 1;
	char *folder = malloc(n + 1);
	if (!folder)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	memcpy(folder, slash ? path : ".", n);
	folder[n] = 0;
	if (stat(folder, &s) != 0)
		st = gt_fail(GT_ERR_IO, "%s: the folder '%s': %s", path, folder, strerror(errno));
	else if (!S_ISDIR(s.st_mode))
		st = gt_fail(GT_ERR_IO, "%s: '%s' is not a folder", path, folder);
	else if (access(folder, W_OK | X_OK) != 0)
		st = gt_fail(GT_ERR_IO, "%s: the folder '%s' cannot be written: %s", path, folder, strerror(errno));
	free(folder);
	return st;
}

/* Formats without extensions always write a folder. */
static gt_status can_write(const char *path, const gt_format *f)
{
	return f->folders && (gt_names_folder(path) || !*f->extensions) ? can_make(path) : gt_can_write(path);
}

gt_status gt_can_write_volume(const char *path, const gt_write_options *o)
{
	GT_NEED(path);
	const gt_format *f;
	gt_write_options full;
	gt_status st = gt_complete_write_options(path, o, &full);
	if (st == GT_OK)
		st = gt_format_for(path, &full, 0, &f);
	if (st == GT_OK)
		st = check_options(path, &full);
	if (st == GT_OK)
		st = check_numbers(path, f, &full);
	return st != GT_OK ? st : can_write(path, f);
}

gt_status gt_can_write_projections(const char *path, const gt_write_options *o)
{
	GT_NEED(path);
	const gt_format *f;
	gt_write_options full;
	gt_status st = gt_complete_write_options(path, o, &full);
	if (st == GT_OK)
		st = gt_format_for(path, &full, 1, &f);
	return st != GT_OK ? st : can_write(path, f);
}

static gt_status file_kind(const char *path, const gt_format **format, int *projections)
{
	const gt_format *f;
	gt_status st = gt_format_of(path, &f);
	if (st != GT_OK)
		return st;
	*projections = f->read_projections != NULL;
	if (f->kind)
		st = f->kind(path, projections);
	if (format)
		*format = f;
	return st;
}

gt_status gt_file_kind(const char *path, const gt_format **format, int *projections)
{
	GT_NEED(path);
	GT_NEED(projections);
	GT_FILE_LOCKED(file_kind(path, format, projections));
}
