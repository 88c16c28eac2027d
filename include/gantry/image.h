#ifndef GANTRY_IMAGE_H
#define GANTRY_IMAGE_H
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A sheet of grey pictures with labels, drawn with cairo and written as PNG. */
typedef struct {
	const float *data;              /* [height][width] */
	size_t width, height;
	double pixel_width, pixel_height;       /* mm: pictures keep their proportions */
	const char *label;              /* above the picture; may be NULL */
	int flip_x, flip_y;             /* 1: the first cell of each line is drawn at the right; the first line at the bottom (z or y upwards) */
	char left, right, top, bottom;  /* letters within the picture at the middle of its sides; 0: none */
} gt_picture;

typedef struct {
	const gt_picture *picture;
	size_t pictures, per_line;
	double low, high;               /* window: black and white */
	const char *unit;               /* "HU", "mm-1", "line integral": on the scale bar of grey values */
	const char *title;              /* may be NULL */
	double zoom;                    /* screen pixels per data pixel of the widest picture; 0: chosen so that pictures are 256..512 wide */
} gt_sheet;

/* Does the name end in .png (GT_ERR_ARG), is the folder there and writable (GT_ERR_IO)? Ask before reading. */
GT_API gt_status gt_can_write_sheet(const char *path);
/* Written to a temporary name and renamed. */
GT_API gt_status gt_sheet_write(const char *path, const gt_sheet *sheet);

#ifdef __cplusplus
}
#endif
#endif
