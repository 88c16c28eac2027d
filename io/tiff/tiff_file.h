#ifndef GT_IO_TIFF_FILE_H
#define GT_IO_TIFF_FILE_H
/* A TIFF file that libtiff reads; private to io/. libtiff takes much that it cannot read for absent, a further page
 * among that: here each of its readings is watched. */
#include <gantry/status.h>
#include <stdint.h>
#include <sys/types.h>
#include <tiffio.h>

typedef struct {
	TIFF *t;                /* NULL: not open */
	char  why[256];         /* what libtiff said last */
	int   file, error;      /* error: errno of a reading that failed; 0: none did */
	off_t at, cut;          /* cut: where something begins that the end of the file cuts off; -1: nothing */
	unsigned char first[8]; /* bytes of the header that replace those of the file from first_at on */
	off_t first_at, first_end;
} gt_tiff_file;

/* 1: f->t is open; f stays where it is until it is closed. */
int       gt_tiff_open(const char *path, gt_tiff_file *f);
/* Likewise, at the page whose directory begins at byte `directory`. */
int       gt_tiff_open_at(const char *path, uint64_t directory, gt_tiff_file *f);
/* Closes; fine where it is not open. What st says, but GT_ERR_IO where a reading failed, whatever came of that, and
 * GT_ERR_FORMAT where all seemed well and the file ends in the midst of what was read. */
gt_status gt_tiff_close(const char *path, gt_tiff_file *f, gt_status st);

#endif
