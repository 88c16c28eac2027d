#ifndef GT_IO_NETCDF_NC_H
#define GT_IO_NETCDF_NC_H
/* Shared by the NetCDF readers and writers; private to io/. Every failure names the file and the variable. */
#include <stddef.h>
#include <netcdf.h>
#include <gantry/io.h>
#include <gantry/threads.h>
#include "io/hdf5/hdf5_file.h"

typedef struct {
	const char *path;       /* as the user knows it */
	char *tmp;              /* temporary file being written; NULL when reading */
	int id;                 /* identifier of libnetcdf; < 0: not open */
	gt_hdf5_quiet quiet;    /* HDF5's error output before this file was opened */
	struct gt_nc_asked *asked; /* when writing: the expected contents of the closed file */
} gt_nc;

/* Reading ---------------------------------------------------------------- */

/* GT_ERR_FORMAT: not a NetCDF file, truncated (with size and expected size), or damaged. Sets *f so that gt_nc_close()
 * is always allowed. */
gt_status gt_nc_open(const char *path, gt_nc *f);
void      gt_nc_close(gt_nc *f);
gt_status gt_nc_classic_whole(const char *path);        /* likewise for the classic formats; else GT_OK */
/* GT_ERR_IO: the path has a backslash, which libnetcdf would take for '/'. */
gt_status gt_nc_check_name(const char *path);
/* Reads and discards the whole file, in a probe process (gt_probe()). GT_ERR_MEMORY if memory is exhausted; ignores
 * other failures, which the reader reports. */
gt_status gt_nc_walk(const char *path);
/* Converts a libnetcdf code to a message about a variable (NULL: the file); GT_OK for NC_NOERR. */
gt_status gt_nc_check(const gt_nc *f, const char *variable, int code);

/* Sets *has to 1 if the variable exists. A failed lookup is an error, not an absent variable. */
gt_status gt_nc_has(const gt_nc *f, const char *variable, int *has);
/* Length of a required dimension; 0 is an error. */
gt_status gt_nc_dimension(const gt_nc *f, const char *name, size_t *length);
/* Finds a numeric variable with exactly these dimensions, in this order. */
gt_status gt_nc_variable(const gt_nc *f, const char *name, int rank, const char *const *dimensions, int *variable);
/* Checks the attribute units, if present, against the accepted texts (first: Gantry's; the list ends with NULL). */
gt_status gt_nc_units(const gt_nc *f, const char *variable, const char *const *accepted);
/* Numeric attribute of a variable (NULL: global). *found is 0 if it is absent; absence is an error if found is NULL. */
gt_status gt_nc_number(const gt_nc *f, const char *variable, const char *name, double *value, int *found);
/* Text attribute; *text is NULL if it is absent. The caller frees it. */
gt_status gt_nc_text(const gt_nc *f, const char *variable, const char *name, char **text);
/* All values of a variable as double, without scale_factor and add_offset. */
gt_status gt_nc_doubles(const gt_nc *f, const char *name, double *values);
/* All values of a rank-3 variable of any numeric type, in slabs along the first dimension, with scale_factor and
 * add_offset applied. GT_ERR_FORMAT for NaN, infinite and missing values (_FillValue), and for values below min. */
gt_status gt_nc_floats(const gt_nc *f, const char *name, const size_t size[3], double min, float *values);
/* Likewise for n entries from `first` on along the first dimension. */
gt_status gt_nc_some_floats(const gt_nc *f, const char *name, const size_t size[3], size_t first, size_t n, double min, float *values);
/* Number of entries along the first dimension to read at once: whole chunks, unless they are very thick. */
size_t    gt_nc_together(const gt_nc *f, const char *name, const size_t size[3]);
gt_status gt_nc_get_provenance(const gt_nc *f, gt_provenance *from);
/* Patient position. known is 0 if the file does not state it: then *position is HFS. */
gt_status gt_nc_get_position(const gt_nc *f, gt_position *position, int *known);

/* Parameters for block reads without checks; missing values become NAN. */
typedef struct { int id; nc_type type; double scale, offset, missing; int has_missing; } gt_nc_packing;
gt_status gt_nc_packing_of(const gt_nc *f, const char *name, gt_nc_packing *p);
/* GT_ERR_FORMAT if parts of the variable were never written, or an HDF5 virtual data set lacks sources. */
gt_status gt_nc_stored(const gt_nc *f, const char *name);
/* wide: count[0] count[1] count[2] doubles if the type is not NC_FLOAT, else NULL. pool: may be NULL. Returns a
 * libnetcdf code. */
int       gt_nc_get_block(const gt_nc *f, const gt_nc_packing *p, const size_t start[3], const size_t count[3], gt_pool *pool,
                          double *wide, float *values);
/* Mutex for libnetcdf, which is not thread-safe: held during block reads and writes in different threads. */
void      gt_nc_lock  (void);
void      gt_nc_unlock(void);

/* Writing ---------------------------------------------------------------- */

/* bytes: approximate uncompressed size; 0: unknown. GT_ERR_IO if the disk has less free space. */
gt_status gt_nc_create(const char *path, double bytes, gt_nc *f);
/* Closes the file, keeps it as f->tmp, and verifies it against the recorded contents. libnetcdf cannot write to it
 * afterwards. GT_ERR_IO: something is lost or changed. */
gt_status gt_nc_finish(gt_nc *f);
/* Calls gt_nc_finish(), then renames the file to its final path. */
gt_status gt_nc_commit(gt_nc *f);
/* Closes and deletes the temporary file. */
void      gt_nc_drop(gt_nc *f);
gt_status gt_nc_define_dimension(const gt_nc *f, const char *name, size_t length, int *dimension);
/* rank: at most 3. */
gt_status gt_nc_define(const gt_nc *f, const char *name, nc_type type, int rank, const int *dimensions,
                       const char *units, const char *long_name, int *variable);
/* Float data [.][.][.], in chunks of one plane along the first dimension. */
gt_status gt_nc_define_data(const gt_nc *f, const char *name, const int dimensions[3], const size_t size[3], int deflate,
                            const char *units, const char *long_name, int *variable);
/* Ends define mode, which writes the header. */
gt_status gt_nc_end_definitions(const gt_nc *f);
gt_status gt_nc_put_number(const gt_nc *f, int variable, const char *name, double value);
gt_status gt_nc_put_integer(const gt_nc *f, int variable, const char *name, int value);
gt_status gt_nc_put_text(const gt_nc *f, int variable, const char *name, const char *text);
/* Writes scale * value + offset, in slabs along the first dimension from entry begin on; 1 and 0 are bit-identical. */
gt_status gt_nc_put_floats(const gt_nc *f, int variable, size_t begin, const size_t size[3], const float *values, double scale, double offset);
/* All n values of a variable of doubles; gt_nc_finish() verifies them. */
gt_status gt_nc_put_doubles(const gt_nc *f, int variable, size_t n, const double *values);
/* n values from `first` on of a one-dimensional variable, in its own type, without conversion. */
gt_status gt_nc_put_part(const gt_nc *f, int variable, size_t first, size_t n, const void *values);
gt_status gt_nc_put_provenance(const gt_nc *f, const gt_provenance *from);
/* Writes nothing if the position is not known. */
gt_status gt_nc_put_position(const gt_nc *f, gt_position position, int known);

/* Expected contents (nc_asked.c), recorded by the functions above. id: the dimension's or variable's as libnetcdf
 * returned it, or NC_GLOBAL. A second record replaces the first. type: NC_CHAR, NC_INT or NC_DOUBLE. GT_ERR_MEMORY. */
struct gt_nc_asked *gt_nc_asked_new(void);      /* NULL: out of memory */
void      gt_nc_asked_free(struct gt_nc_asked *a);
gt_status gt_nc_asked_dimension(const gt_nc *f, int id, const char *name, size_t n);
gt_status gt_nc_asked_variable(const gt_nc *f, int id, const char *name, nc_type type, int rank, const int *dimensions);
gt_status gt_nc_asked_attribute(const gt_nc *f, int id, const char *name, nc_type type, size_t n, const void *value);
gt_status gt_nc_asked_values(const gt_nc *f, int id, size_t n, const double *values);
/* Compares the closed file f->tmp with the records. GT_ERR_IO names the first difference. */
gt_status gt_nc_asked_check(const gt_nc *f);
#endif
