#ifndef GT_TESTS_IO_TIFF_FILES_H
#define GT_TESTS_IO_TIFF_FILES_H
/* TIFF files as other programs write them, by libtiff, in a temporary folder. */
#include <check.h>
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>
#include <unistd.h>

/* mode: of TIFFOpen: "w", "wb" big-endian, "w8" BigTIFF. tile 0: strips of `strip` rows. */
typedef struct {
	const char *mode;
	unsigned bits, format, tile, strip, compression, predictor, pages;
} tiff_kind;
static const tiff_kind tiff_u16 = { "w", 16, 0, 0, 3, COMPRESSION_NONE, 0, 1 };
static const tiff_kind tiff_float = { "w", 32, SAMPLEFORMAT_IEEEFP, 0, 5, COMPRESSION_NONE, 0, 1 };

static char tiff_folder[64], tiff_path_[512];

static inline const char *tiff_path(const char *name)
{
	snprintf(tiff_path_, sizeof tiff_path_, "%s/%s", tiff_folder, name);
	return tiff_path_;
}

static inline void tiff_setup(void)
{
	strcpy(tiff_folder, "/tmp/gantry-tiff-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(tiff_folder));
}

static inline void tiff_teardown(void)
{
	DIR *d = opendir(tiff_folder);
	for (struct dirent *e; (e = readdir(d));)
		if (e->d_name[0] != '.')
			unlink(tiff_path(e->d_name));
	closedir(d);
	ck_assert_msg(rmdir(tiff_folder) == 0, "something was left in %s", tiff_folder);
}

static inline void tiff_put(void *at, size_t i, const tiff_kind *k, double value)
{
	if (k->format == SAMPLEFORMAT_IEEEFP)
		((float *)at)[i] = (float)value;
	else if (k->bits == 8)
		((uint8_t *)at)[i] = (uint8_t)value;
	else if (k->bits == 16)
		((uint16_t *)at)[i] = (uint16_t)value;
	else
		((uint32_t *)at)[i] = (uint32_t)value;
}

static inline void tiff_page(TIFF *t, const tiff_kind *k, size_t rows, size_t columns, const double *value)
{
	TIFFSetField(t, TIFFTAG_IMAGEWIDTH, (uint32_t)columns);
	TIFFSetField(t, TIFFTAG_IMAGELENGTH, (uint32_t)rows);
	TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, k->bits);
	TIFFSetField(t, TIFFTAG_SAMPLESPERPIXEL, 1);
	TIFFSetField(t, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
	TIFFSetField(t, TIFFTAG_COMPRESSION, k->compression);
	if (k->format)
		TIFFSetField(t, TIFFTAG_SAMPLEFORMAT, k->format);
	if (k->predictor)
		TIFFSetField(t, TIFFTAG_PREDICTOR, k->predictor);
	const size_t size = k->bits / 8;
	if (k->tile) {
		TIFFSetField(t, TIFFTAG_TILEWIDTH, k->tile);
		TIFFSetField(t, TIFFTAG_TILELENGTH, k->tile);
		for (size_t y = 0; y < rows; y += k->tile)
			for (size_t x = 0; x < columns; x += k->tile) {
				void *tile = calloc((size_t)k->tile * k->tile, size);
				for (size_t r = 0; r < k->tile && y + r < rows; r++)
					for (size_t c = 0; c < k->tile && x + c < columns; c++)
						tiff_put(tile, r * k->tile + c, k, value[(y + r) * columns + x + c]);
				ck_assert(TIFFWriteTile(t, tile, (uint32_t)x, (uint32_t)y, 0, 0) >= 0);
				free(tile);
			}
	} else {
		void *line = calloc(columns, size);
		TIFFSetField(t, TIFFTAG_ROWSPERSTRIP, k->strip);
		for (size_t r = 0; r < rows; r++) {
			for (size_t c = 0; c < columns; c++)
				tiff_put(line, c, k, value[r * columns + c]);
			ck_assert_int_eq(TIFFWriteScanline(t, line, (uint32_t)r, 0), 1);
		}
		free(line);
	}
	ck_assert(TIFFWriteDirectory(t));
}

/* value: [pages][rows][columns] */
static inline void tiff_write(const char *name, const tiff_kind *k, size_t rows, size_t columns, const double *value)
{
	TIFF *t = TIFFOpen(tiff_path(name), k->mode);
	ck_assert_ptr_nonnull(t);
	for (unsigned p = 0; p < k->pages; p++)
		tiff_page(t, k, rows, columns, value + p * rows * columns);
	TIFFClose(t);
}

#endif
