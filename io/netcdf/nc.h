#ifndef GT_IO_NETCDF_NC_H
#define GT_IO_NETCDF_NC_H
/* Shared by the NetCDF readers and writers; private to io/. Every failure names the file and the variable. */
#include <stddef.h>
#include <netcdf.h>
#include <gantry/io.h>
#include "io/hdf5/hdf5_file.h"

typedef struct {
	const char *path;       /* as the user knows it */
	char *tmp;              /* when writing: what is written; NULL when reading */
	int id;                 /* of libnetcdf; < 0: not open */
	gt_hdf5_quiet quiet;    /* HDF5 prints nothing while the file is open */
	struct gt_nc_asked *asked; /* when writing: what the file must hold when it is closed */
} gt_nc;

/* Reading ---------------------------------------------------------------- */

/* GT_ERR_FORMAT: not a NetCDF file, truncated (with size and expected size), damaged. Sets *f so that it can be closed
 * always. */
gt_status gt_nc_open(const char *path, gt_nc *f);
void      gt_nc_close(gt_nc *f);
gt_status gt_nc_classic_whole(const char *path);        /* the same for the classic formats; GT_OK for all other files */
/* GT_ERR_IO: the path has a backslash, so libnetcdf would open another file. */
gt_status gt_nc_check_name(const char *path);
/* Reads everything in the file and drops it, for a child process, gt_probe(). GT_ERR_MEMORY: no memory for it; other
 * failures are left to the reader. */
gt_status gt_nc_walk(const char *path);
/* Message of a libnetcdf code for a variable (NULL: the file); GT_OK for NC_NOERR. */
gt_status gt_nc_check(const gt_nc *f, const char *variable, int code);

/* Is there such a variable? What cannot be looked up is a failure, not absent. */
gt_status gt_nc_has(const gt_nc *f, const char *variable, int *has);
/* Length of a dimension that must be there and not be zero. */
gt_status gt_nc_dimension(const gt_nc *f, const char *name, size_t *length);
/* A numeric variable that must have exactly these dimensions, in this order. */
gt_status gt_nc_variable(const gt_nc *f, const char *name, int rank, const char *const *dimensions, int *variable);
/* The attribute units, where there is one, must be one of the accepted (first: ours; list ends with NULL). */
gt_status gt_nc_units(const gt_nc *f, const char *variable, const char *const *accepted);
/* Numeric attribute of a variable (NULL: global); *found 0 where it is absent, and then an error if found is NULL. */
gt_status gt_nc_number(const gt_nc *f, const char *variable, const char *name, double *value, int *found);
/* Text attribute; *text is NULL where it is absent. Caller frees. */
gt_status gt_nc_text(const gt_nc *f, const char *variable, const char *name, char **text);
/* All of a variable as double, unscaled. */
gt_status gt_nc_doubles(const gt_nc *f, const char *name, double *values);
/* All of a rank-3 variable of any numeric type, in slabs along the first dimension; scale_factor and add_offset
 * applied. Refused: NaN, Inf and missing values (_FillValue), values below least. */
gt_status gt_nc_floats(const gt_nc *f, const char *name, const size_t size[3], double min, float *values);
/* The same of n from `first` on along the first dimension. */
gt_status gt_nc_some_floats(const gt_nc *f, const char *name, const size_t size[3], size_t first, size_t n, double min, float *values);
/* How many along the first dimension are best read at once: whole chunks, unless they are very thick. */
size_t    gt_nc_together(const gt_nc *f, const char *name, const size_t size[3]);
gt_status gt_nc_get_provenance(const gt_nc *f, gt_provenance *from);
/* How the patient lay; HFS where the file does not say. */
/* known: 1: the file says so, else HFS is assumed. */
gt_status gt_nc_get_position(const gt_nc *f, gt_position *position, int *known);

/* The same a piece at a time, unchecked: what is missing is NaN. */
typedef struct { int id; nc_type type; double scale, offset, missing; int has_missing; } gt_nc_packing;
gt_status gt_nc_packing_of(const gt_nc *f, const char *name, gt_nc_packing *p);
/* GT_ERR_FORMAT if the variable has parts that were never written, or is a virtual data set of HDF5 without all of
 * its sources. */
gt_status gt_nc_stored(const gt_nc *f, const char *name);
/* wide: count[0] count[1] count[2] doubles where the type is not NC_FLOAT, else NULL. Returns a code of libnetcdf. */
int       gt_nc_get_block(const gt_nc *f, const gt_nc_packing *p, const size_t start[3], const size_t count[3], double *wide, float *values);
/* libnetcdf serves one thread at a time: what reads pieces in one and writes them in another holds this meanwhile. */
void      gt_nc_lock  (void);
void      gt_nc_unlock(void);

/* Writing ---------------------------------------------------------------- */

/* bytes: about how much will be written uncompressed; GT_ERR_IO if the disk has not as much. 0: not known */
gt_status gt_nc_create(const char *path, double bytes, gt_nc *f);
/* Closes, reads again what it was asked to hold, and leaves it under its temporary name f->tmp; nothing more can be
 * written by libnetcdf. GT_ERR_IO: something is lost or changed. */
gt_status gt_nc_finish(gt_nc *f);
/* Closes, where that is not done, and renames. */
gt_status gt_nc_commit(gt_nc *f);
/* Gives up: nothing stays on the disk. */
void      gt_nc_drop(gt_nc *f);
gt_status gt_nc_define_dimension(const gt_nc *f, const char *name, size_t length, int *dimension);
/* Of three dimensions at most. */
gt_status gt_nc_define(const gt_nc *f, const char *name, nc_type type, int rank, const int *dimensions,
                       const char *units, const char *long_name, int *variable);
/* Float data [.][.][.]: chunks of one plane along the first dimension. */
gt_status gt_nc_define_data(const gt_nc *f, const char *name, const int dimensions[3], const size_t size[3], int deflate,
                            const char *units, const char *long_name, int *variable);
/* The head is written. */
gt_status gt_nc_end_definitions(const gt_nc *f);
gt_status gt_nc_put_number(const gt_nc *f, int variable, const char *name, double value);
gt_status gt_nc_put_integer(const gt_nc *f, int variable, const char *name, int value);
gt_status gt_nc_put_text(const gt_nc *f, int variable, const char *name, const char *text);
/* scale * value + offset, in slabs along the first dimension; 1 and 0 keep every bit. begin: of the first dimension,
 * where values begin. */
gt_status gt_nc_put_floats(const gt_nc *f, int variable, size_t begin, const size_t size[3], const float *values, double scale, double offset);
/* All n values of a variable of doubles, which are read again when the file is closed. */
gt_status gt_nc_put_doubles(const gt_nc *f, int variable, size_t n, const double *values);
/* n values from `first` on of a variable of one dimension, in memory as in the file: every bit is kept. */
gt_status gt_nc_put_part(const gt_nc *f, int variable, size_t first, size_t n, const void *values);
gt_status gt_nc_put_provenance(const gt_nc *f, const gt_provenance *from);
/* Nothing where it is assumed. */
gt_status gt_nc_put_position(const gt_nc *f, gt_position position, int known);

/* What was asked for (nc_asked.c), noted by the functions above. id: of the dimension or variable, or NC_GLOBAL, as
 * libnetcdf gave it; what is noted twice replaces the first. GT_ERR_MEMORY. type: NC_CHAR, NC_INT or NC_DOUBLE. */
struct gt_nc_asked *gt_nc_asked_new(void);      /* NULL: out of memory */
void      gt_nc_asked_free(struct gt_nc_asked *a);
gt_status gt_nc_asked_dimension(const gt_nc *f, int id, const char *name, size_t n);
gt_status gt_nc_asked_variable(const gt_nc *f, int id, const char *name, nc_type type, int rank, const int *dimensions);
gt_status gt_nc_asked_attribute(const gt_nc *f, int id, const char *name, nc_type type, size_t n, const void *value);
gt_status gt_nc_asked_values(const gt_nc *f, int id, size_t n, const double *values);
/* The file under its temporary name, closed: does it hold just that? GT_ERR_IO names what it does not. */
gt_status gt_nc_asked_check(const gt_nc *f);
#endif
