#ifndef GT_PREPARE_CHUNKS_H
#define GT_PREPARE_CHUNKS_H
/* A run from file to file; private to prepare/. */
#include <stdint.h>
#include <gantry/io.h>
#include "prepare/step.h"

typedef struct {
	const gt_prepare_files *files;
	const gt_prepare_options *o;
	gt_pool *pool;
	gt_projections *head;           /* of the input, without values */
	gt_view_reader *reader;
	gt_view_writer *writer;         /* NULL: not yet there */
	gt_prepared_step *step;
	size_t steps, by_views;         /* of the steps so many first ones work on views */
	gt_scan **scan;                 /* [steps + 1]: before each, and after all */
	size_t *view;                   /* of the input, which are taken */
} gt_chunks;
void gt_chunks_free(gt_chunks *x);

#endif
