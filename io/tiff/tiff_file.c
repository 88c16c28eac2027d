/* TIFF files are read, not mapped: truncation by another process must not end this one (SIGBUS). */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/files/opener.h"
#include "core/text.h"
#include "io/tiff/tiff_file.h"

#define MAX_OF_A_TAG ((tmsize_t)1 << 30)

static int complain(TIFF *t, void *self, const char *module, const char *format, va_list args)
{
	gt_tiff_file *f = self;
	(void)t, (void)module;
	vsnprintf(f->why, sizeof f->why, format, args);
	gt_utf8_shown(f->why, strlen(f->why), f->why, sizeof f->why);
	return 1;
}

static int ignore(TIFF *t, void *self, const char *module, const char *format, va_list args)
{
	(void)t, (void)self, (void)module, (void)format, (void)args;
	return 1;
}

static toff_t size_of(thandle_t self)
{
	const gt_tiff_file *f = self;
	struct stat s;
	return fstat(f->file, &s) == 0 ? (toff_t)s.st_size : 0;
}

/* n bytes of the file from byte `from` on are in `bytes`. */
static void replace_header(const gt_tiff_file *f, off_t from, tmsize_t n, unsigned char *bytes)
{
	for (off_t i = f->first_at; i < f->first_end; i++)
		if (i >= from && i - from < n)
			bytes[i - from] = f->first[i - f->first_at];
}

static tmsize_t read_(thandle_t self, void *to, tmsize_t n)
{
	gt_tiff_file *f = self;
	const off_t from = f->at;
	tmsize_t got = 0;
	/* an off_t cannot hold the end of the range */
	while (got < n && n <= INT64_MAX - f->at) {
		const ssize_t part = pread(f->file, (char *)to + got, (size_t)(n - got), f->at + got);
		if (part < 0 && errno == EINTR)
			continue;
		if (part < 0)
			f->error = errno;
		if (part <= 0)
			break;
		got += part;
	}
	/* libtiff itself handles offsets beyond the end of the file, often as absent tags. */
	if (got < n && !f->error && (toff_t)f->at <= size_of(f))
		f->cut = f->at;
	replace_header(f, from, got, to);
	f->at += got;
	return got;
}

static tmsize_t write_(thandle_t self, void *from, tmsize_t n)
{
	(void)self, (void)from, (void)n;
	return -1;
}

static toff_t seek(thandle_t self, toff_t to, int whence)
{
	gt_tiff_file *f = self;
	const toff_t from = whence == SEEK_CUR ? (toff_t)f->at : whence == SEEK_END ? size_of(f) : 0;
	if (to > (toff_t)INT64_MAX - from)
		return (toff_t)-1;
	f->at = (off_t)(from + to);
	return from + to;
}

/* Called by TIFFClose(); gt_tiff_close() closes the descriptor. */
static int keep(thandle_t self)
{
	(void)self;
	return 0;
}

/* TIFFSetSubDirectory() follows the chain of pages from the first one: quadratic time for a stack. Instead, libtiff
 * reads a header that names the wanted page first. "TIFF Revision 6.0", section 2; BigTIFF has
 * version 43 and offsets of 8 bytes. */
static void begin_at(gt_tiff_file *f, uint64_t directory)
{
	unsigned char start[4];
	if (!directory || f->file < 0 || pread(f->file, start, sizeof start, 0) != (ssize_t)sizeof start)
		return;
	const int little = start[0] == 'I', width = start[little ? 2 : 3] == 43 ? 8 : 4;
	for (int i = 0; i < width; i++)
		f->first[little ? i : width - 1 - i] = (unsigned char)(directory >> 8 * i);
	f->first_at = width;
	f->first_end = f->first_at + width;
}

int gt_tiff_open(const char *path, gt_tiff_file *f) { return gt_tiff_open_at(path, 0, f); }

int gt_tiff_open_at(const char *path, uint64_t directory, gt_tiff_file *f)
{
	TIFFOpenOptions *o = TIFFOpenOptionsAlloc();
	*f = (gt_tiff_file){ .file = -1, .why = "out of memory", .cut = -1 };
	errno = EINVAL; /* a pipe or a device, of which no call fails */
	if (gt_file_open(path, &f->file, NULL) != GT_OK)
		f->error = errno;
	begin_at(f, directory);
	if (f->file >= 0 && o) {
		TIFFOpenOptionsSetMaxSingleMemAlloc(o, MAX_OF_A_TAG);
		TIFFOpenOptionsSetErrorHandlerExtR(o, complain, f);
		TIFFOpenOptionsSetWarningHandlerExtR(o, ignore, NULL);
		f->t = TIFFClientOpenExt(path, "rm", f, read_, write_, seek, keep, size_of, NULL, NULL, o);
	}
	if (o)
		TIFFOpenOptionsFree(o);
	return f->t != NULL;
}

gt_status gt_tiff_close(const char *path, gt_tiff_file *f, gt_status st)
{
	if (f->t)
		TIFFClose(f->t);
	if (f->file >= 0)
		close(f->file);
	f->t = NULL;
	f->file = -1;
	if (f->error)
		return gt_fail(GT_ERR_IO, "%s: cannot be read: %s", path, strerror(f->error));
	if (st == GT_OK && f->cut >= 0)
		return gt_fail(GT_ERR_FORMAT, "%s: truncated: the file ends within what begins at its byte %lld", path, (long long)f->cut);
	return st;
}
