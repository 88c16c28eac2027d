#ifndef GT_IO_TIFF_FILE_H
#define GT_IO_TIFF_FILE_H
/* A TIFF file opened by libtiff; private to io/. libtiff treats unreadable tags and pages as absent, so each of its
 * reads is checked here. */
#include <gantry/status.h>
#include <stdint.h>
#include <sys/types.h>
#include <tiffio.h>

typedef struct {
	TIFF *t;                /* NULL: not open */
	char  why[256];         /* libtiff's last error */
	int   file, error;      /* error: errno of a failed read; 0: none failed */
	off_t at, cut;          /* cut: start of a read beyond the end of the file; -1: none */
	unsigned char first[8]; /* bytes of the header that replace those of the file from first_at on */
	off_t first_at, first_end;
} gt_tiff_file;

/* Returns 1 if f->t is open; f must then keep its address until gt_tiff_close(). */
int       gt_tiff_open(const char *path, gt_tiff_file *f);
/* Likewise, at the page whose directory begins at byte `directory`. */
int       gt_tiff_open_at(const char *path, uint64_t directory, gt_tiff_file *f);
/* Closes an open or unopened file. Returns GT_ERR_IO after a failed read, GT_ERR_FORMAT if st is GT_OK and a read
 * crossed the end of the file, else st. */
gt_status gt_tiff_close(const char *path, gt_tiff_file *f, gt_status st);

#endif
