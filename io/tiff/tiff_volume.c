/* Volumes as TIFF images for segmentation programs: one page for each slice, or a folder with one file for each.
 * Samples are floats, or integers over one range for all slices. "TIFF Revision 6.0", Adobe 1992; BigTIFF for files
 * above 4 GiB. ImageDescription of the first page defines the meaning of stored values. */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>
#include <unistd.h>
#include <gantry/version.h>
#include "core/text.h"
#include "core/try.h"
#include "geometry/volume.h"
#include "io/dispatch.h"
#include "io/free_space.h"
#include "io/slice_writer.h"
#include "io/table.h"
#include "io/tiff/tiff_volume.h"
#include "io/tmp_list.h"
#include "io/write_kit/stored_numbers.h"
#include "io/write_kit/volume_units.h"

#define MAX_CLASSIC (4294967296.0 - 65536)

struct pages {
	struct gt_slice_writer base;
	const gt_volume *head;
	gt_write_options o;
	char *tmp;
	int folder; /* a file for each slice */
	TIFF *file;
	char why[256];
	gt_stored_numbers numbers;
	void *line;
};

static int complain(TIFF *t, void *self, const char *module, const char *format, va_list args)
{
	struct pages *s = self;
	(void)t;
	(void)module;
	vsnprintf(s->why, sizeof s->why, format, args);
	return 1;
}

/* libtiff does not report the cause of a failure. */
static gt_status failed(const struct pages *s) { return gt_fail_writing(s->base.path, s->tmp ? s->tmp : s->base.path, errno, s->why); }

static void describe(struct pages *s, size_t slice)
{
	const gt_grid *g = &s->head->grid;
	char said[GT_STATED], text[640], which[64] = "";
	if (s->folder)
		snprintf(which, sizeof which, " slice=%zu slices=%zu", slice + 1, g->n[2]);
	gt_stated_print(&s->o, s->numbers.water > 0, s->head, said);
	gt_snprintf(text, sizeof text, "%s slope=%.9g offset=%.9g pitch_mm=%.9g,%.9g,%.9g center_mm=%.9g,%.9g,%.9g%s", said,
	            s->numbers.step, s->numbers.low, g->pitch[0], g->pitch[1], g->pitch[2], g->center[0], g->center[1], g->center[2],
	            which);
	TIFFSetField(s->file, TIFFTAG_IMAGEDESCRIPTION, text);
	TIFFSetField(s->file, TIFFTAG_SOFTWARE, "Gantry " GT_VERSION);
}

static gt_status begin_page(struct pages *s, size_t slice)
{
	const gt_grid *g = &s->head->grid;
	const int set = TIFFSetField(s->file, TIFFTAG_IMAGEWIDTH, (uint32_t)g->n[0]) &&
	                TIFFSetField(s->file, TIFFTAG_IMAGELENGTH, (uint32_t)g->n[1]) &&
	                TIFFSetField(s->file, TIFFTAG_BITSPERSAMPLE, s->numbers.bits) &&
	                TIFFSetField(s->file, TIFFTAG_SAMPLESPERPIXEL, 1) &&
	                TIFFSetField(s->file, TIFFTAG_SAMPLEFORMAT, s->numbers.bits == 32 ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT) &&
	                TIFFSetField(s->file, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK) &&
	                TIFFSetField(s->file, TIFFTAG_ROWSPERSTRIP, TIFFDefaultStripSize(s->file, 0)) &&
	                TIFFSetField(s->file, TIFFTAG_RESOLUTIONUNIT, RESUNIT_CENTIMETER) &&
	                TIFFSetField(s->file, TIFFTAG_XRESOLUTION, 10 / g->pitch[0]) &&
	                TIFFSetField(s->file, TIFFTAG_YRESOLUTION, 10 / g->pitch[1]) &&
	                (s->o.deflate == 0 || (TIFFSetField(s->file, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE) &&
	                                       TIFFSetField(s->file, TIFFTAG_ZIPQUALITY, s->o.deflate)));
	if (slice == 0 || s->folder)
		describe(s, slice);
	return set ? GT_OK : failed(s);
}

static gt_status open_tiff(struct pages *s, const char *name, double bytes)
{
	TIFFOpenOptions *o = TIFFOpenOptionsAlloc();
	if (o) {
		TIFFOpenOptionsSetErrorHandlerExtR(o, complain, s);
		s->file = TIFFOpenExt(name, bytes > MAX_CLASSIC ? "w8" : "w", o);
		TIFFOpenOptionsFree(o);
	}
	return s->file ? GT_OK : failed(s);
}

static double bytes_of(const struct pages *s, size_t slices)
{
	return (double)slices * ((double)s->base.size[1] * (double)s->base.size[2] * s->numbers.bits / 8 + 1024);
}

static gt_status open_slice(struct pages *s, size_t slice)
{
	char *name = NULL;
	if (asprintf(&name, "%s/%06zu.tif", s->tmp, slice + 1) < 0)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->base.path);
	const gt_status st = open_tiff(s, name, bytes_of(s, 1));
	free(name);
	return st;
}

/* The last bytes are written when the file is closed; libtiff reports a failure only as a message. */
static gt_status close_tiff(struct pages *s)
{
	s->why[0] = 0;
	errno = 0;
	TIFFClose(s->file);
	s->file = NULL;
	return s->why[0] ? failed(s) : GT_OK;
}

static gt_status write_(gt_slice_writer *self, size_t first, size_t n, const float *data)
{
	struct pages *s = (struct pages *)self;
	const size_t columns = s->base.size[2], rows = s->base.size[1];
	gt_status st = GT_OK;
	errno = 0;
	for (size_t k = 0; k < n && st == GT_OK; k++) {
		if (s->folder)
			st = open_slice(s, first + k);
		if (st == GT_OK)
			st = begin_page(s, first + k);
		for (size_t r = 0; r < rows && st == GT_OK; r++) {
			gt_stored_numbers_of(&s->numbers, data + (k * rows + r) * columns, columns, s->line);
			st = TIFFWriteScanline(s->file, s->line, (uint32_t)r, 0) == 1 ? GT_OK : failed(s);
		}
		if (st == GT_OK && !TIFFWriteDirectory(s->file))
			st = failed(s);
		if (st == GT_OK && s->folder)
			st = close_tiff(s);
	}
	return st;
}

static void drop(gt_slice_writer *self)
{
	struct pages *s = (struct pages *)self;
	if (s->file)
		TIFFClose(s->file);
	if (s->tmp)
		gt_tmp_drop(s->tmp);
	free(s->line);
	free(s);
}

static gt_status commit(gt_slice_writer *self)
{
	struct pages *s = (struct pages *)self;
	gt_status st = GT_OK;
	if (s->file)
		GT_TRY(close_tiff(s));
	gt_stored_numbers_note(s->base.path, &s->o, &s->numbers, &s->head->grid);
	st = s->folder ? gt_tmp_commit_folder(s->tmp, s->base.path) : gt_tmp_commit(s->tmp, s->base.path);
	s->tmp = NULL;
done:
	drop(self);
	return st;
}

static gt_status open_file(struct pages *s)
{
	if (s->folder)
		return gt_tmp_folder(s->base.path, s->base.size[0], "tif", &s->tmp);
	const gt_status st = gt_tmp_path(s->base.path, &s->tmp);
	return st == GT_OK ? open_tiff(s, s->tmp, bytes_of(s, s->base.size[0])) : st;
}

static gt_status create_slices(const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_writer **out)
{
	const gt_grid *g = &head->grid;
	gt_status st = GT_OK;
	struct pages *s = calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	s->base = (struct gt_slice_writer){
		.path = path, .size = { g->n[2], g->n[1], g->n[0] }, .write = write_, .commit = commit, .drop = drop
	};
	s->head = head;
	s->o = *o;
	s->folder = gt_names_folder(path);
	GT_TRY(gt_stored_numbers_set(path, o, head, &s->numbers));
	if (!(s->line = malloc(g->n[0] * sizeof(float))))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	GT_TRY(open_file(s));
	*out = &s->base;
done:
	if (st != GT_OK)
		drop(&s->base);
	return st;
}

static gt_status write_volume(const char *path, const gt_write_options *given, const gt_volume *v)
{
	gt_write_options o = *given;
	gt_slice_writer *s;
	gt_status st = gt_stored_numbers_range(path, v, &o);
	if (st == GT_OK)
		st = create_slices(path, &o, v, &s);
	return st != GT_OK ? st : gt_slice_writer_write_all(s, v->data);
}

const gt_format gt_format_tiff = {
	.name = "tiff",
	.about = "TIFF, one page per slice",
	.extensions = "tif tiff",
	.folders = 1,
	.probe = gt_tiff_is_volume,
	.write_volume = write_volume,
	.create_slices = create_slices,
	.slices = &gt_tiff_slices,
	.numbers = 1,
};
