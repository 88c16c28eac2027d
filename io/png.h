#ifndef GT_IO_PNG_H
#define GT_IO_PNG_H
/* Sheets of grey pictures in PNG. */
#include <stddef.h>
#include <gantry/status.h>

/* A sheet of grey pictures with labels, drawn with cairo and written as PNG. */
typedef struct {
	const float *data;              /* [height][width] */
	size_t width, height;
	double pixel_width, pixel_height;       /* mm: pictures keep their proportions */
	const char *label;              /* above the picture; may be NULL */
	int flip_x, flip_y;             /* 1: first pixel of a line at the right; first line at the bottom */
	char left, right, top, bottom;  /* letters at the centres of the sides; 0: none */
} gt_picture;

typedef struct {
	const gt_picture *picture;
	size_t pictures, per_line;
	double low, high;               /* window: black and white */
	const char *unit;               /* "HU", "mm-1", "line integral": on the scale bar of grey values */
	const char *title;              /* may be NULL */
	double zoom;                    /* screen pixels per pixel of the widest image; 0: images are 256 to 512 wide */
} gt_sheet;

/* Checks the path: extension .png (GT_ERR_ARG), existing and writable folder (GT_ERR_IO). Call it before reading. */
gt_status gt_can_write_sheet(const char *path);
/* Written to a temporary name and renamed. */
gt_status gt_sheet_write(const char *path, const gt_sheet *sheet);
#endif
