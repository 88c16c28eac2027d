/* RabbitCT files: version 2 of the original layout, and the repackaged one without the version word. Little endian. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <gantry/array.h>
#include <gantry/io.h>
#include "core/arguments.h"
#include "core/files/opener.h"
#include "core/try.h"
#include "io/rabbitct/rabbitct.h"

enum { VERSION = 2, HEAD = 20 /* bytes, without the version word */, WORD = 4, MATRIX = 96, MAX_SIDE = 65536, MAX_VIEWS = 1000000 };
static const size_t reference_sizes[] = { 128, 256, 512, 1024 };
enum { REFERENCES = sizeof reference_sizes / sizeof *reference_sizes };

struct gt_rabbitct {
	FILE *file, *geometry; /* geometry: NULL if the file of the images has the matrices */
	char *name, *geometry_name;
	gt_rabbitct_head head;
	size_t first; /* offset of the first record */
	size_t geometry_first;
};

static size_t cells(const gt_rabbitct_head *h) { return h->columns * h->rows; }
static size_t record(const gt_rabbitct_head *h) { return (h->has_matrices ? MATRIX : 0) + (h->has_images ? cells(h) * sizeof(float) : 0); }
static size_t volume_bytes(size_t size) { return size * size * size * sizeof(uint16_t); }

static int is_little(void)
{
	const uint16_t one = 1;
	return *(const unsigned char *)&one == 1;
}

static gt_status read_at(FILE *f, const char *name, size_t at, void *to, size_t bytes, const char *what)
{
	errno = 0;
	if (fseeko(f, (off_t)at, SEEK_SET) == 0 && fread(to, 1, bytes, f) == bytes)
		return GT_OK;
	return gt_fail(GT_ERR_IO, "%s: cannot read %s: %s", name, what, errno ? strerror(errno) : "the file ends there");
}

/* The five words of the header. */
static void take_head(const unsigned char *bytes, gt_rabbitct_head *h)
{
	uint32_t n[3];
	memcpy(n, bytes, sizeof n);
	memcpy(h->scale, bytes + sizeof n, sizeof h->scale);
	h->columns = n[0];
	h->rows = n[1];
	h->views = n[2];
}

static int is_sane(const gt_rabbitct_head *h)
{
	return h->columns >= 1 && h->columns <= MAX_SIDE && h->rows >= 1 && h->rows <= MAX_SIDE && h->views >= 1 && h->views <= MAX_VIEWS &&
	       isfinite(h->scale[0]) && isfinite(h->scale[1]);
}

/* Determines the contents of a repackaged file from its size. */
static int fits_repackaged(gt_rabbitct_head *h, size_t bytes)
{
	static const int kinds[][2] = { { 1, 1 }, { 0, 1 }, { 1, 0 } };
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		h->has_matrices = kinds[i][0];
		h->has_images = kinds[i][1];
		if (bytes == h->views * record(h))
			return 1;
	}
	h->has_matrices = h->has_images = 1;
	return 0;
}

static gt_status size_original(const char *name, gt_rabbitct_head *h, size_t size)
{
	h->layout = GT_RCT_ORIGINAL;
	h->has_matrices = h->has_images = 1;
	const size_t views = HEAD + WORD + h->views * record(h);
	size_t wanted = views;
	for (h->references = 0; wanted < size && h->references < REFERENCES; h->references++)
		wanted += volume_bytes(reference_sizes[h->references]);
	if (wanted == size)
		return GT_OK;
	return gt_fail(
		GT_ERR_FORMAT,
		"%s: has %zu bytes, but its header describes %zu views of %zu x %zu: expected %zu bytes, then references of 128, 256, 512, 1024 (%zu bytes with %zu of them)%s",
		name, size, h->views, h->columns, h->rows, views, wanted, h->references, size < views ? ": it is truncated" : "");
}

static gt_status understand(const char *name, const unsigned char *start, size_t size, gt_rabbitct_head *h, size_t *first)
{
	uint32_t word;
	memcpy(&word, start, sizeof word);
	memset(h, 0, sizeof *h);
	take_head(start + (word == VERSION ? WORD : 0), h);
	*first = HEAD + (word == VERSION ? WORD : 0);
	if (word == VERSION && is_sane(h))
		return size_original(name, h, size);
	if (word == VERSION)
		return gt_fail(
			GT_ERR_FORMAT,
			"%s: the header describes %zu views of %zu x %zu and a scale of %g, %g: expected 1 to %d views, sides of 1 to %d, finite numbers",
			name, h->views, h->columns, h->rows, (double)h->scale[0], (double)h->scale[1], MAX_VIEWS, MAX_SIDE);
	h->layout = GT_RCT_REPACKAGED;
	if (is_sane(h) && fits_repackaged(h, size - HEAD))
		return GT_OK;
	if (!is_sane(h))
		return gt_fail(GT_ERR_FORMAT, "%s: has version word %u: expected %d", name, (unsigned)word, VERSION);
	return gt_fail(
		GT_ERR_FORMAT,
		"%s: has version word %u: expected %d; a repackaged set of %zu views of %zu x %zu has %zu bytes, without matrices %zu: found %zu%s",
		name, (unsigned)word, VERSION, h->views, h->columns, h->rows, HEAD + h->views * record(h),
		HEAD + h->views * (record(h) - MATRIX), size, size < HEAD + h->views * record(h) ? ", perhaps it is truncated" : "");
}

/* Opens the file, reads the header and checks it against the file size. */
static gt_status open_file(const char *path, FILE **file, gt_rabbitct_head *h, size_t *first)
{
	unsigned char start[HEAD + WORD] = { 0 };
	size_t size;
	if (!is_little())
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: RabbitCT files are little endian and this machine is not", path);
	const gt_status opened = gt_file_stream(path, file, &size);
	if (opened != GT_OK)
		return opened;
	if (size < HEAD + WORD)
		return gt_fail(GT_ERR_FORMAT, "%s: has %zu bytes: expected at least the %d of a RabbitCT header", path, size, HEAD + WORD);
	const gt_status st = read_at(*file, path, 0, start, sizeof start, "the header");
	return st != GT_OK ? st : understand(path, start, size, h, first);
}

static gt_status open_geometry(gt_rabbitct *f)
{
	gt_rabbitct_head h;
	gt_status st = open_file(f->geometry_name, &f->geometry, &h, &f->geometry_first);
	if (st != GT_OK)
		return st;
	if (!h.has_matrices || h.has_images)
		return gt_fail(GT_ERR_FORMAT, "%s: holds %s: expected matrices alone", f->geometry_name,
		               h.has_matrices ? "images as well" : "images");
	if (h.views != f->head.views || h.columns != f->head.columns || h.rows != f->head.rows)
		return gt_fail(GT_ERR_FORMAT, "%s: is of %zu views of %zu x %zu: expected %zu of %zu x %zu as in %s", f->geometry_name,
		               h.views, h.columns, h.rows, f->head.views, f->head.columns, f->head.rows, f->name);
	return GT_OK;
}

gt_status gt_rabbitct_open(const char *path, const char *geometry, gt_rabbitct **out)
{
	GT_NEED(path);
	GT_NEED(out);
	gt_status st = GT_OK;
	gt_rabbitct *f = calloc(1, sizeof *f);
	*out = NULL;
	if (!f || !(f->name = strdup(path)) || (geometry && !(f->geometry_name = strdup(geometry))))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	GT_TRY(open_file(path, &f->file, &f->head, &f->first));
	if (geometry && f->head.has_matrices)
		GT_TRY(gt_fail(GT_ERR_ARG, "%s: has its own matrices: expected no file of matrices, found %s", path, geometry));
	if (geometry)
		GT_TRY(open_geometry(f));
	else if (!f->head.has_matrices)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: holds images alone: expected a second file with the matrices", path));
	*out = f;
done:
	if (st != GT_OK)
		gt_rabbitct_close(f);
	return st;
}

void gt_rabbitct_close(gt_rabbitct *f)
{
	if (!f)
		return;
	if (f->file)
		fclose(f->file);
	if (f->geometry)
		fclose(f->geometry);
	free(f->name);
	free(f->geometry_name);
	free(f);
}

const gt_rabbitct_head *gt_rabbitct_info(const gt_rabbitct *f) { return &f->head; }

static void transpose(const double *columns, double *rows)
{
	for (int r = 0; r < 3; r++)
		for (int c = 0; c < 4; c++)
			rows[4 * r + c] = columns[3 * c + r];
}

static gt_status check_view(const gt_rabbitct *f, size_t view)
{
	return view < f->head.views ? GT_OK : gt_fail(GT_ERR_ARG, "%s: view %zu: the file has %zu", f->name, view, f->head.views);
}

gt_status gt_rabbitct_matrix(gt_rabbitct *f, size_t view, double matrix[12])
{
	GT_NEED(f);
	GT_NEED(matrix);
	char what[64];
	double stored[12];
	gt_status st = check_view(f, view);
	snprintf(what, sizeof what, "the matrix of view %zu", view);
	if (st == GT_OK && f->geometry)
		st = read_at(f->geometry, f->geometry_name, f->geometry_first + view * MATRIX, stored, sizeof stored, what);
	else if (st == GT_OK)
		st = read_at(f->file, f->name, f->first + view * record(&f->head), stored, sizeof stored, what);
	if (st == GT_OK)
		transpose(stored, matrix);
	return st;
}

gt_status gt_rabbitct_image(gt_rabbitct *f, size_t view, float *image)
{
	GT_NEED(f);
	GT_NEED(image);
	char what[64];
	const size_t n = cells(&f->head), at = f->first + view * record(&f->head) + (f->head.has_matrices ? MATRIX : 0);
	size_t bad = 0, first = 0;
	gt_status st = check_view(f, view);
	snprintf(what, sizeof what, "the image of view %zu", view);
	if (st == GT_OK && !f->head.has_images)
		st = gt_fail(GT_ERR_FORMAT, "%s: holds matrices alone: expected images", f->name);
	if (st == GT_OK)
		st = read_at(f->file, f->name, at, image, n * sizeof *image, what);
	for (size_t i = 0; st == GT_OK && i < n; i++)
		if (!isfinite(image[i]) && !bad++)
			first = i;
	return bad ? gt_fail(GT_ERR_FORMAT, "%s: %zu values of view %zu are not finite, the first in row %zu, column %zu", f->name, bad,
	                     view, first / f->head.columns, first % f->head.columns)
	           : st;
}

gt_status gt_rabbitct_reference(gt_rabbitct *f, size_t size, uint16_t *hu)
{
	GT_NEED(f);
	GT_NEED(hu);
	size_t at = f->first + f->head.views * record(&f->head);
	for (size_t i = 0; i < f->head.references; i++) {
		if (reference_sizes[i] == size)
			return read_at(f->file, f->name, at, hu, volume_bytes(size), "the reference");
		at += volume_bytes(reference_sizes[i]);
	}
	return gt_fail(GT_ERR_UNSUPPORTED, "%s: has no reference of %zu^3 voxels (references: %zu, from 128 on)", f->name, size,
	               f->head.references);
}

gt_status gt_rabbitct_read_volume(const char *path, size_t size, uint16_t *hu)
{
	GT_NEED(path);
	GT_NEED(hu);
	FILE *f;
	size_t bytes;
	gt_status st = gt_file_stream(path, &f, &bytes);
	if (st == GT_OK && bytes != volume_bytes(size))
		st = gt_fail(GT_ERR_FORMAT, "%s: has %zu bytes: expected %zu, 16-bit numbers of %zu^3 voxels", path, bytes,
		             volume_bytes(size), size);
	else if (st == GT_OK)
		st = read_at(f, path, 0, hu, volume_bytes(size), "the volume");
	if (f)
		fclose(f);
	return st;
}

void gt_rabbitct_grid(size_t size, gt_grid *grid)
{
	const double pitch = 256 / (double)size;
	*grid = (gt_grid){ { size, size, size }, { pitch, pitch, pitch }, { 0, 0, 0 } };
}

uint16_t gt_rabbitct_hu(float f, const float scale[2])
{
	const double hu = f > 0 ? round((double)scale[0] * (double)f + (double)scale[1]) : 0;
	return hu > 0 ? (uint16_t)fmin(hu, 4095) : 0;
}

int gt_rabbitct_probe(const char *path)
{
	gt_rabbitct_head h;
	unsigned char start[HEAD + WORD] = { 0 };
	uint32_t word = 0;
	const size_t n = gt_file_start(path, start, sizeof start);
	memcpy(&word, start, sizeof word);
	take_head(start, &h);
	return n >= HEAD && is_little() && (word == VERSION || is_sane(&h));
}
