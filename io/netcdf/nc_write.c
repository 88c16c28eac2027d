/* Writes NetCDF-4 files under a temporary name. Reports a full disk as such; HDF5 itself only reports "HDF error". */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "core/try.h"
#include "io/hdf5/hdf5_aside.h"
#include "io/netcdf/nc.h"
#include "io/free_space.h"

/* HDF5 writes its tables when a file is closed, and libnetcdf crashes if that fails: reserves space for everything
 * first. */
static gt_status reserve(const gt_nc *f, double bytes)
{
	const double tables = 65536;
	const int file = open(f->tmp, O_WRONLY | O_CLOEXEC);
	const int failed = file < 0 || fallocate(file, FALLOC_FL_KEEP_SIZE, 0, (off_t)(bytes + tables)) != 0, why = errno;
	if (file >= 0)
		close(file);
	return failed && (why == ENOSPC || why == EDQUOT || why == EFBIG) ? gt_fail_writing(f->path, f->tmp, why, NULL) : GT_OK;
}

static gt_status write_check(const gt_nc *f, const char *variable, int code)
{
	const int why = errno;
	if (code == NC_NOERR)
		return GT_OK;
	const double space = gt_disk_space(f->tmp);
	if (why == ENOSPC || why == EDQUOT || why == EFBIG || (space >= 0 && space < 65536))
		return gt_fail_writing(f->path, f->tmp, why, NULL);
	return gt_nc_check(f, variable, code);
}

/* Checks a writing call; errno holds the cause of a failure below HDF5. */
#define WRITTEN(f, variable, call) (errno = 0, write_check((f), (variable), (call)))

gt_status gt_nc_create(const char *path, double bytes, gt_nc *f)
{
	gt_status st;
	f->path = path;
	f->id = -1;
	f->tmp = NULL;
	if ((st = gt_nc_check_name(path)) != GT_OK)
		return st;
	if (!(f->asked = gt_nc_asked_new()))
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	if ((st = gt_tmp_path(path, &f->tmp)) != GT_OK) {
		gt_nc_drop(f);
		return st;
	}
	if ((st = gt_has_space(path, bytes)) != GT_OK) {
		gt_nc_drop(f);
		return st;
	}
	nc_initialize();
	f->quiet = gt_hdf5_hush();
	st = WRITTEN(f, NULL, nc_create(f->tmp, NC_NETCDF4 | NC_CLOBBER, &f->id));
	if (st != GT_OK) {
		gt_hdf5_unhush(&f->quiet);
		f->id = -1;
		gt_nc_drop(f);
		return st;
	}
	if ((st = reserve(f, bytes)) != GT_OK)
		gt_nc_drop(f);
	return st;
}

/* libnetcdf crashes if a close fails: redirects HDF5's last writes to memory. If redirection fails, they go to the
 * disk. */
static gt_status close_file(gt_nc *f)
{
	const int aside = gt_hdf5_set_aside(f->tmp);
	gt_status st = WRITTEN(f, NULL, nc_close(f->id)), head = aside < 0 ? GT_OK : gt_hdf5_take_head(aside, f->path, f->tmp);
	if (st == GT_OK && (st = head) == GT_OK)
		st = gt_nc_asked_check(f);
	gt_hdf5_unhush(&f->quiet);
	f->id = -1;
	return st;
}

gt_status gt_nc_finish(gt_nc *f)
{
	/* Flushes before closing: after a failed flush the file can still be discarded. */
	gt_status st = f->id < 0 ? GT_OK : WRITTEN(f, NULL, nc_sync(f->id));
	if (st == GT_OK && f->id >= 0)
		st = close_file(f);
	if (st != GT_OK)
		gt_nc_drop(f);
	return st;
}

gt_status gt_nc_commit(gt_nc *f)
{
	gt_status st = gt_nc_finish(f);
	if (st != GT_OK)
		return st;
	st = gt_tmp_commit(f->tmp, f->path);
	f->tmp = NULL;
	gt_nc_drop(f);
	return st;
}

void gt_nc_drop(gt_nc *f)
{
	if (f->id >= 0) {
		/* HDF5 always writes its buffers when a file is closed: redirects them to memory. If the flush fails
		 * even so, the file stays open until the process ends, because libnetcdf crashes if a close fails. */
		const int aside = gt_hdf5_set_aside(f->tmp);
		if (nc_sync(f->id) == NC_NOERR)
			nc_close(f->id);
		if (aside >= 0)
			close(aside);
		gt_hdf5_unhush(&f->quiet);
	}
	gt_tmp_drop(f->tmp);
	gt_nc_asked_free(f->asked);
	f->id = -1;
	f->tmp = NULL;
	f->asked = NULL;
}

gt_status gt_nc_put_text(const gt_nc *f, int variable, const char *name, const char *text)
{
	const size_t n = text ? strlen(text) : 0;
	const gt_status st = text ? WRITTEN(f, NULL, nc_put_att_text(f->id, variable, name, n, text)) : GT_OK;
	return text && st == GT_OK ? gt_nc_asked_attribute(f, variable, name, NC_CHAR, n, text) : st;
}

gt_status gt_nc_put_number(const gt_nc *f, int variable, const char *name, double value)
{
	const gt_status st = WRITTEN(f, NULL, nc_put_att_double(f->id, variable, name, NC_DOUBLE, 1, &value));
	return st == GT_OK ? gt_nc_asked_attribute(f, variable, name, NC_DOUBLE, 1, &value) : st;
}

gt_status gt_nc_put_integer(const gt_nc *f, int variable, const char *name, int value)
{
	const gt_status st = WRITTEN(f, NULL, nc_put_att_int(f->id, variable, name, NC_INT, 1, &value));
	return st == GT_OK ? gt_nc_asked_attribute(f, variable, name, NC_INT, 1, &value) : st;
}

gt_status gt_nc_put_doubles(const gt_nc *f, int variable, size_t n, const double *values)
{
	const gt_status st = WRITTEN(f, NULL, nc_put_var_double(f->id, variable, values));
	return st == GT_OK ? gt_nc_asked_values(f, variable, n, values) : st;
}

gt_status gt_nc_define_dimension(const gt_nc *f, const char *name, size_t length, int *dimension)
{
	const gt_status st = WRITTEN(f, name, nc_def_dim(f->id, name, length, dimension));
	return st == GT_OK ? gt_nc_asked_dimension(f, *dimension, name, length) : st;
}

gt_status gt_nc_define(const gt_nc *f, const char *name, nc_type type, int rank, const int *dimensions, const char *units,
                       const char *long_name, int *variable)
{
	gt_status st;
	GT_TRY(WRITTEN(f, name, nc_def_var(f->id, name, type, rank, dimensions, variable)));
	GT_TRY(gt_nc_asked_variable(f, *variable, name, type, rank, dimensions));
	GT_TRY(WRITTEN(f, name, nc_def_var_fill(f->id, *variable, NC_NOFILL, NULL)));
	GT_TRY(gt_nc_put_text(f, *variable, "units", units));
	GT_TRY(gt_nc_put_text(f, *variable, "long_name", long_name));
done:
	return st;
}

gt_status gt_nc_end_definitions(const gt_nc *f) { return WRITTEN(f, NULL, nc_enddef(f->id)); }

gt_status gt_nc_define_data(const gt_nc *f, const char *name, const int dimensions[3], const size_t size[3], int deflate, const char *units,
                            const char *long_name, int *variable)
{
	gt_status st;
	/* HDF5 requires chunks below 4 GiB. */
	const double max = 1 << 30;
	size_t chunk[3] = { 1, size[1], size[2] };
	if ((double)chunk[2] * sizeof(float) > max)
		chunk[2] = (size_t)(max / sizeof(float));
	if ((double)chunk[1] * (double)chunk[2] * sizeof(float) > max)
		chunk[1] = (size_t)(max / sizeof(float) / (double)chunk[2]);
	GT_TRY(gt_nc_define(f, name, NC_FLOAT, 3, dimensions, units, long_name, variable));
	GT_TRY(WRITTEN(f, name, nc_def_var_chunking(f->id, *variable, NC_CHUNKED, chunk)));
	/* Writes whole chunks at once: a cached chunk would fail only when the file is closed. */
	GT_TRY(WRITTEN(f, name, nc_set_var_chunk_cache(f->id, *variable, 1, 1, 0)));
	if (deflate > 0)
		GT_TRY(WRITTEN(f, name, nc_def_var_deflate(f->id, *variable, 1, 1, deflate)));
done:
	return st;
}

gt_status gt_nc_put_floats(const gt_nc *f, int variable, size_t begin, const size_t size[3], const float *values, double scale,
                           double offset)
{
	gt_status st = GT_OK;
	const size_t plane = size[1] * size[2], wanted = 4u << 20, slab = plane < wanted ? wanted / plane : 1;
	float *changed = NULL;
	if ((scale != 1 || offset != 0) && !(changed = malloc(slab * plane * sizeof *changed)))
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", f->path);
	for (size_t first = 0; first < size[0]; first += slab) {
		const size_t start[3] = { begin + first, 0, 0 },
			     count[3] = { size[0] - first < slab ? size[0] - first : slab, size[1], size[2] };
		const float *from = values + first * plane;
		for (size_t i = 0; changed && i < count[0] * plane; i++)
			changed[i] = (float)(scale * from[i] + offset);
		GT_TRY(WRITTEN(f, NULL, nc_put_vara_float(f->id, variable, start, count, changed ? changed : from)));
	}
done:
	free(changed);
	return st;
}

gt_status gt_nc_put_part(const gt_nc *f, int variable, size_t first, size_t n, const void *values)
{
	return WRITTEN(f, NULL, nc_put_vara(f->id, variable, &first, &n, values));
}

gt_status gt_nc_put_provenance(const gt_nc *f, const gt_provenance *from)
{
	gt_status st;
	char line[64];
	GT_TRY(gt_nc_put_text(f, NC_GLOBAL, "Conventions", "CF-1.11"));
	GT_TRY(gt_nc_put_integer(f, NC_GLOBAL, "gantry_schema", 1));
	GT_TRY(gt_nc_put_text(f, NC_GLOBAL, "gantry_command", from->command));
	GT_TRY(gt_nc_put_text(f, NC_GLOBAL, "gantry_parameters", from->parameters));
	if (from->scan_hash) {
		snprintf(line, sizeof line, "%016" PRIx64, from->scan_hash);
		GT_TRY(gt_nc_put_text(f, NC_GLOBAL, "gantry_scan_hash", line));
	}
	const time_t now = time(NULL);
	struct tm utc;
	if (from->command && gmtime_r(&now, &utc)) {
		const size_t stamp = strftime(line, sizeof line, "%Y-%m-%dT%H:%M:%SZ ", &utc), n = strlen(from->command);
		char *history = malloc(stamp + n + 1);
		if (!history)
			GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", f->path));
		memcpy(history, line, stamp);
		memcpy(history + stamp, from->command, n + 1);
		st = gt_nc_put_text(f, NC_GLOBAL, "history", history);
		free(history);
	}
done:
	return st;
}

gt_status gt_nc_put_position(const gt_nc *f, gt_position position, int known)
{
	return !known && position == GT_HFS ? GT_OK : gt_nc_put_text(f, NC_GLOBAL, "patient_position", gt_position_names[position]);
}
