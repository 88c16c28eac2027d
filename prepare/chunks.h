#ifndef GT_PREPARE_CHUNKS_H
#define GT_PREPARE_CHUNKS_H
/* A chunked run from file to file; private to prepare/. */
#include <stdint.h>
#include "io/view_reader.h"
#include "io/view_writer.h"
#include "prepare/step.h"

typedef struct {
	const gt_prepare_files *files;
	const gt_prepare_options *o;
	gt_pool *pool;
	gt_projections *head;           /* geometry of the input, without values */
	gt_view_reader *reader;
	gt_view_writer *writer;         /* NULL: not created yet */
	gt_prepared_step *step;
	size_t steps, by_views;         /* number of leading steps that work on views */
	gt_scan **scan;                 /* [steps + 1]: before each step, and after all */
	size_t *view;                   /* selected views of the input */
} gt_chunks;
void gt_chunks_free(gt_chunks *x);

#endif
