#ifndef GT_IO_GEOMETRY_INPUT_H
#define GT_IO_GEOMETRY_INPUT_H
/* Functions shared by the readers of geometry files; private to io/. */
#include <gantry/io.h>
#include "geometry/exchange/exchange.h"

struct gt_geometry {
	gt_scan *scan;
	const char *format;
	unsigned open;                  /* bits of GT_GEOMETRY_... that the file does not determine */
	double white;
	char *images;
	/* Scanners of manufacturers: input of the scan, so that gt_geometry_reverse() can flip undetermined signs. */
	gt_lab_orbit lab;
	gt_scan_size3 size;
	double *angle, *shift;          /* owned; NULL: not such a scanner, no shifts */
};

/* A file in memory, terminated by a 0, with its options and the result. */
typedef struct {
	const char *path;
	char *text;
	size_t bytes;
	int is_cut;                     /* 1: text is only the beginning */
	gt_geometry_options o;
	gt_geometry *g;
} gt_geometry_input;

/* One kind of file. Only the reader of files with images takes a cut text; it opens the file itself. */
typedef struct {
	const char *name;
	int       (*probe)(const gt_geometry_input *in);
	gt_status (*read)(gt_geometry_input *in);
} gt_geometry_reader;
#define GT_GEOMETRY_READERS(X) X(rtk) X(diondo) X(yxlon) \
	X(varian) X(obi) X(elekta) X(nikon) X(phoenix) X(skyscan) X(zeiss) X(leap) X(tigre) X(cil) X(astra)
#define GT_GEOMETRY_DECLARE(name) extern const gt_geometry_reader gt_geometry_##name;
GT_GEOMETRY_READERS(GT_GEOMETRY_DECLARE)

void      gt_geometry_note(const gt_geometry_input *in, const char *format, ...) GT_PRINTF(2, 3);
/* Notes a value and its key: "source to axis 120 mm from SrcToObject" */
void      gt_geometry_took(const gt_geometry_input *in, const char *what, double value, const char *unit, const char *key);

/* Parses n bytes as one number; blanks around it are allowed. A decimal comma counts as a point and increments *commas.
 * Returns 0 if it is not a number. */
int       gt_number_of(const char *text, size_t n, double *value, size_t *commas);
typedef struct { double *value; size_t n, room; } gt_number_list;
gt_status gt_number_add(const char *path, double value, gt_number_list *l);
/* Parses all numbers of a text, separated by commas, semicolons or blanks; `what` names it in messages. */
gt_status gt_number_list_of(const char *path, const char *what, const char *text, size_t n, gt_number_list *l);

/* Combines the rows and columns of the options with those found in the file (0: not stated). GT_ERR_ARG: both are
 * missing, or they differ. */
gt_status gt_geometry_size(const gt_geometry_input *in, size_t views, size_t rows, size_t columns, gt_scan_size3 *size);
/* Converts an integer from 1 to 2^31 to a size. */
gt_status gt_size_of(const gt_geometry_input *in, const char *key, double value, size_t *size);
/* Apply the options `offset` and `direction`; if undetermined, set the bit in in->g->open. Return 1 if the option
 * reverses the file's sign. */
int       gt_geometry_direction(const gt_geometry_input *in, const char *of);
int       gt_geometry_offset(const gt_geometry_input *in, const char *of);
/* Makes the scan of `lab` and stores its input; in->g owns angle and shift. */
gt_status gt_geometry_make_lab(const gt_geometry_input *in, const gt_lab_orbit *lab, const gt_scan_size3 *size);
/* Limits the memory of small files that state a number of views without listing them. GT_ERR_FORMAT: more views than
 * any scan has. */
gt_status gt_check_counted_views(const gt_geometry_input *in, size_t views, const char *what);
/* Sets in->g->angle to the views angles first + i step, in degrees. */
gt_status gt_geometry_even_angles(const gt_geometry_input *in, size_t views, double first, double step);
/* Unwrapped angles in degrees of the .xim images next to Varian's Scan.xml, in Acquisitions/NUMBER. Notes the number of
 * steps below `min` degrees. */
gt_status gt_varian_angles(const gt_geometry_input *in, double min, size_t *views, double **angle);
/* Path of a file `name`, relative to the folder of the input, with \ as /. The caller frees it. NULL: out of memory. */
char     *gt_geometry_beside(const gt_geometry_input *in, const char *name);

#endif
