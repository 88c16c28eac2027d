#ifndef GT_IO_FRAMES_FRAME_STACK_H
#define GT_IO_FRAMES_FRAME_STACK_H
/* Images with fields and geometry, from a folder or file; private to io/. */
#include <gantry/io.h>
#include "io/frames/frame_folder.h"
#include "io/frames/frame_source.h"
#include "io/frames/intensity.h"

typedef struct {
	const char *path;
	gt_frames_options f;
	gt_frame_folder folder;
	gt_frame_source *scan, *flat, *dark, *after;
	gt_intensity *intensity;
	gt_geometry *geometry; /* NULL: no geometry file */
	int is_txrm, is_hdf5;
	double *angle;                  /* angles of HDF5 files, rad; NULL: from another source */
	size_t *before;                 /* views before each flat field; NULL: all of them */
	double column_pitch, row_pitch; /* mm; 0: unknown */
} gt_frame_stack;

/* Notes the source of each part. */
gt_status gt_frame_stack_open(const char *path, const gt_read_options *o, gt_frame_stack *k);
void      gt_frame_stack_close(gt_frame_stack *k);

#endif
