/* Checkpoints: bit-identical round trips of both types. Damaged files and other sizes are refused; after a failed
 * write the former file remains.
 * labels: unit */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <gantry/io.h>
#include "geometry/volume.h"
#include "io/checkpoint.h"
#include "tests/support/support.h"

static char folder[] = "/tmp/gantry-checkpoint-XXXXXX";
static char path[64];

static void enter(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/run.ck", folder);
}

static void leave(void)
{
	unlink(path);
	ck_assert_msg(rmdir(folder) == 0, "a temporary file stays in %s", folder);
}

static const gt_checkpoint_line lines[] = { { "solver", "cgls" }, { "grid", "3x4x5@1x1x1+0,-1,2" }, { "empty", "" }, { NULL, NULL } };

/* Arrays and numbers of all kinds with random contents. */
struct things {
	gt_backend *be;
	gt_array *big, *small, *zero;
	double value, nothing;
	gt_state_entry list[6];
};

static struct things *things(gt_type type, size_t big, unsigned seed)
{
	struct things *t = calloc(1, sizeof *t);
	t->be = gt_test_backend();
	t->big = gt_test_array(t->be, type, big, seed);
	t->small = gt_test_array(t->be, type, 7, seed + 1);
	t->zero = gt_test_array(t->be, type, big, seed + 2);
	gt_scale(1.0 / 3, t->big);
	t->value = seed / 7.0;
	t->nothing = NAN;
	const gt_state_entry list[] = { { "x", t->big, NULL },        { "small", t->small, NULL },      { "zero", t->zero, NULL },
		                        { "value", NULL, &t->value }, { "nothing", NULL, &t->nothing }, { NULL, NULL, NULL } };
	memcpy(t->list, list, sizeof list);
	return t;
}

static void things_free(struct things *t)
{
	gt_array_free(t->big);
	gt_array_free(t->small);
	gt_array_free(t->zero);
	gt_backend_close(t->be);
	free(t);
}

static int same(const gt_array *a, const gt_array *b)
{
	void *x = malloc(gt_array_bytes(a)), *y = malloc(gt_array_bytes(b));
	gt_array_get(a, x);
	gt_array_get(b, y);
	const int equal = gt_array_bytes(a) == gt_array_bytes(b) && !memcmp(x, y, gt_array_bytes(a));
	free(x);
	free(y);
	return equal;
}

/* Longer than a slab, with an odd remainder. */
GT_TEST(every_bit_comes_back)
{
	enter();
	for (gt_type type = GT_F32; type <= GT_F64; type++) {
		const size_t n = ((size_t)1 << 22) + 12345;
		struct things *a = things(type, n, 3), *b = things(type, n, 30);
		gt_checkpoint *c = NULL;
		struct stat s;
		gt_fill(0, a->zero);
		ck_ok(gt_checkpoint_write(path, lines, 41 + (int)type, a->list));
		ck_ok(gt_checkpoint_open(path, &c));
		ck_assert_int_eq(gt_checkpoint_iteration(c), 41 + (int)type);
		for (const gt_checkpoint_line *l = lines; l->name; l++)
			ck_assert_str_eq(gt_checkpoint_text(c, l->name), l->text);
		ck_assert_ptr_null(gt_checkpoint_text(c, "projector"));
		b->nothing = 1;
		ck_ok(gt_checkpoint_fill(c, b->list));
		ck_assert(same(a->big, b->big) && same(a->small, b->small) && same(a->zero, b->zero));
		ck_assert(memcmp(&a->value, &b->value, sizeof a->value) == 0 && isnan(b->nothing));
		/* zeros are not stored */
		ck_assert_int_eq(stat(path, &s), 0);
		ck_assert_uint_lt((size_t)s.st_size, gt_array_bytes(a->big) + 30000);
		gt_checkpoint_free(c);
		things_free(a);
		things_free(b);
	}
	leave();
}

static gt_status fill_from_file(struct things *t)
{
	gt_checkpoint *c = NULL;
	const gt_status st = gt_checkpoint_open(path, &c);
	const gt_status filled = st == GT_OK ? gt_checkpoint_fill(c, t->list) : st;
	gt_checkpoint_free(c);
	return filled;
}

/* Values that compare equal to 0 or vanish in sums: after the first slab, at its end, alone. */
GT_TEST(values_similar_to_zero_come_back)
{
	static const double odd[] = { -0.0, NAN, 4.9406564584124654e-324, 1.401298464324817e-45 };
	enter();
	for (gt_type type = GT_F32; type <= GT_F64; type++)
		for (size_t i = 0; i < 2 * sizeof odd / sizeof *odd; i++) {
			const size_t n = i % 2 ? ((size_t)1 << 22) + 77 : 7;
			struct things *a = things(type, n, 3), *b = things(type, n, 30);
			const double d = odd[i / 2];
			const float f = (float)d;
			gt_array *one = NULL;
			gt_fill(0, a->zero);
			ck_ok(gt_array_part(a->zero, i % 2 ? n - 2 : i / 2, 1, &one));
			gt_array_put(type == GT_F32 ? (const void *)&f : &d, one);
			gt_array_free(one);
			ck_ok(gt_checkpoint_write(path, lines, 3, a->list));
			ck_ok(fill_from_file(b));
			ck_assert_msg(same(a->zero, b->zero), "%g (%s) among %zu zeros", d, gt_type_name(type), n);
			things_free(a);
			things_free(b);
		}
	leave();
}

GT_TEST(others_are_refused)
{
	enter();
	struct things *a = things(GT_F64, 1000, 3), *b = things(GT_F64, 1000, 9), *single = things(GT_F32, 1000, 3),
		      *longer = things(GT_F64, 1001, 3);
	ck_ok(gt_checkpoint_write(path, lines, 3, a->list));
	ck_ok(fill_from_file(b));
	ck_refused(fill_from_file(single), GT_ERR_FORMAT, "variable x: has 1000 double values, expected 1000 single ones");
	ck_refused(fill_from_file(longer), GT_ERR_FORMAT, "variable x: has 1000 double values, expected 1001 double ones");
	b->list[1].name = "other";
	ck_refused(fill_from_file(b), GT_ERR_FORMAT, "variable other is missing");
	b->list[1] = (gt_state_entry){ "small", NULL, &b->value };
	ck_refused(fill_from_file(b), GT_ERR_FORMAT, "variable small: has 7 double values, expected 1 double");
	b->list[1] = (gt_state_entry){ "small", b->small, NULL };
	b->list[4].name = NULL;
	ck_refused(fill_from_file(b), GT_ERR_FORMAT, "has 5 variables, expected the 4");
	/* neither array nor number: skipped, but the variable must exist */
	b->list[4].name = "nothing";
	b->list[1] = (gt_state_entry){ "small", NULL, NULL };
	gt_fill(3, b->small);
	ck_ok(fill_from_file(b));
	ck_assert_double_eq(gt_max(b->small), 3);
	gt_checkpoint *c = NULL;
	ck_ok(gt_checkpoint_open(path, &c));
	int has;
	ck_ok(gt_checkpoint_has(c, "small", &has));
	ck_assert(has);
	ck_ok(gt_checkpoint_has(c, "smal", &has));
	ck_assert(!has);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_msg(gt_checkpoint_has(c, "small", &has) != GT_OK, "a file that is gone has no such variable, and no fault");
	gt_checkpoint_free(c);
	/* zeros have a size too */
	gt_fill(0, a->big);
	ck_ok(gt_checkpoint_write(path, lines, 3, a->list));
	ck_refused(fill_from_file(longer), GT_ERR_FORMAT, "variable x: has 1000 double values, expected 1001");
	things_free(a);
	things_free(b);
	things_free(single);
	things_free(longer);
	leave();
}

static size_t read_all(unsigned char **bytes)
{
	FILE *f = fopen(path, "rb");
	ck_assert_ptr_nonnull(f);
	fseek(f, 0, SEEK_END);
	const size_t n = (size_t)ftell(f);
	rewind(f);
	*bytes = malloc(n);
	ck_assert_uint_eq(fread(*bytes, 1, n, f), n);
	fclose(f);
	return n;
}

static void write_all(const unsigned char *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
}

GT_TEST(damage_is_seen)
{
	enter();
	struct things *a = things(GT_F32, 5000, 3);
	unsigned char *bytes;
	ck_ok(gt_checkpoint_write(path, lines, 3, a->list));
	const size_t n = read_all(&bytes);
	for (size_t part = 0; part < n; part += n / 23 + 1) {
		write_all(bytes, part);
		ck_refused(fill_from_file(a), GT_ERR_FORMAT, "run.ck");
	}
	write_all(bytes, n - 1);
	ck_refused(fill_from_file(a), GT_ERR_FORMAT, "run.ck");
	/* one bit of an array */
	float value;
	gt_array *part = NULL;
	ck_ok(gt_array_part(a->big, 4321, 1, &part));
	gt_array_get(part, &value);
	size_t at = 0;
	while (at + sizeof value <= n && memcmp(bytes + at, &value, sizeof value))
		at++;
	ck_assert_uint_le(at + sizeof value, n);
	bytes[at] ^= 1;
	write_all(bytes, n);
	ck_refused(fill_from_file(a), GT_ERR_FORMAT, "run.ck: damaged: its checksum is ");
	/* The checksum detects any changed bit, also in itself and in appended bytes, before HDF5 opens the file. */
	bytes[at] ^= 1;
	for (size_t k = 0; k < n; k += 97) {
		bytes[k] ^= 64;
		write_all(bytes, n);
		ck_refused(fill_from_file(a), GT_ERR_FORMAT, k < n - 32 ? "run.ck: damaged: its checksum is " : "run.ck: ");
		bytes[k] ^= 64;
	}
	write_all(bytes, n);
	ck_ok(fill_from_file(a));
	free(bytes);
	gt_array_free(part);
	things_free(a);
	leave();
}

GT_TEST(no_checkpoint_at_all)
{
	enter();
	gt_checkpoint *c = NULL;
	ck_refused(gt_checkpoint_open(path, &c), GT_ERR_IO, "run.ck");
	float data[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	gt_volume v = { .tag = GT_IS_VOLUME, .grid = { { 2, 2, 2 }, { 1, 1, 1 }, { 0, 0, 0 } }, .data = data };
	char volume[80];
	snprintf(volume, sizeof volume, "%s/vol.nc", folder);
	ck_ok(gt_write_volume(volume, NULL, &v));
	ck_refused(gt_checkpoint_open(volume, &c), GT_ERR_FORMAT, "vol.nc: is not a checkpoint");
	ck_assert_ptr_null(c);
	unlink(volume);
	leave();
}

GT_TEST(the_former_stays)
{
	enter();
	struct things *a = things(GT_F64, 1000, 3);
	ck_ok(gt_checkpoint_write(path, lines, 3, a->list));
	a->list[1].name = "no/name";
	ck_refused(gt_checkpoint_write(path, lines, 4, a->list), GT_ERR_IO, "no/name");
	gt_checkpoint *c = NULL;
	ck_ok(gt_checkpoint_open(path, &c));
	ck_assert_int_eq(gt_checkpoint_iteration(c), 3);
	gt_checkpoint_free(c);
	things_free(a);
	leave();
}

int main(void) { return gt_test_main("checkpoint", NULL); }
