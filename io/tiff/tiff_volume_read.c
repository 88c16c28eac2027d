/* Volumes that Gantry wrote as TIFF, in one file or a folder of slices. The description of the first page has unit,
 * scaling, pitch and centre; the rest is read like images. TIFF files of other programs lack it: they are images of
 * counts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/text.h"
#include "core/try.h"
#include "geometry/volume.h"
#include "io/frames/frame_folder.h"
#include "io/frames/frame_source.h"
#include "io/slice_reader.h"
#include "io/tiff/tiff_volume.h"
#include "io/write_kit/volume_units.h"

enum { MAX_TEXT = 1024 };

/* Parses n numbers, separated by commas, after a word of the text. */
static int numbers(const char *text, const char *word, int n, double *out)
{
	const char *at = strstr(text, word);
	char *end;
	if (!at)
		return 0;
	at += strlen(word);
	for (int i = 0; i < n; i++, at = end + 1) {
		out[i] = gt_strtod(at, &end);
		if (end == at || !isfinite(out[i]) || (i + 1 < n && *end != ','))
			return 0;
	}
	return 1;
}

typedef struct {
	gt_stated said;
	double slope, offset, pitch[3], center[3], slice, slices; /* slice and slices are 0 in a single file */
} tiff_description;

static int describes(const char *path, tiff_description *d)
{
	char text[MAX_TEXT];
	*d = (tiff_description){ .said = { .position = GT_POSITION_AUTO } };
	if (!gt_is_tiff(path) || !gt_tiff_description(path, text, sizeof text))
		return 0;
	gt_stated_parse(text, &d->said);
	if (!numbers(text, " slice=", 1, &d->slice) || !numbers(text, " slices=", 1, &d->slices))
		d->slice = d->slices = 0;
	return d->said.ours && numbers(text, " slope=", 1, &d->slope) && numbers(text, " offset=", 1, &d->offset) &&
	       numbers(text, " pitch_mm=", 3, d->pitch) && numbers(text, " center_mm=", 3, d->center);
}

/* The files of a folder in slice order, or the single file. */
static gt_status files_of(const char *path, gt_file_list *files) { return gt_file_list_of(path, GT_ANY_FIELD, NULL, files); }

int gt_tiff_is_volume(const char *path)
{
	tiff_description d;
	struct stat s;
	if (stat(path, &s) != 0 || !S_ISDIR(s.st_mode))
		return describes(path, &d);
	char *first = gt_first_image(path);
	const int found = first && describes(first, &d) && d.slices > 0;
	free(first);
	return found;
}

/* Checks a folder for missing slices and slices of other volumes. */
static gt_status check_slices(const char *path, const gt_file_list *files, const tiff_description *first)
{
	for (size_t i = 0; first->slices > 0 && i < files->n; i++) {
		tiff_description d;
		if (!describes(files->path[i], &d) || d.slices != first->slices || d.slope != first->slope || d.offset != first->offset ||
		    memcmp(d.pitch, first->pitch, sizeof d.pitch) || memcmp(d.center, first->center, sizeof d.center))
			return gt_fail(GT_ERR_FORMAT,
			               "%s: is not a slice of the volume of %s: expected the slices of one volume in a folder",
			               files->path[i], files->path[0]);
		if (d.slice != (double)(i + 1))
			return gt_fail(GT_ERR_FORMAT, "%s: is slice %.0f, expected %zu: is a file missing or renamed?", files->path[i],
			               d.slice, i + 1);
	}
	if (first->slices > 0 && (double)files->n != first->slices)
		return gt_fail(GT_ERR_FORMAT, "%s: %zu slices, but their descriptions state %.0f: is a file missing?", path, files->n,
		               first->slices);
	return GT_OK;
}

struct stored {
	struct gt_slice_reader base;
	gt_frame_source *pages;
};

static gt_status read_stored(gt_slice_reader *self, size_t first, size_t n, float *out)
{
	return gt_frames_read(((struct stored *)self)->pages, first, n, out);
}

static void close_stored(gt_slice_reader *self)
{
	gt_frame_source_free(((struct stored *)self)->pages);
	free(self);
}

/* Grid and scaling, from the pages and the description of the first. */
static gt_status describe(struct stored *s, const tiff_description *d, const gt_read_options *o, gt_volume *v)
{
	const gt_frame_source *pages = s->pages;
	const char *path = s->base.path;
	gt_scaling scaling = { .slope = d->slope, .offset = d->offset };
	gt_status st = GT_OK;
	if (d->slices > 0 && (double)pages->frames != d->slices)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %zu pages in %.0f files: expected a slice in each", path, pages->frames, d->slices));
	v->grid.n[2] = pages->frames;
	v->grid.n[1] = pages->rows;
	v->grid.n[0] = pages->columns;
	gt_slice_reader_size(&s->base, &v->grid);
	s->base.bytes = pages->bytes;
	memcpy(v->grid.pitch, d->pitch, sizeof d->pitch);
	memcpy(v->grid.center, d->center, sizeof d->center);
	GT_TRY(gt_volume_check(path, &v->grid));
	v->positioned = o->position != GT_POSITION_AUTO || (d->said.position != GT_POSITION_AUTO && !d->said.assumed);
	v->position = o->position != GT_POSITION_AUTO ? o->position : d->said.position != GT_POSITION_AUTO ? d->said.position : GT_HFS;
	if (o->geometry_only)
		return GT_OK;
	GT_TRY(gt_volume_scaling(path, "its first page", pages->max > 0 ? "whole" : "float", GT_MEANS_PER_MM, &d->said, o, &scaling));
	gt_volume_scale(v, &scaling, &d->said, o, &s->base.scale, &s->base.offset);
done:
	return st;
}

static gt_status open_stored(gt_slice_reader *self, const gt_read_options *o, gt_volume *v)
{
	struct stored *s = (struct stored *)self;
	const char *path = self->path;
	tiff_description d;
	gt_file_list files = { NULL, 0 };
	gt_status st = GT_OK;
	GT_TRY(files_of(path, &files));
	if (!describes(files.path[0], &d))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: its first page does not describe a volume: expected pitch_mm= and the other keys",
		               files.path[0]));
	GT_TRY(check_slices(path, &files, &d));
	GT_TRY(gt_tiff_source(&files, &s->pages));
	GT_TRY(describe(s, &d, o, v));
done:
	gt_file_list_free(&files);
	return st;
}

const gt_slice_source gt_tiff_slices = { sizeof(struct stored), open_stored, read_stored, close_stored };
