#ifndef GANTRY_IMAGE_H
#define GANTRY_IMAGE_H
#include <stddef.h>
#include <gantry/data.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Pages -----------------------------------------------------------------
 *
 * One HTML page that shows volumes and projections in a browser, with texts, tables and curves. It is a single file
 * without network access, or a page served to this machine. Pages with several headings begin with a table of
 * contents. Sides of images are labelled with the patient's sides if the position is known. A file stores values as
 * integers with as few bits as its size requires. The page states the quantisation step, and displayed values are
 * within half a step. Served pages have exact values. */

/* Item to display: a volume or projections; the other is NULL. Both are borrowed. */
typedef struct {
	const char *name;               /* label above the item; any bytes */
	const gt_volume *volume;
	const gt_projections *projections;      /* the page has a drawing of the scan; without data only that */
	gt_unit unit;                   /* initial unit of a volume: GT_PER_MM, GT_HU; GT_UNIT_AUTO: HU if water is known */
	const char *quantity;           /* unit of other values ("mm"; "": none); NULL: attenuation. Projections with
	                                 * a quantity are images without a known geometry. */
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
	const char *alt, *name;         /* figures: alternative text; name of letters, digits, '-' */
	double low, high;               /* viewers: initial window; both 0: window of the page */
} gt_page_part;
enum { GT_PAGE_ITEMS = 128 };

typedef struct {
	size_t size;                    /* sizeof(gt_page) */
	const char *title;              /* any bytes; NULL: "Gantry" */
	const gt_page_part *part;
	size_t parts;
	double bytes;                   /* approximate maximum size of the file; 0: 36e6 */
	double low, high;               /* initial window in the unit of each item (GT_UNIT_AUTO: of its file); both 0: default */
} gt_page;

/* Default window of n values: percentiles 0.5 and 99.5 of a sample, or the range of the values if both are equal. */
GT_API gt_status gt_display_window(const float *data, size_t n, double *low, double *high);
/* Returns 1 if the name ends in .html or .htm. */
GT_API int gt_page_is_name(const char *path);
/* Checks that a page of one file can hold this total number of values. GT_ERR_UNSUPPORTED states the number and the
 * limit. Call it before reading files. */
GT_API gt_status gt_page_holds(double values);
/* Writes the page under a temporary name and renames it. GT_ERR_ARG: no parts, too many items, an item with
 * neither or both contents. GT_ERR_UNSUPPORTED: too large for one page in a browser; states size and limit. */
GT_API gt_status gt_page_write(const char *path, const gt_page *page);

/* Server of a page for this machine (127.0.0.1). Its address contains a random token. Requests without the token, with
 * another host name, or malformed ones receive only an error. Values are exact. Planes are sent on demand, so the
 * memory limits the size. */
typedef struct {
	size_t size;                    /* sizeof(gt_page_server) */
	int port;                       /* 0: any that is free; GT_ERR_IO if it is taken */
	void (*ready)(void *self, const char *address); /* once, with the address to open; may be NULL */
	int (*stop)(void *self);        /* called several times per second; non-zero ends the server; may be NULL */
	void *self;
} gt_page_server;
/* Serves until stop() returns non-zero, then returns GT_OK. */
GT_API gt_status gt_page_serve(const gt_page *page, const gt_page_server *how);

#ifdef __cplusplus
}
#endif
#endif
