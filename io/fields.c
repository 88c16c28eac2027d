/* Reads flat and dark fields individually, for steps that characterise the detector. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <gantry/array.h>
#include "core/try.h"
#include "geometry/not_finite.h"
#include "io/dispatch.h"
#include "io/fields.h"
#include "io/frames/frame_folder.h"
#include "io/frames/frame_lists.h"
#include "io/hdf5/dataexchange.h"
#include "io/hdf5/nxtomo.h"

static gt_status room(const char *path, size_t images, size_t cells, float **out)
{
	gt_status st = GT_OK;
	if (images > SIZE_MAX / sizeof(float) / cells)
		return gt_fail(GT_ERR_FORMAT, "%s: %zu fields of %zu pixels are too many", path, images, cells);
	GT_TRY(gt_fail_in(gt_host_has_memory((double)images * (double)cells * sizeof(float), "flat and dark fields"), "%s", path));
	if (!(*out = malloc(images * cells * sizeof **out)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
done:
	return st;
}

/* *to is NULL if there are none. */
static gt_status read_all(const char *path, const gt_frame_source *source, const gt_fields_request *r, gt_fields *f)
{
	gt_status st = GT_OK;
	if (!source)
		return GT_OK;
	if (source->rows != r->rows || source->columns != r->columns)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %zu rows x %zu columns, expected %zu x %zu as the projections", source->name(source, 0),
		               source->rows, source->columns, r->rows, r->columns));
	GT_TRY(room(path, source->frames, r->rows * r->columns, &f->data));
	f->images = source->frames;
	for (size_t i = 0; i < source->frames; i++)
		GT_TRY(source->read(source, i, 0, r->rows, f->data + i * r->rows * r->columns));
done:
	return st;
}

static gt_status of_files(const char *path, const gt_read_options *o, const gt_fields_request *r, gt_fields *f)
{
	const char *given = !o->frames ? NULL : r->dark ? o->frames->dark : o->frames->flat, *raw = o->frames ? o->frames->raw : NULL;
	const int none = given && !strcmp(given, "none");
	struct stat s;
	gt_frame_folder folder = { 0 };
	gt_file_list list = { NULL, 0 };
	gt_frame_source *source = NULL;
	gt_read_options quiet = *o;
	gt_status st = GT_OK;
	quiet.notes.say = NULL;
	if (none || (!given && (stat(path, &s) != 0 || !S_ISDIR(s.st_mode))))
		return GT_OK;
	if (given && gt_is_npy(given)) {
		GT_TRY(gt_npy_source(given, &source));
	} else if (given) {
		GT_TRY(gt_file_list_of(given, r->dark ? GT_DARK_FIELD : GT_FLAT_FIELD, NULL, &list));
		GT_TRY(gt_image_list_source(raw, &list, &source));
	} else {
		GT_TRY(gt_frame_folder_read(path, 1, &quiet, &folder));
		gt_file_list *beside = r->dark ? &folder.dark : &folder.flat;
		if (!beside->n)
			goto done;
		GT_TRY(gt_image_list_source(raw, beside, &source));
	}
	st = read_all(path, source, r, f);
done:
	gt_frame_source_free(source);
	gt_file_list_free(&list);
	gt_frame_folder_free(&folder);
	return st;
}

static gt_status of_hdf5(gt_hdf5_opener *open, const char *path, const gt_read_options *o, const gt_fields_request *r, gt_fields *f)
{
	gt_read_options quiet = *o;
	gt_hdf5_scan x;
	quiet.notes.say = NULL;
	gt_status st = open(path, &quiet, &x);
	if (st == GT_OK)
		st = read_all(path, r->dark ? x.dark : x.flat, r, f);
	gt_hdf5_scan_free(&x);
	return st;
}

gt_status gt_read_fields(const char *path, const gt_read_options *given, const gt_fields_request *r, gt_fields *f)
{
	const gt_format *format;
	gt_read_options o;
	gt_frames_options frames;
	gt_status st = GT_OK;
	*f = (gt_fields){ NULL, 0 };
	GT_TRY(gt_complete_read_options(path, given, &o));
	GT_TRY(gt_frames_complete(path, o.frames, &frames));
	o.frames = &frames;
	GT_TRY(gt_format_of(path, &format));
	gt_hdf5_opener *open = !strcmp(format->name, "dataexchange") ? gt_dataexchange_open
	                       : !strcmp(format->name, "nxtomo")     ? gt_nxtomo_open
	                                                             : NULL;
	if (!strcmp(format->name, "frames") || (open && (r->dark ? frames.dark : frames.flat)))
		GT_TRY(of_files(path, &o, r, f));
	else if (open)
		GT_TRY(of_hdf5(open, path, &o, r, f));
	const size_t n = f->images * r->rows * r->columns, bad = n ? gt_first_bad(f->data, n) : 0;
	if (bad < n)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: a %s field is NaN or infinite at row %zu, column %zu", path, r->dark ? "dark" : "flat",
		               bad / r->columns % r->rows, bad % r->columns));
done:
	if (st != GT_OK)
		gt_fields_free(f);
	return st;
}

void gt_fields_free(gt_fields *f)
{
	free(f->data);
	*f = (gt_fields){ NULL, 0 };
}
