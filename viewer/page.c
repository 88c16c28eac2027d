/* A page as one file: its head, its parts with coarse copies of the values, the script, and then the slices, which
 * the script takes up as they come. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <gantry/io.h>
#include <gantry/order_statistics.h>
#include <gantry/threads.h>
#include "core/try.h"
#include "viewer/html.h"
#include "viewer/page.h"
#include "viewer/web.h"

/* A browser's array of so many values is as large as it gets. */
static const double most_values = 6e8, default_bytes = 36e6;
enum { WINDOW_SAMPLES = 400000, HTML_BYTES = 400000 };

int gt_page_is_name(const char *path)
{
	const char *dot = strrchr(path, '.');
	return dot && (!strcasecmp(dot, ".html") || !strcasecmp(dot, ".htm"));
}

gt_status gt_page_check(const gt_page *page)
{
	size_t items = 0;
	if (!page || page->size != sizeof *page)
		return gt_fail(GT_ERR_ARG, "page: its size is not that of gt_page");
	if (!page->parts || !page->part)
		return gt_fail(GT_ERR_ARG, "page: no parts, expected at least 1");
	for (size_t i = 0; i < page->parts; i++) {
		const gt_page_part *part = &page->part[i];
		if (part->kind != GT_PAGE_VIEWER)
			continue;
		if (!part->items || !part->item)
			return gt_fail(GT_ERR_ARG, "page: a viewer has nothing to show, expected a volume or projections");
		for (size_t k = 0; k < part->items; k++)
			if (!part->item[k].volume == !part->item[k].projections ||
			    (part->item[k].volume && !gt_volume_data(part->item[k].volume)))
				return gt_fail(GT_ERR_ARG, "page: expected a volume with its values or projections, and not both");
		items += part->items;
	}
	if (items > GT_PAGE_ITEMS)
		return gt_fail(GT_ERR_ARG, "page: %zu volumes and projections, expected at most %d", items, GT_PAGE_ITEMS);
	return GT_OK;
}

static struct gt_page_data data_of(const gt_page_item *item)
{
	struct gt_page_data d = { .item = item };
	if (item->volume) {
		d.data = gt_volume_data(item->volume);
		memcpy(d.n, gt_volume_grid(item->volume)->n, sizeof d.n);
	} else {
		const gt_scan *s = gt_projections_scan(item->projections);
		d.data = gt_projections_data(item->projections);
		d.n[0] = s->columns;
		d.n[1] = s->rows;
		d.n[2] = s->views;
	}
	return d;
}

/* The page's window in the item's unit, or percentiles of some of the values. */
static gt_status window(const gt_page *page, const gt_page_part *part, struct gt_page_data *d)
{
	const double low = part->low < part->high ? part->low : page->low, high = part->low < part->high ? part->high : page->high;
	const size_t all = d->n[0] * d->n[1] * d->n[2], stride = all / WINDOW_SAMPLES + 1;
	const double water = d->item->volume ? gt_volume_water(d->item->volume) : 0;
	const gt_unit unit = !d->item->volume ? GT_PER_MM : d->item->unit == GT_UNIT_AUTO ? gt_volume_unit(d->item->volume) : d->item->unit;
	size_t n = 0;
	if (low < high) {
		const int hu = unit == GT_HU && water > 0 && !d->item->quantity;
		d->window[0] = hu ? water * (1 + low / 1000) : low;
		d->window[1] = hu ? water * (1 + high / 1000) : high;
		return GT_OK;
	}
	double *some = malloc((all / stride + 1) * sizeof *some);
	if (!some)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < all; i += stride)
		if (isfinite(d->data[i]))
			some[n++] = (double)d->data[i];
	d->window[0] = n ? gt_quantile(some, n, 0.005) : 0;
	d->window[1] = n ? gt_quantile(some, n, 0.995) : 1;
	if (!(d->window[0] < d->window[1])) {
		d->window[0] = d->tiles.least;
		d->window[1] = d->tiles.most > d->tiles.least ? d->tiles.most : d->tiles.least + fmax(1e-6, fabs(d->tiles.least));
	}
	free(some);
	return GT_OK;
}

static void range_of(struct gt_page_data *d)
{
	float least = INFINITY, most = -INFINITY;
	for (size_t i = 0; i < d->n[0] * d->n[1] * d->n[2]; i++) {
		const float v = d->data[i];
		d->tiles.missing += !isfinite(v);
		least = isfinite(v) && v < least ? v : least;
		most = isfinite(v) && v > most ? v : most;
	}
	d->tiles.least = least <= most ? (double)least : 0;
	d->tiles.most = least <= most ? (double)most : 0;
}

gt_status gt_page_look(const gt_page *page, int served, struct gt_page_items *items)
{
	double values = 0;
	gt_status st = gt_page_check(page);
	*items = (struct gt_page_items){ .n = 0 };
	if (st != GT_OK)
		return st;
	for (size_t i = 0; i < page->parts; i++)
		for (size_t k = 0; page->part[i].kind == GT_PAGE_VIEWER && k < page->part[i].items; k++) {
			struct gt_page_data d = data_of(&page->part[i].item[k]);
			d.part = &page->part[i];
			items->of[items->n++] = d;
			values += d.data ? (double)d.n[0] * (double)d.n[1] * (double)d.n[2] : 0;
		}
	if (!served && values > most_values)
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "%.3g values, a page in a browser holds %.3g at most: a page that is served shows all sizes", values,
		               most_values);
	for (size_t i = 0; i < items->n; i++) {
		struct gt_page_data *d = &items->of[i];
		const double share = (double)d->n[0] * (double)d->n[1] * (double)d->n[2] / values;
		/* Base64 makes four bytes of three, and coarse copies and texts take a little. */
		const double bytes = fmax(0.97 * ((page->bytes > 0 ? page->bytes : default_bytes) - HTML_BYTES), 1e4) * share * 0.75;
		if (!d->data)
			continue;
		if (served)
			range_of(d);
		else
			GT_TRY(gt_tiles_plan(d->data, d->n, bytes, &d->tiles));
		GT_TRY(window(page, d->part, d));
	}
done:
	return st;
}

static unsigned nibble(char c) { return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10); }

/* 'sha256-...' of a content security policy. */
static void put_hash(FILE *f, const char *hex)
{
	unsigned char hash[32];
	for (size_t i = 0; i < sizeof hash; i++)
		hash[i] = (unsigned char)(nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]));
	fputs("'sha256-", f);
	gt_base64(f, hash, sizeof hash);
	putc('\'', f);
}

static void put_head(FILE *f, const gt_page *page, int served)
{
	fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; "
	      "img-src data: blob:; script-src ",
	      f);
	put_hash(f, gt_page_script_hash);
	fputs("; style-src ", f);
	put_hash(f, gt_page_style_hash);
	fprintf(f, "%s\">\n<link rel=\"icon\" href=\"data:,\">\n<title>", served ? "; connect-src 'self'" : "");
	gt_html_text(f, page->title ? page->title : "Gantry");
	fputs("</title>\n<style>", f);
	fwrite(gt_page_style, 1, gt_page_style_size, f);
	fputs("</style>\n</head>\n<body>\n<header><h1>", f);
	gt_html_text(f, page->title ? page->title : "Gantry");
	fputs("</h1></header>\n<main>\n", f);
}

/* Compressed slices, each a script element that no browser runs. coarse: the means of blocks. */
static gt_status put_coarse(FILE *f, const struct gt_page_data *d, size_t id)
{
	struct gt_page_tiles t = d->tiles;
	struct gt_tile tile = { 0 };
	size_t by[3];
	gt_tiles_coarse_size(d->n, by, t.n);
	if (!d->data || by[0] * by[1] * by[2] == 1)
		return GT_OK;
	float *slice = malloc(t.n[0] * t.n[1] * sizeof *slice);
	gt_status st = slice ? gt_tile_new(t.n, &tile) : gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t z = 0; z < t.n[2] && st == GT_OK; z++) {
		gt_tiles_coarse(&d->tiles, by, z, slice);
		gt_tiles_pack(&t, slice, &tile);
		if (tile.failed)
			st = gt_fail(GT_ERR_MEMORY, "zlib: a slice cannot be packed");
		fprintf(f, "<script type=\"text/plain\" id=\"c%zu-%zu\">", id, z);
		gt_base64(f, tile.packed, tile.bytes);
		fputs("</script>\n", f);
	}
	free(slice);
	gt_tile_free(&tile);
	return st;
}

static gt_status put_viewer(FILE *f, const gt_page_part *part, const struct gt_page_items *items, size_t *id, int served)
{
	gt_status st = GT_OK;
	fputs("<noscript>The pictures need JavaScript.</noscript>\n<script type=\"application/json\" class=\"viewer-data\">[", f);
	for (size_t k = 0; k < part->items; k++) {
		fputs(k ? "," : "", f);
		gt_page_put_item(f, &items->of[*id + k], *id + k, served);
	}
	fputs("]</script>\n", f);
	for (size_t k = 0; k < part->items && st == GT_OK && !served; k++)
		st = put_coarse(f, &items->of[*id + k], *id + k);
	*id += part->items;
	return st;
}

static void put_script(FILE *f)
{
	fputs("</main>\n<script>", f);
	fwrite(gt_page_script, 1, gt_page_script_size, f);
	fputs("</script>\n", f);
}

void gt_page_put_live(FILE *f, const char *title)
{
	const gt_page page = { .size = sizeof page, .title = title };
	put_head(f, &page, 1);
	fputs("<noscript>The page needs JavaScript.</noscript>\n<section class=\"live\"></section>\n", f);
	put_script(f);
	fputs("</body>\n</html>\n", f);
}

gt_status gt_page_put(FILE *f, const gt_page *page, const struct gt_page_items *items, int served)
{
	size_t id = 0;
	gt_status st = GT_OK;
	put_head(f, page, served);
	gt_page_put_contents(f, page);
	for (size_t i = 0; i < page->parts; i++) {
		gt_page_put_part(f, page, i);
		if (page->part[i].kind == GT_PAGE_VIEWER)
			GT_TRY(put_viewer(f, &page->part[i], items, &id, served));
		fputs("</section>\n", f);
	}
	put_script(f);
done:
	return st;
}

struct batch {
	const struct gt_page_data *d;
	struct gt_tile *tile;
	size_t first;
};

static void pack_some(void *self, size_t begin, size_t end, int worker)
{
	const struct batch *b = self;
	const size_t pixels = b->d->n[0] * b->d->n[1];
	(void)worker;
	for (size_t i = begin; i < end; i++)
		gt_tiles_pack(&b->d->tiles, b->d->data + (b->first + i) * pixels, &b->tile[i]);
}

/* A slice per thread at a time. */
static gt_status put_slices(FILE *f, gt_pool *pool, const struct gt_page_data *d, size_t id)
{
	const size_t at_once = (size_t)gt_pool_threads(pool);
	struct batch b = { .d = d, .tile = calloc(at_once, sizeof *b.tile) };
	gt_status st = b.tile ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < at_once && st == GT_OK; i++)
		GT_TRY(gt_tile_new(d->n, &b.tile[i]));
	for (; b.first < d->n[2] && st == GT_OK; b.first += at_once) {
		const size_t n = d->n[2] - b.first < at_once ? d->n[2] - b.first : at_once;
		gt_parallel(pool, n, 1, pack_some, &b);
		for (size_t i = 0; i < n && st == GT_OK; i++) {
			if (b.tile[i].failed)
				st = gt_fail(GT_ERR_MEMORY, "zlib: a slice cannot be packed");
			fprintf(f, "<script type=\"text/plain\" id=\"s%zu-%zu\">", id, b.first + i);
			gt_base64(f, b.tile[i].packed, b.tile[i].bytes);
			fputs("</script>\n", f);
		}
	}
done:
	for (size_t i = 0; i < at_once && b.tile; i++)
		gt_tile_free(&b.tile[i]);
	free(b.tile);
	return st;
}

static gt_status put_all(FILE *f, const char *path, const gt_page *page, const struct gt_page_items *items)
{
	gt_pool *pool = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_pool_new(0, &pool));
	GT_TRY(gt_page_put(f, page, items, 0));
	for (size_t i = 0; i < items->n; i++)
		if (items->of[i].data)
			GT_TRY(put_slices(f, pool, &items->of[i], i));
	fputs("</body>\n</html>\n", f);
	if (fflush(f) != 0 || ferror(f))
		st = gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
done:
	gt_pool_free(pool);
	return st;
}

gt_status gt_page_write(const char *path, const gt_page *page)
{
	struct gt_page_items items;
	char *tmp = NULL;
	FILE *f = NULL;
	gt_status st = GT_OK;
	if (!path || !gt_page_is_name(path))
		return gt_fail(GT_ERR_ARG, "%s: expected a name that ends in .html", path ? path : "NULL");
	GT_TRY(gt_page_look(page, 0, &items));
	GT_TRY(gt_tmp_path(path, &tmp));
	if (!(f = fopen(tmp, "wb")))
		GT_TRY(gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno)));
	GT_TRY(put_all(f, path, page, &items));
done:
	if (f && fclose(f) != 0 && st == GT_OK)
		st = gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
	if (tmp && st == GT_OK)
		return gt_tmp_commit(tmp, path);
	if (tmp)
		gt_tmp_drop(tmp);
	return st;
}
