#ifndef GT_IO_DICOM_DICOM_CT_PD_H
#define GT_IO_DICOM_DICOM_CT_PD_H
/* DICOM-CT-PD: projections of a clinical scanner, as a folder with one DICOM file for each view, or as frames of one
 * file. Chen et al., "Development and validation of an open data format for CT projection data", Med. Phys. 42 (2015)
 * 6964; Moen et al., "Low-dose CT image and projection dataset", Med. Phys. 48 (2021) 902, table IV. Private to io/. */
#include <pthread.h>
#include <gantry/io.h>
#include <gantry/threads.h>
#include "io/dicom/dicom.h"

/* Numbers: identifier, group, element, VR, name in messages, 1 if required, 1 if all views must agree. */
#define PD_NUMBERS(X)                                                                                    \
	X(LINES,       0x0028, 0x0010, "US", "Rows", 1, 1)                                               \
	X(SAMPLES,     0x0028, 0x0011, "US", "Columns", 1, 1)                                            \
	X(BITS,        0x0028, 0x0100, "US", "Bits Allocated", 1, 1)                                     \
	X(SIGNED,      0x0028, 0x0103, "US", "Pixel Representation", 0, 1)                               \
	X(FRAMES,      0x0028, 0x0008, "IS", "Number of Frames", 0, 0)                                   \
	X(INTERCEPT,   0x0028, 0x1052, "DS", "Rescale Intercept", 1, 0)                                  \
	X(SLOPE,       0x0028, 0x1053, "DS", "Rescale Slope", 1, 0)                                      \
	X(NUMBER,      0x0020, 0x0013, "IS", "Instance Number", 0, 0)                                    \
	X(FEED,        0x0018, 0x9310, "FD", "Table Feed per Rotation", 0, 1)                            \
	X(ROWS,        0x7029, 0x1010, "US", "number of detector rows", 1, 1)                            \
	X(COLUMNS,     0x7029, 0x1011, "US", "number of detector columns", 1, 1)                         \
	X(TRANSVERSE,  0x7029, 0x1002, "FL", "detector element transverse spacing", 1, 1)                \
	X(AXIAL,       0x7029, 0x1006, "FL", "detector element axial spacing", 1, 1)                     \
	X(ANGLE,       0x7031, 0x1001, "FL", "focal centre angular position", 1, 0)                      \
	X(HEIGHT,      0x7031, 0x1002, "FL", "focal centre axial position", 1, 0)                        \
	X(RADIUS,      0x7031, 0x1003, "FL", "focal centre radial distance", 1, 1)                       \
	X(DISTANCE,    0x7031, 0x1031, "FL", "constant radial distance", 1, 1)                           \
	X(SHIFT_ANGLE, 0x7033, 0x100B, "FL", "source angular position shift", 0, 0)                      \
	X(SHIFT_Z,     0x7033, 0x100C, "FL", "source axial position shift", 0, 0)                        \
	X(SHIFT_R,     0x7033, 0x100D, "FL", "source radial distance shift", 0, 0)                       \
	X(STEPS,       0x7033, 0x1013, "US", "number of source angular steps", 0, 1)                     \
	X(SOURCE,      0x7033, 0x105D, "US", "source index", 0, 1)                                       \
	X(SPECTRUM,    0x7033, 0x1063, "US", "spectrum index", 0, 1)                                     \
	X(TIME,        0x7033, 0x1067, "FL", "time stamp", 0, 0)                                         \
	X(OLD_WATER,   0x0018, 0x0061, "DS", "HU calibration factor", 0, 1)                              \
	X(WATER,       0x7041, 0x1001, "DS", "water attenuation coefficient", 0, 1)
/* Texts: likewise, but all views must agree on each. */
#define PD_TEXTS(X)                                                                                      \
	X(MAKER,       0x0008, 0x0070, "LO", "Manufacturer", 0, 1)                                       \
	X(POSITION,    0x0018, 0x5100, "CS", "Patient Position", 0, 1)                                   \
	X(SERIES,      0x0020, 0x000E, "UI", "Series Instance UID", 1, 1)                                \
	X(SHAPE,       0x7029, 0x100B, "CS", "detector shape", 1, 1)                                     \
	X(SPOT,        0x7033, 0x100E, "CS", "flying focal spot mode", 0, 1)                             \
	X(TYPE,        0x7037, 0x1009, "CS", "projection data type", 0, 1)                               \
	X(BEAM,        0x7037, 0x100A, "CS", "projection data geometry", 0, 1)                           \
	X(HARDENING,   0x7039, 0x1003, "CS", "beam hardening correction flag", 0, 1)                     \
	X(GAIN,        0x7039, 0x1004, "CS", "gain correction flag", 0, 1)                               \
	X(DARK,        0x7039, 0x1005, "CS", "dark field correction flag", 0, 1)                         \
	X(FLAT,        0x7039, 0x1006, "CS", "flat field correction flag", 0, 1)                         \
	X(BAD,         0x7039, 0x1007, "CS", "bad pixel correction flag", 0, 1)                          \
	X(SCATTER,     0x7039, 0x1008, "CS", "scatter correction flag", 0, 1)                            \
	X(LOG,         0x7039, 0x1009, "CS", "log flag", 0, 1)

#define PD_NAME(name, ...) PD_##name,
enum { PD_NUMBERS(PD_NAME) PD_NNUMBERS };
enum { PD_TEXTS(PD_NAME) PD_NTEXTS };
#undef PD_NAME
extern const gt_dicom_tag gt_ctpd_number[PD_NNUMBERS], gt_ctpd_text[PD_NTEXTS], gt_ctpd_center, gt_ctpd_photons;

/* Header of one view; NAN and "" for absent values. */
typedef struct {
	double number[PD_NNUMBERS], center[2];  /* central element: column, row, as stored */
	char text[PD_NTEXTS][GT_DICOM_UID];
	size_t photons;                         /* values of the photon statistics */
} gt_ctpd_head;

/* 1 if the file has tags of the format. */
int       gt_ctpd_is(gt_dicom *d);
/* GT_ERR_FORMAT names file, tag and value. */
gt_status gt_ctpd_read_head(const char *path, gt_dicom *d, size_t frame, gt_ctpd_head *head);
/* GT_ERR_FORMAT if a tag that all views must share differs. */
gt_status gt_ctpd_same_scan(const char *path, const gt_ctpd_head *head, const char *first_path, const gt_ctpd_head *first);
/* The sample of a detector column and row, both in the file's order, is at column * stride[0] + row * stride[1]. */
gt_status gt_ctpd_strides(const char *path, const gt_ctpd_head *head, size_t stride[2], int *square);
/* Index of the central pixel, (column, row), in the file's order, from 0. */
int       gt_ctpd_counts_from_last(const gt_dicom_style *style, const char *maker);
void      gt_ctpd_center_index(const gt_dicom_style *style, const gt_ctpd_head *head, double index[2]);

/* Views ------------------------------------------------------------------ */

typedef struct {
	size_t file, frame;
	double number, time, angle, z, shift[3], slope, intercept;      /* shift: angle in radians, radius and z in
	                                                                 * mm */
} gt_ctpd_view;

typedef struct {
	char *path;
	size_t frames;          /* 0: not a file of projections */
	gt_ctpd_view *view;          /* [frames]; NULL after the views were merged into one table */
} gt_ctpd_file;

/* Progress and errors of parallel work on files. The reported failure is the one of the first file, independent of the
 * order of the threads. */
typedef struct {
	gt_io_progress progress;
	void *self;
	double from, to;        /* fractions of all work */
	size_t all;
	pthread_mutex_t lock;
	size_t done, failed;
	gt_status st;
	char why[1024];
} gt_ctpd_work;

void      gt_ctpd_work_start(gt_ctpd_work *w, size_t all);
int       gt_ctpd_work_wants(gt_ctpd_work *w, size_t i);          /* 0: a file before it failed */
void      gt_ctpd_work_did(gt_ctpd_work *w, size_t i, gt_status st, int worker);
gt_status gt_ctpd_work_end(gt_ctpd_work *w);

typedef struct {
	const char *path;
	const gt_read_options *o;
	gt_pool *pool;
	gt_ctpd_work work;
	gt_ctpd_file *file;
	size_t files;
	gt_ctpd_view *view;          /* in scan order, with unwrapped angles */
	size_t views;
	gt_ctpd_head head;           /* the first view's by file name */
	const char *head_path;
} gt_ctpd_set;

/* Creates s->pool, and finds, reads and sorts the headers of all views below path, a folder or a file. Tolerated
 * deviations become notes. */
gt_status gt_ctpd_list(gt_ctpd_set *s);
/* The files of the folder, or the file, in the order of names. */
gt_status gt_ctpd_names(gt_ctpd_set *s);
/* gt_dicom_expect() of files begin to end - 1. */
void      gt_ctpd_expect(const gt_ctpd_set *s, size_t begin, size_t end);
gt_status gt_ctpd_order(gt_ctpd_set *s);
void      gt_ctpd_set_clear(gt_ctpd_set *s);
/* The scan of these views in Gantry's coordinates (docs/geometry.md). */
gt_status gt_ctpd_scan(const gt_ctpd_set *s, gt_scan **scan);
/* Reads samples and photons into p, whose scan is set. */
gt_status gt_ctpd_read_samples(gt_ctpd_set *s, gt_projections *p);

/* Writing ---------------------------------------------------------------- */

typedef struct { double angle, radius, z, shift[3]; } gt_ctpd_place;
/* GT_ERR_UNSUPPORTED names the view if the format cannot represent its pose. *columns, *rows: 1 if its columns or rows
 * run against the format's. */
gt_status gt_ctpd_place_of(const gt_scan *scan, size_t view, gt_ctpd_place *place, int *columns, int *rows);
gt_status gt_dicom_ct_pd_write(const char *path, const gt_write_options *o, const gt_projections *p);
#endif
