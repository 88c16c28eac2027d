/* Flat and dark fields one by one, for those who judge the detector by them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <gantry/host_memory.h>
#include "core/try.h"
#include "geometry/not_finite.h"
#include "io/dispatch.h"
#include "io/frames/frame_folder.h"
#include "io/hdf5/hdf5_data.h"
#include "io/hdf5/hdf5_file.h"

static gt_status room(const char *path, size_t images, size_t cells, float **out)
{
	gt_status st = GT_OK;
	if (images > SIZE_MAX / sizeof(float) / cells)
		return gt_fail(GT_ERR_FORMAT, "%s: %zu fields of %zu pixels are too many", path, images, cells);
	GT_TRY(gt_fail_in(gt_host_room((double)images * (double)cells * sizeof(float), "flat and dark fields"), "%s", path));
	if (!(*out = malloc(images * cells * sizeof **out)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
done:
	return st;
}

static gt_status of_files(const char *path, const gt_read_options *o, const gt_fields_request *r, gt_fields *f)
{
	const char *given = !o->frames ? NULL : r->dark ? o->frames->dark : o->frames->flat;
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
		GT_TRY(gt_tiff_source(&list, &source));
	} else {
		GT_TRY(gt_frame_folder_read(path, 1, &quiet, &folder));
		gt_file_list *beside = r->dark ? &folder.dark : &folder.flat;
		if (!beside->n)
			goto done;
		GT_TRY(gt_tiff_source(beside, &source));
	}
	if (source->rows != r->rows || source->columns != r->columns)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %zu rows x %zu columns, expected %zu x %zu as the projections", source->name(source, 0),
		               source->rows, source->columns, r->rows, r->columns));
	GT_TRY(room(path, source->frames, r->rows * r->columns, &f->data));
	f->images = source->frames;
	for (size_t i = 0; i < source->frames; i++)
		GT_TRY(source->read(source, i, 0, r->rows, f->data + i * r->rows * r->columns));
done:
	gt_frame_source_free(source);
	gt_file_list_free(&list);
	gt_frame_folder_free(&folder);
	return st;
}

/* Rows run upwards, as those of the projections do. */
static void turn_over(float *image, size_t rows, size_t columns)
{
	for (size_t r = 0; 2 * r + 1 < rows; r++)
		for (size_t c = 0; c < columns; c++) {
			float *a = image + r * columns + c, *b = image + (rows - 1 - r) * columns + c, kept = *a;
			*a = *b;
			*b = kept;
		}
}

static gt_status of_hdf5(const char *path, const gt_fields_request *r, gt_fields *f)
{
	const char *name = r->dark ? "exchange/data_dark" : "exchange/data_white";
	const size_t cells = r->rows * r->columns;
	gt_hdf5_data d = { .id = -1 };
	int has = 0;
	gt_status st = GT_OK;
	gt_hdf5_quiet quiet = gt_hdf5_hush();
	const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
	if (file < 0)
		GT_TRY(gt_fail(GT_ERR_IO, "%s: cannot be opened", path));
	GT_TRY(gt_hdf5_has(file, path, name, &has));
	if (!has)
		goto done;
	GT_TRY(gt_hdf5_open(file, path, name, 2, &d));
	if (d.size[1] != r->rows || d.size[2] != r->columns)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %s: other sizes than the projections", path, name));
	GT_TRY(room(path, d.size[0], cells, &f->data));
	f->images = d.size[0];
	GT_TRY(gt_hdf5_floats(&d, 0, d.size[0], f->data));
	for (size_t i = 0; i < f->images; i++)
		turn_over(f->data + i * cells, r->rows, r->columns);
done:
	if (has)
		gt_hdf5_close(&d);
	if (file >= 0)
		H5Fclose(file);
	gt_hdf5_unhush(&quiet);
	return st;
}

gt_status gt_read_fields(const char *path, const gt_read_options *given, const gt_fields_request *r, gt_fields *f)
{
	const gt_format *format;
	gt_read_options o;
	gt_status st = GT_OK;
	*f = (gt_fields){ NULL, 0 };
	GT_TRY(gt_complete_read_options(path, given, &o));
	GT_TRY(gt_format_of(path, &format));
	if (!strcmp(format->name, "frames"))
		GT_TRY(of_files(path, &o, r, f));
	else if (!strcmp(format->name, "dataexchange"))
		GT_TRY(of_hdf5(path, r, f));
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
