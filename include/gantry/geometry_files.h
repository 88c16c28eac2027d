#ifndef GANTRY_GEOMETRY_FILES_H
#define GANTRY_GEOMETRY_FILES_H
/* Reads geometry files of other programs and of scanner vendors as scans, and writes scans for other programs. Notes
 * report the key of each value. docs/geometry.md has the formulas, docs/files.md the files. */
#include <gantry/grid.h>
#include <gantry/message.h>
#include <gantry/scan.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Signs that some vendors' files do not state: the rotation direction, and the side of the axis offset. Reading fails
 * with the name of a sign that neither the options nor the images determine. */
typedef enum { GT_SIGN_OPEN, GT_SIGN_AS_FILE, GT_SIGN_REVERSED } gt_sign;

/* New members are added at the end, as in gt_read_options. */
typedef struct {
	size_t size;                    /* sizeof(gt_geometry_options), as gt_geometry_defaults says */
	const char *format;             /* name of a format; NULL: found by contents */
	size_t views, rows, columns;    /* size of the images, if the file does not state it; 0: unknown */
	double column_pitch, row_pitch; /* mm at the detector, if the file does not state them; NAN: unknown */
	double origin[2];               /* RTK: position of the first column and row, mm; NAN: centre at 0 */
	double unit;                    /* mm in one unit of the file's lengths (ASTRA: voxels; CIL); NAN: 1 */
	int parallel;                   /* bare vectors: 1: parallel rays */
	gt_sign direction, offset;
	gt_listener notes;              /* receives the source of each value, GT_ABOUT_GEOMETRY */
} gt_geometry_options;
GT_API extern const gt_geometry_options gt_geometry_defaults;  /* copy it, then set what differs */

/* Contents of a geometry file. */
typedef struct gt_geometry gt_geometry;
/* Reads a geometry file. GT_ERR_FORMAT names file and key, or the line: missing, repeated or contradictory values.
 * GT_ERR_UNSUPPORTED: a geometry that no scan describes. Options NULL: defaults. */
GT_API gt_status      gt_geometry_read(const char *path, const gt_geometry_options *o, gt_geometry **g);
GT_API void           gt_geometry_free(gt_geometry *g);
GT_API const gt_scan *gt_geometry_scan(const gt_geometry *g);
/* Returns the signs that neither file nor options determine, bits of GT_GEOMETRY_... */
enum { GT_GEOMETRY_DIRECTION = 1, GT_GEOMETRY_OFFSET = 2 };
GT_API unsigned       gt_geometry_open(const gt_geometry *g);

/* Writes a scan for another program: "rtk" (.xml), "astra" (.npy, .json, .csv), "leap" (.leap); format NULL: by the
 * extension. Notes report conventions that users need. GT_ERR_ARG: no such format, with a list of them.
 * GT_ERR_UNSUPPORTED: the program cannot describe this scan. */
GT_API gt_status      gt_geometry_write(const char *path, const char *format, const gt_scan *scan, const gt_listener *notes);
/* Formats with descriptions; a NULL name ends the list. */
typedef struct { const char *name, *about; int reads, writes; } gt_geometry_kind;
GT_API extern const gt_geometry_kind gt_geometry_kinds[];

#ifdef __cplusplus
}
#endif
#endif
