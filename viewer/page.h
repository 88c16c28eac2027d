#ifndef GT_VIEWER_PAGE_H
#define GT_VIEWER_PAGE_H
/* State of a page that is being written. */
#include <stdio.h>
#include <gantry/image.h>
#include "viewer/tiles.h"

/* Displayed values of an item as an array, x or columns fastest. */
struct gt_page_data {
	const gt_page_item *item;
	const gt_page_part *part;       /* part that contains the item */
	const float *data;              /* NULL: a scan without projections */
	size_t n[3];
	struct gt_page_tiles tiles;          /* tiles of a file; a served page sets only min, max and missing */
	double window[2];               /* in units of the array */
};
struct gt_page_items { struct gt_page_data of[GT_PAGE_ITEMS]; size_t n; };

gt_status gt_page_check(const gt_page *page);
/* Checks the page, finds the ranges of its values and, for a file, chooses the quantisation steps. */
gt_status gt_page_inspect(const gt_page *page, int served, struct gt_page_items *items);
/* Writes the page up to the values. A file includes coarse values, packed by the pool; served pages pass NULL. */
gt_status gt_page_put(FILE *f, const gt_page *page, const struct gt_page_items *items, gt_pool *pool, int served);
/* Writes the page of gt_live_page_new(); its script fills it. */
void gt_page_put_live(FILE *f, const char *title);
/* Writes links to the headings if there are several. */
void gt_page_put_contents(FILE *f, const gt_page *page);
/* Writes part i, without a viewer's items and the end of its section. */
void gt_page_put_part(FILE *f, const gt_page *page, size_t i);
/* Writes a JSON object. */
void gt_page_put_item(FILE *f, const struct gt_page_data *d, size_t id, int served);
/* Writes a curve as SVG. */
void gt_page_put_curve(FILE *f, const gt_page_part *part);
#endif
