/* Images in TIFF files by libtiff: strips and tiles, every lossless compression, both byte orders, BigTIFF. "TIFF
 * Revision 6.0", Adobe 1992. Each read opens its file anew: libtiff's handles are not thread-safe, and a scan has more
 * files than a process may hold open. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <gantry/array.h>
#include "core/files/opener.h"
#include "core/text.h"
#include "core/try.h"
#include "io/file_access.h"
#include "io/frames/frame_source.h"
#include "io/tiff/tiff_file.h"
#include "io/tiff/tiff_images.h"
#include "io/write_kit/number_types.h"

/* Methods other than deflate compress blank images further: limits for such an image, and for all images of a file. */
#define MAX_BLANK (double)(64 << 20)
#define MAX_BLANK_IN_A_FILE (double)(256 << 20)
/* Bytes that are allocated without a check of the free memory, which would take longer than reading such a page. */
#define SMALL_IMAGE (double)(1 << 20)
/* Images beyond that have noise, or objects: the entropy of the counts bounds their compression. */
#define MAX_COMPRESSION_OF_COUNTS 250.0

struct page {
	size_t file;
	uint64_t offset; /* offset of its directory */
	uint64_t data;   /* offset of an image without its own directory; 0: it has one */
};
struct tiff_source {
	struct gt_frame_source base;
	gt_file_list files;
	struct page *page;
	const gt_number_type *type;
	double claimed; /* decoded bytes of the images of the file that is being added */
	double images;  /* number of images according to its first page */
	uint64_t begin; /* offset of the data of its first page; 0: not contiguous */
	int packed;     /* 1: an image is compressed */
};
typedef struct {
	uint32_t rows, columns;
	const gt_number_type *type;
	double max;
	size_t bytes; /* bytes of a strip or tile */
	int packed;   /* compressed */
} tiff_shape;

int gt_is_tiff(const char *path)
{
	static const unsigned char starts[4][4] = { { 'I', 'I', 42, 0 }, { 'M', 'M', 0, 42 }, { 'I', 'I', 43, 0 }, { 'M', 'M', 0, 43 } };
	unsigned char head[4];
	const size_t n = gt_file_start(path, head, sizeof head);
	int is = 0;
	for (int i = 0; i < 4 && n == sizeof head; i++)
		is |= !memcmp(head, starts[i], sizeof head);
	return is;
}

int gt_tiff_description(const char *path, char *text, size_t size)
{
	gt_tiff_file f;
	char *about = NULL;
	const int found = gt_tiff_open(path, &f) && TIFFGetField(f.t, TIFFTAG_IMAGEDESCRIPTION, &about) && about;
	if (found)
		snprintf(text, size, "%s", about);
	/* reading reports a truncated file */
	return gt_tiff_close(path, &f, GT_ERR_FORMAT) == GT_ERR_FORMAT && found;
}

/* Without a sample format values are unsigned. */
static const gt_number_type *type_of(unsigned bits, unsigned format)
{
	char name[16];
	const char *kind = format == SAMPLEFORMAT_IEEEFP ? "float" : format == SAMPLEFORMAT_INT ? "int" : "uint";
	if (format != SAMPLEFORMAT_IEEEFP && format != SAMPLEFORMAT_INT && format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID)
		return NULL;
	snprintf(name, sizeof name, "%s%u", kind, bits);
	for (const gt_number_type *t = gt_number_types; t->met; t++)
		if (!strcmp(t->nifti_name, name))
			return t;
	return NULL;
}

static uint32_t pieces_of(TIFF *t) { return TIFFIsTiled(t) ? TIFFNumberOfTiles(t) : TIFFNumberOfStrips(t); }

/* Every strip or tile must lie within the file, and together they must be able to hold the image. */
static gt_status check_pieces(const char *path, TIFF *t, tiff_shape *s)
{
	struct stat file;
	double stored = 0;
	const double claimed = (double)s->rows * s->columns * (double)s->type->size;
	uint16_t compression = COMPRESSION_NONE;
	TIFFGetFieldDefaulted(t, TIFFTAG_COMPRESSION, &compression);
	s->packed = compression != COMPRESSION_NONE;
	if (stat(path, &file) != 0)
		return gt_fail(GT_ERR_IO, "%s: cannot be looked up", path);
	for (uint32_t i = 0, n = pieces_of(t); i < n; i++) {
		const uint64_t at = TIFFGetStrileOffset(t, i), bytes = TIFFGetStrileByteCount(t, i);
		if (bytes > (uint64_t)file.st_size || at > (uint64_t)file.st_size - bytes)
			return gt_fail(GT_ERR_FORMAT, "%s: truncated: its part %u of %u ends after the file's %lld bytes", path, i + 1, n,
			               (long long)file.st_size);
		stored += (double)bytes;
	}
	if (claimed > (s->packed ? fmax(GT_MAX_DEFLATED * stored, stored > 0 ? MAX_BLANK : 0) : stored))
		return gt_fail(GT_ERR_FORMAT, "%s: claims %u x %u values of %zu bytes, and has %.0f bytes of them", path, s->rows,
		               s->columns, s->type->size, stored);
	if ((double)s->bytes + claimed < SMALL_IMAGE)
		return GT_OK;
	return gt_fail_in(gt_host_has_memory((double)s->bytes + claimed, "an image"), "%s", path);
}

static gt_status check_kind(const char *path, TIFF *t, unsigned samples)
{
	uint16_t compression = COMPRESSION_NONE;
	TIFFGetFieldDefaulted(t, TIFFTAG_COMPRESSION, &compression);
	if (samples != 1)
		return gt_fail(GT_ERR_FORMAT, "%s: has %u samples per pixel (colours?), expected 1", path, samples);
	if (!TIFFIsCODECConfigured(compression))
		return gt_fail(GT_ERR_FORMAT, "%s: is compressed by method %u, which libtiff lacks here", path, compression);
	return gt_tiff_check_depth(path, t);
}

static gt_status shape_of(const char *path, TIFF *t, tiff_shape *s)
{
	uint16_t samples = 1, bits = 1, format = SAMPLEFORMAT_UINT;
	gt_status st = GT_OK;
	*s = (tiff_shape){ 0 };
	TIFFGetField(t, TIFFTAG_IMAGELENGTH, &s->rows);
	TIFFGetField(t, TIFFTAG_IMAGEWIDTH, &s->columns);
	TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLESPERPIXEL, &samples);
	TIFFGetFieldDefaulted(t, TIFFTAG_BITSPERSAMPLE, &bits);
	TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLEFORMAT, &format);
	if (!s->rows || !s->columns)
		return gt_fail(GT_ERR_FORMAT, "%s: is %u x %u pixels, expected at least 1 x 1", path, s->rows, s->columns);
	if ((st = check_kind(path, t, samples)) != GT_OK)
		return st;
	if (!(s->type = type_of(bits, format)))
		return gt_fail(GT_ERR_FORMAT,
		               "%s: has %u bits per pixel of sample format %u, expected 8, 16, 32 or 64, unsigned, signed or float", path,
		               bits, format);
	if (format != SAMPLEFORMAT_IEEEFP && bits <= 32)
		s->max = (double)((UINT64_C(1) << (format == SAMPLEFORMAT_INT ? bits - 1 : bits)) - 1);
	s->bytes = (size_t)(TIFFIsTiled(t) ? TIFFTileSize64(t) : TIFFStripSize64(t));
	return check_pieces(path, t, s);
}

static gt_status add_frame(struct tiff_source *s, struct page page)
{
	struct gt_frame_source *b = &s->base;
	if ((b->frames & (b->frames - 1)) == 0) {
		struct page *more = realloc(s->page, (b->frames ? 2 * b->frames : 1) * sizeof *more);
		if (!more)
			return gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->files.path[page.file]);
		s->page = more;
	}
	s->page[b->frames++] = page;
	s->claimed += (double)b->rows * (double)b->columns * (double)s->type->size;
	return GT_OK;
}

/* The first page defines size and type. */
static gt_status add_page(struct tiff_source *s, size_t file, TIFF *t)
{
	const char *path = s->files.path[file];
	struct gt_frame_source *b = &s->base;
	tiff_shape found;
	uint32_t kind = 0;
	gt_status st = GT_OK;
	if (TIFFGetField(t, TIFFTAG_SUBFILETYPE, &kind) && (kind & FILETYPE_REDUCEDIMAGE))
		return GT_OK;
	if ((st = shape_of(path, t, &found)) != GT_OK)
		return st;
	if (b->frames == 0) {
		b->rows = found.rows;
		b->columns = found.columns;
		b->max = found.max;
		s->type = found.type;
	}
	if (found.rows != b->rows || found.columns != b->columns || found.type != s->type)
		return gt_fail(GT_ERR_FORMAT,
		               "%s: is %u rows x %u columns of %s, expected %zu x %zu of %s as in %s: is it of another scan?", path,
		               found.rows, found.columns, found.type->nifti_name, b->rows, b->columns, s->type->nifti_name,
		               s->files.path[0]);
	b->bytes = found.bytes > b->bytes ? found.bytes : b->bytes;
	s->packed |= found.packed;
	if (TIFFCurrentDirectory(t) == 0) {
		s->images = gt_tiff_images(t, (double)found.rows * found.columns);
		if (!gt_tiff_is_contiguous(t, (uint64_t)found.rows * found.columns * found.type->size, &s->begin))
			s->begin = 0;
	}
	return add_frame(s, (struct page){ file, TIFFCurrentDirOffset(t), 0 });
}

/* Adds images without pages, which follow the first image; size: of the file. */
static gt_status add_images(struct tiff_source *s, size_t file, size_t pages, double size)
{
	const double bytes = (double)s->base.rows * (double)s->base.columns * (double)s->type->size;
	gt_status st = GT_OK;
	if (pages == 0 || !(s->images > (double)pages))
		return GT_OK;
	if (pages > 1 || s->images != floor(s->images) || !s->begin || (double)s->begin + s->images * bytes > size)
		return gt_fail(GT_ERR_FORMAT, "%s: states %.15g images, but has %zu page%s: save one file for each image",
		               s->files.path[file], s->images, pages, pages == 1 ? "" : "s");
	const uint64_t directory = s->page[s->base.frames - 1].offset;
	for (uint64_t i = 1; i < (uint64_t)s->images && st == GT_OK; i++)
		st = add_frame(s, (struct page){ file, directory, s->begin + i * (uint64_t)bytes });
	return st;
}

/* Pages that share their data are not images of a scan: a small file could take any amount of memory. */
static gt_status check_total(const struct tiff_source *s, const char *path, double bytes)
{
	char claimed[GT_BYTES_TEXT], has[GT_BYTES_TEXT];
	if (s->claimed <= (s->packed ? fmax(MAX_COMPRESSION_OF_COUNTS * bytes, MAX_BLANK_IN_A_FILE) : bytes))
		return GT_OK;
	return gt_fail(GT_ERR_FORMAT, "%s: its %zu page%s %s and the file has %s: damaged, blank, or pages that share their data", path,
	               s->base.frames, s->base.frames == 1 ? " claims" : "s claim", gt_bytes_text(s->claimed, claimed),
	               gt_bytes_text(bytes, has));
}

static gt_status add_file(struct tiff_source *s, size_t file)
{
	const char *path = s->files.path[file];
	gt_status st = GT_OK;
	gt_tiff_file f;
	struct stat about;
	const size_t before = s->base.frames;
	if (stat(path, &about) != 0)
		return gt_fail(GT_ERR_IO, "%s: cannot be opened: %s%s", path, strerror(errno),
		               lstat(path, &about) == 0 && S_ISLNK(about.st_mode)
		                       ? " (a link whose target is missing: copy the images, not the links)"
		                       : "");
	if ((st = gt_file_check(path)) != GT_OK)
		return st;
	if (!gt_tiff_open(path, &f))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: not a TIFF file, or damaged or truncated after its %lld bytes: %s", path,
		               (long long)about.st_size, f.why));
	s->claimed = s->images = 0;
	s->begin = 0;
	s->packed = 0;
	do {
		GT_TRY(add_page(s, file, f.t));
		GT_TRY(check_total(s, path, (double)about.st_size));
		*f.why = 0;
	} while (TIFFReadDirectory(f.t));
	/* at an unreadable page libtiff stops as at the last page, but with a message */
	if (*f.why)
		st = gt_fail(GT_ERR_FORMAT, "%s: damaged: the page after %u cannot be read: %s", path, TIFFCurrentDirectory(f.t) + 1u,
		             f.why);
	else
		st = add_images(s, file, s->base.frames - before, (double)about.st_size);
done:
	return gt_tiff_close(path, &f, st);
}

static const char *name(const gt_frame_source *self, size_t frame)
{
	const struct tiff_source *s = (const struct tiff_source *)self;
	return s->files.path[s->page[frame].file];
}

static void free_(gt_frame_source *self)
{
	struct tiff_source *s = (struct tiff_source *)self;
	gt_file_list_free(&s->files);
	free(s->page);
	free(s);
}

typedef struct {
	const struct tiff_source *s;
	TIFF *t;
	unsigned char *piece;
	size_t row, rows;
	float *out;
} tiff_reading;

/* Copies lines of a strip or tile: `lines` lines of `width` values from image line `line` on. */
static void put_lines(const tiff_reading *r, size_t line, size_t lines, size_t column, size_t width)
{
	const size_t columns = r->s->base.columns, bytes = r->s->type->size, wide = column + width > columns ? columns - column : width;
	for (size_t i = 0; i < lines; i++)
		if (line + i >= r->row && line + i < r->row + r->rows)
			r->s->type->convert(r->piece + i * width * bytes, wide, 0, r->out + (line + i - r->row) * columns + column);
}

static int read_strips(const tiff_reading *r)
{
	uint32_t lines = 0;
	TIFFGetFieldDefaulted(r->t, TIFFTAG_ROWSPERSTRIP, &lines);
	const size_t rows = r->s->base.rows, each = lines == 0 || lines > rows ? rows : lines, last = (r->row + r->rows - 1) / each;
	for (size_t i = r->row / each; i <= last; i++) {
		const size_t n = (i + 1) * each > rows ? rows - i * each : each, bytes = n * r->s->base.columns * r->s->type->size;
		if (bytes > r->s->base.bytes || TIFFReadEncodedStrip(r->t, (uint32_t)i, r->piece, (tmsize_t)bytes) != (tmsize_t)bytes)
			return 0;
		put_lines(r, i * each, n, 0, r->s->base.columns);
	}
	return 1;
}

static int read_tiles(const tiff_reading *r)
{
	uint32_t wide = 0, high = 0;
	TIFFGetField(r->t, TIFFTAG_TILEWIDTH, &wide);
	TIFFGetField(r->t, TIFFTAG_TILELENGTH, &high);
	if (!wide || !high || (double)wide * high * (double)r->s->type->size > (double)r->s->base.bytes)
		return 0;
	for (size_t y = r->row / high * high; y < r->row + r->rows; y += high)
		for (size_t x = 0; x < r->s->base.columns; x += wide) {
			const size_t bytes = (size_t)wide * high * r->s->type->size;
			if (TIFFReadTile(r->t, r->piece, (uint32_t)x, (uint32_t)y, 0, 0) != (tmsize_t)bytes)
				return 0;
			put_lines(r, y, high, x, wide);
		}
	return 1;
}

static gt_status read_block(const tiff_reading *r, const char *path, int file, uint64_t begin)
{
	const size_t columns = r->s->base.columns, line = columns * r->s->type->size, each = r->s->base.bytes / line;
	gt_status st = GT_OK;
	for (size_t i = 0; i < r->rows && st == GT_OK; i += each) {
		const size_t n = r->rows - i < each ? r->rows - i : each;
		st = gt_read_at(path, file, (off_t)(begin + (r->row + i) * line), n * line, r->piece);
		if (st == GT_OK)
			r->s->type->convert(r->piece, n * columns, TIFFIsByteSwapped(r->t), r->out + i * columns);
	}
	return st;
}

static gt_status read_(const gt_frame_source *self, size_t frame, size_t row, size_t rows, float *out)
{
	const struct tiff_source *s = (const struct tiff_source *)self;
	const char *path = name(self, frame);
	gt_tiff_file f;
	gt_status st = GT_OK;
	const int is_open = gt_tiff_open_at(path, s->page[frame].offset, &f);
	tiff_reading r = { s, f.t, malloc(s->base.bytes), row, rows, out };
	uint32_t high = 0, wide = 0;
	if (!r.piece)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	if (!is_open)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: cannot be read: %s", path, f.why));
	TIFFGetField(r.t, TIFFTAG_IMAGELENGTH, &high);
	TIFFGetField(r.t, TIFFTAG_IMAGEWIDTH, &wide);
	if (high != s->base.rows || wide != s->base.columns)
		GT_TRY(gt_fail(GT_ERR_IO, "%s: has changed since it was opened", path));
	if (s->page[frame].data)
		st = read_block(&r, path, f.file, s->page[frame].data);
	else if (!(TIFFIsTiled(r.t) ? read_tiles(&r) : read_strips(&r)))
		st = gt_fail(GT_ERR_FORMAT, "%s: damaged: %s", path, f.why);
done:
	free(r.piece);
	return gt_tiff_close(path, &f, st);
}

gt_status gt_tiff_source(gt_file_list *files, gt_frame_source **out)
{
	gt_status st = GT_OK;
	struct tiff_source *s = calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	s->base = (struct gt_frame_source){ .read = read_, .name = name, .free = free_ };
	s->files = *files;
	for (size_t i = 0; i < files->n && st == GT_OK; i++)
		st = add_file(s, i);
	if (st == GT_OK && s->base.frames == 0)
		st = gt_fail(GT_ERR_FORMAT, "%s: has no image", files->n ? files->path[0] : "TIFF");
	if (st != GT_OK) {
		s->files = (gt_file_list){ NULL, 0 };
		free_(&s->base);
		return st;
	}
	*files = (gt_file_list){ NULL, 0 };
	*out = &s->base;
	return GT_OK;
}
