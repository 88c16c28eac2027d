#ifndef GT_IO_GEOMETRY_INPUT_H
#define GT_IO_GEOMETRY_INPUT_H
/* What readers of geometry files share; private to io/. */
#include <gantry/geometry_files.h>
#include "geometry/exchange/exchange.h"

struct gt_geometry {
	gt_scan *scan;
	const char *format;
	unsigned open;                  /* bits of GT_GEOMETRY_... */
	double white;
	char *images;
	/* Makers' scanners: what the scan was made of, so that open signs can be taken the other way round. */
	gt_lab_orbit lab;
	gt_scan_size3 size;
	double *angle, *shift;          /* owned; NULL: no such scanner, no shifts */
};

/* A file in memory, with a 0 behind it, and what is said of it. */
typedef struct {
	const char *path;
	char *text;
	size_t bytes;
	gt_geometry_options o;
	gt_geometry *g;
} gt_geometry_input;

/* One kind of file. open: larger files are read by their own means (NULL text). */
typedef struct {
	const char *name;
	int       (*probe)(const gt_geometry_input *in);
	gt_status (*read)(gt_geometry_input *in);
} gt_geometry_reader;
#define GT_GEOMETRY_READERS(X) X(rtk) X(diondo) X(yxlon) \
	X(varian) X(obi) X(elekta) X(nikon) X(phoenix) X(skyscan) X(zeiss) X(leap) X(tigre) X(cil) X(astra)
#define GT_GEOMETRY_DECLARE(name) extern const gt_geometry_reader gt_geometry_##name;
GT_GEOMETRY_READERS(GT_GEOMETRY_DECLARE)

/* Tells who listens. */
void      gt_geometry_note(const gt_geometry_input *in, const char *format, ...) GT_PRINTF(2, 3);
/* "source to axis 120 mm from SrcToObject" */
void      gt_geometry_took(const gt_geometry_input *in, const char *what, double value, const char *unit, const char *key);

/* n bytes as a number, with blanks around it; a comma between digits counts as a point, and is counted. 0: it is
 * none. */
int       gt_number_of(const char *text, size_t n, double *value, size_t *commas);
/* A growing list. */
typedef struct { double *value; size_t n, room; } gt_number_list;
gt_status gt_number_add(const char *path, double value, gt_number_list *l);
/* All numbers of a text with commas, semicolons or blanks between them; what names it in messages. */
gt_status gt_number_list_of(const char *path, const char *what, const char *text, size_t n, gt_number_list *l);

/* rows and columns: of the options, which `found` (0: not said) must not contradict. GT_ERR_ARG: neither says. */
gt_status gt_geometry_size(const gt_geometry_input *in, size_t views, size_t rows, size_t columns, gt_scan_size3 *size);
/* A whole number from 1 to 2^31 for a size. */
gt_status gt_size_of(const gt_geometry_input *in, const char *key, double value, size_t *size);
/* `offset` and `direction` as the options say: what is open is marked in in->g->open; 1 where it is the other way
 * round. */
int       gt_geometry_direction(const gt_geometry_input *in, const char *of);
int       gt_geometry_offset(const gt_geometry_input *in, const char *of);
/* Makes the scan of `lab` and keeps what it was made of; angle and shift belong to in->g from now on. */
gt_status gt_geometry_make_lab(const gt_geometry_input *in, const gt_lab_orbit *lab, const gt_scan_size3 *size);
/* Limits the views of files that give a number of views without a line for each, and so the memory that a small
 * file takes. GT_ERR_FORMAT: more views than a scan has. */
gt_status gt_check_counted_views(const gt_geometry_input *in, size_t views, const char *what);
/* views angles first + i step, degrees, into in->g->angle. */
gt_status gt_geometry_even_angles(const gt_geometry_input *in, size_t views, double first, double step);
/* Of Varian's Scan.xml: the angles in degrees, on beyond a turn, from the one folder of .xim in Acquisitions beside it;
 * how many are less than `least` degrees behind the one before is told. */
gt_status gt_varian_angles(const gt_geometry_input *in, double min, size_t *views, double **angle);
/* The path of a file beside the input's: its folder, and name, in which \ is /. malloc'ed; NULL without memory. */
char     *gt_geometry_beside(const gt_geometry_input *in, const char *name);

#endif
