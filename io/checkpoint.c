/* Checkpoints of runs. Arrays pass through one slab of host memory; an array of only +0 is not stored. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/device/backend.h"
#include "core/files/opener.h"
#include "core/hash.h"
#include "core/try.h"
#include "io/checkpoint.h"
#include "io/checksum.h"
#include "io/file_lock.h"
#include "io/netcdf/nc.h"

#define SLAB ((size_t)1 << 22) /* values; a multiple of 8 bytes, as gt_hash() requires */
static const char mark[] = "gantry_checkpoint", iterations_name[] = "iterations_done", hash_name[] = "hash", zeros_name[] = "zeros";
static const char prefix[] = "run_", sum_name[] = "checksum_at_end";

struct gt_checkpoint {
	char *path;
	int iteration;
	size_t lines;
	char **name, **text;
};

/* Transfers one slab from the device to the file, or back. */
typedef gt_status (*move)(const gt_nc *f, int variable, size_t first, gt_array *part, void *host);

/* A failure of the device stays pending: the run reports it. */
static gt_status save_slab(const gt_nc *f, int variable, size_t first, gt_array *part, void *host)
{
	gt_array_get(part, host);
	const gt_status st = gt_backend_known(gt_array_backend(part));
	return st == GT_OK ? gt_nc_put_part(f, variable, first, gt_array_size(part), host) : st;
}

static gt_status load_slab(const gt_nc *f, int variable, size_t first, gt_array *part, void *host)
{
	const size_t n = gt_array_size(part);
	const gt_status st = gt_nc_check(f, NULL, nc_get_vara(f->id, variable, &first, &n, host));
	if (st == GT_OK)
		gt_array_put(host, part);
	return st == GT_OK ? gt_backend_status(gt_array_backend(part)) : st;
}

static gt_status move_array(const gt_nc *f, int variable, const gt_array *a, move each, uint64_t *hash)
{
	const size_t n = gt_array_size(a), slab = n < SLAB ? n : SLAB;
	gt_array *part = NULL;
	gt_status st = GT_OK;
	void *host = malloc(slab * gt_type_size(gt_array_type(a)));
	*hash = 0;
	if (!host)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", f->path);
	for (size_t first = 0; first < n; first += slab) {
		GT_TRY(gt_array_part(a, first, n - first < slab ? n - first : slab, &part));
		GT_TRY(each(f, variable, first, part, host));
		*hash = gt_hash(*hash, host, gt_array_size(part) * gt_type_size(gt_array_type(part)));
		gt_array_free(part);
		part = NULL;
	}
done:
	gt_array_free(part);
	free(host);
	return st;
}

/* GT_STOPPED if a bit is set. */
static gt_status look_slab(const gt_nc *f, int variable, size_t first, gt_array *part, void *host)
{
	const size_t bytes = gt_array_bytes(part);
	const unsigned char *at = host;
	(void)f, (void)variable, (void)first;
	gt_array_get(part, host);
	return bytes && (at[0] || memcmp(at, at + 1, bytes - 1)) ? GT_STOPPED : GT_OK;
}

/* -0 and NaN must be stored. The device's comparisons cannot detect them, but exclude most arrays from the scan of all
 * bits. */
static gt_status is_zero(const gt_nc *f, const gt_array *a, int *zero)
{
	uint64_t hash;
	*zero = gt_max(a) == 0 && gt_min(a) == 0;
	const gt_status st = *zero ? move_array(f, -1, a, look_slab, &hash) : GT_OK;
	*zero = *zero && st == GT_OK;
	return st == GT_STOPPED ? GT_OK : st;
}
static nc_type type_of(const gt_state_entry *k) { return k->array && gt_array_type(k->array) == GT_F32 ? NC_FLOAT : NC_DOUBLE; }

/* Hash of the iteration, numbers and texts; arrays have their own. */
static uint64_t hash_numbers(uint64_t hash, int iteration, const gt_state_entry *kept)
{
	const double done = iteration;
	hash = gt_hash(hash, &done, sizeof done);
	for (; kept->name; kept++)
		if (kept->value)
			hash = gt_hash(hash, kept->value, sizeof *kept->value);
	return hash;
}

/* Writing ---------------------------------------------------------------- */

/* Arrays of equal size share a dimension. */
static gt_status dimension_of(const gt_nc *f, size_t n, int *dimension)
{
	char name[32];
	snprintf(name, sizeof name, "n%zu", n);
	if (nc_inq_dimid(f->id, name, dimension) == NC_NOERR)
		return GT_OK;
	return gt_nc_define_dimension(f, name, n, dimension);
}

static gt_status define(const gt_nc *f, const gt_state_entry *k, int *variable)
{
	int dimension = 0, zero = 0;
	gt_status st = GT_OK;
	if (k->array)
		GT_TRY(is_zero(f, k->array, &zero));
	const int stored = k->array && !zero;
	if (stored)
		GT_TRY(dimension_of(f, gt_array_size(k->array), &dimension));
	GT_TRY(gt_nc_define(f, k->name, type_of(k), stored ? 1 : 0, &dimension, NULL, NULL, variable));
	if (k->array && !stored)
		GT_TRY(gt_nc_put_number(f, *variable, zeros_name, (double)gt_array_size(k->array)));
	if (stored) /* in its final length: attributes cannot grow after data were written */
		GT_TRY(gt_nc_put_text(f, *variable, hash_name, "0000000000000000"));
done:
	return st;
}

static gt_status save(const gt_nc *f, const gt_state_entry *k, int variable)
{
	char text[32];
	uint64_t hash;
	gt_status st = GT_OK;
	int rank;
	GT_TRY(gt_nc_check(f, k->name, nc_inq_varndims(f->id, variable, &rank)));
	if (k->value)
		return gt_nc_put_doubles(f, variable, 1, k->value);
	if (rank == 0)
		return GT_OK;
	GT_TRY(move_array(f, variable, k->array, save_slab, &hash));
	snprintf(text, sizeof text, "%016" PRIx64, hash);
	GT_TRY(gt_nc_put_text(f, variable, hash_name, text));
done:
	return st;
}

static gt_status put_lines(const gt_nc *f, const gt_checkpoint_line *run, int iteration, const gt_state_entry *kept)
{
	gt_status st = GT_OK;
	uint64_t hash = 0;
	char hex[32];
	GT_TRY(gt_nc_put_text(f, NC_GLOBAL, "title", "A reconstruction under way"));
	GT_TRY(gt_nc_put_integer(f, NC_GLOBAL, mark, 1));
	GT_TRY(gt_nc_put_integer(f, NC_GLOBAL, sum_name, 1));
	GT_TRY(gt_nc_put_integer(f, NC_GLOBAL, iterations_name, iteration));
	for (; run->name; run++) {
		char name[NC_MAX_NAME + 1];
		snprintf(name, sizeof name, "%s%s", prefix, run->name);
		GT_TRY(gt_nc_put_text(f, NC_GLOBAL, name, run->text));
		hash = gt_hash_text(hash, run->text);
	}
	snprintf(hex, sizeof hex, "%016" PRIx64, hash_numbers(hash, iteration, kept));
	GT_TRY(gt_nc_put_text(f, NC_GLOBAL, hash_name, hex));
done:
	return st;
}

gt_status gt_checkpoint_write(const char *path, const gt_checkpoint_line *run, int iteration, const gt_state_entry *kept)
{
	gt_nc f = { .path = path, .id = -1 };
	gt_status st = GT_OK;
	double bytes = 0;
	size_t n = 0;
	for (; kept[n].name; n++)
		bytes += kept[n].array ? (double)gt_array_bytes(kept[n].array) : 0;
	int *variable = calloc(n + 1, sizeof *variable);
	if (!variable)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	gt_file_lock();
	GT_TRY(gt_nc_create(path, bytes, &f));
	GT_TRY(put_lines(&f, run, iteration, kept));
	for (size_t i = 0; i < n; i++)
		GT_TRY(define(&f, &kept[i], &variable[i]));
	GT_TRY(gt_nc_end_definitions(&f));
	for (size_t i = 0; i < n; i++)
		GT_TRY(save(&f, &kept[i], variable[i]));
	GT_TRY(gt_nc_finish(&f));
	GT_TRY(gt_checksum_append(f.tmp, path));
	GT_TRY(gt_nc_commit(&f));
done:
	gt_nc_drop(&f);
	gt_file_unlock();
	free(variable);
	return st;
}

/* Reading ---------------------------------------------------------------- */

/* Checkpoints of the first version have no checksum and no attribute that announces one. */
static gt_status check_mark(const gt_nc *f, int has_sum)
{
	double schema = 0, sum = 0;
	int found = 0, summed = 0;
	gt_status st = gt_nc_number(f, NULL, mark, &schema, &found);
	if (st == GT_OK && !found)
		return gt_fail(GT_ERR_FORMAT, "%s: is not a checkpoint: attribute %s is missing", f->path, mark);
	if (st == GT_OK && schema != 1)
		return gt_fail(GT_ERR_FORMAT, "%s: attribute %s is %g, expected 1", f->path, mark, schema);
	if (st == GT_OK && (st = gt_nc_number(f, NULL, sum_name, &sum, &summed)) == GT_OK && summed && !has_sum)
		st = gt_fail(GT_ERR_FORMAT, "%s: truncated: the checksum at its end is missing", f->path);
	return st;
}

static gt_status get_iteration(const gt_nc *f, int *iteration)
{
	double value = 0;
	const gt_status st = gt_nc_number(f, NULL, iterations_name, &value, NULL);
	if (st == GT_OK && !(value >= 1 && value <= 1e9 && value == (int)value))
		return gt_fail(GT_ERR_FORMAT, "%s: attribute %s is %g, expected an integer of at least 1", f->path, iterations_name, value);
	*iteration = (int)value;
	return st;
}

static gt_status get_lines(const gt_nc *f, gt_checkpoint *c)
{
	int n;
	gt_status st = GT_OK;
	GT_TRY(gt_nc_check(f, NULL, nc_inq_natts(f->id, &n)));
	c->name = calloc((size_t)n, sizeof *c->name);
	c->text = calloc((size_t)n, sizeof *c->text);
	if (!c->name || !c->text)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", f->path));
	for (int i = 0; i < n; i++) {
		char name[NC_MAX_NAME + 1];
		GT_TRY(gt_nc_check(f, NULL, nc_inq_attname(f->id, NC_GLOBAL, i, name)));
		if (strncmp(name, prefix, strlen(prefix)))
			continue;
		if (!(c->name[c->lines] = strdup(name + strlen(prefix))))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", f->path));
		GT_TRY(gt_nc_text(f, NULL, name, &c->text[c->lines++]));
	}
done:
	return st;
}

gt_status gt_checkpoint_open(const char *path, gt_checkpoint **out)
{
	gt_nc f = { .path = path, .id = -1 };
	int has_sum;
	gt_status st = GT_OK;
	gt_checkpoint *c = calloc(1, sizeof *c);
	gt_file_lock();
	if (!c || !(c->path = strdup(path)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(gt_file_check(path));
	GT_TRY(gt_checksum_check(path, &has_sum));
	GT_TRY(gt_nc_open(path, &f));
	GT_TRY(check_mark(&f, has_sum));
	GT_TRY(get_iteration(&f, &c->iteration));
	GT_TRY(get_lines(&f, c));
	*out = c;
	c = NULL;
done:
	gt_nc_close(&f);
	gt_file_unlock();
	gt_checkpoint_free(c);
	return st;
}

void gt_checkpoint_free(gt_checkpoint *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->lines; i++) {
		free(c->name[i]);
		free(c->text[i]);
	}
	free(c->name);
	free(c->text);
	free(c->path);
	free(c);
}

int gt_checkpoint_iteration(const gt_checkpoint *c) { return c->iteration; }

const char *gt_checkpoint_text(const gt_checkpoint *c, const char *name)
{
	for (size_t i = 0; i < c->lines; i++)
		if (!strcmp(c->name[i], name))
			return c->text[i];
	return NULL;
}

gt_status gt_checkpoint_has(const gt_checkpoint *c, const char *name, int *has)
{
	gt_nc f = { .path = c->path, .id = -1 };
	gt_status st;
	*has = 0;
	gt_file_lock();
	GT_TRY(gt_nc_open(c->path, &f));
	GT_TRY(gt_nc_has(&f, name, has));
done:
	gt_nc_close(&f);
	gt_file_unlock();
	return st;
}

static gt_status load_array(const gt_nc *f, const gt_state_entry *k, int variable)
{
	char *was = NULL, now[32];
	uint64_t hash;
	gt_status st = GT_OK;
	GT_TRY(gt_nc_text(f, k->name, hash_name, &was));
	GT_TRY(gt_fail_in(move_array(f, variable, k->array, load_slab, &hash), "variable %s", k->name));
	snprintf(now, sizeof now, "%016" PRIx64, hash);
	if (!was || strcmp(was, now))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: variable %s: damaged: its hash is %s, expected %s", f->path, k->name, now,
		               was ? was : "an attribute with its hash"));
done:
	free(was);
	return st;
}

static gt_status load(const gt_nc *f, const gt_state_entry *k)
{
	int variable, rank, dimension[NC_MAX_VAR_DIMS], has_zeros = 0;
	size_t n = 1;
	double zeros = 0;
	nc_type type;
	gt_status st = GT_OK;
	if (nc_inq_varid(f->id, k->name, &variable) != NC_NOERR)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: variable %s is missing", f->path, k->name));
	GT_TRY(gt_nc_check(f, k->name, nc_inq_var(f->id, variable, NULL, &type, &rank, dimension, NULL)));
	GT_TRY(gt_nc_number(f, k->name, zeros_name, &zeros, &has_zeros));
	if (rank == 1)
		GT_TRY(gt_nc_check(f, k->name, nc_inq_dimlen(f->id, dimension[0], &n)));
	const size_t found = has_zeros ? (size_t)zeros : n, expected = k->array ? gt_array_size(k->array) : 1;
	if (type != type_of(k) || rank > 1 || found != expected || (rank == 1) != (k->array && !has_zeros))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: variable %s: has %zu %s values, expected %zu %s ones", f->path, k->name, found,
		               type == NC_FLOAT ? "single" : "double", expected, type_of(k) == NC_FLOAT ? "single" : "double"));
	if (has_zeros)
		gt_fill(0, k->array);
	else if (k->array)
		GT_TRY(load_array(f, k, variable));
	else
		GT_TRY(gt_nc_check(f, k->name, nc_get_var_double(f->id, variable, k->value)));
done:
	return st;
}

static gt_status check_numbers(const gt_nc *f, const gt_checkpoint *c, const gt_state_entry *kept)
{
	char *was = NULL, now[32];
	uint64_t hash = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_nc_text(f, NULL, hash_name, &was));
	for (size_t i = 0; i < c->lines; i++)
		hash = gt_hash_text(hash, c->text[i]);
	snprintf(now, sizeof now, "%016" PRIx64, hash_numbers(hash, c->iteration, kept));
	if (!was || strcmp(was, now))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: damaged: the hash of its numbers and texts is %s, expected %s", f->path, now,
		               was ? was : "an attribute with its hash"));
done:
	free(was);
	return st;
}

gt_status gt_checkpoint_fill(const gt_checkpoint *c, const gt_state_entry *kept)
{
	gt_nc f = { .path = c->path, .id = -1 };
	int variables = 0, iteration = 0;
	gt_status st = GT_OK;
	size_t n = 0;
	while (kept[n].name)
		n++;
	gt_file_lock();
	GT_TRY(gt_nc_open(c->path, &f));
	GT_TRY(get_iteration(&f, &iteration));
	if (iteration != c->iteration)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: is after iteration %d now, expected %d, as when it was opened", c->path, iteration,
		               c->iteration));
	GT_TRY(gt_nc_check(&f, NULL, nc_inq_nvars(f.id, &variables)));
	if ((size_t)variables != n)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: has %d variables, expected the %zu that this solver and penalty keep", c->path,
		               variables, n));
	for (size_t i = 0; i < n; i++)
		if (kept[i].array || kept[i].value)
			GT_TRY(load(&f, &kept[i]));
	GT_TRY(check_numbers(&f, c, kept));
done:
	gt_nc_close(&f);
	gt_file_unlock();
	return st;
}
