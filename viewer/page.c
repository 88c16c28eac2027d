/* Writes a page as one file: header, parts with coarse copies of the values, script, and slices. The script reads
 * slices while they load. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <gantry/io.h>
#include <gantry/threads.h>
#include "core/try.h"
#include "viewer/html.h"
#include "viewer/page.h"
#include "viewer/web.h"

/* Maximum number of values of an array in browsers; default size of a page, bytes. */
static const double max_values = 6e8, default_bytes = 36e6;
enum { HTML_BYTES = 400000, PER_THREAD = 4 };

int gt_page_is_name(const char *path)
{
	const char *dot = strrchr(path, '.');
	return dot && (!strcasecmp(dot, ".html") || !strcasecmp(dot, ".htm"));
}

gt_status gt_page_holds(double values)
{
	return values <= max_values ? GT_OK
	                            : gt_fail(GT_ERR_UNSUPPORTED,
	                                      "%.3g values, a page in a browser holds %.3g at most: a page that is served "
	                                      "(gantry view --serve) shows all sizes",
	                                      values, max_values);
}

gt_status gt_page_check(const gt_page *page)
{
	size_t items = 0;
	if (!page || page->size != sizeof *page)
		return gt_fail(GT_ERR_ARG, "page: expected size to be sizeof(gt_page)");
	if (!page->parts || !page->part)
		return gt_fail(GT_ERR_ARG, "page: no parts, expected at least 1");
	for (size_t i = 0; i < page->parts; i++) {
		const gt_page_part *part = &page->part[i];
		if (part->kind != GT_PAGE_VIEWER)
			continue;
		if (!part->items || !part->item)
			return gt_fail(GT_ERR_ARG, "page: found a viewer without items, expected a volume or projections");
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

/* The page's window in the item's unit, or the default window of the values. */
static gt_status window(const gt_page *page, const gt_page_part *part, struct gt_page_data *d)
{
	const double low = part->low < part->high ? part->low : page->low, high = part->low < part->high ? part->high : page->high;
	const double water = d->item->volume ? gt_volume_water(d->item->volume) : 0;
	const gt_unit unit = !d->item->volume ? GT_PER_MM : d->item->unit == GT_UNIT_AUTO ? gt_volume_unit(d->item->volume) : d->item->unit;
	if (low < high) {
		const int hu = unit == GT_HU && water > 0 && !d->item->quantity;
		d->window[0] = hu ? water * (1 + low / 1000) : low;
		d->window[1] = hu ? water * (1 + high / 1000) : high;
		return GT_OK;
	}
	return gt_display_window(d->data, d->n[0] * d->n[1] * d->n[2], &d->window[0], &d->window[1]);
}

gt_status gt_page_inspect(const gt_page *page, int served, struct gt_page_items *items)
{
	double values = 0;
	gt_pool *pool = NULL;
	gt_status st = GT_OK;
	*items = (struct gt_page_items){ .n = 0 };
	GT_TRY(gt_page_check(page));
	for (size_t i = 0; i < page->parts; i++)
		for (size_t k = 0; page->part[i].kind == GT_PAGE_VIEWER && k < page->part[i].items; k++) {
			struct gt_page_data d = data_of(&page->part[i].item[k]);
			d.part = &page->part[i];
			items->of[items->n++] = d;
			values += d.data ? (double)d.n[0] * (double)d.n[1] * (double)d.n[2] : 0;
		}
	if (!served)
		GT_TRY(gt_page_holds(values));
	GT_TRY(gt_pool_new(0, &pool));
	for (size_t i = 0; i < items->n; i++) {
		struct gt_page_data *d = &items->of[i];
		const double share = (double)d->n[0] * (double)d->n[1] * (double)d->n[2] / values;
		/* Base64 makes four bytes of three, and coarse copies and texts take a little. */
		const double bytes = fmax(0.97 * ((page->bytes > 0 ? page->bytes : default_bytes) - HTML_BYTES), 1e4) * share * 0.75;
		if (!d->data)
			continue;
		if (served) {
			d->tiles = (struct gt_page_tiles){ .data = d->data, .n = { d->n[0], d->n[1], d->n[2] } };
			gt_tiles_range(pool, &d->tiles);
		} else {
			GT_TRY(gt_tiles_plan(pool, d->data, d->n, bytes, &d->tiles));
		}
		GT_TRY(window(page, d->part, d));
	}
done:
	gt_pool_free(pool);
	return st;
}

static unsigned nibble(char c) { return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10); }

/* Writes a hash source 'sha256-...' of the content security policy. */
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

/* A batch of slices packed concurrently: a tile and a coarse slice per thread, packed bytes per slice. */
struct batch {
	const struct gt_page_tiles *t;
	const size_t *by; /* block size of coarse slices */
	struct gt_page_tiles coarse;
	struct {
		struct gt_tile tile;
		float *slice;
	} * scratch;
	struct {
		unsigned char *packed;
		size_t bytes;
	} * done;
	size_t first;
};

static void pack_some(void *self, size_t begin, size_t end, int worker)
{
	const struct batch *b = self;
	struct gt_tile *tile = &b->scratch[worker].tile;
	float *slice = b->scratch[worker].slice;
	for (size_t i = begin; i < end; i++) {
		if (b->by)
			gt_tiles_coarse(b->t, b->by, b->first + i, slice);
		gt_tiles_pack(&b->coarse, b->by ? slice : b->t->data + (b->first + i) * b->t->n[0] * b->t->n[1], tile);
		b->done[i].bytes = tile->bytes;
		b->done[i].packed = tile->failed ? NULL : malloc(tile->bytes);
		if (b->done[i].packed)
			memcpy(b->done[i].packed, tile->packed, tile->bytes);
	}
}

static gt_status put_batch(FILE *f, gt_pool *pool, struct batch *b, size_t n, const char *id)
{
	gt_status st = GT_OK;
	gt_parallel(pool, n, 1, pack_some, b);
	for (size_t i = 0; i < n; i++) {
		if (!b->done[i].packed) {
			st = gt_fail(GT_ERR_MEMORY, "out of memory for a packed slice");
			continue;
		}
		fprintf(f, "<script type=\"text/plain\" id=\"%s-%zu\">", id, b->first + i);
		gt_base64(f, b->done[i].packed, b->done[i].bytes);
		fputs("</script>\n", f);
		free(b->done[i].packed);
	}
	return st;
}

/* Compressed slices, each a script element that no browser runs. by: the blocks of coarse ones, or NULL. */
static gt_status put_slices(FILE *f, gt_pool *pool, const struct gt_page_tiles *t, const size_t *by, const char *id)
{
	const size_t threads = (size_t)gt_pool_threads(pool), at_once = PER_THREAD * threads;
	struct batch b = { .t = t, .by = by, .coarse = *t };
	gt_status st = GT_OK;
	if (by)
		gt_tiles_coarse_size(t->n, (size_t[3]){ 0 }, b.coarse.n);
	b.scratch = calloc(threads, sizeof *b.scratch);
	b.done = calloc(at_once, sizeof *b.done);
	if (!b.scratch || !b.done)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t i = 0; i < threads; i++) {
		GT_TRY(gt_tile_new(b.coarse.n, &b.scratch[i].tile));
		b.scratch[i].slice = malloc(b.coarse.n[0] * b.coarse.n[1] * sizeof(float));
		if (!b.scratch[i].slice)
			GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	}
	for (; b.first < b.coarse.n[2]; b.first += at_once)
		GT_TRY(put_batch(f, pool, &b, b.coarse.n[2] - b.first < at_once ? b.coarse.n[2] - b.first : at_once, id));
done:
	for (size_t i = 0; i < threads && b.scratch; i++) {
		gt_tile_free(&b.scratch[i].tile);
		free(b.scratch[i].slice);
	}
	free(b.scratch);
	free(b.done);
	return st;
}

static gt_status put_coarse(FILE *f, gt_pool *pool, const struct gt_page_data *d, size_t id)
{
	char name[32];
	size_t by[3], n[3];
	gt_tiles_coarse_size(d->n, by, n);
	snprintf(name, sizeof name, "c%zu", id);
	return d->data && by[0] * by[1] * by[2] > 1 ? put_slices(f, pool, &d->tiles, by, name) : GT_OK;
}

static gt_status put_viewer(FILE *f, const gt_page_part *part, const struct gt_page_items *items, size_t *id, gt_pool *pool, int served)
{
	gt_status st = GT_OK;
	fputs("<noscript>The pictures need JavaScript.</noscript>\n<script type=\"application/json\" class=\"viewer-data\">[", f);
	for (size_t k = 0; k < part->items; k++) {
		fputs(k ? "," : "", f);
		gt_page_put_item(f, &items->of[*id + k], *id + k, served);
	}
	fputs("]</script>\n", f);
	for (size_t k = 0; k < part->items && st == GT_OK && !served; k++)
		st = put_coarse(f, pool, &items->of[*id + k], *id + k);
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

gt_status gt_page_put(FILE *f, const gt_page *page, const struct gt_page_items *items, gt_pool *pool, int served)
{
	size_t id = 0;
	gt_status st = GT_OK;
	put_head(f, page, served);
	gt_page_put_contents(f, page);
	for (size_t i = 0; i < page->parts; i++) {
		gt_page_put_part(f, page, i);
		if (page->part[i].kind == GT_PAGE_VIEWER)
			GT_TRY(put_viewer(f, &page->part[i], items, &id, pool, served));
		fputs("</section>\n", f);
	}
	put_script(f);
done:
	return st;
}

static gt_status put_all(FILE *f, const char *path, const gt_page *page, const struct gt_page_items *items)
{
	gt_pool *pool = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_pool_new(0, &pool));
	GT_TRY(gt_page_put(f, page, items, pool, 0));
	for (size_t i = 0; i < items->n; i++) {
		char name[32];
		snprintf(name, sizeof name, "s%zu", i);
		if (items->of[i].data)
			GT_TRY(put_slices(f, pool, &items->of[i].tiles, NULL, name));
	}
	fputs("</body>\n</html>\n", f);
	if (fflush(f) != 0 || ferror(f))
		st = gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
done:
	gt_pool_free(pool);
	return st;
}

/* Base64 bytes of the values and of their elements. */
static double bytes_of(const struct gt_page_items *items)
{
	double bytes = (double)gt_page_script_size + (double)gt_page_style_size;
	for (size_t i = 0; i < items->n; i++)
		bytes += items->of[i].tiles.packed * 4 / 3;
	return bytes;
}

gt_status gt_page_write(const char *path, const gt_page *page)
{
	struct gt_page_items items;
	char *tmp = NULL;
	FILE *f = NULL;
	gt_status st = GT_OK;
	if (!path || !gt_page_is_name(path))
		return gt_fail(GT_ERR_ARG, "%s: expected a name that ends in .html", path ? path : "NULL");
	GT_TRY(gt_page_inspect(page, 0, &items));
	GT_TRY(gt_has_space(path, bytes_of(&items)));
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
