/* RabbitCT files: byte layouts for reading and writing, and refusals.
 * labels: unit property, backend: none */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "io/rabbitct/rabbitct.h"
#include "tests/io/notes.h"
#include "tests/support/support.h"

enum { W = 7, H = 5, N = 3, RECORD = 96 + 4 * W * H };
static char folder[64], path[128], other[128];
static unsigned char bytes[24 + N * RECORD];
static float images[N * W * H];
static double columns[N][12]; /* in file order */

static void setup(void)
{
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/a.rctd", folder);
	snprintf(other, sizeof other, "%s/b.rct", folder);
	gt_test_random(1, N * W * H, images);
	for (int v = 0; v < N; v++)
		for (int i = 0; i < 12; i++)
			columns[v][i] = v * 100 + i * i + 0.25;
	const uint32_t head[] = { 2, W, H, N };
	const float scale[] = { 1500.5f, -3.25f };
	memcpy(bytes, head, 16);
	memcpy(bytes + 16, scale, 8);
	for (int v = 0; v < N; v++) {
		memcpy(bytes + 24 + v * RECORD, columns[v], 96);
		memcpy(bytes + 24 + v * RECORD + 96, images + v * W * H, 4 * W * H);
	}
}

static void teardown(void)
{
	unlink(path);
	unlink(other);
	gt_test_folder_remove(folder);
}

static void write_bytes(const char *name, const void *from, size_t n)
{
	FILE *f = fopen(name, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(from, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
}

static void check_contents(gt_rabbitct *f)
{
	const gt_rabbitct_head *h = gt_rabbitct_info(f);
	ck_assert(h->columns == W && h->rows == H && h->views == N && h->has_images);
	ck_assert(h->scale[0] == 1500.5f && h->scale[1] == -3.25f);
	for (size_t v = N; v-- > 0;) {
		double m[12];
		float image[W * H];
		ck_ok(gt_rabbitct_matrix(f, v, m));
		ck_ok(gt_rabbitct_image(f, v, image));
		for (int r = 0; r < 3; r++)
			for (int c = 0; c < 4; c++)
				ck_assert(m[4 * r + c] == columns[v][3 * c + r]);
		ck_assert_mem_eq(image, images + v * W * H, sizeof image);
	}
}

GT_TEST(layouts_are_read)
{
	gt_rabbitct *f;
	write_bytes(path, bytes, sizeof bytes);
	ck_ok(gt_rabbitct_open(path, NULL, &f));
	ck_assert_int_eq(gt_rabbitct_info(f)->layout, GT_RCT_ORIGINAL);
	check_contents(f);
	gt_rabbitct_close(f);
	write_bytes(path, bytes + 4, sizeof bytes - 4);
	ck_ok(gt_rabbitct_open(path, NULL, &f));
	ck_assert_int_eq(gt_rabbitct_info(f)->layout, GT_RCT_REPACKAGED);
	check_contents(f);
	gt_rabbitct_close(f);
}

GT_TEST(matrices_of_their_own_file)
{
	unsigned char alone[20 + 4 * N * W * H], geometry[20 + 96 * N];
	gt_rabbitct *f;
	memcpy(alone, bytes + 4, 20);
	memcpy(alone + 20, images, sizeof images);
	memcpy(geometry, bytes + 4, 20);
	memcpy(geometry + 20, columns, sizeof columns);
	write_bytes(path, alone, sizeof alone);
	write_bytes(other, geometry, sizeof geometry);
	ck_ok(gt_rabbitct_open(path, other, &f));
	check_contents(f);
	gt_rabbitct_close(f);
	ck_refused(gt_rabbitct_open(path, NULL, &f), GT_ERR_FORMAT, "images alone");
	ck_refused(gt_rabbitct_open(path, path, &f), GT_ERR_FORMAT, "expected matrices alone");
	geometry[0]++;
	write_bytes(other, geometry, sizeof geometry);
	ck_refused(gt_rabbitct_open(path, other, &f), GT_ERR_FORMAT, "expected 3 of 7 x 5");
	write_bytes(path, bytes, sizeof bytes);
	ck_refused(gt_rabbitct_open(path, other, &f), GT_ERR_ARG, "has its own matrices");
}

GT_TEST(writing_gives_those_bytes)
{
	static unsigned char got[sizeof bytes + 1];
	gt_rabbitct_head h = { .columns = W, .rows = H, .views = N, .scale = { 1500.5f, -3.25f } };
	double m[N][12];
	for (int v = 0; v < N; v++)
		for (int r = 0; r < 3; r++)
			for (int c = 0; c < 4; c++)
				m[v][4 * r + c] = columns[v][3 * c + r];
	for (int layout = 0; layout < 2; layout++) {
		const size_t skipped = layout ? 4 : 0;
		h.layout = (gt_rabbitct_layout)layout;
		ck_ok(gt_rabbitct_write(path, &h, (const double(*)[12])m, images));
		FILE *f = fopen(path, "rb");
		ck_assert_uint_eq(fread(got, 1, sizeof got, f), sizeof bytes - skipped);
		fclose(f);
		ck_assert_mem_eq(got, bytes + skipped, sizeof bytes - skipped);
	}
	images[40] = NAN;
	ck_refused(gt_rabbitct_write(other, &h, (const double(*)[12])m, images), GT_ERR_UNSUPPORTED, "value 5 of view 1");
}

GT_TEST(references_stand_in_order)
{
	const size_t n = 128 * 128 * 128;
	uint16_t *hu = malloc(n * sizeof *hu), *got = malloc(n * sizeof *got);
	gt_rabbitct *f;
	for (size_t i = 0; i < n; i++)
		hu[i] = (uint16_t)(i * 7919 % 4096);
	write_bytes(path, bytes, sizeof bytes);
	ck_refused(gt_rabbitct_append(path, 256, hu), GT_ERR_UNSUPPORTED, "cannot add one of 256");
	ck_ok(gt_rabbitct_append(path, 128, hu));
	ck_refused(gt_rabbitct_append(path, 128, hu), GT_ERR_UNSUPPORTED, "has 1 references");
	ck_ok(gt_rabbitct_open(path, NULL, &f));
	ck_assert_uint_eq(gt_rabbitct_info(f)->references, 1);
	check_contents(f);
	ck_ok(gt_rabbitct_reference(f, 128, got));
	ck_assert_mem_eq(got, hu, n * sizeof *hu);
	ck_refused(gt_rabbitct_reference(f, 256, got), GT_ERR_UNSUPPORTED, "no reference of 256^3");
	gt_rabbitct_close(f);
	ck_ok(gt_rabbitct_write_volume(other, 8, hu));
	ck_ok(gt_rabbitct_read_volume(other, 8, got));
	ck_assert_mem_eq(got, hu, 1024);
	ck_refused(gt_rabbitct_read_volume(other, 9, got), GT_ERR_FORMAT, "expected 1458");
	free(hu);
	free(got);
}

GT_TEST(other_files_are_refused)
{
	gt_rabbitct *f;
	write_bytes(path, bytes, sizeof bytes - 1);
	ck_refused(gt_rabbitct_open(path, NULL, &f), GT_ERR_FORMAT, "it is truncated");
	write_bytes(path, bytes, 12);
	ck_refused(gt_rabbitct_open(path, NULL, &f), GT_ERR_FORMAT, "at least the 24");
	write_bytes(path, bytes + 4, sizeof bytes - 5);
	ck_refused(gt_rabbitct_open(path, NULL, &f), GT_ERR_FORMAT, "perhaps it is truncated");
	static const uint32_t words[] = { 1, 1240, 1248, 0xffffffffu };
	for (size_t i = 0; i < 4; i++) {
		memcpy(bytes, &words[i], 4);
		write_bytes(path, bytes, sizeof bytes);
		ck_refused(gt_rabbitct_open(path, NULL, &f), GT_ERR_FORMAT, "version word");
	}
	const uint32_t two = 2, none = 0;
	memcpy(bytes, &two, 4);
	memcpy(bytes + 12, &none, 4);
	write_bytes(path, bytes, sizeof bytes);
	ck_refused(gt_rabbitct_open(path, NULL, &f), GT_ERR_FORMAT, "0 views");
	const uint32_t three = N;
	const float bad = INFINITY;
	memcpy(bytes + 12, &three, 4);
	memcpy(bytes + 24 + RECORD + 96 + 4 * 9, &bad, 4);
	write_bytes(path, bytes, sizeof bytes);
	ck_ok(gt_rabbitct_open(path, NULL, &f));
	float image[W * H];
	ck_ok(gt_rabbitct_image(f, 0, image));
	ck_refused(gt_rabbitct_image(f, 1, image), GT_ERR_FORMAT, "1 values of view 1 are not finite, the first in row 1, column 2");
	ck_refused(gt_rabbitct_image(f, 3, image), GT_ERR_ARG, "view 3");
	gt_rabbitct_close(f);
}

GT_TEST(matrices_become_a_scan)
{
	const gt_orbit orbit = { .shape = GT_FLAT,
		                 .views = N,
		                 .rows = H,
		                 .columns = W,
		                 .source_to_axis = 700,
		                 .source_to_detector = 1000,
		                 .column_pitch = 40,
		                 .row_pitch = 50,
		                 .column_offset = 0.3,
		                 .turn = 3 };
	gt_rabbitct_head h = { .columns = W, .rows = H, .views = N, .scale = { 1, 0 } };
	gt_scan *scan;
	gt_projections *p;
	double m[N][12], back[12];
	char note[NOTES];
	gt_read_options o = gt_read_defaults;
	o.pixel = 40;
	o.notes = notes_into(note);
	ck_ok(gt_scan_orbit(&orbit, &scan));
	for (size_t v = 0; v < N; v++) {
		ck_ok(gt_matrix_from_view(scan, v, m[v]));
		for (int i = 0; i < 12; i++)
			m[v][i] /= -700;
	}
	ck_ok(gt_rabbitct_write(path, &h, (const double(*)[12])m, images));
	ck_ok(gt_read_projections(path, &o, &p));
	ck_assert_double_eq_tol(p->scan->source_to_detector, 1000, 1e-9);
	ck_assert_double_eq_tol(p->scan->row_pitch, 50, 1e-9);
	for (size_t v = 0; v < N; v++) {
		ck_ok(gt_matrix_from_view(p->scan, v, back));
		for (int i = 0; i < 12; i++)
			ck_assert_double_eq_tol(back[i], -700 * m[v][i], 1e-8 * fabs(back[i]) + 1e-9);
	}
	ck_assert_mem_eq(p->data, images, sizeof images);
	ck_assert_ptr_nonnull(strstr(note, "filtered already"));
	gt_projections_free(p);
	gt_scan_free(scan);
	write_bytes(path, bytes, sizeof bytes - 1);
	ck_refused(gt_read_projections(path, NULL, &p), GT_ERR_FORMAT, "it is truncated");
	memset(bytes + 24, 0, 96);
	write_bytes(path, bytes, sizeof bytes);
	ck_refused(gt_read_projections(path, NULL, &p), GT_ERR_FORMAT, "view 0 is singular");
}

GT_TEST(numbers_become_hu)
{
	const float scale[] = { 1000, 20 };
	ck_assert_uint_eq(gt_rabbitct_hu(0, scale), 0);
	ck_assert_uint_eq(gt_rabbitct_hu(-1, scale), 0);
	ck_assert_uint_eq(gt_rabbitct_hu(1e-6f, scale), 20);
	ck_assert_uint_eq(gt_rabbitct_hu(1.2346f, scale), 1255);
	ck_assert_uint_eq(gt_rabbitct_hu(1.2344f, scale), 1254);
	ck_assert_uint_eq(gt_rabbitct_hu(9, scale), 4095);
	gt_grid g;
	gt_rabbitct_grid(512, &g);
	ck_assert(g.pitch[1] == 0.5 && gt_grid_first(&g, 2) == -127.75);
}

int main(void) { return gt_test_main_with("rabbitct", setup, teardown); }
