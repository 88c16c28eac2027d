/* Images of Zeiss' .txrm: streams ImageData1/Image1 and so on, 100 in each folder, of two-byte or float samples. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "io/frames/frame_source.h"
#include "io/frames/ole2_file.h"

struct txrm_source {
	gt_frame_source base;
	gt_ole2 *file;
	char *path;
	uint32_t *stream; /* [frames] */
	size_t each;      /* bytes of a sample */
};

static gt_status read_(const gt_frame_source *self, size_t frame, size_t row, size_t rows, float *out)
{
	const struct txrm_source *s = (const struct txrm_source *)self;
	const size_t n = rows * s->base.columns;
	unsigned char *bytes = malloc(n * s->each);
	if (!bytes)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->path);
	const gt_status st = gt_ole2_read(s->file, s->stream[frame], row * s->base.columns * s->each, n * s->each, bytes);
	for (size_t i = 0; i < n && st == GT_OK; i++) {
		const unsigned char *b = bytes + i * s->each;
		const uint32_t low = b[0] | (uint32_t)b[1] << 8,
			       all = s->each == 4 ? low | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24 : low;
		if (s->each == 4)
			memcpy(&out[i], &all, 4);
		else
			out[i] = (float)low;
	}
	free(bytes);
	return st;
}

static const char *name_(const gt_frame_source *self, size_t frame)
{
	(void)frame;
	return ((const struct txrm_source *)self)->path;
}

static void free_(gt_frame_source *self)
{
	struct txrm_source *s = (struct txrm_source *)self;
	gt_ole2_close(s->file);
	free(s->path);
	free(s->stream);
	free(s);
}

static gt_status read_head(struct txrm_source *s, int reference)
{
	double head[4] = { 0, 0, 0, 0 };
	static const char *const names[] = { "ImageInfo/NoOfImages", "ImageInfo/ImageHeight", "ImageInfo/ImageWidth",
		                             "ImageInfo/DataType" };
	size_t found;
	gt_status st = GT_OK;
	for (int i = 0; i < 4; i++)
		GT_TRY(gt_ole2_numbers(s->file, i == 3 && reference ? "ReferenceData/DataType" : names[i], 1, 1, &head[i], &found));
	if (gt_ole2_numbers(s->file, "ImageInfo/ImagesTaken", 1, 1, &head[0], &found) != GT_OK || !found || head[0] < 1)
		gt_ole2_numbers(s->file, names[0], 1, 1, &head[0], &found);
	for (int i = 0; i < 3; i++)
		if (!(head[i] >= 1))
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %s is %g, expected at least 1", s->path, names[i], head[i]));
	if (head[3] != 5 && head[3] != 10)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: its samples are of type %g, expected 5 (two bytes) or 10 (float)", s->path, head[3]));
	s->each = head[3] == 5 ? 2 : 4;
	s->base.frames = reference ? 1 : (size_t)head[0];
	s->base.rows = (size_t)head[1];
	s->base.columns = (size_t)head[2];
	s->base.max = s->each == 2 ? 65535 : 0;
	s->base.bytes = s->base.rows * s->base.columns * s->each;
done:
	return st;
}

gt_status gt_txrm_source(const char *path, int reference, gt_frame_source **out)
{
	gt_status st = GT_OK;
	struct txrm_source *s = calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	s->base = (struct gt_frame_source){ .read = read_, .name = name_, .free = free_ };
	if (!(s->path = strdup(path)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(gt_ole2_open(path, &s->file));
	GT_TRY(read_head(s, reference));
	for (size_t i = 0; i < s->base.frames; i++) {
		char name[64];
		uint32_t stream;
		size_t bytes;
		snprintf(name, sizeof name, "ImageData%zu/Image%zu", i / 100 + 1, i + 1);
		const char *wanted = reference ? "ReferenceData/Image" : name;
		if (!gt_ole2_find(s->file, wanted, &stream, &bytes))
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: image %zu of %zu is missing (%s)", path, i + 1, s->base.frames, wanted));
		if (bytes / s->base.columns / s->each < s->base.rows)
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %s has %zu bytes, expected %zu rows x %zu columns of %zu", path, wanted, bytes,
			               s->base.rows, s->base.columns, s->each));
		/* grows the list with the existing images: their number in the header is not trusted */
		if ((i & (i - 1)) == 0) {
			uint32_t *more = realloc(s->stream, (i ? 2 * i : 1) * sizeof *more);
			if (!more)
				GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
			s->stream = more;
		}
		s->stream[i] = stream;
	}
	*out = &s->base;
	s = NULL;
done:
	if (s)
		free_(&s->base);
	return st;
}

int gt_txrm_has_reference(const char *path)
{
	gt_ole2 *file = NULL;
	uint32_t stream;
	size_t bytes;
	const int found = gt_ole2_open(path, &file) == GT_OK && gt_ole2_find(file, "ReferenceData/Image", &stream, &bytes);
	gt_ole2_close(file);
	return found;
}
