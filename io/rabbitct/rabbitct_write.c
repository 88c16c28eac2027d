/* Writes RabbitCT files: data sets, volumes, and references appended to a data set. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <gantry/io.h>
#include "core/arguments.h"
#include "core/files/opener.h"
#include "core/try.h"
#include "io/rabbitct/rabbitct.h"

static gt_status put(FILE *f, const char *path, const void *from, size_t bytes)
{
	if (fwrite(from, 1, bytes, f) == bytes)
		return GT_OK;
	return gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
}

static gt_status begin(const char *path, char **tmp, FILE **f)
{
	const gt_status st = gt_tmp_path(path, tmp);
	if (st != GT_OK)
		return st;
	if ((*f = fopen(*tmp, "wb")))
		return GT_OK;
	return gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
}

/* Closes and renames the file, or deletes it after a failure. */
static gt_status end(gt_status st, const char *path, char *tmp, FILE *f)
{
	if (f && fclose(f) != 0 && st == GT_OK)
		st = gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
	if (st == GT_OK)
		return gt_tmp_commit(tmp, path);
	gt_tmp_drop(tmp);
	return st;
}

static gt_status put_head(FILE *f, const char *path, const gt_rabbitct_head *h)
{
	const uint32_t words[] = { 2, (uint32_t)h->columns, (uint32_t)h->rows, (uint32_t)h->views };
	const size_t from = h->layout == GT_RCT_ORIGINAL ? 0 : 1;
	const gt_status st = put(f, path, words + from, sizeof words - from * sizeof *words);
	return st != GT_OK ? st : put(f, path, h->scale, sizeof h->scale);
}

static gt_status put_matrix(FILE *f, const char *path, const double matrix[12])
{
	double columns[12];
	for (int r = 0; r < 3; r++)
		for (int c = 0; c < 4; c++)
			columns[3 * c + r] = matrix[4 * r + c];
	return put(f, path, columns, sizeof columns);
}

gt_status gt_rabbitct_write(const char *path, const gt_rabbitct_head *h, const double (*matrix)[12], const float *images)
{
	GT_NEED(path);
	GT_NEED(h);
	GT_NEED(matrix);
	GT_NEED(images);
	const size_t n = h->columns * h->rows;
	char *tmp = NULL;
	FILE *f = NULL;
	gt_status st = GT_OK;
	for (size_t i = 0; i < n * h->views; i++)
		if (!isfinite(images[i]))
			return gt_fail(GT_ERR_UNSUPPORTED, "%s: value %zu of view %zu is not finite: not written", path, i % n, i / n);
	if (h->layout == GT_RCT_REPACKAGED && h->columns == 2)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: 2 columns look like version 2 of the original layout: expected another number",
		               path);
	GT_TRY(begin(path, &tmp, &f));
	GT_TRY(put_head(f, path, h));
	for (size_t v = 0; v < h->views; v++) {
		GT_TRY(put_matrix(f, path, matrix[v]));
		GT_TRY(put(f, path, images + v * n, n * sizeof *images));
	}
done:
	return tmp ? end(st, path, tmp, f) : st;
}

gt_status gt_rabbitct_write_volume(const char *path, size_t size, const uint16_t *hu)
{
	GT_NEED(path);
	GT_NEED(hu);
	char *tmp = NULL;
	FILE *f = NULL;
	gt_status st = GT_OK;
	GT_TRY(begin(path, &tmp, &f));
	GT_TRY(put(f, path, hu, size * size * size * sizeof *hu));
done:
	return tmp ? end(st, path, tmp, f) : st;
}

gt_status gt_rabbitct_can_append(const char *path, const gt_rabbitct_head *h, size_t size)
{
	GT_NEED(path);
	GT_NEED(h);
	if (h->layout != GT_RCT_ORIGINAL)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: is repackaged, its references are files of their own: expected the original layout",
		               path);
	if (h->references > 3)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: has all references, 128, 256, 512, 1024: cannot add one of %zu", path, size);
	if (size != (size_t)128 << h->references)
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "%s: has %zu references, which come in the order 128, 256, 512, 1024: cannot add one of %zu, expected %d",
		               path, h->references, size, 128 << h->references);
	return GT_OK;
}

/* Checks that this reference is the next one; *length: end of the file. */
static gt_status check_turn(const char *path, size_t size, off_t *length)
{
	gt_rabbitct *f = NULL;
	struct stat s;
	gt_status st = GT_OK;
	GT_TRY(gt_rabbitct_open(path, NULL, &f));
	GT_TRY(gt_rabbitct_can_append(path, gt_rabbitct_info(f), size));
	if (stat(path, &s) != 0)
		GT_TRY(gt_fail(GT_ERR_IO, "%s: %s", path, strerror(errno)));
	*length = s.st_size;
done:
	gt_rabbitct_close(f);
	return st;
}

static gt_status copy_bytes(const char *path, off_t length, FILE *to)
{
	const size_t max = 1 << 20;
	char *buffer = malloc(max);
	FILE *from = NULL;
	gt_status st = buffer ? gt_file_stream(path, &from, NULL) : gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	for (off_t left = length; st == GT_OK && left > 0;) {
		const size_t n = left < (off_t)max ? (size_t)left : max;
		st = fread(buffer, 1, n, from) == n ? put(to, path, buffer, n)
		                                    : gt_fail(GT_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
		left -= (off_t)n;
	}
	if (from)
		fclose(from);
	free(buffer);
	return st;
}

gt_status gt_rabbitct_append(const char *path, size_t size, const uint16_t *hu)
{
	GT_NEED(path);
	GT_NEED(hu);
	off_t length = 0;
	char *tmp = NULL;
	FILE *f = NULL;
	gt_status st = GT_OK;
	GT_TRY(check_turn(path, size, &length));
	GT_TRY(begin(path, &tmp, &f));
	GT_TRY(copy_bytes(path, length, f));
	GT_TRY(put(f, path, hu, size * size * size * sizeof *hu));
done:
	return tmp ? end(st, path, tmp, f) : st;
}
