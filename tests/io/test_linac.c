/* Images and geometry of linear accelerators, written by the description in RTK's and TIGRE's readers: Varian .xim
 * with Scan.xml, Elekta .his with _Frames.xml. Measured values come back; damaged files are refused.
 * labels: unit physics, backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <gantry/consistency.h>
#include <gantry/author/constants.h>
#include <gantry/io.h>
#include <gantry/phantom.h>
#include "geometry/exchange/exchange.h"
#include "tests/support/support.h"

enum { VIEWS = 72, ROWS = 8, COLUMNS = 48, CELLS = ROWS * COLUMNS };
static const gt_scan_size3 size = { VIEWS, ROWS, COLUMNS };
static char folder[] = "linacXXXXXX", images[96], file[96];

static void little(FILE *f, long long value, int bytes)
{
	for (int k = 0; k < bytes; k++)
		fputc((int)((unsigned long long)value >> 8 * k & 255), f);
}

static int bytes_of(long long d) { return d >= -128 && d < 128 ? 1 : d >= -32768 && d < 32768 ? 2 : 4; }

/* Differences in the fewest bytes, or plain numbers. */
static void write_xim(const char *name, const int *a, int compressed, double angle, double chamber)
{
	unsigned char lookup[CELLS / 4 + 1] = { 0 };
	const int raw = COLUMNS + 1;
	long bytes = 4 * raw;
	FILE *f = fopen(name, "wb");
	ck_assert_ptr_nonnull(f);
	fwrite("VMS.XI\0\0", 1, 8, f);
	const int head[6] = { 1, COLUMNS, ROWS, 16, 4, compressed };
	for (int k = 0; k < 6; k++)
		little(f, head[k], 4);
	for (int i = raw; i < CELLS; i++) {
		const int n = bytes_of((long long)a[i] - a[i - 1] - a[i - COLUMNS] + a[i - raw]), m = i - raw;
		lookup[m / 4] |= (unsigned char)((n == 4 ? 2 : n - 1) << 2 * (m % 4));
		bytes += n;
	}
	if (compressed) {
		little(f, (CELLS - raw + 3) / 4, 4);
		fwrite(lookup, 1, (size_t)(CELLS - raw + 3) / 4, f);
	}
	little(f, compressed ? bytes : 4 * CELLS, 4);
	for (int i = 0; i < CELLS; i++) {
		const long long d = compressed && i >= raw ? (long long)a[i] - a[i - 1] - a[i - COLUMNS] + a[i - raw] : a[i];
		little(f, d, compressed && i >= raw ? bytes_of(d) : 4);
	}
	if (compressed)
		little(f, 4 * CELLS, 4);
	little(f, 2, 4);
	little(f, 7, 8);
	little(f, 4, 4); /* properties: a text, a list, two numbers */
	little(f, 4, 4), fputs("Name", f), little(f, 2, 4), little(f, 3, 4), fputs("abc", f);
	little(f, 4, 4), fputs("List", f), little(f, 4, 4), little(f, 8, 4), little(f, 0, 8);
	little(f, 13, 4), fputs("KVNormChamber", f), little(f, 0, 4), little(f, (long long)chamber, 4);
	little(f, 11, 4), fputs("KVSourceRtn", f), little(f, 1, 4), fwrite(&angle, 8, 1, f);
	fclose(f);
}

/* Header of Heimann; the image is 65536 minus the counts. */
static void write_his(const char *name, const int *a)
{
	unsigned char head[68 + 32] = { 0x00, 0x70, 0x44, 0x00 };
	FILE *f = fopen(name, "wb");
	ck_assert_ptr_nonnull(f);
	head[10] = 32;
	head[12] = head[14] = 1;
	head[16] = ROWS;
	head[18] = COLUMNS;
	head[20] = 1;
	head[32] = 4;
	fwrite(head, 1, sizeof head, f);
	for (int i = 0; i < CELLS; i++)
		little(f, 65536 - a[i], 2);
	fclose(f);
}

static void write_text(const char *text) { gt_test_write(file, text); }

static const char *image_name(int v, const char *extension)
{
	static char name[160];
	snprintf(name, sizeof name, "%s/Proj_%05d.%s", images, v + 1, extension);
	return name;
}

/* Line integrals of a phantom in this scan. */
static float *measure(const gt_scan *s)
{
	gt_phantom_options p = gt_phantom_defaults;
	gt_phantom *phantom;
	gt_pool *pool;
	float *data = calloc(gt_scan_size(s), sizeof *data);
	p.scale = 0.75;
	ck_ok(gt_phantom_new("shepp-logan", &p, &phantom));
	ck_ok(gt_pool_new(1, &pool));
	ck_ok(gt_phantom_project(phantom, s, 1, pool, NULL, NULL, data));
	gt_pool_free(pool);
	gt_phantom_free(phantom);
	return data;
}

static void to_counts(const float *p, double white, int *a)
{
	for (int i = 0; i < CELLS; i++)
		a[i] = (int)lround(white * exp(-p[i]));
}

static gt_scan *varian(double step, double offset, int compressed)
{
	double angle[VIEWS];
	int a[CELLS];
	gt_scan *s;
	const gt_lab_orbit o = {
		.source_to_axis = 1000, .source_to_detector = 1500, .pitch = { 8, 6 }, .axis_offset = offset, .angle = angle
	};
	for (int v = 0; v < VIEWS; v++)
		angle[v] = v * step * GT_PI / 180;
	ck_ok(gt_scan_of_lab(&o, &size, &s));
	float *data = measure(s);
	for (int v = 0; v < VIEWS; v++) {
		const double chamber = 900 + 10 * (v % 7);
		to_counts(data + (size_t)v * CELLS, 60 * chamber, a);
		write_xim(image_name(v, "xim"), a, compressed, fmod(180 + v * fabs(step), 360), chamber);
	}
	free(data);
	write_text("<Scan xmlns=\"x\"><Acquisitions><SAD>1000</SAD><SID>1500</SID><ImagerSizeX>48</ImagerSizeX><ImagerSizeY>8</ImagerSizeY>"
	           "<ImagerResX>8</ImagerResX><ImagerResY>6</ImagerResY><ImagerLat>-30</ImagerLat><Velocity>5</Velocity>"
	           "<FrameRate>1</FrameRate>"
	           "</Acquisitions></Scan>");
	return s;
}

static gt_status read_scan(double white, int direction, gt_projections **p)
{
	gt_frames_options frames = gt_frames_defaults;
	gt_read_options o = gt_read_defaults;
	frames.geometry = file;
	frames.white = white;
	frames.air = "no";
	frames.direction = direction;
	o.frames = &frames;
	*p = NULL;
	return gt_read_projections(images, &o, p);
}

static void expect_consistent(const gt_projections *p)
{
	gt_conjugate_report r;
	gt_pool *pool;
	ck_ok(gt_pool_new(1, &pool));
	ck_ok(gt_conjugate_check(gt_projections_scan(p), gt_projections_data(p), pool, &r));
	ck_assert_uint_eq(r.faults, 0);
	gt_pool_free(pool);
}

/* Either rotation direction, either side of the panel, found in the images; dose normalisation by the chamber; plain
 * and compressed. */
GT_TESTS(varian_scans, 4)
{
	const double step = _i & 1 ? -5 : 5, offset = _i & 2 ? -20 : 20;
	gt_scan *truth = varian(step, offset, _i != 2);
	float *data = measure(truth);
	gt_projections *p;
	ck_ok(read_scan(60, 0, &p));
	const gt_scan *s = gt_projections_scan(p);
	ck_assert_uint_eq(s->views, VIEWS);
	/* angles begin at 180 degrees there: the same scan, rotated by 180 degrees */
	for (int v = 0; v < VIEWS; v++)
		for (int a = 0; a < 3; a++) {
			const double side = a == 2 ? 1 : -1;
			ck_assert_double_eq_tol(s->view[v].source[a], side * truth->view[v].source[a], 1e-9);
			ck_assert_double_eq_tol(s->view[v].detector[a], side * truth->view[v].detector[a], 1e-9);
		}
	for (size_t i = 0; i < gt_scan_size(s); i++)
		ck_assert_double_eq_tol(gt_projections_data(p)[i], data[i], 2e-3);
	expect_consistent(p);
	gt_projections_free(p);
	free(data);
	gt_scan_free(truth);
}

GT_TEST(elekta_scan)
{
	static char text[VIEWS * 128];
	int a[CELLS];
	size_t n = (size_t)snprintf(text, sizeof text, "<Set>");
	gt_rtk_view view[VIEWS];
	gt_scan *s;
	const double pitch = 409.6 / COLUMNS;
	const gt_rtk_image image = { { pitch, pitch }, { -(COLUMNS - 1) / 2. * pitch, -(ROWS - 1) / 2. * pitch } };
	memset(view, 0, sizeof view);
	for (int v = 0; v < VIEWS; v++) {
		view[v] = (gt_rtk_view){
			.gantry = (5. * v - 180) * GT_PI / 180, .sid = 1000, .sdd = 1536, .projection = { 17 + 0.1 * v, -2 }
		};
		n += (size_t)snprintf(text + n, sizeof text - n,
		                      "<Frame><GantryAngle>%g</GantryAngle><UCentre>%g</UCentre><VCentre>2</VCentre></Frame>", 5. * v - 180,
		                      -17 - 0.1 * v);
	}
	snprintf(text + n, sizeof text - n, "</Set>");
	write_text(text);
	ck_ok(gt_scan_of_rtk(view, &size, &image, &s));
	float *data = measure(s);
	for (int v = 0; v < VIEWS; v++) {
		to_counts(data + (size_t)v * CELLS, 65535.4, a);
		write_his(image_name(v, "his"), a);
	}
	gt_projections *p;
	ck_ok(read_scan(0, 0, &p));
	for (size_t i = 0; i < gt_scan_size(s); i++)
		if (data[i] > 0.01) /* 0 means no measurement there */
			ck_assert_double_eq_tol(gt_projections_data(p)[i], data[i], 1e-3 + 1e-4 * exp(data[i]));
	gt_projections_free(p);
	free(data);
	gt_scan_free(s);
}

GT_TESTS(refusals, 13)
{
	static const struct {
		long at;
		const char *bytes;
		int n;
		const char *says;
	} xim[] = {
		{ 20, "", 0, "expected 32" },
		{ 12, "\xff\xff\xff\xff", 4, "columns" },
		{ 24, "\x03", 1, "of 3 bytes" },
		{ 28, "\x07", 1, "compressed 7" },
		{ 32, "\xff\xff\xff\x7f", 4, "bytes of lookup, but" },
		{ 32, "\x01\0\0\0", 4, "bytes" },
		{ 36, "\xff\xff\xff\xff", 4, "has a 3" },
		{ 300, "", 0, "bytes of pixels" },
	};
	static const struct {
		long at;
		const char *bytes;
		int n;
		const char *says;
	} his[] = {
		{ 200, "", 0, "truncated" },
		{ 16, "\0\0", 2, "rows" },
		{ 20, "\x02", 1, "2 frames" },
		{ 32, "\x08", 1, "type 8" },
		{ 18, "\x2f", 1, "expected the same in all files" },
	};
	gt_projections *p;
	const int elekta = _i >= (int)(sizeof xim / sizeof *xim);
	gt_scan *truth = varian(5, 20, 1);
	if (elekta) {
		const int zero[CELLS] = { 5 };
		for (int v = 0; v < VIEWS; v++) {
			unlink(image_name(v, "xim"));
			write_his(image_name(v, "his"), zero);
		}
	}
	const int k = elekta ? _i - (int)(sizeof xim / sizeof *xim) : _i;
	gt_test_damage(image_name(7, elekta ? "his" : "xim"), elekta ? his[k].at : xim[k].at, elekta ? his[k].bytes : xim[k].bytes,
	               elekta ? his[k].n : xim[k].n);
	if (elekta) {
		gt_frames_options frames = gt_frames_defaults;
		gt_read_options o = gt_read_defaults;
		frames.angles = "0:5";
		frames.white = 65536;
		o.frames = &frames;
		ck_refused(gt_read_projections(images, &o, &p), GT_ERR_FORMAT, his[k].says);
	} else {
		ck_refused(read_scan(60, 0, &p), GT_ERR_FORMAT, xim[k].says);
		ck_assert_ptr_nonnull(strstr(gt_error(), "Proj_00008.xim"));
	}
	gt_scan_free(truth);
}

/* Two acquisitions, none, and a panel of another size. */
GT_TEST(refused_scans)
{
	char other[128];
	gt_geometry *g = NULL;
	gt_projections *p;
	gt_scan_free(varian(5, 20, 1));
	snprintf(other, sizeof other, "%s/Acquisitions/second", folder);
	mkdir(other, 0700);
	snprintf(other, sizeof other, "%s/Acquisitions/second/Proj_1.xim", folder);
	fclose(fopen(other, "w"));
	ck_refused(gt_geometry_read(file, NULL, &g), GT_ERR_FORMAT, "expected one acquisition");
	unlink(other);
	snprintf(other, sizeof other, "%s/Acquisitions/second", folder);
	rmdir(other);
	write_text("<Scan><SAD>1000</SAD><SID>900</SID><ImagerSizeX>48</ImagerSizeX></Scan>");
	ck_refused(gt_geometry_read(file, NULL, &g), GT_ERR_FORMAT, "expected the first to be larger");
	write_text("<Scan><SAD>1000</SAD><SID>1500</SID><ImagerSizeX>47</ImagerSizeX><ImagerSizeY>8</ImagerSizeY><ImagerResX>8</ImagerResX>"
	           "<ImagerResY>6</ImagerResY></Scan>");
	ck_refused(read_scan(60, 1, &p), GT_ERR_FORMAT, "is it of another scan");
}

static void clean(void)
{
	for (int v = 0; v < VIEWS; v++) {
		unlink(image_name(v, "xim"));
		unlink(image_name(v, "his"));
	}
	unlink(file);
}

int main(void)
{
	char path[96];
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof path, "%s/Acquisitions", folder);
	mkdir(path, 0700);
	snprintf(images, sizeof images, "%s/Acquisitions/1", folder);
	mkdir(images, 0700);
	snprintf(file, sizeof file, "%s/Scan.xml", folder);
	const int code = gt_test_main_with("linac", NULL, clean);
	rmdir(images);
	rmdir(path);
	rmdir(folder);
	return code;
}
