/* Pages: values to half a step, size limits, escaped texts, refusals.
 * labels: unit, backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <gantry/image.h>
#include "tests/support/support.h"
#include "viewer/html.h"
#include "viewer/page.h"
#include "viewer/request.h"

static const size_t size[3] = { 37, 21, 5 };
enum { VALUES = 37 * 21 * 5 };

/* Decodes a packed slice by the description in viewer/tiles.h, without the packer's code. */
static void unpack(const struct gt_page_tiles *t, const struct gt_tile *tile, unsigned *code)
{
	const size_t w = t->n[0], pixels = w * t->n[1];
	uLongf bytes = (uLongf)(2 * pixels);
	unsigned char *raw = malloc(bytes);
	ck_assert_int_eq(uncompress(raw, &bytes, tile->packed, (uLong)tile->bytes), Z_OK);
	size_t behind = (pixels + 1) / 2;
	for (size_t i = 0; i < pixels; i++) {
		const int half = i % 2 ? raw[i / 2] % 16 : raw[i / 2] / 16;
		const int folded = t->bits == 16 ? raw[i] + 256 * raw[pixels + i] : half < 15 ? half : raw[behind++];
		const int rest = folded % 2 ? -(folded + 1) / 2 : folded / 2;
		const int before = i % w ? (int)code[i - 1] : i ? (int)code[i - w] : 0, above = i >= w ? (int)code[i - w] : before;
		const int range = 1 << t->bits;
		code[i] = (unsigned)((((before + above) / 2 + rest) % range + range) % range);
	}
	ck_assert_uint_eq(bytes, t->bits == 16 ? 2 * pixels : behind);
	free(raw);
}

static void expect_round_trip(const float *data, const struct gt_page_tiles *t)
{
	struct gt_tile tile;
	unsigned code[37 * 21];
	size_t missing = 0;
	ck_assert_int_eq(gt_tile_new(size, &tile), GT_OK);
	for (size_t z = 0; z < size[2]; z++) {
		const float *slice = data + z * size[0] * size[1];
		gt_tiles_pack(t, slice, &tile);
		ck_assert(!tile.failed);
		unpack(t, &tile, code);
		for (size_t i = 0; i < size[0] * size[1]; i++) {
			const int is_missing = code[i] == (1u << t->bits) - 1;
			ck_assert_int_eq(is_missing, !isfinite(slice[i]));
			missing += is_missing;
			const double away = is_missing ? 0 : fabs(t->offset + t->step * code[i] - (double)slice[i]);
			ck_assert_msg(away <= 0.5 * t->step * (1 + 1e-9), "value %g is %g off, half a step is %g", (double)slice[i], away,
			              t->step / 2);
		}
	}
	ck_assert_uint_eq(missing, t->missing);
	gt_tile_free(&tile);
}

static double all_bytes(const float *data, const struct gt_page_tiles *t)
{
	struct gt_tile tile;
	double sum = 0;
	ck_assert_int_eq(gt_tile_new(size, &tile), GT_OK);
	for (size_t z = 0; z < size[2]; z++) {
		gt_tiles_pack(t, data + z * size[0] * size[1], &tile);
		sum += (double)tile.bytes;
	}
	gt_tile_free(&tile);
	return sum;
}

GT_TEST(round_trip)
{
	static float data[VALUES];
	static const float scales[] = { 1, 1e-7f, 3e5f };
	struct gt_page_tiles t;
	for (size_t s = 0; s < 3; s++) {
		gt_test_random(5 + s, VALUES, data);
		for (size_t i = 0; i < VALUES; i++)
			data[i] = scales[s] * (data[i] - 0.3f);
		data[7] = NAN;
		data[900] = INFINITY;
		data[VALUES - 1] = -INFINITY;
		data[1] = 40 * scales[s];
		ck_assert_int_eq(gt_tiles_plan(NULL, data, size, 1e9, &t), GT_OK);
		ck_assert_int_eq(t.bits, 16);
		expect_round_trip(data, &t);
		const double fine = t.step, bytes = all_bytes(data, &t);
		ck_assert_int_eq(gt_tiles_plan(NULL, data, size, 0.55 * bytes, &t), GT_OK);
		ck_assert_msg(t.step > 4 * fine, "half the bytes at a step of %g, before %g", t.step, fine);
		ck_assert(all_bytes(data, &t) <= 0.55 * bytes);
		expect_round_trip(data, &t);
		ck_assert_int_eq(gt_tiles_plan(NULL, data, size, 10, &t), GT_ERR_UNSUPPORTED);
	}
}

GT_TEST(eight_bits)
{
	static float data[VALUES];
	struct gt_page_tiles t;
	gt_test_random(3, VALUES, data);
	data[0] = 100;
	ck_assert_int_eq(gt_tiles_plan(NULL, data, size, 1300, &t), GT_OK);
	ck_assert_int_eq(t.bits, 8);
	expect_round_trip(data, &t);
}

GT_TEST(odd_values)
{
	static float data[VALUES];
	static const float constant[] = { 0, -3.25f, 1e-30f, 3e38f };
	struct gt_page_tiles t;
	for (size_t c = 0; c < 4; c++) {
		for (size_t i = 0; i < VALUES; i++)
			data[i] = constant[c];
		ck_assert_int_eq(gt_tiles_plan(NULL, data, size, 1e6, &t), GT_OK);
		ck_assert(t.step <= fmax(1e-4 * fabs((double)constant[c]), constant[c] == 0 ? 1 : 0));
		expect_round_trip(data, &t);
	}
	data[3] = -3e38f;
	ck_assert_int_eq(gt_tiles_plan(NULL, data, size, 1e6, &t), GT_OK);
	expect_round_trip(data, &t);
	for (size_t i = 0; i < VALUES; i++)
		data[i] = NAN;
	ck_assert_int_eq(gt_tiles_plan(NULL, data, size, 1e6, &t), GT_OK);
	ck_assert_uint_eq(t.missing, VALUES);
	expect_round_trip(data, &t);
}

GT_TEST(coarse)
{
	size_t by[3], n[3], large[3] = { 97, 1, 400 };
	float data[24], out[6];
	gt_tiles_coarse_size(large, by, n);
	ck_assert(by[0] == 2 && n[0] == 49 && by[1] == 1 && n[1] == 1 && by[2] == 5 && n[2] == 80);
	for (size_t i = 0; i < 24; i++)
		data[i] = (float)(i * i);
	data[0] = NAN;
	const struct gt_page_tiles t = { .data = data, .n = { 3, 4, 2 } };
	gt_tiles_coarse(&t, (const size_t[3]){ 2, 2, 2 }, 0, out);
	ck_assert_float_eq_tol(out[0], (1 + 9 + 16 + 144 + 169 + 225 + 256) / 7.0f, 1e-4f);
	ck_assert_float_eq_tol(out[3], (64 + 121 + 400 + 529) / 4.0f, 1e-4f);
}

static char *put_by(void (*put)(FILE *, const char *), const char *text)
{
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);
	put(f, text);
	fclose(f);
	return out;
}

GT_TEST(texts)
{
	char *html = put_by(gt_html_text, "<a href=\"x\">'&\n\x01\xff");
	char *setting = put_by(gt_html_breakable, "pcg:iterations=6,nonneg=yes, a/b <c:d> e,");
	ck_assert_str_eq(setting, "pcg:<wbr>iterations=6,<wbr>nonneg=yes, a/<wbr>b &lt;c:<wbr>d&gt; e,");
	free(setting);
	char *json = put_by(gt_write_json_text, "</script>\"\\\n\x02&'\xc3\xa4");
	ck_assert_str_eq(html, "&lt;a href=&quot;x&quot;&gt;&#39;&amp;\n??");
	ck_assert_str_eq(json, "\"\\u003c/script\\u003e\\u0022\\u005c\\u000a?\\u0026\\u0027\xc3\xa4\"");
	free(html);
	free(json);
	json = put_by(gt_write_json_text, NULL);
	ck_assert_str_eq(json, "null");
	free(json);
}

GT_TEST(base64)
{
	static const char *const want[] = { "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==" };
	for (size_t n = 0; n < 5; n++) {
		char *out = NULL;
		size_t bytes;
		FILE *f = open_memstream(&out, &bytes);
		gt_base64(f, (const unsigned char *)"foob", n);
		fclose(f);
		ck_assert_str_eq(out, want[n]);
		free(out);
	}
}

static void expect(const struct gt_page_site *site, int code, const char *format, ...)
{
	char request[1024];
	struct gt_page_answer a;
	va_list rest;
	va_start(rest, format);
	vsnprintf(request, sizeof request, format, rest);
	va_end(rest);
	gt_page_answer(site, request, &a);
	ck_assert_msg(a.code == code, "%d, expected %d: %s", a.code, code, request);
	if (code != 200)
		ck_assert(!a.memory && a.bytes < 20);
	free(a.memory);
}

GT_TEST(requests)
{
	float data[24] = { 0 };
	const gt_page_item item = { .name = "x" };
	struct gt_page_items items = { .n = 2 };
	struct gt_page_site site = {
		.items = &items, .html = "page", .html_bytes = 4, .token = "0123456789abcdef0123456789abcdef", .port = 80
	};
	struct gt_page_answer a;
	for (size_t i = 0; i < 24; i++)
		data[i] = (float)i;
	data[5] = NAN;
	items.of[0] = (struct gt_page_data){ .item = &item, .data = data, .n = { 4, 3, 2 } };
	items.of[1] = (struct gt_page_data){ .item = &item, .n = { 4, 3, 2 } };
	expect(&site, 200, "GET /%s/ HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n", site.token);
	expect(&site, 200, "GET /%s/ HTTP/1.1\r\nAccept: */*\r\nhost:localhost:80\r\n\r\n", site.token);
	expect(&site, 403, "GET /%s/ HTTP/1.1\r\nHost: 127.0.0.1:800\r\n\r\n", site.token);
	expect(&site, 403, "GET /%s/ HTTP/1.1\r\nHost: evil:80\r\nX: y\r\n\r\n", site.token);
	expect(&site, 404, "GET /0123456789abcdef0123456789abcdee/ HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n");
	expect(&site, 404, "GET / HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n");
	expect(&site, 405, "GET");
	expect(&site, 400, "GET /");
	for (const char *const *path =
	             (const char *const[]){ "plane/1/2/0/0/slice", "plane/0/3/0/0/slice", "plane/0/2/2/2/slice", "plane/0/2/1/0/mean",
	                                    "plane/0/2/0/0/", "plane/0/2/0/0", "plane/0/2/00000000000/0/slice", "plane/0/2/0/0/slicer",
	                                    "plane/ 0/2/0/0/slice", "x", "//", NULL };
	     *path; path++)
		expect(&site, strchr(*path, ' ') ? 400 : 404, "GET /%s/%s HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n", site.token, *path);
	char request[256];
	snprintf(request, sizeof request, "GET /%s/plane/0/0/1/3/maximum HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n", site.token);
	gt_page_answer(&site, request, &a);
	ck_assert(a.code == 200 && a.bytes == 6 * sizeof(float));
	ck_assert(((const float *)a.memory)[0] == 3 && ((const float *)a.memory)[1] == 7 && ((const float *)a.memory)[5] == 23);
	free(a.memory);
	snprintf(request, sizeof request, "GET /%s/plane/0/1/1/1/slice HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n", site.token);
	gt_page_answer(&site, request, &a);
	ck_assert(a.code == 200 && ((const float *)a.memory)[0] == 4 && isnan(((const float *)a.memory)[1]) &&
	          ((const float *)a.memory)[7] == 19);
	free(a.memory);
}

GT_TEST(refusals)
{
	char folder[64] = "/tmp/gantry-page-XXXXXX", path[128];
	const gt_grid grid = { { 4, 3, 2 }, { 1, 1, 1 }, { 0, 0, 0 } };
	gt_volume *v = NULL;
	ck_assert_int_eq(gt_page_holds(512.0 * 512 * 512), GT_OK);
	ck_refused(gt_page_holds(1024.0 * 1024 * 1024), GT_ERR_UNSUPPORTED, "1.07e+09 values, a page in a browser holds 6e+08 at most");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/a.html", folder);
	ck_assert_int_eq(gt_volume_new(&grid, &v), GT_OK);
	gt_volume_data(v)[5] = NAN;
	gt_page_item item[GT_PAGE_ITEMS + 1];
	for (size_t i = 0; i <= GT_PAGE_ITEMS; i++)
		item[i] = (gt_page_item){ .volume = v };
	gt_page_part part = { .kind = GT_PAGE_VIEWER, .item = item, .items = GT_PAGE_ITEMS + 1 };
	gt_page page = { .size = sizeof page, .part = &part, .parts = 1 };
	ck_assert_int_eq(gt_page_write(path, &page), GT_ERR_ARG);
	part.items = 0;
	ck_assert_int_eq(gt_page_write(path, &page), GT_ERR_ARG);
	part.items = 1;
	page.size = 8;
	ck_assert_int_eq(gt_page_write(path, &page), GT_ERR_ARG);
	page.size = sizeof page;
	ck_assert_int_eq(gt_page_write("/nowhere/a.html", &page), GT_ERR_IO);
	ck_assert_int_eq(gt_page_write("a.txt", &page), GT_ERR_ARG);
	item[0].volume = NULL;
	ck_assert_int_eq(gt_page_write(path, &page), GT_ERR_ARG);
	ck_assert_msg(access(path, F_OK) != 0, "a refused page was written");
	item[0].volume = v;
	ck_assert_int_eq(gt_page_write(path, &page), GT_OK);
	ck_assert_int_eq(unlink(path), 0);
	gt_test_folder_remove(folder);
	gt_volume_free(v);
}

int main(void) { return gt_test_main("page", NULL); }
