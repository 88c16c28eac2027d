/* Verifies a written file against records of its dimensions, variables, attributes and values of small variables
 * (hashes). After a failed allocation libnetcdf may close a file without an error although attributes are missing or
 * belong to another variable. */
#include <stdlib.h>
#include <string.h>
#include "core/hash.h"
#include "core/try.h"
#include "io/netcdf/nc.h"

enum asked_kind { DIMENSION, VARIABLE, ATTRIBUTE, VALUES };
enum { MAX_RANK = 3 };

typedef struct {
	enum asked_kind kind;
	int id;     /* identifier of the dimension or variable, or of the owner of an attribute or values */
	char *name; /* NULL: values */
	nc_type type;
	int rank, dimension[MAX_RANK];
	size_t n; /* length, or number of values */
	uint64_t hash;
} asked_thing;

struct gt_nc_asked {
	size_t n, capacity;
	asked_thing *of;
};

void gt_nc_asked_free(struct gt_nc_asked *a)
{
	for (size_t i = 0; a && i < a->n; i++)
		free(a->of[i].name);
	if (a)
		free(a->of);
	free(a);
}

struct gt_nc_asked *gt_nc_asked_new(void) { return calloc(1, sizeof(struct gt_nc_asked)); }

static asked_thing *find(const struct gt_nc_asked *a, enum asked_kind kind, int id, const char *name)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->of[i].kind == kind && a->of[i].id == id && (!name || !strcmp(a->of[i].name, name)))
			return &a->of[i];
	return NULL;
}

/* Returns the existing or a new record; NULL: out of memory. */
static asked_thing *note(struct gt_nc_asked *a, enum asked_kind kind, int id, const char *name)
{
	asked_thing *e = find(a, kind, id, name);
	if (e)
		return e;
	if (a->n == a->capacity) {
		const size_t capacity = a->capacity ? 2 * a->capacity : 32;
		asked_thing *more = realloc(a->of, capacity * sizeof *more);
		if (!more)
			return NULL;
		a->of = more;
		a->capacity = capacity;
	}
	e = &a->of[a->n];
	*e = (asked_thing){ .kind = kind, .id = id, .name = name ? strdup(name) : NULL };
	if (name && !e->name)
		return NULL;
	a->n++;
	return e;
}

static gt_status no_memory(const gt_nc *f) { return gt_fail(GT_ERR_MEMORY, "%s: out of memory", f->path); }

gt_status gt_nc_asked_dimension(const gt_nc *f, int id, const char *name, size_t n)
{
	asked_thing *e = note(f->asked, DIMENSION, id, name);
	if (!e)
		return no_memory(f);
	e->n = n;
	return GT_OK;
}

gt_status gt_nc_asked_variable(const gt_nc *f, int id, const char *name, nc_type type, int rank, const int *dimensions)
{
	asked_thing *e = rank <= MAX_RANK ? note(f->asked, VARIABLE, id, name) : NULL;
	if (!e)
		return no_memory(f);
	e->type = type;
	e->rank = rank;
	for (int d = 0; d < rank; d++)
		e->dimension[d] = dimensions[d];
	return GT_OK;
}

static gt_status note_values(const gt_nc *f, enum asked_kind kind, int id, const char *name, nc_type type, size_t n, const void *values)
{
	asked_thing *e = note(f->asked, kind, id, name);
	if (!e)
		return no_memory(f);
	e->type = type;
	e->n = n;
	e->hash = gt_hash(0, values, n * (type == NC_CHAR ? 1 : type == NC_INT ? sizeof(int) : sizeof(double)));
	return GT_OK;
}

gt_status gt_nc_asked_attribute(const gt_nc *f, int id, const char *name, nc_type type, size_t n, const void *value)
{
	return note_values(f, ATTRIBUTE, id, name, type, n, value);
}

gt_status gt_nc_asked_values(const gt_nc *f, int id, size_t n, const double *values)
{
	return note_values(f, VALUES, id, NULL, NC_DOUBLE, n, values);
}

/* Verification ------------------------------------------------------------- */

static int same_dimension(int file, const asked_thing *e)
{
	char name[NC_MAX_NAME + 1];
	size_t n = 0;
	return nc_inq_dim(file, e->id, name, &n) == NC_NOERR && !strcmp(name, e->name) && n == e->n;
}

static int same_variable(int file, const asked_thing *e)
{
	char name[NC_MAX_NAME + 1];
	int rank = -1, dimension[NC_MAX_VAR_DIMS];
	nc_type type = NC_NAT;
	return nc_inq_var(file, e->id, name, &type, &rank, dimension, NULL) == NC_NOERR && !strcmp(name, e->name) && type == e->type &&
	       rank == e->rank && (!rank || !memcmp(dimension, e->dimension, (size_t)rank * sizeof *dimension));
}

/* 1: equal, 0: different, -1: out of memory. */
static int same_values(int file, const asked_thing *e)
{
	nc_type type = e->type;
	size_t n = e->n, size = 0;
	if (e->name && (nc_inq_att(file, e->id, e->name, &type, &n) != NC_NOERR || type != e->type || n != e->n))
		return 0;
	if (nc_inq_type(file, type, NULL, &size) != NC_NOERR)
		return 0;
	void *values = calloc(n + 1, size);
	if (!values)
		return -1;
	const int code = e->name ? nc_get_att(file, e->id, e->name, values) : nc_get_var_double(file, e->id, values);
	const int same = code == NC_NOERR && gt_hash(0, values, n * size) == e->hash;
	free(values);
	return same;
}

/* Additional objects are an error too, as an attribute that belongs to another variable. */
static int same_counts(int file, const struct gt_nc_asked *a)
{
	int dimensions, variables, all[2] = { 0, 0 };
	if (nc_inq(file, &dimensions, &variables, NULL, NULL) != NC_NOERR)
		return 0;
	for (size_t i = 0; i < a->n; i++)
		if (a->of[i].kind <= VARIABLE)
			all[a->of[i].kind]++;
	int same = dimensions == all[DIMENSION] && variables == all[VARIABLE];
	for (int v = NC_GLOBAL; v < variables && same; v++) {
		int found, asked = 0;
		for (size_t i = 0; i < a->n; i++)
			asked += a->of[i].kind == ATTRIBUTE && a->of[i].id == v;
		same = nc_inq_varnatts(file, v, &found) == NC_NOERR && found == asked;
	}
	return same;
}

static gt_status refuse(const gt_nc *f, const asked_thing *e)
{
	static const char *const kinds[] = { "dimension", "variable", "attribute", "values" };
	const asked_thing *owner = e && e->kind >= ATTRIBUTE ? find(f->asked, VARIABLE, e->id, NULL) : NULL;
	return gt_fail(GT_ERR_IO,
	               "%s: cannot be written: verification of %s%s%s%s%s failed: "
	               "out of memory, or a disk fault",
	               f->path, e ? kinds[e->kind] : "the contents", e && e->name ? " " : "", e && e->name ? e->name : "",
	               owner ? " of variable " : "", owner ? owner->name : "");
}

gt_status gt_nc_asked_check(const gt_nc *f)
{
	int file;
	gt_status st = GT_OK;
	GT_TRY(gt_nc_check(f, NULL, nc_open(f->tmp, NC_NOWRITE, &file)));
	for (size_t i = 0; i < f->asked->n && st == GT_OK; i++) {
		const asked_thing *e = &f->asked->of[i];
		const int same = e->kind == DIMENSION  ? same_dimension(file, e)
		                 : e->kind == VARIABLE ? same_variable(file, e)
		                                       : same_values(file, e);
		if (same < 0)
			st = no_memory(f);
		else if (!same)
			st = refuse(f, e);
	}
	if (st == GT_OK && !same_counts(file, f->asked))
		st = refuse(f, NULL);
	nc_close(file);
done:
	return st;
}
