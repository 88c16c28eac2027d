/* A library that silently loses or changes data, at each call in turn: the file is refused and removed.
 * labels: unit property, backend: none */
#include <dlfcn.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "io/checkpoint.h"
#include "io/view_writer.h"
#include "tests/io/volumes.h"
#include "tests/support/geometries.h"

/* Fault of call `at` of the functions below. */
enum way { LOSE, ELSEWHERE, CHANGE, WAYS };
static enum way way;
static int calls, at = -1;

/* The library's definition of a function. dlsym() returns functions as objects. */
static void find(const char *name, void *function)
{
	void *found = dlsym(RTLD_NEXT, name);
	ck_assert_ptr_nonnull(found);
	memcpy(function, &found, sizeof found);
}

static int happens(enum way what) { return way == what && calls == at; }

static int other(int variable) { return variable == NC_GLOBAL ? 0 : NC_GLOBAL; }

int nc_put_att_text(int file, int variable, const char *name, size_t n, const char *text)
{
	static int (*real)(int, int, const char *, size_t, const char *);
	char changed[4096] = "";
	if (!real)
		find("nc_put_att_text", &real);
	/* text that is replaced later may be lost; empty text cannot be changed */
	if (n == 0 || (n == 16 && !memcmp(text, "0000000000000000", 16)))
		return real(file, variable, name, n, text);
	calls++;
	ck_assert_uint_lt(n, sizeof changed);
	memcpy(changed, text, n);
	changed[n - 1] ^= 1;
	return happens(LOSE) ? NC_NOERR
	                     : real(file, happens(ELSEWHERE) ? other(variable) : variable, name, n, happens(CHANGE) ? changed : text);
}

int nc_put_att_double(int file, int variable, const char *name, nc_type type, size_t n, const double *values)
{
	static int (*real)(int, int, const char *, nc_type, size_t, const double *);
	double changed[64] = { 0 };
	if (!real)
		find("nc_put_att_double", &real);
	calls++;
	ck_assert_uint_le(n, 64);
	memcpy(changed, values, n * sizeof *values);
	changed[0] += 1;
	return happens(LOSE)
	               ? NC_NOERR
	               : real(file, happens(ELSEWHERE) ? other(variable) : variable, name, type, n, happens(CHANGE) ? changed : values);
}

int nc_put_att_int(int file, int variable, const char *name, nc_type type, size_t n, const int *values)
{
	static int (*real)(int, int, const char *, nc_type, size_t, const int *);
	if (!real)
		find("nc_put_att_int", &real);
	calls++;
	return happens(LOSE)
	               ? NC_NOERR
	               : real(file, happens(ELSEWHERE) ? other(variable) : variable, name, happens(CHANGE) ? NC_SHORT : type, n, values);
}

/* Values cannot move to another variable, so ELSEWHERE loses them. */
int nc_put_var_double(int file, int variable, const double *values)
{
	static int (*real)(int, int, const double *);
	static const double zeros[3 * 4096];
	if (!real)
		find("nc_put_var_double", &real);
	calls++;
	return happens(LOSE) || happens(ELSEWHERE) ? NC_NOERR : real(file, variable, happens(CHANGE) ? zeros : values);
}

/* Smaller than given: a larger size would read beyond the caller's data. */
int nc_def_dim(int file, const char *name, size_t n, int *dimension)
{
	static int (*real)(int, const char *, size_t, int *);
	if (!real)
		find("nc_def_dim", &real);
	calls++;
	if (happens(ELSEWHERE))
		real(file, "another", n, dimension);
	return real(file, happens(LOSE) ? "lost" : name, happens(CHANGE) ? n - 1 + 2 * (n == 1) : n, dimension);
}

int nc_def_var(int file, const char *name, nc_type type, int rank, const int *dimensions, int *variable)
{
	static int (*real)(int, const char *, nc_type, int, const int *, int *);
	if (!real)
		find("nc_def_var", &real);
	calls++;
	if (happens(ELSEWHERE))
		real(file, "another", type, rank, dimensions, variable);
	return real(file, happens(LOSE) ? "lost" : name, happens(CHANGE) ? NC_INT : type, rank, dimensions, variable);
}

static char folder[64], path[96];

static void setup(void)
{
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/a.nc", folder);
}

static void teardown(void) { ck_assert_msg(rmdir(folder) == 0, "something stays in %s", folder); }

static void lose_each(gt_status (*write)(void))
{
	calls = 0;
	at = -1;
	ck_ok(write());
	ck_assert_int_eq(unlink(path), 0);
	const int all = calls;
	ck_assert_int_gt(all, 10);
	for (way = 0; way < WAYS; way++)
		for (int k = 1; k <= all; k++) {
			calls = 0;
			at = k;
			const gt_status st = write();
			ck_assert_msg(st == GT_ERR_IO || st == GT_ERR_FORMAT, "call %d of %d, way %d: status %d", k, all, (int)way,
			              (int)st);
			ck_assert_msg(!strncmp(gt_error(), path, strlen(path)), "call %d of %d, way %d: %s", k, all, (int)way, gt_error());
			ck_assert_msg(access(path, F_OK) != 0, "call %d of %d, way %d: a file is there", k, all, (int)way);
		}
	at = -1;
}

static gt_write_options options;

static gt_status write_volume(void)
{
	gt_volume *v = volume();
	v->water = 0.0206;
	v->position = GT_FFP;
	v->positioned = 1;
	v->from = (gt_provenance){ strdup("gantry recon a.nc"), strdup("solver=fdk"), 0x123456789 };
	const gt_status st = gt_write_volume(path, &options, v);
	gt_volume_free(v);
	return st;
}

GT_TEST(volumes)
{
	options = gt_write_defaults;
	lose_each(write_volume);
	options.unit = GT_HU;
	options.deflate = 4;
	lose_each(write_volume);
}

static gt_projections *projections(int which)
{
	struct gt_test_geometry g = gt_test_geometry(which);
	gt_projections *p = gt_projections_blank();
	const size_t n = gt_scan_size(g.scan);
	float **const array[] = { &p->data, &p->weight, &p->photons };
	p->scan = g.scan;
	for (int i = 0; i < 3; i++) {
		*array[i] = malloc(n * sizeof **array[i]);
		gt_test_random(3 + (unsigned)i, n, *array[i]);
		for (size_t k = 0; i && k < n; k++)
			(*array[i])[k] += 2;
	}
	p->water = 0.019;
	p->from = (gt_provenance){ strdup("gantry simulate"), strdup(""), 77 };
	return p;
}

static int which;

static gt_status write_projections(void)
{
	gt_projections *p = projections(which);
	const gt_status st = gt_write_projections(path, NULL, p);
	gt_projections_free(p);
	return st;
}

static gt_status write_views(void)
{
	gt_projections *p = projections(which);
	gt_view_writer *w = NULL;
	gt_status st = gt_view_writer_create(path, p, 1, &w);
	if (st == GT_OK)
		st = gt_view_writer_commit(w);
	gt_projections_free(p);
	return st;
}

GT_TESTS(scans, gt_test_geometries() < 4 ? gt_test_geometries() : 4)
{
	which = _i;
	lose_each(write_projections);
	lose_each(write_views);
}

static gt_status write_checkpoint(void)
{
	const gt_checkpoint_line run[] = { { "solver", "cgls" }, { "grid", "3x4x5" }, { "empty", "" }, { NULL, NULL } };
	double value = 0.7, nothing = -3;
	gt_backend *be = gt_test_backend();
	gt_array *x = gt_test_array(be, GT_F32, 35, 1), *y = gt_test_array(be, GT_F64, 7, 2), *zero = gt_test_array(be, GT_F64, 7, 2);
	const gt_state_entry list[] = {
		{ "x", x, NULL },    { "y", y, NULL }, { "zero", zero, NULL }, { "value", NULL, &value }, { "nothing", NULL, &nothing },
		{ NULL, NULL, NULL }
	};
	gt_fill(0, zero);
	const gt_status st = gt_checkpoint_write(path, run, 41, list);
	gt_array_free(x);
	gt_array_free(y);
	gt_array_free(zero);
	gt_backend_close(be);
	return st;
}

GT_TEST(checkpoints) { lose_each(write_checkpoint); }

int main(void) { return gt_test_main_with("netcdf_lost", setup, teardown); }
