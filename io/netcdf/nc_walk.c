/* Everything of a NetCDF file that readers ask libnetcdf for, and of each variable its first and last value: what a
 * damaged file crashes it with. */
#include <stdlib.h>
#include "io/netcdf/nc.h"

enum { MAX_DEPTH = 32, MAX_BYTES = 1 << 24 };

static void walk_attributes(int id, int variable, int count)
{
	for (int i = 0; i < count; i++) {
		char name[NC_MAX_NAME + 1];
		nc_type type;
		size_t n = 0, size = 0;
		if (nc_inq_attname(id, variable, i, name) != NC_NOERR || nc_inq_att(id, variable, name, &type, &n) != NC_NOERR ||
		    nc_inq_type(id, type, NULL, &size) != NC_NOERR || !size || n > MAX_BYTES / size)
			continue;
		void *value = calloc(n + 1, size);
		if (value && nc_get_att(id, variable, name, value) == NC_NOERR && type == NC_STRING)
			nc_free_string(n, value);
		free(value);
	}
}

static void read_value(int id, int variable, nc_type type, const size_t *at, int rank)
{
	size_t size = 0, *count = malloc(((size_t)rank + 1) * sizeof *count);
	void *value = nc_inq_type(id, type, NULL, &size) == NC_NOERR && size && size < MAX_BYTES ? calloc(1, size) : NULL;
	for (int d = 0; count && d < rank; d++)
		count[d] = 1;
	if (value && count && nc_get_vara(id, variable, at, count, value) == NC_NOERR && type == NC_STRING)
		nc_free_string(1, value);
	free(value);
	free(count);
}

static void walk_variable(int id, int variable)
{
	int rank = 0, attributes = 0, storage, shuffle, deflated, level, *dimension = NULL;
	size_t *at = NULL;
	nc_type type = NC_NAT;
	if (nc_inq_varndims(id, variable, &rank) != NC_NOERR || rank < 0 || rank > NC_MAX_VAR_DIMS)
		return;
	dimension = malloc(((size_t)rank + 1) * sizeof *dimension);
	at = calloc(2 * ((size_t)rank + 1), sizeof *at);
	int whole = dimension && at && nc_inq_var(id, variable, NULL, &type, NULL, dimension, &attributes) == NC_NOERR;
	for (int d = 0; whole && d < rank; d++) {
		size_t n = 0;
		whole = nc_inq_dimlen(id, dimension[d], &n) == NC_NOERR && n > 0;
		at[d] = n ? n - 1 : 0;
	}
	if (whole) {
		nc_inq_var_chunking(id, variable, &storage, at + rank + 1);
		nc_inq_var_deflate(id, variable, &shuffle, &deflated, &level);
		walk_attributes(id, variable, attributes);
		read_value(id, variable, type, at, rank);
		for (int d = 0; d < rank; d++)
			at[d] = 0;
		read_value(id, variable, type, at, rank);
	}
	free(dimension);
	free(at);
}

static void walk_group(int id, int depth)
{
	int variables = 0, attributes = 0, groups = 0;
	if (nc_inq(id, NULL, &variables, &attributes, NULL) != NC_NOERR)
		return;
	walk_attributes(id, NC_GLOBAL, attributes);
	for (int v = 0; v < variables; v++)
		walk_variable(id, v);
	if (depth > MAX_DEPTH || nc_inq_grps(id, &groups, NULL) != NC_NOERR || groups <= 0)
		return;
	int *group = malloc((size_t)groups * sizeof *group);
	if (group && nc_inq_grps(id, NULL, group) == NC_NOERR)
		for (int g = 0; g < groups; g++)
			walk_group(group[g], depth + 1);
	free(group);
}

void gt_nc_walk(const char *path)
{
	int id;
	if (nc_initialize() != NC_NOERR)
		return;
	const gt_hdf5_quiet quiet = gt_hdf5_hush();
	if (nc_open(path, NC_NOWRITE, &id) == NC_NOERR) {
		walk_group(id, 0);
		nc_close(id);
	}
	gt_hdf5_unhush(&quiet);
}
