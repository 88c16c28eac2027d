/* Sheets of images: size, contents, missing fonts, refusals.
 * labels: unit, backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/image.h>
#include "io/png.h"
#include "tests/support/support.h"

static char folder[64], path[128];
static float data[40 * 30];
static gt_picture pictures[3];

static void setup(void)
{
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/a.png", folder);
	gt_test_random(3, 40 * 30, data);
	pictures[0] = (gt_picture){
		.data = data, .width = 40, .height = 30, .pixel_width = 1, .pixel_height = 1, .label = "z = 0 mm", .left = 'R', .top = 'A'
	};
	pictures[1] = (gt_picture){ .data = data,
		                    .width = 30,
		                    .height = 40,
		                    .pixel_width = 0.5,
		                    .pixel_height = 2,
		                    .label = "a label that is much too long for the little picture below it",
		                    .flip_y = 1 };
	pictures[2] = (gt_picture){ .data = data, .width = 40, .height = 1, .pixel_width = 1, .pixel_height = 1 };
}

static void teardown(void)
{
	unlink(path);
	gt_test_folder_remove(folder);
}

static gt_sheet sheet(void)
{
	return (gt_sheet){ .picture = pictures, .pictures = 3, .per_line = 2, .low = -1, .high = 1, .unit = "mm-1", .title = "title" };
}

/* Width and height from the first chunk of the PNG; a sum over all bytes. */
static unsigned long image(unsigned *width, unsigned *height)
{
	unsigned char head[24];
	unsigned long sum = 5381;
	FILE *f = fopen(path, "rb");
	ck_assert(f && fread(head, 1, 24, f) == 24);
	ck_assert_int_eq(memcmp(head, "\211PNG\r\n\032\n\0\0\0\rIHDR", 16), 0);
	*width = (unsigned)head[16] << 24 | (unsigned)head[17] << 16 | (unsigned)head[18] << 8 | head[19];
	*height = (unsigned)head[20] << 24 | (unsigned)head[21] << 16 | (unsigned)head[22] << 8 | head[23];
	for (int c; (c = getc(f)) != EOF;)
		sum = sum * 33 + (unsigned)c;
	fclose(f);
	return sum;
}

GT_TEST(size_follows_the_pictures)
{
	gt_sheet s = sheet();
	unsigned w1, h1, w2, h2;
	s.zoom = 4;
	ck_ok(gt_sheet_write(path, &s));
	image(&w1, &h1);
	s.zoom = 6;
	ck_ok(gt_sheet_write(path, &s));
	image(&w2, &h2);
	/* two images of 40 mm side by side; lines of 80 and 1 mm */
	ck_assert_uint_eq(w2 - w1, 2 * 2 * 40);
	ck_assert_uint_eq(h2 - h1, 2 * (80 + 1));
	s.zoom = 0;
	s.pictures = s.per_line = 1;
	ck_ok(gt_sheet_write(path, &s));
	image(&w1, &h1);
	ck_assert(w1 > 480 && w1 < 700);
}

static void reverse_lines(float *x, size_t width, size_t height)
{
	for (size_t y = 0; y < height; y++)
		for (size_t i = 0; i < width / 2; i++) {
			const float keep = x[y * width + i];
			x[y * width + i] = x[y * width + width - 1 - i];
			x[y * width + width - 1 - i] = keep;
		}
}

GT_TEST(contents_count)
{
	static float copy[40 * 30];
	memcpy(copy, data, sizeof copy);
	gt_sheet s = sheet();
	unsigned w, h;
	ck_ok(gt_sheet_write(path, &s));
	const unsigned long before = image(&w, &h);
	ck_ok(gt_sheet_write(path, &s));
	ck_assert(image(&w, &h) == before);
	s.high = 1.5;
	ck_ok(gt_sheet_write(path, &s));
	ck_assert(image(&w, &h) != before);
	s.high = 1;
	pictures[0].flip_y = 1;
	ck_ok(gt_sheet_write(path, &s));
	ck_assert(image(&w, &h) != before);
	pictures[0].flip_y = 0;
	pictures[0].flip_x = 1;
	ck_ok(gt_sheet_write(path, &s));
	ck_assert(image(&w, &h) != before);
	reverse_lines(data, 40, 30);
	pictures[1].data = pictures[2].data = copy;
	ck_ok(gt_sheet_write(path, &s));
	ck_assert(image(&w, &h) == before);
	reverse_lines(data, 40, 30);
	pictures[0].flip_x = 0;
	data[7] = NAN;
	ck_ok(gt_sheet_write(path, &s));
	ck_assert(image(&w, &h) != before);
}

GT_TEST(works_without_fonts)
{
	gt_sheet s = sheet();
	unsigned w, h;
	setenv("FONTCONFIG_FILE", "/dev/null", 1);
	setenv("XDG_DATA_HOME", folder, 1);
	ck_ok(gt_sheet_write(path, &s));
	image(&w, &h);
	ck_assert(w > 500);
}

GT_TEST(refusals)
{
	gt_sheet s = sheet();
	s.high = -1;
	ck_refused(gt_sheet_write(path, &s), GT_ERR_ARG, "a.png: window -1:-1");
	s = sheet();
	s.pictures = 0;
	ck_refused(gt_sheet_write(path, &s), GT_ERR_ARG, "no pictures");
	s = sheet();
	s.zoom = 900;
	ck_refused(gt_sheet_write(path, &s), GT_ERR_ARG, "a.png: the sheet would be");
	pictures[1].pixel_height = 0;
	ck_refused(gt_sheet_write(path, &s), GT_ERR_ARG, "picture 1 has pixels of 0.5 x 0 mm");
	pictures[1].pixel_height = 1;
	s = sheet();
	ck_refused(gt_sheet_write("/nowhere/at/all.png", &s), GT_ERR_IO, "/nowhere/at/");
	ck_assert(access(path, F_OK) != 0);
	ck_ok(gt_can_write_sheet(path));
	ck_refused(gt_can_write_sheet("a.jpg"), GT_ERR_ARG, "a.jpg: pictures are written as PNG");
	ck_refused(gt_can_write_sheet(".png"), GT_ERR_ARG, "ends in .png");
	ck_refused(gt_can_write_sheet("/nowhere/at/all.PNG"), GT_ERR_IO, "/nowhere/at/");
}

int main(void) { return gt_test_main_with("png", setup, teardown); }
