/* Sinograms as views: row r of view v is row v of image r. */
#include <stdlib.h>
#include "io/frames/sinogram_source.h"

struct turned {
	struct gt_frame_source base;
	gt_frame_source *from;
};

static gt_status read_(const gt_frame_source *self, size_t frame, size_t row, size_t rows, float *out)
{
	const gt_frame_source *from = ((const struct turned *)self)->from;
	gt_status st = GT_OK;
	for (size_t r = 0; r < rows && st == GT_OK; r++)
		st = from->read(from, row + r, frame, 1, out + r * from->columns);
	return st;
}

static const char *name(const gt_frame_source *self, size_t frame)
{
	const gt_frame_source *from = ((const struct turned *)self)->from;
	(void)frame;
	return from->name(from, 0);
}

static void free_(gt_frame_source *self)
{
	struct turned *s = (struct turned *)self;
	gt_frame_source_free(s->from);
	free(s);
}

gt_status gt_sinogram_source(gt_frame_source **s)
{
	gt_frame_source *from = *s;
	struct turned *t = calloc(1, sizeof *t);
	if (!t)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", from->name(from, 0));
	t->base = (struct gt_frame_source){ from->rows, from->frames, from->columns, from->max, from->bytes, read_, name, free_ };
	t->from = from;
	*s = &t->base;
	return GT_OK;
}
