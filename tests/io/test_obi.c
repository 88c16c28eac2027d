/* Varian's on-board imager: .hnd and .hnc, written by the description in RTK's reader, with ProjectionInfo.xml.
 * Measured values come back; damaged files are refused.
 * labels: unit physics, backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <gantry/author/constants.h>
#include <gantry/io.h>
#include <gantry/phantom.h>
#include "geometry/exchange/exchange.h"
#include "tests/support/support.h"

enum { VIEWS = 24, ROWS = 8, COLUMNS = 48, CELLS = ROWS * COLUMNS, RAW = COLUMNS + 1 };
static const gt_scan_size3 size = { VIEWS, ROWS, COLUMNS };
static char folder[] = "obiXXXXXX", images[96], file[96];
static const char info[] =
	"<ProjectionInfo xmlns=\"x\"><CalibratedSAD>1000,5</CalibratedSAD><CalibratedSID>1500</CalibratedSID>"
	"<FanType>HalfFan</FanType><CalibratedDetectorOffsetX>3</CalibratedDetectorOffsetX>"
	"<CalibratedDetectorOffsetY>-2</CalibratedDetectorOffsetY><DetectorPosLat>-120</DetectorPosLat></ProjectionInfo>";

static void little(unsigned char *to, long long value, int bytes)
{
	for (int k = 0; k < bytes; k++)
		to[k] = (unsigned char)((unsigned long long)value >> 8 * k);
}

static int bytes_of(long long d) { return d >= -128 && d < 128 ? 1 : d >= -32768 && d < 32768 ? 2 : 4; }

static void write_head(unsigned char *head, double angle)
{
	const double pitch[2] = { 8, 6 };
	memcpy(head, "VARIAN", 6);
	little(head + 120, COLUMNS, 4);
	little(head + 124, ROWS, 4);
	memcpy(head + 352, pitch, 16);
	memcpy(head + 432, &angle, 8);
}

static const char *image_name(int v, const char *extension)
{
	static char name[160];
	snprintf(name, sizeof name, "%s/Proj_%05d.%s", images, v + 1, extension);
	return name;
}

static void write_image(int v, const int *a, int compressed, double angle)
{
	unsigned char head[1024] = { 0 }, lookup[(ROWS - 1) * COLUMNS / 4] = { 0 }, some[4];
	FILE *f = fopen(image_name(v, compressed ? "hnd" : "hnc"), "wb");
	ck_assert_ptr_nonnull(f);
	write_head(head, angle);
	fwrite(head, 1, compressed ? 1024 : 512, f);
	for (int i = RAW; compressed && i < CELLS; i++) {
		const int n = bytes_of((long long)a[i] - a[i - 1] - a[i - COLUMNS] + a[i - RAW]), m = i - RAW;
		lookup[m / 4] |= (unsigned char)((n == 4 ? 2 : n - 1) << 2 * (m % 4));
	}
	fwrite(lookup, 1, compressed ? sizeof lookup : 0, f);
	for (int i = 0; i < CELLS; i++) {
		const long long d = compressed && i >= RAW ? (long long)a[i] - a[i - 1] - a[i - COLUMNS] + a[i - RAW] : a[i];
		const int n = !compressed ? 2 : i >= RAW ? bytes_of(d) : 4;
		little(some, d, n);
		fwrite(some, 1, (size_t)n, f);
	}
	fclose(f);
}

static void write_text(const char *text) { gt_test_write(file, text); }

/* A half-fan scan as RTK describes it; writes its files and returns the line integrals in *data. */
static gt_scan *scan_of(int compressed, double white, float **data)
{
	static const gt_rtk_image image = { { 8, 6 }, { -(COLUMNS - 1) / 2. * 8, -(ROWS - 1) / 2. * 6 } };
	gt_phantom_options o = gt_phantom_defaults;
	gt_phantom *phantom;
	gt_rtk_view view[VIEWS];
	gt_scan *s;
	int a[CELLS];
	memset(view, 0, sizeof view);
	for (int v = 0; v < VIEWS; v++)
		view[v] = (gt_rtk_view){
			.gantry = (15. * v - 178) * GT_PI / 180, .sid = 1000.5, .sdd = 1500, .projection = { 3 - 120, -2 }
		};
	ck_ok(gt_scan_of_rtk(view, &size, &image, &s));
	o.scale = 0.75;
	ck_ok(gt_phantom_new("shepp-logan", &o, &phantom));
	*data = calloc(gt_scan_size(s), sizeof **data);
	ck_ok(gt_phantom_project(phantom, s, 1, NULL, NULL, NULL, *data));
	gt_phantom_free(phantom);
	for (int v = 0; v < VIEWS; v++) {
		for (int i = 0; i < CELLS; i++)
			a[i] = (int)lround(white * exp(-(*data)[v * CELLS + i]));
		write_image(v, a, compressed, 15. * v - 178);
	}
	write_text(info);
	return s;
}

static gt_status read_scan(double white, gt_projections **p)
{
	gt_frames_options frames = gt_frames_defaults;
	gt_read_options o = gt_read_defaults;
	frames.geometry = file;
	frames.white = white;
	frames.air = "no";
	o.frames = &frames;
	*p = NULL;
	return gt_read_projections(images, &o, p);
}

/* The blank-scan counts of RTK are the default. */
GT_TESTS(scans, 2)
{
	float *data;
	gt_projections *p;
	const double white = _i ? 139000 : 60000;
	gt_scan *truth = scan_of(_i, white, &data);
	ck_ok(read_scan(_i ? 0 : white, &p));
	const gt_scan *s = gt_projections_scan(p);
	ck_assert_uint_eq(s->views, VIEWS);
	for (int v = 0; v < VIEWS; v++)
		for (int a = 0; a < 3; a++) {
			ck_assert_double_eq_tol(s->view[v].source[a], truth->view[v].source[a], 1e-9);
			ck_assert_double_eq_tol(s->view[v].detector[a], truth->view[v].detector[a], 1e-9);
			ck_assert_double_eq_tol(s->view[v].column_axis[a], truth->view[v].column_axis[a], 1e-9);
		}
	for (size_t i = 0; i < gt_scan_size(s); i++)
		ck_assert_double_eq_tol(gt_projections_data(p)[i], data[i], 2e-3);
	gt_projections_free(p);
	free(data);
	gt_scan_free(truth);
}

static const struct {
	int compressed;
	long at;
	const char *bytes;
	int n;
	const char *says;
} damaged[] = {
	{ 1, 700, "", 0, "expected 1024" },
	{ 1, 120, "\xff\xff\xff\xff", 4, "expected 1 to 32768" },
	{ 1, 124, "\0\0\0\0", 4, "expected 1 to 32768" },
	{ 1, 120, "\x2f", 1, "multiple of four" },
	{ 1, 1024, "\xff", 1, "has a 3" },
	{ 1, 1400, "", 0, "compressed pixels end" },
	{ 1, 1150, "", 0, "truncated" },
	{ 1, 120, "\x34", 1, "has 8 x 48" },
	{ 1, 438, "\xf0\x7f", 2, "its angle is" },
	{ 1, 358, "\xf0\xff", 2, "its pixels are" },
	{ 0, 600, "", 0, "truncated" },
	{ 0, 120, "\x2f", 1, "has 8 x 48" },
};

GT_TESTS(refused_images, sizeof damaged / sizeof *damaged)
{
	float *data;
	gt_projections *p;
	gt_scan_free(scan_of(damaged[_i].compressed, 60000, &data));
	gt_test_damage(image_name(7, damaged[_i].compressed ? "hnd" : "hnc"), damaged[_i].at, damaged[_i].bytes, damaged[_i].n);
	ck_refused(read_scan(60000, &p), GT_ERR_FORMAT, damaged[_i].says);
	ck_assert_ptr_nonnull(strstr(gt_error(), "Proj_00008.hn"));
	free(data);
}

GT_TEST(refused_infos)
{
	float *data;
	gt_geometry *g = NULL;
	gt_scan_free(scan_of(1, 60000, &data));
	write_text("<P><CalibratedSAD>1000</CalibratedSAD><CalibratedSID>900</CalibratedSID></P>");
	ck_refused(gt_geometry_read(file, NULL, &g), GT_ERR_FORMAT, "expected the first to be larger");
	write_text("<P><CalibratedSAD>1000</CalibratedSAD><CalibratedSID>weit</CalibratedSID></P>");
	ck_refused(gt_geometry_read(file, NULL, &g), GT_ERR_FORMAT, "is 'weit', expected a number");
	write_text(info);
	for (int v = 0; v < VIEWS; v++)
		unlink(image_name(v, "hnd"));
	ck_assert_int_ne(gt_geometry_read(file, NULL, &g), GT_OK);
	free(data);
}

static void clean(void)
{
	for (int v = 0; v < VIEWS; v++) {
		unlink(image_name(v, "hnd"));
		unlink(image_name(v, "hnc"));
	}
	unlink(file);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	snprintf(images, sizeof images, "%s/Scan0", folder);
	mkdir(images, 0700);
	snprintf(file, sizeof file, "%s/ProjectionInfo.xml", folder);
	const int code = gt_test_main_with("obi", NULL, clean);
	rmdir(images);
	rmdir(folder);
	return code;
}
