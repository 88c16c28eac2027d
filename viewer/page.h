#ifndef GT_VIEWER_PAGE_H
#define GT_VIEWER_PAGE_H
/* A page while it is written. */
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
/* Checks the page, looks at its values and, for a file, chooses the steps. */
gt_status gt_page_look(const gt_page *page, int served, struct gt_page_items *items);
/* All of the page up to the values; of a file the coarse ones are within, which the pool packs (served: NULL). */
gt_status gt_page_put(FILE *f, const gt_page *page, const struct gt_page_items *items, gt_pool *pool, int served);
/* The page of gt_live_page_new(), which its script fills. */
void gt_page_put_live(FILE *f, const char *title);
/* Links to the headings, where there are several. */
void gt_page_put_contents(FILE *f, const gt_page *page);
/* Part i but for a viewer's items and the end of its section. */
void gt_page_put_part(FILE *f, const gt_page *page, size_t i);
/* A JSON object. */
void gt_page_put_item(FILE *f, const struct gt_page_data *d, size_t id, int served);
/* An SVG drawing of a curve. */
void gt_page_put_curve(FILE *f, const gt_page_part *part);
#endif
