#ifndef GANTRY_IMAGE_H
#define GANTRY_IMAGE_H
#include <stddef.h>
#include <gantry/recon.h>
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

/* Pages -----------------------------------------------------------------
 *
 * One HTML page that shows volumes and projections in a browser, with texts, tables and curves: a single file
 * that needs no network, or a page that this machine serves to itself. Pages with several headings begin with a list
 * of them. Sides of pictures have the letters of the patient's sides where the position is known, and none where it is
 * not. In the file the values of each volume
 * are whole numbers of steps, as few bits as the page's size allows: the page states the step, and every value
 * that it shows is within half a step of the value here. Served pages get the values as they are. */

/* Something to look at: one of the two is not NULL. Both are borrowed. */
typedef struct {
	const char *name;               /* shown above it; any bytes */
	const gt_volume *volume;
	const gt_projections *projections;      /* their scan is drawn; without data the drawing is all there is */
	gt_unit unit;                   /* of a volume's values at first: GT_PER_MM, GT_HU; GT_UNIT_AUTO: that of its file */
	const char *quantity;           /* unit of a volume's values that are no attenuation ("mm"; "": none); NULL: they are */
} gt_page_item;

typedef enum {
	GT_PAGE_VIEWER,                 /* item[0 .. items-1], in one viewer with linked cursors; a heading */
	GT_PAGE_TEXT,                   /* a heading and a paragraph */
	GT_PAGE_TABLE,                  /* cell[rows][columns], of which row 0 is the head; larger ones can be sorted */
	GT_PAGE_CURVE,                  /* y over x, both [points]; what is not finite is left out */
	GT_PAGE_FIGURE                  /* a picture in PNG: image[image_bytes]; image NULL: its place alone */
} gt_page_kind;
typedef struct {
	gt_page_kind kind;
	const char *heading, *text;     /* NULL: none; text is a paragraph below the heading, of every kind of part */
	const gt_page_item *item;
	size_t items;                   /* at most GT_PAGE_ITEMS in all parts together */
	const char *const *cell;        /* NULL cells are empty */
	size_t rows, columns;
	const double *x, *y;
	size_t points;
	const char *x_label, *y_label;
	int log_y;                      /* 1: the logarithm of y, where all of it is above 0 */
	const char *caption;            /* NULL: none; below tables, curves and figures */
	const void *image;
	size_t image_bytes;
	const char *alt, *name;         /* of a figure: what who does not see it is told, and its name: letters, digits, '-' */
	double low, high;               /* of a viewer: window at first, as of the page; both 0: the page's */
} gt_page_part;
enum { GT_PAGE_ITEMS = 128 };

typedef struct {
	size_t size;                    /* sizeof(gt_page) */
	const char *title;              /* any bytes; NULL: "Gantry" */
	const gt_page_part *part;
	size_t parts;
	double bytes;                   /* of the file, about and at most; 0: 36e6 */
	double low, high;               /* window at first, in the unit of each item; both 0: 0.5 and 99.5 % of its values */
} gt_page;

/* Is the name one of a page: does it end in .html or .htm? */
GT_API int gt_page_is_name(const char *path);
/* Can a page as one file hold so many values, of all its volumes and projections together? GT_ERR_UNSUPPORTED, with
 * both numbers. Ask before files are read. */
GT_API gt_status gt_page_holds(double values);
/* Writes the page under a temporary name and renames it. GT_ERR_ARG: no parts, too many items, an item that is
 * neither or both. GT_ERR_UNSUPPORTED: what a browser cannot hold in one page, with both sizes. */
GT_API gt_status gt_page_write(const char *path, const gt_page *page);

/* The page served to this machine alone (127.0.0.1): its address holds a random token, and requests without it,
 * from other names of hosts or malformed ones get an error and nothing else. Values are exact, planes are sent when
 * they are looked at, so that the size is that of memory. */
typedef struct {
	size_t size;                    /* sizeof(gt_page_server) */
	int port;                       /* 0: any that is free; GT_ERR_IO if it is taken */
	void (*ready)(void *self, const char *address); /* once, with the address to open; may be NULL */
	int (*stop)(void *self);        /* asked several times a second: non-zero ends it; may be NULL */
	void *self;
} gt_page_server;
/* Returns GT_OK when stop() asked for the end. */
GT_API gt_status gt_page_serve(const gt_page *page, const gt_page_server *how);

/* A page of a reconstruction that goes on, served in the same way by a thread of its own, which takes no signals: text,
 * bar, curves of cost and change, and the last slices. What it is given is copied, and nobody waits for a browser:
 * without one nothing more is done. */
typedef struct gt_live_page gt_live_page;
/* title: any bytes. port: as above. */
GT_API gt_status   gt_live_page_new     (const char *title, int port, gt_live_page **page);
GT_API const char *gt_live_page_address (const gt_live_page *page);     /* to open; the page's */
/* What gt_recon_on_progress() and gt_recon_on_slices() tell, and words of one's own. page NULL: nothing is done. */
GT_API void        gt_live_page_progress(gt_live_page *page, const gt_recon_progress *p);
GT_API void        gt_live_page_slices  (gt_live_page *page, const gt_recon_slices *s);
GT_API void        gt_live_page_log     (gt_live_page *page, const char *text);
/* ending: how it ended, for a browser that looks on, which is waited for up to four seconds. page NULL is fine. */
GT_API void        gt_live_page_free    (gt_live_page *page, const char *ending);

#ifdef __cplusplus
}
#endif
#endif
