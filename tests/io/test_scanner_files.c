/* Files of scanner vendors: simulated scans are read with their images, unknown signs are found, and faults are
 * named.
 * labels: unit physics, backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/consistency.h>
#include <gantry/author/constants.h>
#include <gantry/io.h>
#include <gantry/array.h>
#include <gantry/phantom.h>
#include "geometry/exchange/exchange.h"
#include "tests/support/support.h"

enum { VIEWS = 90, ROWS = 12, COLUMNS = 48 };
static const gt_scan_size3 size = { VIEWS, ROWS, COLUMNS };
static char folder[] = "scannerXXXXXX";
static char images[64], file[64];

static void write_text(const char *text) { gt_test_write(file, text); }

/* Simulates such a scanner; writes line integrals as NumPy files. */
static gt_scan *measure(double step, double axis_offset)
{
	double angle[VIEWS];
	const gt_lab_orbit o = {
		.source_to_axis = 120, .source_to_detector = 240, .pitch = { 1, 1 }, .axis_offset = axis_offset, .angle = angle
	};
	gt_phantom_options p = gt_phantom_defaults;
	gt_phantom *body;
	gt_pool *pool;
	gt_scan *s;
	p.scale = 0.1;
	for (int v = 0; v < VIEWS; v++)
		angle[v] = v * step * GT_PI / 180;
	ck_ok(gt_scan_of_lab(&o, &size, &s));
	float *data = calloc(gt_scan_size(s), sizeof *data);
	ck_ok(gt_phantom_new("shepp-logan", &p, &body));
	ck_ok(gt_pool_new(1, &pool));
	ck_ok(gt_phantom_project(body, s, 1, pool, NULL, NULL, data));
	FILE *f = fopen(images, "wb");
	char head[118];
	const int n = snprintf(head, sizeof head, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d, %d), }", VIEWS, ROWS,
	                       COLUMNS);
	fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f);
	memset(head + n, ' ', sizeof head - (size_t)n);
	head[sizeof head - 1] = '\n';
	fwrite(head, 1, sizeof head, f);
	fwrite(data, sizeof *data, gt_scan_size(s), f);
	fclose(f);
	free(data);
	gt_pool_free(pool);
	gt_phantom_free(body);
	return s;
}

static gt_status read_scan(int direction, int side, gt_projections **p)
{
	gt_frames_options frames = gt_frames_defaults;
	gt_read_options o = gt_read_defaults;
	frames.geometry = file;
	frames.direction = direction;
	frames.axis_side = side;
	frames.values = GT_FRAMES_LINE_INTEGRALS;
	o.frames = &frames;
	return gt_read_projections(images, &o, p);
}

/* Compares the scan read with the simulated one. */
static void expect_same(const gt_scan *truth)
{
	gt_projections *p = NULL;
	gt_conjugate_report r;
	gt_pool *pool;
	ck_ok(read_scan(0, 0, &p));
	const gt_scan *s = gt_projections_scan(p);
	for (int v = 0; v < VIEWS; v++)
		for (int a = 0; a < 3; a++) {
			ck_assert_double_eq_tol(s->view[v].source[a], truth->view[v].source[a], 1e-9);
			ck_assert_double_eq_tol(s->view[v].detector[a], truth->view[v].detector[a], 1e-9);
		}
	ck_ok(gt_pool_new(1, &pool));
	ck_ok(gt_conjugate_check(s, gt_projections_data(p), pool, &r));
	ck_assert_uint_eq(r.faults, 0);
	gt_pool_free(pool);
	gt_projections_free(p);
}

#define NIKON_OF(views, white)                                                                \
	"[XTekCT]\r\nName=scan\r\nProjections=" views                                         \
	"\r\nInitialAngle=0\r\nAngularStep=4\r\nDetectorPixelsX=48\r\nDetectorPixelsY=12\r\n" \
	"DetectorPixelSizeX=1\r\nDetectorPixelSizeY=1\r\nSrcToObject=120\r\nSrcToDetector=240\r\nWhiteLevel=" white "\r\n"
#define NIKON NIKON_OF("90", "60000")

GT_TEST(nikon)
{
	gt_scan *truth = measure(4, 1.7);
	gt_projections *p = NULL;
	gt_conjugate_report r;
	gt_pool *pool;
	write_text(NIKON "ObjectOffsetX=1.7\r\n");
	expect_same(truth);
	/* the same offset in an older file, at the detector, with a decimal comma */
	write_text(NIKON "CentreOfRotationTop=3,4\r\nCentreOfRotationBottom=3,4\r\n");
	expect_same(truth);
	/* without the offset the centre is wrong by o Dsd / Dso / pitch columns */
	write_text(NIKON);
	ck_ok(read_scan(0, 0, &p));
	ck_ok(gt_pool_new(1, &pool));
	ck_ok(gt_conjugate_check(gt_projections_scan(p), gt_projections_data(p), pool, &r));
	ck_assert_uint_eq(r.faults, GT_CONJUGATE_CENTER);
	ck_assert_double_eq_tol(fabs(r.center - (COLUMNS - 1) / 2.), 3.4, 0.1);
	gt_pool_free(pool);
	gt_projections_free(p);
	gt_scan_free(truth);
}

/* Zeros of newer keys do not hide the older ones, and both kinds of keys give the same scan. */
GT_TESTS(nikon_keys_of_both_kinds, 6)
{
	static const char *const texts[] = {
		NIKON "ObjectOffsetX=1.7\nObjectRoll=-1.909152433\n",
		NIKON "CentreOfRotationTop=3.6\nCentreOfRotationBottom=3.2\n",
		NIKON "CentreOfRotationTop=3.6\nCentreOfRotationBottom=3.2\nObjectOffsetX=0\nObjectRoll=0\n",
		NIKON "CentreOfRotationTop=3.6\nCentreOfRotationBottom=3.2\nObjectOffsetX=0\n",
		NIKON "CentreOfRotationTop=3.6\nCentreOfRotationBottom=3.2\nObjectOffsetX=1.7\n",
		NIKON "CentreOfRotationTop=3.6\nCentreOfRotationBottom=3.2\nObjectOffsetX=1.7\nObjectRoll=-1.909152433\n",
	};
	gt_geometry *g[2] = { NULL, NULL };
	write_text(texts[0]);
	ck_ok(gt_geometry_read(file, NULL, &g[0]));
	write_text(texts[_i]);
	ck_ok(gt_geometry_read(file, NULL, &g[1]));
	const gt_scan *a = gt_geometry_scan(g[0]), *b = gt_geometry_scan(g[1]);
	ck_assert_double_gt(fabs(a->view[0].row_axis[0]), 0.03);
	for (size_t v = 0; v < VIEWS; v++)
		for (int i = 0; i < 3; i++) {
			ck_assert_double_eq_tol(a->view[v].source[i], b->view[v].source[i], 1e-6);
			ck_assert_double_eq_tol(a->view[v].row_axis[i], b->view[v].row_axis[i], 1e-6);
		}
	gt_geometry_free(g[0]);
	gt_geometry_free(g[1]);
}

GT_TEST(options_that_contradict_the_file)
{
	gt_geometry_options o = gt_geometry_defaults;
	gt_geometry *g = NULL;
	gt_frames_options frames = gt_frames_defaults;
	gt_read_options reading = gt_read_defaults;
	gt_projections *p = NULL;
	gt_scan_free(measure(4, 0));
	write_text(NIKON);
	o.rows = 13;
	ck_refused(gt_geometry_read(file, &o, &g), GT_ERR_FORMAT, "has 12 rows, and --rows is 13: expected one number");
	o = gt_geometry_defaults;
	o.unit = 2;
	ck_refused(gt_geometry_read(file, &o, &g), GT_ERR_ARG, "--length-unit does not apply to geometry files of kind nikon");
	frames.geometry = file;
	frames.values = GT_FRAMES_LINE_INTEGRALS;
	reading.frames = &frames;
	reading.pixel = 0.5;
	ck_refused(gt_read_projections(images, &reading, &p), GT_ERR_ARG, "has pixels of 1 x 1 mm: expected one of them");
	reading.pixel = 1;
	ck_ok(gt_read_projections(images, &reading, &p));
	gt_projections_free(p);
}

#define PHOENIX                                                                                                                       \
	"[Geometry]\nFDD=240\nFOD=120\nMagnification=2\nVoxelSizeX=0.5\nCalibValue=-3.5\n[CT]\nNumberImages=90\nRotationSector=360\n" \
	"[Image]\nDimX=48\nDimY=12\nFreeRay=3400\n[Detector]\nPixelsizeX=1\nPixelsizeY=1\n"
#define SKYSCAN                                                                                                                     \
	"[System]\nCamera Pixel Size (um)=1100\n[Acquisition]\nNumber of Files=90\nNumber of Rows=12\nNumber of Columns=48\n"       \
	"Image Pixel Size (um)=500\nObject to Source (mm)=120\nCamera to Source (mm)=240\nRotation Step (deg)=4\nDepth (bits)=16\n" \
	"Flat Field Correction=ON\n[Reconstruction]\nPostalignment=-3.5\n"

static const char diondo[] = "<?xml version=\"1.0\"?><Scan><ScanParameter><HelixMode>false</HelixMode></ScanParameter><Recon>"
			     "<ProjectionDimX>48</ProjectionDimX><ProjectionDimY>12</ProjectionDimY><ProjectionCount>90"
			     "</ProjectionCount><ProjectionPixelSizeX>1</ProjectionPixelSizeX><ProjectionPixelSizeY>1"
			     "</ProjectionPixelSizeY><ProjectionCenterOffsetX>-3,5</ProjectionCenterOffsetX></Recon><Geometrie>"
			     "<SourceDetectorDist>240</SourceDetectorDist><SourceObjectDist>120</SourceObjectDist></Geometrie>"
			     "</Scan>";
static const char yxlon[] = "<ConeBeamScanParameter xmlns:xsi=\"x\"><PixelSize><Width>1</Width><Height>1</Height></PixelSize>"
			    "<ProjectionSize><Width>48</Width><Height>12</Height></ProjectionSize>"
			    "<ScanTrajectory xsi:type=\"CircleTrajectory\"><PixelPitch>0.5</PixelPitch><Fdd>240</Fdd><Fod>120"
			    "</Fod><NumberOfProjections>90</NumberOfProjections><StartAngle>0</StartAngle><Rotation>360"
			    "</Rotation></ScanTrajectory><DejustmentParameter><HorizontalDetectorOffset>7"
			    "</HorizontalDetectorOffset></DejustmentParameter></ConeBeamScanParameter>";

/* Both rotation directions and both sides, found in the images. */
GT_TESTS(open_signs, 16)
{
	const double step = _i & 1 ? -4 : 4, offset = _i & 2 ? -1.75 : 1.75;
	gt_scan *truth = measure(step, offset);
	static const char *const makers[] = { PHOENIX, SKYSCAN, diondo, yxlon };
	write_text(makers[_i / 4]);
	expect_same(truth);
	gt_scan_free(truth);
}

static void refused(const char *text, gt_status status, const char *says)
{
	gt_geometry *g = NULL;
	write_text(text);
	ck_assert_int_eq(gt_geometry_read(file, NULL, &g), status);
	ck_assert_msg(strstr(gt_error(), says) != NULL, "'%s' is not in: %s", says, gt_error());
	ck_assert_msg(strstr(gt_error(), file) == gt_error(), "the file is not named: %s", gt_error());
	ck_assert_ptr_null(g);
}

GT_TEST(refusals)
{
	refused("[XTekCT]\nProjections=90\n", GT_ERR_FORMAT, "SrcToObject is missing in [XTekCT]");
	refused(NIKON "SrcToObject=121\n", GT_ERR_FORMAT, "SrcToObject is '120' in line 10 and '121' in line 13");
	refused(NIKON "ObjectOffsetX=1\nCentreOfRotationTop=3\nCentreOfRotationBottom=3\n", GT_ERR_FORMAT, "expected one of them");
	refused(NIKON "CentreOfRotationTop=3\n", GT_ERR_FORMAT, "CentreOfRotationBottom is missing, but CentreOfRotationTop is 3");
	refused(NIKON "CentreOfRotationBottom=3\n", GT_ERR_FORMAT, "CentreOfRotationTop is missing, but CentreOfRotationBottom is 3");
	refused(NIKON "ObjectRoll=1\nCentreOfRotationTop=3\nCentreOfRotationBottom=3\n", GT_ERR_FORMAT, "ObjectRoll is 1 degrees");
	refused("[XTekCT]\rProjections=90\r", GT_ERR_FORMAT, "SrcToObject is missing in [XTekCT]");
	refused("[XTekCT]\r\n\rProjections=ninety\r", GT_ERR_FORMAT, "line 3: Projections is 'ninety', expected a number");
	refused("[XTekCT]\nProjections=ninety\n", GT_ERR_FORMAT, "line 2: Projections is 'ninety', expected a number");
	refused(PHOENIX "[Geometry]\nTilt=1\n", GT_ERR_UNSUPPORTED, "Tilt is 1 degrees");
	refused("[Geometry]\nFDD=240\nFOD=120\nMagnification=3\n[Image]\nDimX=4\nDimY=4\n[Detector]\nPixelsizeX=1\nPixelsizeY=1\n",
	        GT_ERR_FORMAT, "Magnification is 3, and FDD/FOD 2");
	refused("<?xml version=\"1.0\"?><!DOCTYPE RTKGEOMETRY [<!ENTITY a \"b\">]><RTKThreeDCircularGeometry/>", GT_ERR_FORMAT,
	        "defines its own entities");
	refused("<RTKThreeDCircularGeometry><Projection></RTKThreeDCircularGeometry>", GT_ERR_FORMAT, "is not XML");
	refused("{\"DSO\": 1, \"nDetector\": [4, 4], \"dDetector\": [1, 1], \"angles\": [0]}", GT_ERR_FORMAT, "DSD is missing");
	refused("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", GT_ERR_FORMAT, "no geometry of a known kind");
	refused("<A><Geometrie/><ProjectionDimX>4</ProjectionDimX><HelixMode>true</HelixMode></A>", GT_ERR_UNSUPPORTED,
	        "only circular scans");
	refused("<A><Geometrie/><ProjectionDimX>4</ProjectionDimX><HelixMode>maybe</HelixMode></A>", GT_ERR_FORMAT,
	        "HelixMode is 'maybe', expected true or false");
	refused("[Acquisition]\nFlat Field Correction=DONE\n" SKYSCAN, GT_ERR_FORMAT,
	        "Flat Field Correction is 'DONE', expected ON or OFF");
	refused("{\"DSO\": 1, \"DSD\": 2, \"nDetector\": [4, 4], \"dDetector\": [1, 1], \"angles\": [0], \"mode\": 1}", GT_ERR_FORMAT,
	        "mode: expected a text in quotes");
	refused("geometry = cone\nnumAngles = 1\nnumRows = 4\nnumCols = 4\npixelWidth = 1\npixelHeight = 1\ndetectorType = bent\n",
	        GT_ERR_FORMAT, "detectorType is 'bent', expected flat or curved");
	refused("nothing\n", GT_ERR_FORMAT, "no geometry of a known kind");
	/* keys in another language are not guessed */
	refused("[Geometrie]\nFDA=240\nFOA=120\n[Bild]\nDimX=48\n", GT_ERR_FORMAT, "no geometry of a known kind");
	refused("[XTekCT]\nProjektionen=90\nAbstandQuelleObjekt=120\n", GT_ERR_FORMAT, "Projections is missing in [XTekCT]");
	/* contradictory keys */
	refused("[Geometry]\nFDD=240\nFOD=120\nVoxelSizeX=0.7\n[Image]\nDimX=4\nDimY=4\n[Detector]\nPixelsizeX=1\nPixelsizeY=1\n",
	        GT_ERR_FORMAT, "VoxelSizeX is 0.7 mm, and the detector's pixel at the axis 0.5 mm: expected one number");
	refused("[Geometry]\nFDD=120\nFOD=240\n[Image]\nDimX=4\nDimY=4\n[Detector]\nPixelsizeX=1\nPixelsizeY=1\n", GT_ERR_FORMAT,
	        "FDD is 120 mm and FOD 240 mm: expected the first to be larger");
	refused("[XTekCT]\nProjections=90\nSrcToObject=240\nSrcToDetector=120\n", GT_ERR_FORMAT,
	        "SrcToDetector is 120 mm and SrcToObject 240 mm: expected the first to be larger");
	refused("[Geometry]\nFDD=240\nFOD=120\n[CT]\nNumberImages=90\nRotationSector=0\n[Image]\nDimX=4\nDimY=4\n[Detector]\n"
	        "PixelsizeX=1\nPixelsizeY=1\n",
	        GT_ERR_FORMAT, "RotationSector is 0, expected the degrees of all views");
}

GT_TEST(counts_below_zero)
{
	refused(NIKON_OF("90", "-60000"), GT_ERR_FORMAT, "WhiteLevel is -60000, expected counts of at least 0");
	refused("[Image]\nFreeRay=-1\nDimX=48\nDimY=12\n[Geometry]\nFDD=240\nFOD=120\n[CT]\nNumberImages=90\nRotationSector=360\n"
	        "[Detector]\nPixelsizeX=1\nPixelsizeY=1\n",
	        GT_ERR_FORMAT, "FreeRay is -1, expected counts of at least 0");
}

/* A number of views in a small file must not allocate unlimited memory. */
GT_TEST(more_views_than_a_scan_has)
{
	refused(NIKON_OF("2147483647", "60000"), GT_ERR_FORMAT, "2147483647 views at even angles: expected at most 524288");
	refused("geometry = cone\nnumAngles = 1000000000\nnumRows = 4\nnumCols = 4\npixelWidth = 1\npixelHeight = 1\nangularRange = 360\n",
	        GT_ERR_FORMAT, "1000000000 views by numAngles and angularRange: expected at most 524288");
}

/* Compound files with random contents after the header are refused with a message. */
GT_TESTS(hostile_compound_files, 40)
{
	unsigned char bytes[4096] = { 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1 };
	gt_geometry *g = NULL;
	for (size_t i = 8; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)((i * 2654435761u + (unsigned)_i * 40503u) >> (_i % 13));
	bytes[30] = 9;
	bytes[31] = 0;
	bytes[32] = 6;
	bytes[33] = 0;
	/* chains and offsets within the file, so that they are followed */
	for (size_t i = 44; i < sizeof bytes; i += 4)
		if (_i & 1) {
			bytes[i] %= 7;
			bytes[i + 1] = bytes[i + 2] = bytes[i + 3] = 0;
		}
	FILE *f = fopen(file, "wb");
	fwrite(bytes, 1, sizeof bytes, f);
	fclose(f);
	ck_assert_int_ne(gt_geometry_read(file, NULL, &g), GT_OK);
	ck_assert_ptr_null(g);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	snprintf(images, sizeof images, "%s/images.npy", folder);
	snprintf(file, sizeof file, "%s/geometry", folder);
	const int failed = gt_test_main("scanner_files", NULL);
	unlink(images);
	unlink(file);
	rmdir(folder);
	return failed;
}
