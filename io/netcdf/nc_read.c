/* Checked reading of NetCDF files; converts libnetcdf codes to messages about the file. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/try.h"
#include "geometry/patient_position.h"
#include "io/external.h"
#include "io/hdf5/hdf5_holes.h"
#include "io/netcdf/nc.h"
#include "io/probe.h"

gt_status gt_nc_check(const gt_nc *f, const char *variable, int code)
{
	if (code == NC_NOERR)
		return GT_OK;
	const char *why = code > 0 ? strerror(code) : nc_strerror(code);
	const gt_status st = code == NC_ENOMEM ? GT_ERR_MEMORY : f->tmp ? GT_ERR_IO : GT_ERR_FORMAT;
	if (variable)
		return gt_fail(st, "%s: variable %s: cannot be %s: %s", f->path, variable, f->tmp ? "written" : "read", why);
	return gt_fail(st, "%s: cannot be %s: %s", f->path, f->tmp ? "written" : "read", why);
}

gt_status gt_nc_check_name(const char *path)
{
	if (!strchr(path, '\\'))
		return GT_OK;
	return gt_fail(GT_ERR_IO, "%s: has a backslash, which libnetcdf takes for '/': expected a name without it", path);
}

gt_status gt_nc_open(const char *path, gt_nc *f)
{
	f->path = path;
	f->tmp = NULL;
	f->id = -1;
	gt_status st = gt_nc_check_name(path);
	if (st == GT_OK)
		st = gt_hdf5_whole(path);
	if (st == GT_OK)
		st = gt_nc_classic_whole(path);
	if (st == GT_OK)
		st = gt_external_hdf5(path);
	if (st == GT_OK)
		st = gt_probe(path, "NetCDF's library", gt_nc_walk);
	/* Initialises the library before HDF5's error output is saved, because it changes that setting. */
	if (st == GT_OK)
		st = gt_nc_check(f, NULL, nc_initialize());
	if (st != GT_OK)
		return st;
	f->quiet = gt_hdf5_hush();
	const int code = nc_open(path, NC_NOWRITE, &f->id);
	if (code == NC_NOERR)
		return GT_OK;
	gt_hdf5_unhush(&f->quiet);
	f->id = -1;
	if (code == NC_ENOTNC)
		return gt_fail(GT_ERR_FORMAT, "%s: not a NetCDF file", path);
	return gt_fail(GT_ERR_FORMAT, "%s: cannot be opened, truncated or damaged: %s", path,
	               code > 0 ? strerror(code) : nc_strerror(code));
}

void gt_nc_close(gt_nc *f)
{
	if (f->id < 0)
		return;
	nc_close(f->id);
	gt_hdf5_unhush(&f->quiet);
	f->id = -1;
}

/* libnetcdf silently omits objects of unknown types, and any object if an allocation fails. Looks the name up through
 * HDF5. attribute NULL: the variable itself. */
static gt_status truly_absent(const gt_nc *f, const char *variable, const char *attribute)
{
	int kind, id;
	if (nc_inq_format_extended(f->id, &kind, NULL) != NC_NOERR || kind != NC_FORMATX_NC_HDF5 ||
	    (!attribute && nc_inq_dimid(f->id, variable, &id) == NC_NOERR) || !gt_hdf5_in_file(f->path, variable, attribute))
		return GT_OK;
	return gt_fail(GT_ERR_FORMAT, "%s: %s %s of %s: cannot be read: its type is unknown to NetCDF, or memory is exhausted", f->path,
	               attribute ? "attribute" : "variable", attribute ? attribute : variable,
	               attribute && variable ? variable : "the file");
}

gt_status gt_nc_stored(const gt_nc *f, const char *name)
{
	int kind;
	if (nc_inq_format_extended(f->id, &kind, NULL) != NC_NOERR || kind != NC_FORMATX_NC_HDF5)
		return GT_OK;
	const hid_t file = gt_hdf5_open_file(f->path), data = file < 0 ? -1 : H5Dopen2(file, name, H5P_DEFAULT);
	if (data < 0)
		return GT_OK;
	const gt_status st = gt_hdf5_refuse_holes(data, f->path, name);
	H5Dclose(data);
	return st;
}

gt_status gt_nc_has(const gt_nc *f, const char *variable, int *has)
{
	int id;
	const int code = nc_inq_varid(f->id, variable, &id);
	*has = code == NC_NOERR;
	return code == NC_ENOTVAR ? truly_absent(f, variable, NULL) : gt_nc_check(f, variable, code);
}

static gt_status look_attribute(const gt_nc *f, const char *variable, int owner, const char *name, nc_type *type, size_t *length, int *has)
{
	const int code = nc_inq_att(f->id, owner, name, type, length);
	*has = code == NC_NOERR;
	return code == NC_ENOTATT ? truly_absent(f, variable, name) : gt_fail_in(gt_nc_check(f, variable, code), "attribute %s", name);
}

gt_status gt_nc_dimension(const gt_nc *f, const char *name, size_t *length)
{
	int id;
	if (nc_inq_dimid(f->id, name, &id) != NC_NOERR)
		return gt_fail(GT_ERR_FORMAT, "%s: dimension %s is missing", f->path, name);
	const gt_status st = gt_nc_check(f, name, nc_inq_dimlen(f->id, id, length));
	if (st == GT_OK && *length == 0)
		return gt_fail(GT_ERR_FORMAT, "%s: dimension %s: zero %ss, expected at least one", f->path, name, name);
	return st;
}

static void add_text(char *text, size_t size, const char *more)
{
	const size_t n = strlen(text);
	snprintf(text + n, size - n, "%s", more);
}

gt_status gt_nc_variable(const gt_nc *f, const char *name, int rank, const char *const *dimensions, int *variable)
{
	int has, dims[NC_MAX_VAR_DIMS];
	nc_type type;
	gt_status st;
	if (nc_inq_varid(f->id, name, variable) != NC_NOERR)
		return gt_fail(GT_ERR_FORMAT, "%s: variable %s is missing", f->path, name);
	if ((st = gt_nc_check(f, name, nc_inq_var(f->id, *variable, NULL, &type, &has, dims, NULL))) != GT_OK)
		return st;
	if (type == NC_CHAR || type > NC_UINT64)
		return gt_fail(GT_ERR_FORMAT, "%s: variable %s: is not of a numeric type", f->path, name);
	char found[512] = "", expected[512] = "";
	int same = has == rank;
	for (int i = 0; i < has; i++) {
		char dimension[NC_MAX_NAME + 1], each[NC_MAX_NAME + 40];
		size_t length;
		if ((st = gt_nc_check(f, name, nc_inq_dim(f->id, dims[i], dimension, &length))) != GT_OK)
			return st;
		same = same && !strcmp(dimension, dimensions[i]);
		snprintf(each, sizeof each, "%s%s=%zu", i ? ", " : "", dimension, length);
		add_text(found, sizeof found, each);
	}
	for (int i = 0; i < rank; i++) {
		add_text(expected, sizeof expected, i ? ", " : "");
		add_text(expected, sizeof expected, dimensions[i]);
	}
	if (!same)
		return gt_fail(GT_ERR_FORMAT, "%s: variable %s: has dimensions (%s), expected (%s)", f->path, name, found, expected);
	return GT_OK;
}

static gt_status attribute_owner(const gt_nc *f, const char *variable, int *id)
{
	*id = NC_GLOBAL;
	return variable ? gt_nc_check(f, variable, nc_inq_varid(f->id, variable, id)) : GT_OK;
}

gt_status gt_nc_text(const gt_nc *f, const char *variable, const char *name, char **text)
{
	int owner, has = 0;
	size_t length;
	nc_type type;
	*text = NULL;
	gt_status st = attribute_owner(f, variable, &owner);
	if (st == GT_OK)
		st = look_attribute(f, variable, owner, name, &type, &length, &has);
	if (st != GT_OK || !has)
		return st;
	if (type == NC_STRING && length == 1) {
		char *string = NULL;
		st = gt_nc_check(f, variable, nc_get_att_string(f->id, owner, name, &string));
		if (st == GT_OK && !(*text = strdup(string ? string : "")))
			st = gt_fail(GT_ERR_MEMORY, "%s: out of memory", f->path);
		if (string)
			nc_free_string(1, &string);
		return st;
	}
	if (type != NC_CHAR)
		return gt_fail(GT_ERR_FORMAT, "%s: %s%sattribute %s: expected a text", f->path, variable ? variable : "",
		               variable ? ": " : "", name);
	if (!(*text = calloc(length + 1, 1)))
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", f->path);
	st = gt_nc_check(f, variable, nc_get_att_text(f->id, owner, name, *text));
	if (st != GT_OK) {
		free(*text);
		*text = NULL;
	}
	return st;
}

gt_status gt_nc_number(const gt_nc *f, const char *variable, const char *name, double *value, int *found)
{
	const char *where = variable ? variable : "", *colon = variable ? ": " : "";
	int owner, there = 0;
	size_t length;
	nc_type type;
	gt_status st = attribute_owner(f, variable, &owner);
	if (st == GT_OK)
		st = look_attribute(f, variable, owner, name, &type, &length, &there);
	if (st != GT_OK)
		return st;
	if (found)
		*found = there;
	if (!there)
		return found ? GT_OK : gt_fail(GT_ERR_FORMAT, "%s: %s%sattribute %s is missing", f->path, where, colon, name);
	if (type == NC_CHAR || type > NC_UINT64 || length != 1)
		return gt_fail(GT_ERR_FORMAT, "%s: %s%sattribute %s: expected one number", f->path, where, colon, name);
	st = gt_nc_check(f, variable, nc_get_att_double(f->id, owner, name, value));
	if (st == GT_OK && !isfinite(*value))
		return gt_fail(GT_ERR_FORMAT, "%s: %s%sattribute %s: is %g, expected a finite number", f->path, where, colon, name, *value);
	return st;
}

gt_status gt_nc_units(const gt_nc *f, const char *variable, const char *const *accepted)
{
	char *units;
	gt_status st = gt_nc_text(f, variable, "units", &units);
	if (st != GT_OK || !units)
		return st;
	int same = 0;
	for (const char *const *a = accepted; *a; a++)
		same = same || !strcmp(units, *a);
	if (!same)
		st = gt_fail(GT_ERR_FORMAT, "%s: variable %s: units are '%s', expected '%s'", f->path, variable, units, accepted[0]);
	free(units);
	return st;
}

struct forgetting {
	double *wide;
	float *values;
};

static void forget_some(void *self, size_t begin, size_t end, int worker)
{
	const struct forgetting *f = self;
	(void)worker;
	for (size_t i = begin; i < end; i++)
		if (f->wide)
			f->wide[i] = NAN;
		else
			f->values[i] = NAN;
}

/* HDF5 leaves values that a damaged file lacks unchanged: presets NAN, so that old memory is not returned. Several
 * threads, because the first access to each page is slow. */
static void forget(gt_pool *pool, size_t n, double *wide, float *values)
{
	struct forgetting f = { wide, values };
	if (pool)
		gt_parallel(pool, n, (size_t)1 << 18, forget_some, &f);
	else
		forget_some(&f, 0, n, 0);
}

gt_status gt_nc_doubles(const gt_nc *f, const char *name, double *values)
{
	int id, rank = 0, dimension[NC_MAX_VAR_DIMS];
	size_t n = 1, length;
	gt_status st = gt_nc_check(f, name, nc_inq_varid(f->id, name, &id));
	if (st == GT_OK)
		st = gt_nc_stored(f, name);
	if (st != GT_OK)
		return st;
	nc_inq_var(f->id, id, NULL, NULL, &rank, dimension, NULL);
	for (int i = 0; i < rank; i++)
		n *= nc_inq_dimlen(f->id, dimension[i], &length) == NC_NOERR ? length : 0;
	forget(NULL, n, values, NULL);
	return gt_nc_check(f, name, nc_get_var_double(f->id, id, values));
}

gt_status gt_nc_packing_of(const gt_nc *f, const char *name, gt_nc_packing *p)
{
	gt_status st;
	int has = 0;
	p->scale = 1;
	p->offset = 0;
	GT_TRY(gt_nc_check(f, name, nc_inq_varid(f->id, name, &p->id)));
	GT_TRY(gt_nc_check(f, name, nc_inq_vartype(f->id, p->id, &p->type)));
	const int id = p->id;
	const nc_type type = p->type;
	GT_TRY(gt_nc_number(f, name, "scale_factor", &p->scale, &has));
	GT_TRY(gt_nc_number(f, name, "add_offset", &p->offset, &has));
	/* Byte types have no default fill value: every value is valid. */
	unsigned char own[8];
	int unfilled = 1;
	p->has_missing = 0;
	size_t fills = 0;
	GT_TRY(look_attribute(f, name, id, "_FillValue", NULL, &fills, &has));
	if (has) {
		if (fills != 1) {
			st = gt_fail(GT_ERR_FORMAT, "%s: %s: attribute _FillValue: holds %zu numbers, expected one", f->path, name, fills);
			goto done;
		}
		GT_TRY(gt_nc_check(f, name, nc_get_att_double(f->id, id, "_FillValue", &p->missing)));
		p->has_missing = !isnan(p->missing);
	} else if (type != NC_BYTE && type != NC_UBYTE) {
		GT_TRY(gt_nc_check(f, name, nc_inq_var_fill(f->id, id, &unfilled, own)));
		const double defaults[] = { [NC_SHORT] = NC_FILL_SHORT,         [NC_INT] = NC_FILL_INT,
			                    [NC_FLOAT] = (double)NC_FILL_FLOAT, [NC_DOUBLE] = NC_FILL_DOUBLE,
			                    [NC_USHORT] = NC_FILL_USHORT,       [NC_UINT] = NC_FILL_UINT,
			                    [NC_INT64] = (double)NC_FILL_INT64, [NC_UINT64] = (double)NC_FILL_UINT64 };
		p->missing = defaults[type];
		p->has_missing = !unfilled;
	}
	/* Files of other programs have HDF5 fill values that NetCDF does not report. */
	st = gt_nc_stored(f, name);
done:
	return st;
}

static double unpack(const gt_nc_packing *p, double stored)
{
	return p->has_missing && stored == p->missing ? NAN : p->scale * stored + p->offset;
}

int gt_nc_get_block(const gt_nc *f, const gt_nc_packing *p, const size_t start[3], const size_t count[3], gt_pool *pool, double *wide,
                    float *values)
{
	const size_t n = count[0] * count[1] * count[2];
	forget(pool, n, wide, values);
	if (!wide) {
		const int code = nc_get_vara_float(f->id, p->id, start, count, values);
		if (code == NC_NOERR && (p->scale != 1 || p->offset != 0 || p->has_missing))
			for (size_t i = 0; i < n; i++)
				values[i] = (float)unpack(p, values[i]);
		return code;
	}
	const int code = nc_get_vara_double(f->id, p->id, start, count, wide);
	for (size_t i = 0; code == NC_NOERR && i < n; i++)
		values[i] = (float)unpack(p, wide[i]);
	return code;
}

gt_status gt_nc_get_provenance(const gt_nc *f, gt_provenance *from)
{
	gt_status st;
	char *hash = NULL;
	GT_TRY(gt_nc_text(f, NULL, "gantry_command", &from->command));
	GT_TRY(gt_nc_text(f, NULL, "gantry_parameters", &from->parameters));
	GT_TRY(gt_nc_text(f, NULL, "gantry_scan_hash", &hash));
	from->scan_hash = hash ? strtoull(hash, NULL, 16) : 0;
done:
	free(hash);
	return st;
}

gt_status gt_nc_get_position(const gt_nc *f, gt_position *position, int *known)
{
	char *text = NULL;
	gt_status st = gt_nc_text(f, NULL, "patient_position", &text);
	*position = text ? gt_position_find(text) : GT_HFS;
	*known = text != NULL;
	if (st == GT_OK && *position == GT_POSITION_AUTO)
		st = gt_fail(GT_ERR_FORMAT, "%s: attribute patient_position is '%s', expected HFS, HFP, FFS or FFP", f->path, text);
	free(text);
	return st;
}
