#ifndef GANTRY_GEOMETRY_FILES_H
#define GANTRY_GEOMETRY_FILES_H
/* Where each view looks from, in files of other programs and of scanners' makers: read as scans, and scans written
 * for other programs. What was taken from which key is told, a sentence each. docs/geometry.md has the formulas,
 * docs/files.md the files. */
#include <gantry/grid.h>
#include <gantry/message.h>
#include <gantry/scan.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Signs that some makers' files leave open: the rotation direction, the side to which the axis is off the middle.
 * What is not said here and cannot be found in the images is refused by name. */
typedef enum { GT_SIGN_OPEN, GT_SIGN_AS_FILE, GT_SIGN_REVERSED } gt_sign;

/* Members are only ever added at the end, as in gt_read_options. */
typedef struct {
	size_t size;                    /* sizeof(gt_geometry_options), as gt_geometry_defaults says */
	const char *format;             /* by its name; NULL: by what the file holds */
	size_t views, rows, columns;    /* of the images, where the file does not say; 0: not said */
	double column_pitch, row_pitch; /* mm at the detector, where the file does not say; NAN */
	double origin[2];               /* RTK: mm of the first column and row in the image; NAN: its middle is at 0 */
	double unit;                    /* mm in one unit of the file's lengths (ASTRA: voxels; CIL); NAN: 1 */
	int parallel;                   /* bare vectors: 1: parallel rays */
	gt_sign direction, offset;
	gt_listener notes;              /* what was taken from where: a message each, GT_ABOUT_GEOMETRY */
} gt_geometry_options;
GT_API extern const gt_geometry_options gt_geometry_defaults;  /* copy it, then set what differs */

/* What a file says. */
typedef struct gt_geometry gt_geometry;
/* GT_ERR_FORMAT names file and key, or the line: what is missing, twice there, or contradicts itself;
 * GT_ERR_UNSUPPORTED: what it says has no place in a scan. Options NULL: defaults. */
GT_API gt_status      gt_geometry_read(const char *path, const gt_geometry_options *o, gt_geometry **g);
GT_API void           gt_geometry_free(gt_geometry *g);
GT_API const gt_scan *gt_geometry_scan(const gt_geometry *g);
GT_API const char    *gt_geometry_format(const gt_geometry *g);        /* "nikon" */
/* Bits of GT_GEOMETRY_...: what the file leaves open and the options did not say. */
enum { GT_GEOMETRY_DIRECTION = 1, GT_GEOMETRY_OFFSET = 2 };
GT_API unsigned       gt_geometry_open(const gt_geometry *g);
/* Takes those bits the other way round than the scan has them now. */
GT_API gt_status      gt_geometry_reverse(gt_geometry *g, unsigned what);
/* Counts without a body, of images that are corrected already; 0: not said. */
GT_API double         gt_geometry_white(const gt_geometry *g);
/* The file of images beside it, or their folder; NULL: not said. */
GT_API const char    *gt_geometry_images(const gt_geometry *g);
/* 1: the contents are of such a file. */
GT_API int            gt_geometry_probe(const char *path);

/* Writes a scan for another program: "rtk" (.xml), "astra" (.npy, .json, .csv), "leap" (.leap); format NULL: by the
 * name's ending. GT_ERR_ARG lists them, GT_ERR_UNSUPPORTED says what that program cannot describe. What its user must
 * know is told. */
GT_API gt_status      gt_geometry_write(const char *path, const char *format, const gt_scan *scan, const gt_listener *notes);
/* Names and sentences of what is read and written; name NULL ends. */
typedef struct { const char *name, *about; int reads, writes; } gt_geometry_kind;
GT_API extern const gt_geometry_kind gt_geometry_kinds[];

/* What is put right in a scan. NAN, 0: as it is. */
typedef struct {
	size_t size;                    /* sizeof(gt_scan_correction) */
	double column_offset, row_offset;       /* pixels: column_center = (columns - 1)/2 + column_offset */
	double roll;                    /* rad, added: columns turn towards rows, about the detector's centre */
	double column_pitch, row_pitch, source_to_axis, source_to_detector;     /* mm; no parallel rays */
	double start_angle, turn;       /* rad: first gantry angle; views x step, signed as they turn */
	int reverse_direction, reverse_columns, reverse_rows;   /* turn; images as they are counted */
} gt_scan_correction;
GT_API extern const gt_scan_correction gt_scan_correction_none;
/* GT_ERR_UNSUPPORTED names what a correction needs and the scan has not. A scan that is refused is as it was. */
GT_API gt_status      gt_scan_correct(gt_scan *scan, const gt_scan_correction *what);

/* A drawing of a scan, seen along the axis and from the side: path of the source, detector of some views, cylinder
 * that is measured, and the grid where there is one (NULL: none). PNG or SVG by the name. */
GT_API gt_status      gt_scan_draw(const char *path, const gt_scan *scan, const gt_grid *grid, const char *title);

#ifdef __cplusplus
}
#endif
#endif
