/* NetCDF files, so scans, volumes and checkpoints: every variable, and every attribute that is a number. */
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/reference/arrays.h"

static const char *type_name(nc_type type)
{
	static const char *const names[] = { "other", "byte",   "char", "short", "int",    "float", "double",
		                             "ubyte", "ushort", "uint", "int64", "uint64", "string" };
	return type > 0 && type <= NC_STRING ? names[type] : names[0];
}

static void need(const char *path, int code)
{
	if (code != NC_NOERR)
		give_up(path, nc_strerror(code));
}

/* Text is told as text; numbers are geometry as well, so they are arrays. */
static void read_attribute(const char *path, int file, int variable, int number, contents *c)
{
	char attribute[NC_MAX_NAME + 1], of[NC_MAX_NAME + 1] = "", name[2 * NC_MAX_NAME + 4], shape[32];
	nc_type type;
	size_t n, size;
	need(path, nc_inq_attname(file, variable, number, attribute));
	need(path, nc_inq_att(file, variable, attribute, &type, &n));
	if (variable != NC_GLOBAL)
		need(path, nc_inq_varname(file, variable, of));
	snprintf(name, sizeof name, "%s:%s", of, attribute);
	if (type > NC_STRING)
		give_up(path, "an attribute of a type of its own");
	if (type == NC_STRING) {
		char **text = take(n * sizeof *text);
		need(path, nc_get_att_string(file, variable, attribute, text));
		for (size_t i = 0; i < n; i++)
			add_line(c, name, text[i], strlen(text[i]));
		nc_free_string(n, text);
		free(text);
		return;
	}
	need(path, nc_inq_type(file, type, NULL, &size));
	void *data = take(n * size);
	need(path, nc_get_att(file, variable, attribute, data));
	snprintf(shape, sizeof shape, "%zu", n);
	if (type == NC_CHAR)
		add_line(c, name, data, n);
	else
		add_array(c, name, type_name(type), shape, data, n * size);
	free(data);
}

static void read_variable(const char *path, int file, int variable, contents *c)
{
	char name[NC_MAX_NAME + 1], shape[32 * 8] = "";
	int dimensions, dimension[NC_MAX_VAR_DIMS], attributes;
	nc_type type;
	size_t n = 1, size;
	need(path, nc_inq_var(file, variable, name, &type, &dimensions, dimension, &attributes));
	for (int d = 0; d < dimensions; d++) {
		const size_t used = strlen(shape);
		size_t length;
		need(path, nc_inq_dimlen(file, dimension[d], &length));
		snprintf(shape + used, sizeof shape - used, "%s%zu", d ? "x" : "", length);
		n *= length;
	}
	if (type >= NC_STRING)
		give_up(path, "a variable of texts, or of a type of its own");
	need(path, nc_inq_type(file, type, NULL, &size));
	void *data = take(n * size);
	need(path, nc_get_var(file, variable, data));
	add_array(c, name, type_name(type), dimensions ? shape : "1", data, n * size);
	free(data);
	for (int a = 0; a < attributes; a++)
		read_attribute(path, file, variable, a, c);
}

static void read_group(const char *path, int file, contents *c)
{
	int variables, attributes, groups;
	need(path, nc_inq(file, NULL, &variables, &attributes, NULL));
	for (int a = 0; a < attributes; a++)
		read_attribute(path, file, NC_GLOBAL, a, c);
	for (int v = 0; v < variables; v++)
		read_variable(path, file, v, c);
	need(path, nc_inq_grps(file, &groups, NULL));
	int *group = take((size_t)groups * sizeof *group);
	need(path, nc_inq_grps(file, NULL, group));
	for (int g = 0; g < groups; g++)
		read_group(path, group[g], c);
	free(group);
}

void read_netcdf(const char *path, contents *c)
{
	int file;
	need(path, nc_open(path, NC_NOWRITE, &file));
	read_group(path, file, c);
	nc_close(file);
}
