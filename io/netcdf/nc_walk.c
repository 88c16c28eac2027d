/* Makes every libnetcdf call of the readers, and reads the first and the last value of each variable. A damaged file
 * then crashes the probe process or exceeds its memory limit, not the program. */
#include <stdlib.h>
#include "core/try.h"
#include "io/netcdf/nc.h"

enum { MAX_DEPTH = 32, MAX_BYTES = 1 << 24 };

static gt_status no_memory(void) { return gt_fail(GT_ERR_MEMORY, "out of memory"); }

/* The reader meets and reports other failures. */
static gt_status unless_memory(int code) { return code == NC_ENOMEM ? no_memory() : GT_OK; }

static gt_status walk_attributes(int id, int variable, int count)
{
	gt_status st = GT_OK;
	for (int i = 0; i < count && st == GT_OK; i++) {
		char name[NC_MAX_NAME + 1];
		nc_type type;
		size_t n = 0, size = 0;
		if (nc_inq_attname(id, variable, i, name) != NC_NOERR || nc_inq_att(id, variable, name, &type, &n) != NC_NOERR ||
		    nc_inq_type(id, type, NULL, &size) != NC_NOERR || !size || n > MAX_BYTES / size)
			continue;
		void *value = calloc(n + 1, size);
		const int code = value ? nc_get_att(id, variable, name, value) : NC_ENOMEM;
		if (code == NC_NOERR && type == NC_STRING)
			nc_free_string(n, value);
		free(value);
		st = unless_memory(code);
	}
	return st;
}

/* The readers take numbers of variables, never their texts, which may be as long as the file. */
static gt_status read_value(int id, int variable, nc_type type, const size_t *at, int rank)
{
	if (type == NC_STRING)
		return GT_OK;
	size_t size = 0, *count = malloc(((size_t)rank + 1) * sizeof *count);
	const int has_size = nc_inq_type(id, type, NULL, &size) == NC_NOERR && size && size < MAX_BYTES;
	void *value = has_size ? calloc(1, size) : NULL;
	int code = count && (value || !has_size) ? NC_NOERR : NC_ENOMEM;
	for (int d = 0; count && d < rank; d++)
		count[d] = 1;
	if (value && count)
		code = nc_get_vara(id, variable, at, count, value);
	free(value);
	free(count);
	return unless_memory(code);
}

/* libnetcdf gives no reason if libhdf5 cannot allocate a chunk, compressed and decompressed: tries the allocations
 * here. */
static gt_status try_chunk(int id, nc_type type, int storage, const size_t *chunk, int rank)
{
	size_t size = 0;
	double bytes = 2;
	if (storage != NC_CHUNKED || nc_inq_type(id, type, NULL, &size) != NC_NOERR)
		return GT_OK;
	bytes *= (double)size;
	for (int d = 0; d < rank; d++)
		bytes *= (double)chunk[d];
	void *volatile memory = bytes < 1e18 ? malloc((size_t)bytes + 1) : NULL; /* volatile: compilers remove unused
	                                                                        * allocations */
	free(memory);
	return memory ? GT_OK : no_memory();
}

static gt_status walk_values(int id, int variable, nc_type type, int rank, size_t *at)
{
	int storage = NC_CONTIGUOUS, shuffle, deflated, level;
	gt_status st = GT_OK;
	if (nc_inq_var_chunking(id, variable, &storage, at + rank + 1) != NC_NOERR)
		storage = NC_CONTIGUOUS;
	nc_inq_var_deflate(id, variable, &shuffle, &deflated, &level);
	GT_TRY(try_chunk(id, type, storage, at + rank + 1, rank));
	GT_TRY(read_value(id, variable, type, at, rank));
	for (int d = 0; d < rank; d++)
		at[d] = 0;
	st = read_value(id, variable, type, at, rank);
done:
	return st;
}

static gt_status walk_variable(int id, int variable)
{
	int rank = 0, attributes = 0, *dimension = NULL;
	size_t *at = NULL;
	nc_type type = NC_NAT;
	gt_status st = GT_OK;
	if (nc_inq_varndims(id, variable, &rank) != NC_NOERR || rank < 0 || rank > NC_MAX_VAR_DIMS)
		return GT_OK;
	dimension = malloc(((size_t)rank + 1) * sizeof *dimension);
	at = calloc(2 * ((size_t)rank + 1), sizeof *at);
	if (!dimension || !at)
		GT_TRY(no_memory());
	int whole = nc_inq_var(id, variable, NULL, &type, NULL, dimension, &attributes) == NC_NOERR;
	for (int d = 0; whole && d < rank; d++) {
		size_t n = 0;
		whole = nc_inq_dimlen(id, dimension[d], &n) == NC_NOERR && n > 0;
		at[d] = n ? n - 1 : 0;
	}
	if (whole) {
		GT_TRY(walk_attributes(id, variable, attributes));
		GT_TRY(walk_values(id, variable, type, rank, at));
	}
done:
	free(dimension);
	free(at);
	return st;
}

static gt_status walk_group(int id, int depth)
{
	int variables = 0, attributes = 0, groups = 0, *group = NULL;
	gt_status st = GT_OK;
	if (nc_inq(id, NULL, &variables, &attributes, NULL) != NC_NOERR)
		return GT_OK;
	GT_TRY(walk_attributes(id, NC_GLOBAL, attributes));
	for (int v = 0; v < variables; v++)
		GT_TRY(walk_variable(id, v));
	if (depth > MAX_DEPTH || nc_inq_grps(id, &groups, NULL) != NC_NOERR || groups <= 0)
		return GT_OK;
	if (!(group = malloc((size_t)groups * sizeof *group)))
		return no_memory();
	const int known = nc_inq_grps(id, NULL, group) == NC_NOERR;
	for (int g = 0; known && g < groups; g++)
		GT_TRY(walk_group(group[g], depth + 1));
done:
	free(group);
	return st;
}

gt_status gt_nc_walk(const char *path)
{
	int id;
	if (gt_nc_check_name(path) != GT_OK) /* other HDF5 files may have such names */
		return GT_OK;
	gt_status st = unless_memory(nc_initialize());
	if (st != GT_OK)
		return st;
	const gt_hdf5_quiet quiet = gt_hdf5_hush();
	const int code = nc_open(path, NC_NOWRITE, &id);
	st = unless_memory(code);
	if (code == NC_NOERR) {
		st = walk_group(id, 0);
		nc_close(id);
	}
	gt_hdf5_unhush(&quiet);
	return st;
}
