/* Images in NumPy files: "\x93NUMPY", a version, a dictionary as text, data. Format: NumPy Enhancement Proposal 1, R.
 * Kern 2007, versions 1 to 3. [rows][columns] is one image, [images][rows][columns] are several. */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <gantry/array.h>
#include "core/files/opener.h"
#include "core/try.h"
#include "io/file_access.h"
#include "io/frames/frame_source.h"
#include "io/write_kit/number_types.h"

enum { LEAD = 12, MAX_HEADER = 65536 };
static const unsigned char signature[6] = { 0x93, 'N', 'U', 'M', 'P', 'Y' };

struct npy_source {
	struct gt_frame_source base;
	char *path;
	int file, swap;
	off_t begin;
	const gt_number_type *type;
	int columns_first; /* an image in Fortran order */
	float *turned;     /* such an image in C order */
};

int gt_is_npy(const char *path)
{
	unsigned char head[sizeof signature];
	return gt_file_start(path, head, sizeof head) == sizeof head && !memcmp(head, signature, sizeof head);
}

static gt_status read_(const gt_frame_source *self, size_t frame, size_t row, size_t rows, float *out)
{
	const struct npy_source *s = (const struct npy_source *)self;
	const size_t n = rows * s->base.columns, bytes = n * s->type->size;
	if (s->turned) {
		memcpy(out, s->turned + row * s->base.columns, n * sizeof *out);
		return GT_OK;
	}
	void *stored = malloc(bytes);
	if (!stored)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->path);
	const off_t at = s->begin + (off_t)((frame * s->base.rows + row) * s->base.columns * s->type->size);
	const gt_status st = gt_read_at(s->path, s->file, at, bytes, stored);
	if (st == GT_OK)
		s->type->convert(stored, n, s->swap, out);
	free(stored);
	return st;
}

static const char *name(const gt_frame_source *self, size_t frame)
{
	(void)frame;
	return ((const struct npy_source *)self)->path;
}

static void free_(gt_frame_source *self)
{
	struct npy_source *s = (struct npy_source *)self;
	if (s->file >= 0)
		close(s->file);
	free(s->path);
	free(s->turned);
	free(s);
}

/* Text after 'key': in the dictionary; NULL: missing. */
static const char *value_of(const char *text, const char *key)
{
	char quoted[32];
	snprintf(quoted, sizeof quoted, "'%s':", key);
	const char *at = strstr(text, quoted);
	return at ? at + strlen(quoted) + strspn(at + strlen(quoted), " ") : NULL;
}

/* Characters before the end, for messages. */
static int length_to(const char *text, const char *end, int max)
{
	const size_t n = strcspn(text, end);
	return n < (size_t)max ? (int)n : max;
}

static gt_status read_type(struct npy_source *s, const char *text)
{
	static const char *const names[][2] = { { "f4", "float32" }, { "f8", "float64" }, { "u1", "uint8" },  { "i1", "int8" },
		                                { "u2", "uint16" },  { "i2", "int16" },   { "u4", "uint32" }, { "i4", "int32" },
		                                { "u8", "uint64" },  { "i8", "int64" },   { "f2", "float16" } };
	const char *at = value_of(text, "descr");
	for (size_t i = 0; at && at[0] == '\'' && at[1] && strchr("<>|=", at[1]) && i < sizeof names / sizeof *names; i++)
		if (!strncmp(at + 2, names[i][0], 2) && at[4] == '\'')
			for (const gt_number_type *t = gt_number_types; t->met; t++)
				if (!strcmp(t->nifti_name, names[i][1]))
					s->type = t;
	if (!s->type)
		return gt_fail(GT_ERR_FORMAT, "%s: its samples are %.*s, expected a kind f, u or i such as '<f4', '<f8' or '<u2'", s->path,
		               at ? length_to(at, ",", 12) : 12, at ? at : "of no type");
	s->swap = s->type->size > 1 && ((at[1] == '>' && !gt_host_is_msb()) || (at[1] == '<' && gt_host_is_msb()));
	if (strstr(s->type->nifti_name, "int") && s->type->size < 4)
		s->base.max = (s->type->size == 1 ? 255 : 65535) >> (s->type->nifti_name[0] == 'i');
	return GT_OK;
}

static gt_status read_shape(struct npy_source *s, const char *text)
{
	const char *order = value_of(text, "fortran_order"), *at = value_of(text, "shape");
	size_t size[3] = { 1, 1, 1 }, n = 0;
	if (!at || *at++ != '(')
		return gt_fail(GT_ERR_FORMAT, "%s: has no shape", s->path);
	for (; isdigit((unsigned char)*at) && n < 4; at += strspn(at, ", ")) {
		char *end;
		const unsigned long long value = strtoull(at, &end, 10);
		if (n < 3)
			size[n] = value > (unsigned long long)1 << 40 ? 0 : (size_t)value;
		n++;
		at = end;
	}
	if (*at != ')' || n < 2 || n > 3)
		return gt_fail(GT_ERR_FORMAT, "%s: its shape is %.*s), expected (images, rows, columns) or (rows, columns)", s->path,
		               length_to(value_of(text, "shape"), ")", 40), value_of(text, "shape"));
	s->columns_first = order && !strncmp(order, "True", 4);
	if (order && !s->columns_first && strncmp(order, "False", 5))
		return gt_fail(GT_ERR_FORMAT, "%s: fortran_order is %.12s, expected True or False", s->path, order);
	if (!order || (s->columns_first && n == 3))
		return gt_fail(GT_ERR_FORMAT,
		               "%s: three dimensions in Fortran order, or in no order: expected C order (numpy.ascontiguousarray)",
		               s->path);
	s->base.frames = n == 3 ? size[0] : 1;
	s->base.rows = size[n - 2];
	s->base.columns = size[n - 1];
	return GT_OK;
}

static gt_status read_head(struct npy_source *s)
{
	unsigned char lead[LEAD];
	struct stat about;
	char *text = NULL;
	gt_status st = GT_OK;
	if (fstat(s->file, &about) != 0 || !S_ISREG(about.st_mode))
		return gt_fail(GT_ERR_IO, "%s: is not a regular file", s->path);
	GT_TRY(gt_read_at(s->path, s->file, 0, LEAD, lead));
	const size_t wide = lead[6] >= 2, begin = wide ? 12 : 10,
		     n = lead[8] + 256u * lead[9] + (wide ? 65536u * lead[10] + 16777216u * (size_t)lead[11] : 0);
	if (memcmp(lead, signature, sizeof signature) || lead[6] < 1 || lead[6] > 3 || n > MAX_HEADER)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: is version %u with a header of %zu bytes, expected version 1 to 3 and at most %d bytes",
		               s->path, lead[6], n, MAX_HEADER));
	if (!(text = calloc(n + 1, 1)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->path));
	GT_TRY(gt_read_at(s->path, s->file, (off_t)begin, n, text));
	GT_TRY(read_type(s, text));
	GT_TRY(read_shape(s, text));
	const double bytes = (double)s->base.frames * (double)s->base.rows * (double)s->base.columns * (double)s->type->size;
	s->begin = (off_t)(begin + n);
	if (bytes <= 0 || bytes != (double)(about.st_size - s->begin))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: states %zu x %zu x %zu numbers of %zu bytes, but has %lld bytes of data", s->path,
		               s->base.frames, s->base.rows, s->base.columns, s->type->size, (long long)(about.st_size - s->begin)));
	s->base.bytes = s->base.rows * s->base.columns * s->type->size;
done:
	free(text);
	return st;
}

static gt_status turn(struct npy_source *s)
{
	const size_t rows = s->base.rows, columns = s->base.columns;
	float *stored = NULL;
	void *bytes = NULL;
	gt_status st = gt_fail_in(gt_host_has_memory((double)rows * (double)columns * 16, "an image in Fortran order"), "%s", s->path);
	if (st != GT_OK)
		return st;
	stored = malloc(rows * columns * sizeof *stored);
	bytes = malloc(rows * columns * s->type->size);
	s->turned = malloc(rows * columns * sizeof *s->turned);
	if (!stored || !bytes || !s->turned)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->path));
	GT_TRY(gt_read_at(s->path, s->file, s->begin, rows * columns * s->type->size, bytes));
	s->type->convert(bytes, rows * columns, s->swap, stored);
	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c < columns; c++)
			s->turned[r * columns + c] = stored[c * rows + r];
done:
	free(stored);
	free(bytes);
	return st;
}

gt_status gt_npy_source(const char *path, gt_frame_source **out)
{
	gt_status st = GT_OK;
	struct npy_source *s = calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	s->base = (struct gt_frame_source){ .read = read_, .name = name, .free = free_ };
	s->file = -1;
	if (!(s->path = strdup(path)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory for the name of a NumPy file"));
	GT_TRY(gt_file_open(path, &s->file, NULL));
	GT_TRY(read_head(s));
	if (s->columns_first)
		GT_TRY(turn(s));
	*out = &s->base;
done:
	if (st != GT_OK)
		free_(&s->base);
	return st;
}
